// Reports the end of test files and runs, with hooks of the test runners.
import { rejectCall } from './arguments.js'
import { tryRead } from './encoded.js'
import { type EndedTest, endFile, endRun, isPartOfNodeTest, statusOf } from './obsolete.js'
import { type CurrentTest, setCurrentTest, setRound, testOfState } from './provenance.js'
import type { HookRunner, JestRunner, VitestProject, VitestRunner } from './remove-obsolete.js'

/** Registers hooks with a test runner. See `remove-obsolete.ts`. */
export function removeObsolete(runner: HookRunner | VitestRunner | JestRunner): void {
  const has = (name: string) =>
    tryRead(() => typeof (runner as unknown as Record<string, unknown>)[name] !== 'undefined')
  if (!has('expect') && !['beforeEach', 'afterEach', 'after'].every(has)) {
    rejectCall(
      'removeObsolete',
      'pass the exports of the test runner: { afterAll, expect } or { beforeEach, afterEach, after }',
    )
  }
  if (!('expect' in runner)) {
    registerHooks(runner)
    return
  }
  const { expect } = runner
  setCurrentTest(() => testOfState(expect.getState()))
  if ('afterAll' in runner) registerVitest(runner)
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

/** The key with which Vitest provides the round of watch mode to its workers. */
const VITEST_ROUND = 'contractRunRound'

function registerVitest({ afterAll, inject }: VitestRunner): void {
  const round = inject?.(VITEST_ROUND)
  setRound(typeof round === 'string' ? round : undefined)
  // biome-ignore lint/correctness/noEmptyPattern: Vitest requires the first parameter to be destructured
  afterAll(async ({}, suite?: VitestTask) => {
    const file = suite?.file ?? suite
    const tasks = file?.tasks
    if (file?.filepath === undefined || tasks === undefined) return
    await endFile(
      file.filepath,
      tasks.flatMap((task) => vitestTests(task, [])),
      true,
    )
  })
}

function vitestTests(task: VitestTask, names: readonly string[]): EndedTest[] {
  const path = [...names, task.name]
  if (task.tasks !== undefined) return task.tasks.flatMap((inner) => vitestTests(inner, path))
  const status = task.result?.state === 'pass' ? 'passed' : task.result?.state === 'fail' ? 'failed' : 'skipped'
  return [{ name: path.join(' > '), status }]
}

interface MochaTest {
  readonly file?: string
  readonly state?: string
  fullTitle(): string
}

/** Mocha's root suite. */
export interface MochaSuite {
  readonly root?: boolean
  readonly suites: readonly MochaSuite[]
  readonly tests: readonly MochaTest[]
  hasOnly?(): boolean
}

interface MochaContext {
  readonly currentTest?: MochaTest
  readonly test?: { readonly parent?: MochaSuite }
}

/** What node:test passes to hooks. */
interface NodeTest {
  readonly name?: string
  readonly fullName?: string
  readonly filePath?: string
  readonly passed?: boolean
}

function registerHooks(runner: HookRunner): void {
  let running: CurrentTest[] = []
  const ended = new Map<string, EndedTest[]>()
  // If tests run concurrently, it is unknown which of them writes.
  setCurrentTest(() =>
    running.length === 1 ? (running[0] ?? {}) : { ...(running[0]?.file && { file: running[0].file }) },
  )
  // Rest parameters, because Mocha passes a callback to hooks with a declared parameter and waits for it.
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
    if (root !== undefined) return finishMocha(root)
    for (const [file, tests] of ended) await endFile(file, tests, false, isPartOfNodeTest())
  })
}

function testOf(context: MochaContext | undefined, test: NodeTest | undefined): CurrentTest {
  const mochaTest = context?.currentTest
  if (mochaTest !== undefined) return { ...(mochaTest.file && { file: mochaTest.file }), test: mochaTest.fullTitle() }
  const file = test?.filePath ?? process.argv[1]
  const name = test?.fullName ?? test?.name
  return { ...(file && { file }), ...(name && { test: name }) }
}

async function finishMocha(root: MochaSuite): Promise<void> {
  if (root.root !== true) return
  const { tests, partial } = mochaFiles(root)
  for (const [file, ended] of tests) await endFile(file, ended, true, partial)
  // A worker has only its own files.
  if (process.env.MOCHA_WORKER_ID) return
  if (!partial) await endRun()
  // In watch mode, the same process runs the tests again.
  mochaRounds += 1
  setRound(`mocha ${mochaRounds}`)
}

/** Returns the tests that Mocha ran, by file, and whether only some of them were selected. */
export function mochaFiles(root: MochaSuite): {
  readonly tests: ReadonlyMap<string, readonly EndedTest[]>
  readonly partial: boolean
} {
  const files = new Map<string, EndedTest[]>()
  const all = (suite: MochaSuite): readonly MochaTest[] => [...suite.tests, ...suite.suites.flatMap(all)]
  for (const test of all(root)) {
    if (test.file === undefined) continue
    files.set(test.file, [...(files.get(test.file) ?? []), { name: test.fullTitle(), status: statusOf(test.state) }])
  }
  // `only` has removed the other tests, so they cannot be distinguished from deleted ones.
  return { tests: files, partial: root.hasOnly?.() ?? true }
}

let mochaRounds = 0

/** Reports the rounds of watch mode to Vitest's workers, and the end of a run to the core. See `remove-obsolete.ts`. */
export function vitestRuns(project: VitestProject): () => Promise<void> {
  if (tryRead(() => typeof project.provide) !== 'function') {
    rejectCall(
      'vitestRuns',
      'this function must not be called directly. Add it to globalSetup in the Vitest configuration',
    )
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
