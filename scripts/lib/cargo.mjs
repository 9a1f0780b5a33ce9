// How cargo is started for work and for tests: with clippy as the compiler of our own crates, where clippy is installed.
// Library, executable, tests and lints then come from one set of artifacts, and what has been compiled has been linted.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StepFailed } from './run.mjs'

/**
 * What is built for use, in one call: the Node binding, the executable, the Python binding. Cargo chooses features for all
 * that it builds in a call, so a part of it alone would be compiled with others.
 */
export const nativePackages = ['contract-napi', 'contract-cli', 'contract-python', 'contract-capi']

/** The environment of every build that is not for release. Without clippy there are no lints, and all else is the same. */
export function workEnvironment(given = process.env) {
  const driver = clippyDriver()
  // `napi build` names the target, and what is built for a target that is named has a folder of its own.
  const shared = { ...given, CARGO_BUILD_TARGET: hostTarget() }
  return driver === undefined ? shared : { ...shared, RUSTC_WORKSPACE_WRAPPER: driver }
}

/** What rustc calls this machine. */
export function hostTarget() {
  return /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))[1]
}

/** The path of clippy-driver, next to rustc in the toolchain, or undefined if it is not installed. */
function clippyDriver() {
  const sysroot = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).trim()
  const driver = join(sysroot, 'bin', process.platform === 'win32' ? 'clippy-driver.exe' : 'clippy-driver')
  return spawnSync(driver, ['--version']).status === 0 ? driver : undefined
}

/**
 * Builds for work; gives what cargo tells of each artifact. Warnings are shown, those of crates that were built before
 * again; with `strict` they fail the build in the end.
 */
export async function cargoBuild(root, args, { strict = false } = {}) {
  const child = spawn('cargo', [...args, '--message-format', 'json-diagnostic-rendered-ansi'], {
    cwd: root,
    env: workEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  const artifacts = []
  let warnings = 0
  for await (const line of createInterface(child.stdout)) {
    const message = line.startsWith('{') ? JSON.parse(line) : { reason: 'text' }
    if (message.reason === 'compiler-artifact') artifacts.push(message)
    if (message.reason === 'compiler-message') {
      process.stderr.write(message.message.rendered)
      // The sums at the end, "3 warnings emitted", have no place in the code.
      if (message.message.level === 'warning' && message.message.spans.length > 0) warnings += 1
    }
  }
  const end = await ended
  if (end !== 0) throw new StepFailed(`cargo ${args[0]} ended with ${end}`)
  if (strict && warnings > 0) throw new StepFailed(`${warnings} warnings of clippy or rustc, and there must be none`)
  return artifacts
}
