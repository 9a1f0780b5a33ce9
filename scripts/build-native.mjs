// Builds the native library and the executable into npm/PLATFORM/, for this machine or for `--target TRIPLE`. With --zig,
// for what is published for Linux, zig is compiler and linker (cargo-zigbuild): it knows every architecture, musl, and
// glibc as it was when it was old. With --dev it is quick to build and slow to run: for work on the core.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { oldestGlibc, platformBy, root } from './lib/project.mjs'

process.chdir(root)
const { values } = parseArgs({
  options: { target: { type: 'string' }, zig: { type: 'boolean' }, dev: { type: 'boolean' } },
})
const platform = platformBy('target', values.target ?? hostTarget())
const target = values.zig && platform.abi === 'gnu' ? `${platform.target}.${oldestGlibc}` : platform.target
const output = join('npm', platform.name)
// A build for this machine without `--release` shares its folder, and with it most of its work, with `cargo test`.
const profile = values.dev && !values.target ? [] : ['--target', target, ...(values.dev ? [] : ['--release'])]

// Two builds and not one, so that what only the executable needs stays out of the library.
buildLibrary()
buildExecutable()

/** `napi build` also writes the declarations, which the library itself supplies. */
function buildLibrary() {
  const napi = join('node_modules', '@napi-rs', 'cli', 'dist', 'cli.js')
  const what = ['build', ...profile, '--manifest-path', join('crates', 'napi', 'Cargo.toml')]
  const where = ['--output-dir', output, '--no-js', '--dts', join('..', '..', 'src', 'native', 'binding.d.ts')]
  run(process.execPath, [napi, ...what, ...where, ...(values.zig ? ['--cross-compile'] : [])])
}

function buildExecutable() {
  const what = [values.zig ? 'zigbuild' : 'build', ...profile, '--package', 'contract-cli']
  // What cargo prints is for us: it tells where the executable is. How far it is, it tells on the other stream.
  const messages = run('cargo', [...what, '--message-format', 'json-render-diagnostics'], 'pipe')
  const { executable } = messages
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .find((message) => message.executable)
  copyFileSync(executable, join(output, basename(executable)))
}

function run(command, args, stdout = 'inherit') {
  const stdio = ['inherit', stdout, 'inherit']
  const result = spawnSync(command, args, { stdio, encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY })
  if (result.error) throw result.error
  if (result.status !== 0) process.exit(result.status ?? 1)
  return result.stdout
}

function hostTarget() {
  return /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))[1]
}
