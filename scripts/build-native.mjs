// Builds the native library and the executable into npm/PLATFORM/ with one call of cargo. Without options, the build is
// quick and shares its artifacts with the tests. With --release, it is a build for release or measurements, for this
// machine or for `--target TRIPLE`. With --zig, for published Linux builds, zig is the compiler and linker
// (cargo-zigbuild): it supports all architectures, musl and old versions of glibc.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { hostTarget, workEnvironment } from './lib/cargo.mjs'
import { nativeFiles, oldestGlibc, platformBy, quickBuildMark, root } from './lib/project.mjs'
import { releaseEnvironment } from './lib/release.mjs'

process.chdir(root)
const { values } = parseArgs({
  options: {
    release: { type: 'boolean' },
    target: { type: 'string' },
    zig: { type: 'boolean' },
  },
})
const release = values.release || values.target !== undefined || values.zig
const platform = platformBy('target', values.target ?? hostTarget())
const output = join('npm', platform.name)

build()
copyExecutable()
// Quick builds are large and slow, and must not be released.
if (release) rmSync(quickBuildMark(platform), { force: true })
else writeFileSync(quickBuildMark(platform), '')

/** `napi build` also writes the declarations, from data in the library. It passes other arguments to cargo. */
function build() {
  const napi = join('node_modules', '@napi-rs', 'cli', 'dist', 'cli.js')
  const where = ['--output-dir', output, '--no-js', '--dts', join('..', '..', 'src', 'native', 'binding.d.ts')]
  const how = release ? ['--release', '--target', triple(), ...(values.zig ? ['--cross-compile'] : [])] : []
  const what = ['--cwd', '.', '--manifest-path', join('crates', 'napi', 'Cargo.toml'), '--package', 'contract-napi']
  const args = [napi, 'build', ...what, ...where, ...how, '--', '--package', 'contract-cli']
  const result = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    env: release ? releaseEnvironment(root) : workEnvironment(),
  })
  if (result.error) throw result.error
  if (result.status !== 0) process.exit(result.status ?? 1)
}

function copyExecutable() {
  const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps'], { encoding: 'utf8' })
  const folder = [JSON.parse(metadata).target_directory, platform.target, release ? 'release' : 'debug']
  const [, executable] = nativeFiles(platform)
  copyFileSync(join(...folder, executable), join(output, basename(executable)))
}

function triple() {
  return values.zig && platform.abi === 'gnu' ? `${platform.target}.${oldestGlibc}` : platform.target
}
