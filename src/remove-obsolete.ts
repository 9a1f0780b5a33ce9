import { refuseCall } from './arguments.js'
import { seen } from './encoded.js'
import { type EndedTest, endFile, endRun, type Status } from './obsolete.js'
import { type CurrentTest, tellCurrentTest, tellRound, testOfState } from './provenance.js'

/** Hooks as Mocha and node:test have them. */
export interface HookRunner {
  // biome-ignore lint/suspicious/noExplicitAny: each runner calls its hooks with something else
  beforeEach(hook: (this: any, ...args: any[]) => unknown): unknown
  // biome-ignore lint/suspicious/noExplicitAny: as above
  afterEach(hook: (this: any, ...args: any[]) => unknown): unknown
  // biome-ignore lint/suspicious/noExplicitAny: as above
  after(hook: (this: any, ...args: any[]) => unknown): unknown
}

/** What Vitest exports. */
export interface VitestRunner {
  // biome-ignore lint/suspicious/noExplicitAny: what a hook gets differs between versions
  afterAll(hook: (...args: any[]) => unknown): unknown
  readonly expect: { getState(): { readonly testPath?: string; readonly currentTestName?: string } }
  /** With {@link vitestRuns} as a global setup: tells the rounds of watch mode. */
  // biome-ignore lint/suspicious/noExplicitAny: Vitest's own type lists the keys that a project declares
  inject?(key: any): unknown
}

/** What `@jest/globals` exports. */
export interface JestRunner {
  readonly expect: { getState(): { readonly testPath?: string; readonly currentTestName?: string } }
}

/**
 * Lets interactions go from contract files that no test defines any more. Call it once for each test file, outside of tests
 * and suites, with what the runner exports. Jest needs {@link JestReporter}, and this only where `injectGlobals` is off.
 *
 * An interaction goes when the test file that wrote it ran to its end and the test that wrote it passed without it, or is not
 * there any more. Tests that were skipped or failed keep theirs; what another test file or another tool writes, too, stays; and
 * nothing goes when somebody chose some of the tests. Interactions of deleted test files go with the next test file of the
 * same contract, and at the end of a run of Jest and Mocha, of Vitest with {@link vitestRuns} and of node:test with
 * {@link nodeTestReporter}. Vitest needs that for watch mode, too, and node:test to see that a test is gone from its file.
 *
 * @example
 * // Vitest, in a setup file
 * import { afterAll, expect, inject } from 'vitest'
 * removeObsolete({ afterAll, expect, inject })
 * // and in a file of its own, among globalSetup
 * export { vitestRuns as default } from 'contract'
 * // Jest with injectGlobals: false, in a file of setupFilesAfterEnv
 * import { expect } from '@jest/globals'
 * removeObsolete({ expect })
 * // Mocha, in a file for --require
 * const hooks = (exports.mochaHooks = {})
 * removeObsolete({
 *   beforeEach: (hook) => (hooks.beforeEach = hook),
 *   afterEach: (hook) => (hooks.afterEach = hook),
 *   after: (hook) => (hooks.afterAll = hook),
 * })
 * // node:test, in a file for --import
 * import { beforeEach, afterEach, after } from 'node:test'
 * removeObsolete({ beforeEach, afterEach, after })
 */
export function removeObsolete(runner: HookRunner | VitestRunner | JestRunner): void {
  const has = (name: string) => seen(() => typeof (runner as unknown as Record<string, unknown>)[name] !== 'undefined')
  if (!has('expect') && !['beforeEach', 'afterEach', 'after'].every(has)) {
    refuseCall(
      'removeObsolete',
      'give what the runner exports: { afterAll, expect }, or { beforeEach, afterEach, after }',
    )
  }
  if (!('expect' in runner)) {
    ofHooks(runner)
    return
  }
  const { expect } = runner
  tellCurrentTest(() => testOfState(expect.getState()))
  if ('afterAll' in runner) ofVitest(runner)
}

interface VitestTask {
  readonly type?: string
  readonly name: string
  readonly mode?: string
  readonly filepath?: string
  readonly file?: VitestTask
  readonly tasks?: readonly VitestTask[]
  readonly result?: { readonly state?: string }
}

/** The key by which Vitest hands the round to workers. */
const VITEST_ROUND = 'contractRunRound'

function ofVitest({ afterAll, inject }: VitestRunner): void {
  const round = inject?.(VITEST_ROUND)
  tellRound(typeof round === 'string' ? round : undefined)
  // biome-ignore lint/correctness/noEmptyPattern: Vitest refuses a first parameter that is not taken apart
  afterAll(async ({}, suite?: VitestTask) => {
    const file = suite?.file ?? suite
    const tasks = file?.tasks
    if (file?.filepath === undefined || tasks === undefined) return
    await endFile(
      file.filepath,
      tasks.flatMap((task) => testsOfVitest(task, [])),
      true,
    )
  })
}

