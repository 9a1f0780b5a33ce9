// What the ends of test files and of runs mean for contract files: the core decides, people are told.
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { runFacts } from './provenance.js'

export type Status = 'passed' | 'skipped' | 'failed'

export interface EndedTest {
  readonly name: string
  readonly status: Status
}

/** Tells the core of a test file's end; what has gone, a line for each. */
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

/** Tells the core of the end of a run of all test files; what has gone, a line for each. */
export async function runEnded(): Promise<readonly string[]> {
  if (isOff()) return []
  return JSON.parse(unwrap(await native.endTestRun(JSON.stringify({ run: runFacts(), folder: process.cwd() }))))
}

/** The same, told to people. */
export async function endFile(...ended: Parameters<typeof fileEnded>): Promise<void> {
  for (const line of await fileEnded(...ended)) console.info(line)
}

/** The same, told to people. */
export async function endRun(): Promise<void> {
  for (const line of await runEnded()) console.info(line)
}

function isOff(): boolean {
  return process.env.CONTRACT_REMOVE_OBSOLETE === 'false'
}
