import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { executable } from './native/executable.js'

export { currentPlatform } from './native/platform.js'

/**
 * Commands that are not part of the native executable but are implemented in JavaScript. A command is loaded only when
 * it is used.
 */
const COMMANDS = ['doctor', 'migrate']

/** Runs the native executable with the arguments of this process, and forwards its signals and exit code. */
export function launch(command: string): void {
  const [name = '', ...rest] = process.argv.slice(2)
  // The executable prints the help of all commands.
  const wantsHelp = rest.some((argument) => argument === '-h' || argument === '--help')
  if (command === 'contract' && COMMANDS.includes(name) && !wantsHelp) return void runScript(name, rest)
  const path = findOrExit()
  // Register the handlers before the executable starts. Otherwise, an early signal would end only this process.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => {
      // The terminal also sends Ctrl-C to the child. Sending it again would interrupt a graceful shutdown.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }

  const child = spawn(path, process.argv.slice(2), { argv0: command, stdio: 'inherit', env: environment(command) })
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal]
  })
}

/** Runs a command that is written in JavaScript, and sets its exit code. */
async function runScript(name: string, args: readonly string[]): Promise<void> {
  const scripts = require(join(__dirname, `${name}.cjs`)) as Record<
    string,
    (args: readonly string[]) => number | Promise<number>
  >
  // The reader of a pipe, such as head, may close it.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))
  process.exitCode = (await scripts[name]?.(args)) ?? 1
}

/** Commands that run until they are stopped. */
const SERVERS = ['contract-broker serve', 'contract stub', 'contract mock', 'contract record']

/**
 * Returns the environment of the executable. For a server, it contains this process's ID, so that the server exits if
 * this process is killed and cannot stop it.
 */
function environment(command: string): NodeJS.ProcessEnv {
  const isServer = SERVERS.includes(`${command} ${process.argv[2]}`)
  return isServer ? { ...process.env, CONTRACT_LAUNCHER_PID: String(process.pid) } : process.env
}

function findOrExit(): string {
  try {
    return executable()
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