function testsOfVitest(task: VitestTask, names: readonly string[]): EndedTest[] {
  const path = [...names, task.name]
  if (task.tasks !== undefined) return task.tasks.flatMap((inner) => testsOfVitest(inner, path))
  const status = task.result?.state === 'pass' ? 'passed' : task.result?.state === 'fail' ? 'failed' : 'skipped'
  return [{ name: path.join(' > '), status }]
}

interface MochaTest {
  readonly file?: string
  readonly state?: string
  fullTitle(): string
}

interface MochaSuite {
  readonly root?: boolean
  readonly suites: readonly MochaSuite[]
  readonly tests: readonly MochaTest[]
  hasOnly?(): boolean
}

interface MochaContext {
  readonly currentTest?: MochaTest
  readonly test?: { readonly parent?: MochaSuite }
}

/** What node:test hands to a hook. */
interface NodeTest {
  readonly name?: string
  readonly fullName?: string
  readonly filePath?: string
  readonly passed?: boolean
}

function ofHooks(runner: HookRunner): void {
  let running: CurrentTest[] = []
  const ended = new Map<string, EndedTest[]>()
  // Side by side nobody knows which of them writes.
  tellCurrentTest(() =>
    running.length === 1 ? (running[0] ?? {}) : { ...(running[0]?.file && { file: running[0].file }) },
  )
  // No parameter of their own: to Mocha one would be a callback that is waited for.
  runner.beforeEach(function (this: MochaContext, ...[test]: readonly NodeTest[]) {
    running = [...running, testOf(this, test)]
  })
  runner.afterEach(function (this: MochaContext, ...[test]: readonly NodeTest[]) {
    const { file, test: name } = testOf(this, test)
    running = running.filter((other) => other.test !== name)
    if (file === undefined || name === undefined || this?.currentTest !== undefined) return
    const tests = ended.get(file) ?? []
    ended.set(file, [...tests, { name, status: test?.passed === true ? 'passed' : 'failed' }])
  })
  runner.after(async function (this: MochaContext) {
    const root = this?.test?.parent
    if (root !== undefined) return endOfMocha(root)
    for (const [file, tests] of ended) await endFile(file, tests, false, isPartOfNodeTest())
  })
}

function testOf(context: MochaContext | undefined, test: NodeTest | undefined): CurrentTest {
  const ofMocha = context?.currentTest
  if (ofMocha !== undefined) return { ...(ofMocha.file && { file: ofMocha.file }), test: ofMocha.fullTitle() }
  const file = test?.filePath ?? process.argv[1]
  const name = test?.fullName ?? test?.name
  return { ...(file && { file }), ...(name && { test: name }) }
}

async function endOfMocha(root: MochaSuite): Promise<void> {
  if (root.root !== true) return
  const files = new Map<string, EndedTest[]>()
  const all = (suite: MochaSuite): readonly MochaTest[] => [...suite.tests, ...suite.suites.flatMap(all)]
  for (const test of all(root)) {
    if (test.file === undefined) continue
    files.set(test.file, [...(files.get(test.file) ?? []), { name: test.fullTitle(), status: statusOf(test.state) }])
  }
  // `only` has cut the others off, so that they look like deleted ones.
  const partial = root.hasOnly?.() ?? true
  for (const [file, tests] of files) await endFile(file, tests, true, partial)
  // A worker knows its own files only.
  if (process.env.MOCHA_WORKER_ID) return
  if (!partial) await endRun()
  // In watch mode the same process runs them again.
  mochaRounds += 1
  tellRound(`mocha ${mochaRounds}`)
}

let mochaRounds = 0

/** Whether this process of node:test, or the one that it started for a file, runs some of the tests only. */
export function isPartOfNodeTest(): boolean {
  const filters = ['--test-name-pattern', '--test-skip-pattern', '--test-only', '--test-shard']
  return process.execArgv.some((argument) => filters.some((filter) => argument.startsWith(filter)))
}

/** What did not come to an end is as good as skipped. */
export function statusOf(state: string | undefined): Status {
  return state === 'passed' || state === 'failed' ? state : 'skipped'
}

/** What Vitest hands to a global setup. */
export interface VitestProject {
  // biome-ignore lint/suspicious/noExplicitAny: Vitest's own type lists the keys that a project declares
  provide(key: any, value: any): void
  onTestsRerun?(listener: () => unknown): void
}

/**
 * A global setup of Vitest that tells `removeObsolete` the rounds of watch mode, and lets go at the end what test files wrote that
 * are not there any more.
 *
 * @example
 * // contract-runs.js, with globalSetup: ['./contract-runs.js'] in Vitest's configuration
 * export { vitestRuns as default } from 'contract'
 */
export function vitestRuns(project: VitestProject): () => Promise<void> {
  if (seen(() => typeof project.provide) !== 'function') {
    refuseCall('vitestRuns', 'it is for globalSetup of Vitest, which calls it')
  }
  let rounds = 0
  const next = () => {
    rounds += 1
    project.provide(VITEST_ROUND, `vitest ${rounds}`)
  }
  next()
  project.onTestsRerun?.(next)
  return endRun
}
