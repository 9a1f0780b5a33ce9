// Runs other programs and prints their output.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Thrown if a step fails. The reason was already printed, or is the message. */
export class StepFailed extends Error {}

/** Runs a command. `onLine` receives each line that it prints, in addition to the terminal. */
export async function run(command, args, { cwd, env, argv0, onLine } = {}) {
  const child = spawn(command, args, {
    cwd,
    env,
    argv0,
    stdio: ['inherit', onLine ? 'pipe' : 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  if (onLine) {
    for await (const line of createInterface(child.stdout)) {
      console.log(line)
      onLine(line)
    }
  }
  const end = await ended
  if (end !== 0) throw new StepFailed(`${command} ${args[0]} ended with ${end}`)
}

/** Runs a script of package.json. With `folded`, its output is shown only if it fails. */
export async function npmRun(root, script, { folded = false } = {}) {
  const args = ['run', '--silent', script]
  if (!folded) return run('npm', args, { cwd: root })
  const child = spawn('npm', args, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const printed = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => printed.push(bytes))
  const end = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  if (end === 0) return
  process.stderr.write(Buffer.concat(printed))
  throw new StepFailed(`npm run ${script} ended with ${end}`)
}
