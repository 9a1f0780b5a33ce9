// Reports the end of test files and runs to the core, which removes obsolete interactions from contract files.
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { runFacts } from './provenance.js'

export type Status = 'passed' | 'skipped' | 'failed'

export interface EndedTest {
  readonly name: string
  readonly status: Status
}

/** Converts a runner's name for the result of a test to a status. A test that did not finish counts as skipped. */
export function statusOf(state: string | undefined): Status {
  return state === 'passed' || state === 'failed' ? state : 'skipped'
}

/** Returns whether options of node:test restrict this process to some of the tests. */
export function isPartOfNodeTest(): boolean {
  const filters = ['--test-name-pattern', '--test-skip-pattern', '--test-only', '--test-shard']
  return process.execArgv.some((argument) => filters.some((filter) => argument.startsWith(filter)))
}

/** Notifies the core that a test file has ended. Returns one line for each removed interaction. */
export async function fileEnded(
  file: string,
  tests: readonly EndedTest[],
  complete: boolean,
  partial = false,
): Promise<readonly string[]> {
  if (isOff()) return []
  return JSON.parse(
    unwrap(await native.endTestFile(JSON.stringify({ run: runFacts(), file, tests, complete, partial }))),
  )
}

/** Notifies the core that a run of all test files has ended. Returns one line for each removed interaction. */
export async function runEnded(): Promise<readonly string[]> {
  if (isOff()) return []
  return JSON.parse(unwrap(await native.endTestRun(JSON.stringify({ run: runFacts(), folder: process.cwd() }))))
}

/** Like `fileEnded`, but prints the lines. */
export async function endFile(...ended: Parameters<typeof fileEnded>): Promise<void> {
  for (const line of await fileEnded(...ended)) console.info(line)
}

/** Like `runEnded`, but prints the lines. */
export async function endRun(): Promise<void> {
  for (const line of await runEnded()) console.info(line)
}

function isOff(): boolean {
  return process.env.CONTRACT_REMOVE_OBSOLETE === 'false'
}
