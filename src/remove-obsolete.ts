import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { type CurrentTest, runFacts, tellCurrentTest, testOfState } from './provenance.js'

type Status = 'passed' | 'skipped' | 'failed'

interface EndedTest {
  readonly name: string
  readonly status: Status
}

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
}

/**
 * Lets interactions go from contract files that no test defines any more. Call it once for each test file, outside of tests
 * and suites, with what the runner exports; Jest needs {@link JestReporter} instead.
 *
 * An interaction goes when the test file that wrote it ran to its end and the test that wrote it passed without it, or is not
 * there any more. Tests that were skipped or failed keep theirs; what another test file or another tool writes, too, stays; and
 * nothing goes when somebody chose some of the tests. Interactions of deleted test files go with the next test file of the
 * same contract.
 *
 * @example
 * // Vitest, in a setup file
 * import { afterAll, expect } from 'vitest'
 * removeObsolete({ afterAll, expect })
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
export function removeObsolete(runner: HookRunner | VitestRunner): void {
  if ('expect' in runner) ofVitest(runner)
  else ofHooks(runner)
}

/** Tells the core of a test file's end, and people what has gone. */
async function end(file: string, tests: readonly EndedTest[], complete: boolean, partial = false): Promise<void> {
  if (process.env.CONTRACT_REMOVE_OBSOLETE === 'false') return
  const ended = JSON.stringify({ run: runFacts(), file, tests, complete, partial })
  const removed = JSON.parse(unwrap(await native.endTestFile(ended))) as { path: string; description: string }[]
  for (const { path, description } of removed) {
    console.info(`contract: removed ${JSON.stringify(description)} from ${path}: no test defines it any more`)
  }
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

function ofVitest({ afterAll, expect }: VitestRunner): void {
  tellCurrentTest(() => testOfState(expect.getState()))
  // biome-ignore lint/correctness/noEmptyPattern: Vitest refuses a first parameter that is not taken apart
  afterAll(async ({}, suite?: VitestTask) => {
    const file = suite?.file ?? suite
    const tasks = file?.tasks
    if (file?.filepath === undefined || tasks === undefined) return
    await end(
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
    for (const [file, tests] of ended) await end(file, tests, false, isPartOfNodeTest())
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
  for (const [file, tests] of files) await end(file, tests, true, partial)
}

function isPartOfNodeTest(): boolean {
  const filters = ['--test-name-pattern', '--test-skip-pattern', '--test-only', '--test-shard']
  return process.execArgv.some((argument) => filters.some((filter) => argument.startsWith(filter)))
}

/** What did not come to an end is as good as skipped. */
function statusOf(state: string | undefined): Status {
  return state === 'passed' || state === 'failed' ? state : 'skipped'
}

interface JestTestResult {
  readonly testFilePath: string
  readonly skipped?: boolean
  readonly testExecError?: unknown
  readonly testResults: readonly { readonly fullName: string; readonly status: string }[]
}

/**
 * A reporter of Jest that lets interactions go which no test defines any more, as {@link removeObsolete} does for other
 * runners. Export it from a file, and name that among `reporters`.
 *
 * @example
 * // obsolete-contracts.cjs, with reporters: ['default', './obsolete-contracts.cjs'] in Jest's configuration
 * module.exports = require('contract').JestReporter
 */
export class JestReporter {
  readonly #isPartial: boolean

  constructor(config?: { readonly testNamePattern?: string }) {
    this.#isPartial = Boolean(config?.testNamePattern)
  }

  /** Called by Jest at the end of each test file. */
  async onTestResult(_test: unknown, result: JestTestResult): Promise<void> {
    const tests = result.testResults.map(({ fullName, status }) => ({ name: fullName, status: statusOf(status) }))
    const partial = this.#isPartial || result.skipped === true || Boolean(result.testExecError)
    await end(result.testFilePath, tests, true, partial)
  }
}
