import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { executable } from './native/executable.js'

export { currentPlatform } from './native/platform.js'

/** Becomes the native executable, as far as Node can: same arguments, terminal, signals and exit code. */
export function launch(command: string): void {
  const path = findOrExit()
  // Before the start: a signal that comes right after it would end this process and leave the executable behind.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => {
      // The terminal sends Ctrl-C to the child itself; passed on, it would arrive twice and cut short a clean end.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }

  const child = spawn(path, process.argv.slice(2), { argv0: command, stdio: 'inherit', env: environment(command) })
  child.on('error', (error) => fail(error.message))
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal]
  })
}

/** A broker runs until it is stopped: it ends by itself when this process was killed and cannot stop it. */
function environment(command: string): NodeJS.ProcessEnv {
  const isBroker = command === 'contract-broker' && process.argv[2] === 'serve'
  return isBroker ? { ...process.env, CONTRACT_LAUNCHER_PID: String(process.pid) } : process.env
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
