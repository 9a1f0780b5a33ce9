// Compiles the matching engine to WebAssembly and writes dist/engine-wasm.cjs, which contract/msw and contract/playwright
// load: the module, compressed by gzip, as base64. Installs the compilation target with rustup if necessary.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './lib/project.mjs'
import { assertNoBuildPaths, releaseEnvironment } from './lib/release.mjs'

const target = 'wasm32-unknown-unknown'
/** Maximum size of the compressed module in bytes, because browsers download it. */
const LARGEST = 700_000
/** Size of the stack in bytes. Deeply nested documents and patterns need more than the default of 1 MiB. */
const STACK = 4 << 20

process.chdir(root)
installTarget()
const file = compile()
assertNoBuildPaths(root, [file])
write(gzipSync(readFileSync(file), { level: 9 }))

function installTarget() {
  const folder = output('rustc', ['--print', 'target-libdir', '--target', target])
  if (folder !== '' && existsSync(folder)) return
  const { error, status } = spawnSync('rustup', ['target', 'add', target], { stdio: 'inherit' })
  if (error === undefined && status === 0) return
  fail(`The Rust target ${target} is required to build contract/msw. Run: rustup target add ${target}`)
}

/** Returns the module. */
function compile() {
  const selection = ['--package', 'contract-wasm', '--lib', '--crate-type', 'cdylib']
  const profile = ['--profile', 'wasm', '--target', target, '--', '-C', `link-arg=-zstack-size=${STACK}`]
  const { status } = spawnSync('cargo', ['rustc', ...selection, ...profile], {
    stdio: 'inherit',
    env: releaseEnvironment(root),
  })
  if (status !== 0) process.exit(status ?? 1)
  const { target_directory } = JSON.parse(output('cargo', ['metadata', '--format-version', '1', '--no-deps']))
  return join(target_directory, target, 'wasm', 'contract_wasm.wasm')
}

function write(packed) {
  if (packed.length > LARGEST)
    fail(`The WebAssembly module has ${packed.length} bytes (gzip). The maximum is ${LARGEST}.`)
  mkdirSync('dist', { recursive: true })
  writeFileSync('dist/engine-wasm.cjs', `module.exports = '${packed.toString('base64')}'\n`)
  console.log(`dist/engine-wasm.cjs: ${packed.length} bytes (gzip)`)
}

function output(command, args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 << 20 })
  return status === 0 ? stdout.trim() : ''
}

function fail(problem) {
  console.error(problem)
  process.exit(1)
}
