/**
 * The adapter for Vitest, version 3 and later.
 *
 * @module contract/vitest
 */

import { createRequire } from 'node:module'
import {
  afterAll,
  expect,
  inject,
  type TestAPI,
  type TestContext,
  type TestError,
  type TestTask,
  test as vitestTest,
} from 'vitest'
import {
  type ContractAssertions,
  type ContractFixtures,
  type ContractTestOptions,
  checkDirectory,
  contractMatchers,
  type EndedTest,
  type SplitOptions,
  setRound,
  splitOptions,
  TestFile,
  type TestOutcome,
  TestSession,
  useAdapter,
} from './adapters/index.js'

export type {
  ContractAssertions,
  ContractFixtures,
  ContractTestOptions,
  TestMockServer,
  TestServerOptions,
} from './adapters/index.js'

declare global {
  // Vitest 5 declares other type parameters for its own interfaces than Vitest 3 and 4. They all include this one.
  namespace Chai {
    interface Assertion extends ContractAssertions<void> {}
  }
}

expect.extend(contractMatchers)

/** The test files of this worker, by Vitest's object of a file. Shared by several copies of this module. */
const FILES = Symbol.for('contract.vitest.files')
const shared = globalThis as { [FILES]?: WeakMap<object, TestFile | 'ended'> }
shared[FILES] ??= new WeakMap()
const files = shared[FILES]

/**
 * Creates a `test` function whose tests receive a contract and a mock server of their own. Use it in place of Vitest's
 * `test`; its variants, such as `test.concurrent`, `test.only`, and `test.extend`, work as usual.
 *
 * A test fails if the mock server receives an unexpected request or misses an expected one. The interactions of a test that
 * passes are written to the contract file, with the names of the test and its file.
 *
 * @example
 * import { contractTest } from 'contract/vitest'
 * import { expect } from 'vitest'
 *
 * const test = contractTest({ consumer: 'web', provider: 'users' })
 *
 * test('reads a user', async ({ contract, mockServer }) => {
 *   contract.uponReceiving('a request for user 1').withRequest('GET', '/users/1').willRespondWith(200)
 *   const response = await fetch(`${mockServer.url}/users/1`)
 *   expect(response.status).toBe(200)
 * })
 */
export function contractTest(options: ContractTestOptions): TestAPI<ContractFixtures> {
  useAdapter({ module: 'contract/vitest', runner: 'Vitest', version: vitestVersion(), oldest: 3 })
  const split = splitOptions(options)
  checkDirectory(split.contract.directory ?? '.')
  registerFile()
  type Fixtures = ContractFixtures & { readonly contractSession: TestSession }
  return vitestTest.extend<ContractFixtures>({
    contractSession: ({ task, onTestFinished }: TestContext, use: Use<TestSession>) =>
      runSession(split, { task, onTestFinished }, use),
    contract: ({ contractSession }: Fixtures, use: Use<ContractFixtures['contract']>) => use(contractSession.contract),
    mockServer: ({ contractSession }: Fixtures, use: Use<ContractFixtures['mockServer']>) =>
      use(contractSession.mockServer),
  })
}

type Use<T> = (value: T) => Promise<void>

/** Passes a session to one attempt of a test, and ends it after the test and its `afterEach` hooks. */
async function runSession(
  options: SplitOptions,
  { task, onTestFinished }: TestContext,
  use: Use<TestSession>,
): Promise<void> {
  const file = fileOf(task.file)
  const timeout = Number.isFinite(task.timeout) ? task.timeout : 0
  const session = new TestSession(options, { name: namesOf(task).join(' > '), file: task.file.filepath, timeout })
  const earlier = task.result?.errors?.length ?? 0
  // Not after `use`: Vitest repeats an error that the cleanup of a fixture throws in the next attempts.
  onTestFinished(async () => {
    const errors = task.result?.errors ?? []
    const own = errors[earlier]
    const outcome = outcomeOf(task, own)
    const result = await session.end(outcome)
    if (result.error !== own) {
      // It is the cause of the combined error.
      if (own !== undefined) errors.splice(earlier, 1)
      throw result.error
    }
    if (outcome.status === 'passed') file?.passed(options, result)
    // Vitest attributes it to the test. Annotations are rejected once a test has failed.
    if (own !== undefined && result.log !== '') console.error(`Log of the mock server:\n${result.log}`)
  })
  await use(session)
}

function outcomeOf(task: TestTask, own: TestError | undefined): TestOutcome {
  const { state, pending } = task.result ?? {}
  if (pending === true || state === 'skip') return { status: 'skipped' }
  if (state !== 'fail') return { status: 'passed' }
  const isTimeout = own?.message.startsWith('Test timed out in ') === true
  return { status: isTimeout ? 'timedOut' : 'failed', error: own }
}

function namesOf(task: TestTask): string[] {
  return task.suite === undefined || task.suite.type !== 'suite' || 'filepath' in task.suite
    ? [task.name]
    : [...namesOf(task.suite), task.name]
}

function fileOf(file: TestTask['file']): TestFile | undefined {
  const known = files.get(file)
  if (known === 'ended') return undefined
  if (known !== undefined) return known
  const created = new TestFile(file.filepath)
  files.set(file, created)
  return created
}

/**
 * @internal Reports the end of the current test file, when its last test has ended. Without the plugin, a module that several files
 * import registers only the first of them if Vitest does not isolate files.
 */
export function registerFile(): void {
  const round = tryInject()
  if (round !== undefined) setRound(round)
  try {
    // Without parameters, because Vitest 4 requires the first to be destructured, and Vitest 3 passes the suite as the first.
    afterAll(async function () {
      // biome-ignore lint/complexity/noArguments: see above
      const suite = [...arguments].find((argument): argument is TestTask => argument?.tasks !== undefined)
      const file = suite?.file ?? (suite as TestTask['file'] | undefined)
      if (file?.tasks === undefined || file.filepath === undefined || files.get(file) === 'ended') return
      const ended = fileOf(file)
      files.set(file, 'ended')
      await ended?.end(file.tasks.flatMap(testsOf))
    })
  } catch {
    // Vitest collects no tests here, for example because a test calls contractTest.
  }
}

function testsOf(task: TestTask): EndedTest[] {
  if (task.tasks !== undefined) return task.tasks.flatMap(testsOf)
  const status = task.result?.state === 'pass' ? 'passed' : task.result?.state === 'fail' ? 'failed' : 'skipped'
  return [{ name: namesOf(task).join(' > '), status }]
}

/** The round of watch mode, which the plugin provides. */
function tryInject(): string | undefined {
  try {
    const round = inject('contractRunRound')
    return typeof round === 'string' ? round : undefined
  } catch {
    return undefined
  }
}

/** The version of Vitest that the project uses; `undefined` if it cannot be found. */
function vitestVersion(): string | undefined {
  try {
    return createRequire(import.meta.url)('vitest/package.json').version
  } catch {
    return undefined
  }
}
