// Records which tests of a suite have ended in any worker of a run, because Playwright replaces a worker after a failed
// test.
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tryRead } from './encoded.js'

/** The members of Playwright's `TestInfo` that this module uses. */
interface PlaywrightTest {
  readonly file: string
  readonly retry: number
  readonly project: { readonly name: string; readonly retries: number }
}

/** Returns the argument if it is Playwright's `TestInfo`, and otherwise `undefined`. */
export function playwrightTest(argument: unknown): PlaywrightTest | undefined {
  const test = argument as PlaywrightTest | undefined
  const isTest = tryRead(() => typeof test?.retry === 'number' && typeof test.project.retries === 'number')
  return isTest === true ? test : undefined
}

/** Records that the test for the interaction at `index` has ended. */
export function noteEnded(test: PlaywrightTest, index: number): void {
  const file = progressFile()
  if (file !== undefined) tryRead(() => appendFileSync(file, `${JSON.stringify([keyOf(test), index])}\n`))
}

/** Returns the indexes of the interactions whose tests have ended in this run of the suite. */
export function endedTests(test: PlaywrightTest): ReadonlySet<number> {
  const file = progressFile()
  const text = file === undefined ? '' : (tryRead(() => readFileSync(file, 'utf8')) ?? '')
  const lines = text.split('\n').filter((line) => line !== '')
  const notes = lines.map((line) => JSON.parse(line) as readonly [string, number])
  return new Set(notes.flatMap(([key, index]) => (key === keyOf(test) ? [index] : [])))
}

function keyOf({ file, project }: PlaywrightTest): string {
  return `${project.name} ${file}`
}

function progressFile(): string | undefined {
  const folder = process.env.CONTRACT_RUN_NOTES
  // The reporter of the adapter creates the folder of the run.
  return folder ? join(folder, 'suites') : undefined
}
