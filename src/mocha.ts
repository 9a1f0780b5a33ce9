/**
 * An adapter for Mocha 10 and later, with a root hook plugin.
 *
 * @module contract/mocha
 */

import {
  type ContractFixtures,
  type ContractTestOptions,
  checkDirectory,
  isActiveIn,
  type MochaSuite,
  rejectCall,
  roundOfWorkers,
  type SplitOptions,
  setRound,
  splitOptions,
  TestFile,
  TestRun,
  TestSession,
  useAdapter,
} from './adapters/index.js'
import { deferred } from './load-deferred.js'

export type { ContractFixtures, ContractTestOptions, TestMockServer, TestServerOptions } from './adapters/index.js'

/** The members that Mocha's context (`this`) has during a test. */
export interface MochaContext {
  timeout(): number
  timeout(milliseconds: number): this
  retries(count: number): this
  skip(): never
  readonly test?: MochaTest
}

interface MochaTest {
  readonly file?: string
  fullTitle(): string
}

/** The test object that Mocha creates for a call to `it`. */
export interface DefinedTest {
  timeout(milliseconds: number | string): this
  retries(count: number): this
}

/** The body of a test. It receives the fixtures, and its `this` is Mocha's context. */
export type TestBody = (this: MochaContext, fixtures: ContractFixtures) => unknown

/** The `it` function that `contractTest` creates. It has the variants of Mocha's `it`. */
export interface ContractTest {
  /** Defines a test. Without a body, Mocha reports the test as pending. */
  (title: string, body?: TestBody): DefinedTest
  only(title: string, body: TestBody): DefinedTest
  skip(title: string, body?: TestBody): DefinedTest
}

type MochaIt = (title: string, body?: (this: MochaContext) => unknown) => DefinedTest

/** The test files that ran in this process. `mochaHooks.afterAll` ends them. */
const files = new Map<string, TestFile>()

/**
 * Creates an `it` function that provides each test with its own contract and mock server. Use it instead of Mocha's `it`.
 *
 * A test fails if the mock server receives an unexpected request or does not receive an expected one. When a test passes, its
 * interactions are written to the contract file with the names of the test and its file.
 *
 * To remove obsolete interactions and print which contracts were written, add `contract/mocha` to `require` in Mocha's
 * configuration.
 *
 * @example
 * import { contractTest } from 'contract/mocha'
 *
 * const it = contractTest({ consumer: 'web', provider: 'users' })
 *
 * it('reads a user', async ({ contract, mockServer }) => {
 *   contract.uponReceiving('a request for user 1').withRequest('GET', '/users/1').willRespondWith(200)
 *   const response = await fetch(`${mockServer.url}/users/1`)
 *   assert.equal(response.status, 200)
 * })
 * @throws {ContractError} if Mocha does not run the file (`ERR_CONTRACT_RUNNER`), or the directory is not writable
 * (`ERR_CONTRACT_FILE`)
 */
export function contractTest(options: ContractTestOptions): ContractTest {
  useAdapter({
    module: 'contract/mocha',
    runner: 'Mocha',
    version: mochaVersion(),
    oldest: '10',
    isActive: isActiveIn('Mocha'),
  })
  const split = splitOptions(options)
  checkDirectory(split.contract.directory ?? '.')
  // Read on each call, because watch mode replaces the globals. The `tdd` interface has `test` instead of `it`.
  const mochaIt = () => {
    const { it, test } = globalThis as unknown as Record<string, MochaIt & { only: MochaIt; skip: MochaIt }>
    return (it ?? test) as NonNullable<typeof it>
  }
  const define = (original: () => MochaIt) => (title: string, body?: TestBody) => {
    if (body === undefined) return original()(title)
    if (typeof body !== 'function') rejectCall('it', `the body of the test must be a function, received ${typeof body}`)
    // The function has no parameters, because Mocha passes a callback to functions with a parameter and waits for it.
    return original()(title, function (this: MochaContext) {
      return runMochaTest(this, split, body)
    })
  }
  return Object.assign(
    define(() => mochaIt()),
    { only: define(() => mochaIt().only), skip: define(() => mochaIt().skip) },
  )
}

async function runMochaTest(context: MochaContext, options: SplitOptions, body: TestBody): Promise<void> {
  const { file } = context.test ?? {}
  const name = context.test?.fullTitle() ?? ''
  const session = new TestSession(options, { name, file, timeout: context.timeout() })
  // Registered before the test, so that the end of a killed worker is detected.
  const testFile = file === undefined ? undefined : fileOf(file)
  let skipped: unknown
  await session.run(async (fixtures) => {
    try {
      return await body.call(context, fixtures)
    } catch (error) {
      if (!isSkip(error)) throw error
      skipped = error
      await session.end({ status: 'skipped' })
    }
  })
  if (skipped !== undefined) throw skipped
  testFile?.passed(options, await session.end({ status: 'passed' }))
}

/** Returns whether the error is the one that `this.skip()` throws. */
function isSkip(error: unknown): boolean {
  return (error as { constructor?: { name?: string } } | undefined)?.constructor?.name === 'Pending'
}

function fileOf(file: string): TestFile {
  const known = files.get(file)
  if (known !== undefined) return known
  const created = new TestFile(file)
  files.set(file, created)
  return created
}

/** Root hooks. Mocha runs them if its `require` option lists this module. */
export const mochaHooks = {
  /** Runs at the end of the run. With `--parallel`, runs at the end of each test file. */
  async afterAll(this: { readonly test?: { readonly parent?: MochaSuite } }): Promise<void> {
    const root = this.test?.parent
    if (root === undefined) return
    const { tests, partial } = deferred().mochaFiles(root)
    for (const [file, ended] of tests) await fileOf(file).end(ended, { partial })
    files.clear()
    isPartial ||= partial
    if (process.env.MOCHA_WORKER_ID) return
    // In watch mode, the same process runs the tests again.
    rounds += 1
    setRound(`mocha ${rounds}`)
  },
}

let rounds = 0

if (process.env.MOCHA_WORKER_ID) {
  const round = roundOfWorkers()
  if (round !== undefined) setRound(`mocha ${round}`)
}

/**
 * True if only some of a file's tests ran. With `--parallel`, it is always false in the main process, but `only` is not
 * allowed then.
 */
let isPartial = false
let run: TestRun | undefined

/** Starts the test run. Mocha calls this function in its main process before the tests. */
export function mochaGlobalSetup(): void {
  isPartial = false
  run = new TestRun()
}

/** Prints the summary of the run. Mocha calls this function in its main process after the tests. */
export async function mochaGlobalTeardown(this: { readonly stats?: { readonly failures?: number } }): Promise<void> {
  const lines = (await run?.end({ complete: !isPartial })) ?? []
  run?.close()
  run = undefined
  // Standard output may contain a report.
  if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
}

/** Returns the version of Mocha that the project uses, such as `10.8.2`, or `undefined` if Mocha is not found. */
function mochaVersion(): string | undefined {
  try {
    return (require('mocha/package.json') as { version: string }).version
  } catch {
    return undefined
  }
}
