/**
 * An adapter for Vitest 3 and later.
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
  // All versions of Vitest include this interface. The type parameters of their own interfaces differ.
  namespace Chai {
    interface Assertion extends ContractAssertions<void> {}
  }
}

expect.extend(contractMatchers)

/**
 * The key of the map from Vitest's file objects to the test files of this worker. Several copies of this module share
 * the map.
 */
const FILES = Symbol.for('contract.vitest.files')
const shared = globalThis as { [FILES]?: WeakMap<object, TestFile | 'ended'> }
shared[FILES] ??= new WeakMap()
const files = shared[FILES]

/**
 * Creates a `test` function that provides each test with its own contract and mock server. Use it instead of Vitest's `test`.
 * Variants such as `test.concurrent`, `test.only`, and `test.extend` work as usual.
 *
 * A test fails if the mock server receives an unexpected request or does not receive an expected one. When a test passes, its
 * interactions are written to the contract file with the names of the test and its file.
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
  useAdapter({ module: 'contract/vitest', runner: 'Vitest', version: vitestVersion(), oldest: '3' })
  const split = splitOptions(options)
  checkDirectory(split.contract.directory ?? '.')
  registerFile()
  // Not a separate fixture, to save the time that Vitest needs for each fixture.
  const sessions = new WeakMap<object, TestSession>()
  const sessionOf = (context: SessionContext) => {
    const { task } = context
    const known = sessions.get(task)
    if (known !== undefined) return known
    const session = startSession(split, context, () => sessions.delete(task))
    sessions.set(task, session)
    return session
  }
  return vitestTest.extend<ContractFixtures>({
    contract: ({ task, onTestFinished }: SessionContext, use: Use<ContractFixtures['contract']>) =>
      use(sessionOf({ task, onTestFinished }).contract),
    mockServer: ({ task, onTestFinished }: SessionContext, use: Use<ContractFixtures['mockServer']>) =>
      use(sessionOf({ task, onTestFinished }).mockServer),
  })
}

type Use<T> = (value: T) => Promise<void>

type SessionContext = Pick<TestContext, 'task' | 'onTestFinished'>

/** Starts the session for one run of a test. It ends after the test and the test's `afterEach` hooks. */
function startSession(options: SplitOptions, { task, onTestFinished }: SessionContext, ended: () => void): TestSession {
  const file = fileOf(task.file)
  const timeout = Number.isFinite(task.timeout) ? task.timeout : 0
  const session = new TestSession(options, { name: namesOf(task).join(' > '), file: task.file.filepath, timeout })
  const earlier = task.result?.errors?.length ?? 0
  // Not done in the cleanup of a fixture, because Vitest repeats its errors in later attempts.
  onTestFinished(async () => {
    // The next attempt of the test has the same task.
    ended()
    const errors = task.result?.errors ?? []
    const own = errors[earlier]
    const outcome = outcomeOf(task, own)
    const result = await session.end(outcome)
    if (result.error !== own) {
      // The combined error contains the test's own error as its cause.
      if (own !== undefined) errors.splice(earlier, 1)
      throw result.error
    }
    if (outcome.status === 'passed') file?.passed(options, result)
    // Vitest attributes the output to the test. It rejects annotations after a failure.
    if (own !== undefined && result.log !== '') console.error(`Log of the mock server:\n${result.log}`)
  })
  return session
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
 * @internal Registers the current test file, so that its end is reported after its last test. If Vitest does not isolate test
 * files, an imported module runs only once, so only the plugin registers all files.
 */
export function registerFile(): void {
  const round = tryInject()
  if (round !== undefined) setRound(round)
  try {
    // The function has no parameters: Vitest 4 requires the first to be destructured, and Vitest 3 passes the suite as the first.
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
    // Vitest is not collecting tests, for example because a test calls contractTest.
  }
}

function testsOf(task: TestTask): EndedTest[] {
  if (task.tasks !== undefined) return task.tasks.flatMap(testsOf)
  const status = task.result?.state === 'pass' ? 'passed' : task.result?.state === 'fail' ? 'failed' : 'skipped'
  return [{ name: namesOf(task).join(' > '), status }]
}

/** Returns the round of watch mode that the plugin provides, or `undefined` without the plugin. */
function tryInject(): string | undefined {
  try {
    const round = inject('contractRunRound')
    return typeof round === 'string' ? round : undefined
  } catch {
    return undefined
  }
}

/** Returns the version of Vitest that the project uses, such as `3.2.4`, or `undefined` if Vitest is not found. */
function vitestVersion(): string | undefined {
  try {
    return createRequire(import.meta.url)('vitest/package.json').version
  } catch {
    return undefined
  }
}
