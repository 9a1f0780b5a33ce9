// Builds the native library and the executable into npm/PLATFORM/. Without options, the build is quick and shares its
// artifacts with the tests. With --release, it is a build for release or measurements, for this machine or for
// `--target TRIPLE`: the library contains the command line, and the executable only loads it (docs/decisions/0047). With --zig, for
// published Linux builds, zig is the compiler and linker (cargo-zigbuild): it supports all architectures, musl and old
// versions of glibc. With --auditable, the files contain the list of their crates (cargo-auditable). With --profile NAME, another profile
// of Cargo.toml than release is used, and the files are not for release. With --standalone, a release build also writes
// standalone/PLATFORM/contract, which needs no library; for musl, it is static. With --launcher, a quick build has the same structure as a
// release build, for tests of it.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { hostTarget, workEnvironment } from './lib/cargo.mjs'
import { nativeFiles, platformBy, quickBuildMark, root, standaloneFile } from './lib/project.mjs'
import { releaseEnvironment } from './lib/release.mjs'
import { proofTargets, zigTarget } from './lib/targets.mjs'

process.chdir(root)
const { values } = parseArgs({
  options: {
    release: { type: 'boolean' },
    target: { type: 'string' },
    zig: { type: 'boolean' },
    auditable: { type: 'boolean' },
    profile: { type: 'string', default: 'release' },
    standalone: { type: 'boolean' },
    launcher: { type: 'boolean' },
  },
})
const release = values.release || values.target !== undefined || values.zig
const target = values.target ?? hostTarget()
const isProof = target in proofTargets
const platform = platformBy('target', proofTargets[target] ?? target)
const output = join('npm', platform.name)
const [library, executable] = nativeFiles(platform)
const extension = platform.os === 'win32' ? '.exe' : ''
const usesLauncher = release || values.launcher
/** Cargo selects features for all packages in a call, so that the executable is built together with the library. */
const packages = ['contract-napi', ...(release && !values.standalone ? [] : ['contract-cli'])]
const features = usesLauncher ? ['--features', 'command-line'] : []

if (isProof) buildProof()
else build()
if (usesLauncher) buildLauncher()
copy(`${usesLauncher ? 'contract-launcher' : 'contract'}${extension}`, join(output, executable))
if (values.standalone) copy(`contract${extension}`, standaloneFile(platform))
const obstacle = reasonAgainstRelease()
if (obstacle === undefined) rmSync(quickBuildMark(platform), { force: true })
else writeFileSync(quickBuildMark(platform), `${obstacle}\n`)

function reasonAgainstRelease() {
  if (!release) return 'a development build, large and slow'
  if (isProof) return `built for ${target} instead of ${platform.target}`
  if (values.profile !== 'release') return `built with the profile ${values.profile}`
  return undefined
}

/** `napi build` also writes the declarations, from data in the library. It passes other arguments to cargo. */
function build() {
  const napi = join('node_modules', '@napi-rs', 'cli', 'dist', 'cli.js')
  const where = ['--output-dir', output, '--no-js', '--dts', join('..', '..', 'src', 'native', 'binding.d.ts')]
  const profile = release
    ? [
        '--profile',
        values.profile,
        '--target',
        values.zig ? zigTarget(target) : target,
        ...(values.zig ? ['--cross-compile'] : []),
      ]
    : []
  const [first, ...otherPackages] = packages
  const selection = ['--cwd', '.', '--manifest-path', join('crates', 'napi', 'Cargo.toml'), '--package', first]
  const added = otherPackages.flatMap((name) => ['--package', name])
  const args = [
    napi,
    'build',
    ...selection,
    ...where,
    ...profile,
    ...features,
    ...(added.length > 0 ? ['--', ...added] : []),
  ]
  start(process.execPath, args, release ? environment() : workEnvironment())
}

/** `napi build` does not support these targets. The declarations do not depend on the target. */
function buildProof() {
  const selection = [...packages.flatMap((name) => ['--package', name]), ...features]
  const env = { ...environment(), LIBNODE_PATH: emptyLibnode() }
  start('cargo', ['zigbuild', '--profile', values.profile, '--target', target, ...selection], env)
  copy('contract_napi.dll', join(output, library))
}

/** A separate build, because its linker options differ. */
function buildLauncher() {
  const command = values.zig || isProof ? 'zigbuild' : 'build'
  const profile = release ? values.profile : 'dev'
  const selection = ['--package', 'contract-launcher', '--target', values.zig ? zigTarget(target) : target]
  // By default, zig links executables for musl statically, and static executables cannot load libraries.
  const flags = values.zig && platform.abi === 'musl' ? ['-Clink-arg=-dynamic'] : []
  start('cargo', [command, '--profile', profile, ...selection], release ? environment(flags) : workEnvironment())
}

/**
 * For this target, the build script of napi requires a libnode.dll, and zig its import library, although the functions of Node are found at
 * run time.
 */
function emptyLibnode() {
  const folder = join(root, '.tmp', 'libnode', target)
  mkdirSync(folder, { recursive: true })
  const source = join(folder, 'empty.c')
  writeFileSync(source, '__declspec(dllexport) void contract_empty(void) {}\n')
  const triple = `${target.split('-')[0]}-windows-gnu`
  const outputs = ['-o', join(folder, 'libnode.dll'), `-Wl,--out-implib=${join(folder, 'libnode.a')}`]
  start('python3', ['-m', 'ziglang', 'cc', '-target', triple, '-shared', source, ...outputs])
  return folder
}

function start(command, args, env = process.env) {
  const result = spawnSync(command, args, { stdio: 'inherit', env })
  if (result.error) throw result.error
  if (result.status !== 0) process.exit(result.status ?? 1)
}

function environment(flags = []) {
  return releaseEnvironment(root, { target, auditable: values.auditable, flags })
}

/** Copies an artifact of cargo. */
function copy(name, destination) {
  mkdirSync(dirname(destination), { recursive: true })
  copyFileSync(join(artifacts(), name), destination)
}

/** The directory of cargo with the artifacts. */
function artifacts() {
  const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps'], { encoding: 'utf8' })
  return join(JSON.parse(metadata).target_directory, target, release ? values.profile : 'debug')
}
