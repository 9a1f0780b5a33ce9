// Prepares a machine for the scripts of package.json. Uses only Node itself.
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { run, StepFailed } from './run.mjs'

/** The Node version that @napi-rs/cli requires; the package itself runs on every Node 20. */
const oldestNode = [20, 17]

/** The expected duration of `build:native`. */
export const FIRST_BUILD = 'about 1.5 minutes on two cores the first time, then seconds'

/**
 * Runs the first steps of every script that may be started on a new machine. Ends the process if a requirement is missing.
 * `components` are Rust components that some installations lack.
 */
export async function prepare(root, steps, components = []) {
  const ready =
    (await steps.run('Prerequisites', () => checkPrerequisites(root, components))) &&
    (await steps.run('Dependencies', () => installDependencies(root)))
  if (!ready) process.exit(1)
}

/** Returns the missing requirements, one line each. */
function checkPrerequisites(root, components) {
  const problems = [nodeProblem(), ...rustProblems(root, components), compilerProblem()].filter(Boolean)
  if (problems.length > 0) throw new StepFailed(problems.join('\n'))
}

/** Installs the dependencies if node_modules does not match package-lock.json. */
async function installDependencies(root) {
  const installed = changedAt(join(root, 'node_modules', '.package-lock.json'))
  if (installed >= changedAt(join(root, 'package-lock.json'))) return
  // npm warns about the engines of indirect dependencies that are not used here.
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root })
}

function nodeProblem() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [wantedMajor, wantedMinor] = oldestNode
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined
  return `Node ${oldestNode.join('.')} or later is required, found ${process.version}: https://nodejs.org`
}

function rustProblems(root, components) {
  const required = /^rust-version = "(.+)"$/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))[1]
  const version = /^rustc (\d+\.\d+)/.exec(outputOf('rustc', '--version'))?.[1]
  if (!version || !outputOf('cargo', '--version')) {
    return [`Rust ${required} or later is required (cargo and rustc in the PATH): https://rustup.rs`]
  }
  const problems = []
  if (Number(version.split('.')[1]) < Number(required.split('.')[1])) {
    problems.push(`Rust ${required} or later is required, found ${version}. Run: rustup update stable`)
  }
  for (const component of components) {
    const command = component === 'rustfmt' ? 'fmt' : component
    if (!outputOf('cargo', command, '--version')) {
      problems.push(`cargo ${command} is required. Run: rustup component add ${component}`)
    }
  }
  return problems
}

function compilerProblem() {
  // On Windows, Rust finds the linker of Visual Studio, and reports if there is none.
  if (process.platform === 'win32' || outputOf('cc', '--version')) return undefined
  return 'A C compiler is required (cc in the PATH). Install gcc or clang, for example with `apt-get install gcc libc6-dev`'
}

/** Returns the output of a command, or an empty string if the command does not exist or fails. */
function outputOf(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? stdout : ''
}

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY
}
