// The global setup that the plugin adds. It runs once per project in Vitest's main process.
import { writeSync } from 'node:fs'
import { TestRun } from './adapters/index.js'

interface Project {
  provide(key: string, value: string): void
  onTestsRerun?(listener: () => unknown): void
}

/** The test run of this process. All Vitest projects share it. */
interface Current {
  readonly run: TestRun
  projects: number
  rounds: number
}

const CURRENT = Symbol.for('contract.vitest.run')
const shared = globalThis as { [CURRENT]?: Current | undefined }

/** @internal Ends the test run, or a round of watch mode, and prints its summary. */
export async function endRun(complete: boolean): Promise<void> {
  const lines = (await shared[CURRENT]?.run.end({ complete })) ?? []
  // Standard output may contain a report.
  if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
}

/** Prints the summary if Vitest exits without calling the teardown, as Vitest 3 may do when a worker is killed. */
function reportCrash(): void {
  const { run } = shared[CURRENT] ?? {}
  const lines = run?.crash() ?? []
  run?.close()
  if (lines.length > 0) writeSync(process.stderr.fd, `${lines.join('\n')}\n`)
}

export default function setup(project: Project): () => Promise<void> {
  // Prepended, because Vitest's own listener ends the process.
  if (shared[CURRENT] === undefined) process.prependOnceListener('exit', reportCrash)
  const current = shared[CURRENT] ?? { run: new TestRun(), projects: 0, rounds: 0 }
  shared[CURRENT] = current
  current.projects += 1
  const next = () => {
    current.rounds += 1
    project.provide('contractRunRound', `vitest ${current.rounds}`)
  }
  next()
  project.onTestsRerun?.(next)
  return async () => {
    current.projects -= 1
    if (current.projects > 0) return
    // Prints what the plugin's reporter has not printed, because Vitest 3.0 has no hook that adds a reporter.
    await endRun(false)
    current.run.close()
    shared[CURRENT] = undefined
  }
}
