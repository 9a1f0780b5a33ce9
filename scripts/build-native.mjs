// Builds the native library and the executable into npm/PLATFORM/ with one call of cargo. Without options, the build is
// quick and shares its artifacts with the tests. With --release, it is a build for release or measurements, for this
// machine or for `--target TRIPLE`. With --zig, for published Linux builds, zig is the compiler and linker
// (cargo-zigbuild): it supports all architectures, musl and old versions of glibc. With --auditable, the files contain the
// list of their crates (cargo-auditable). With --profile NAME, another profile of Cargo.toml than release is used, and the files are not
// for release.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { hostTarget, workEnvironment } from './lib/cargo.mjs'
import { nativeFiles, platformBy, quickBuildMark, root } from './lib/project.mjs'
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
  },
})
const release = values.release || values.target !== undefined || values.zig
const target = values.target ?? hostTarget()
const isProof = target in proofTargets
const platform = platformBy('target', proofTargets[target] ?? target)
const output = join('npm', platform.name)

if (isProof) buildProof()
else build()
copyExecutable()
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
  const how = release
    ? [
        '--profile',
        values.profile,
        '--target',
        values.zig ? zigTarget(target) : target,
        ...(values.zig ? ['--cross-compile'] : []),
      ]
    : []
  const what = ['--cwd', '.', '--manifest-path', join('crates', 'napi', 'Cargo.toml'), '--package', 'contract-napi']
  const args = [napi, 'build', ...what, ...where, ...how, '--', '--package', 'contract-cli']
  start(process.execPath, args, release ? environment() : workEnvironment())
}

/** `napi build` does not support these targets. The declarations do not depend on the target. */
function buildProof() {
  const what = ['--package', 'contract-napi', '--package', 'contract-cli']
  const env = { ...environment(), LIBNODE_PATH: emptyLibnode() }
  start('cargo', ['zigbuild', '--profile', values.profile, '--target', target, ...what], env)
  copyFileSync(join(artifacts(), 'contract_napi.dll'), join(output, nativeFiles(platform)[0]))
}

/** For this target, the build script of napi requires a libnode.dll, although the functions of Node are found at run time. */
function emptyLibnode() {
  const folder = join(root, '.tmp', 'libnode', target)
  mkdirSync(folder, { recursive: true })
  const source = join(folder, 'empty.c')
  writeFileSync(source, 'void contract_empty(void) {}\n')
  const triple = `${target.split('-')[0]}-windows-gnu`
  start('python3', ['-m', 'ziglang', 'cc', '-target', triple, '-shared', source, '-o', join(folder, 'libnode.dll')])
  return folder
}

function start(command, args, env = process.env) {
  const result = spawnSync(command, args, { stdio: 'inherit', env })
  if (result.error) throw result.error
  if (result.status !== 0) process.exit(result.status ?? 1)
}

function environment() {
  return releaseEnvironment(root, { target, auditable: values.auditable })
}

function copyExecutable() {
  const [, executable] = nativeFiles(platform)
  copyFileSync(join(artifacts(), executable), join(output, basename(executable)))
}

/** The directory of cargo with the artifacts. */
function artifacts() {
  const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps'], { encoding: 'utf8' })
  return join(JSON.parse(metadata).target_directory, target, release ? values.profile : 'debug')
}
