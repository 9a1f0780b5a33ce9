// Starts cargo for development and tests, with clippy as the compiler of this workspace if it is installed. Then the
// library, executable, tests, and lints share one set of artifacts, and all compiled code is also linted.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StepFailed } from './run.mjs'

/**
 * The packages of one build: the Node binding, the executable, and the Python binding. Cargo selects features for all
 * packages in a call, so a part of them would be compiled with different features.
 */
export const nativePackages = ['contract-napi', 'contract-cli', 'contract-python', 'contract-capi']

/**
 * The environment of all builds that are not for release. Without clippy, there are no lints, but everything else is the
 * same.
 */
export function workEnvironment(inherited = process.env) {
  const driver = clippyDriver()
  // `napi build` passes the target, and builds with an explicit target have a separate directory.
  const shared = { ...inherited, CARGO_BUILD_TARGET: hostTarget() }
  return driver === undefined ? shared : { ...shared, RUSTC_WORKSPACE_WRAPPER: driver }
}

/** The target triple of this machine. */
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
 * Builds for development and returns cargo's messages about artifacts. Prints warnings, including those of crates that
 * were built before. With `strict`, warnings fail the build at the end.
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
      // Summaries such as "3 warnings emitted" have no code location.
      if (message.message.level === 'warning' && message.message.spans.length > 0) warnings += 1
    }
  }
  const end = await ended
  if (end !== 0) throw new StepFailed(`cargo ${args[0]} ended with ${end}`)
  if (strict && warnings > 0) throw new StepFailed(`${warnings} warnings of clippy or rustc. Fix them.`)
  return artifacts
}
