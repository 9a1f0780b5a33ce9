/**
 * An adapter for Jest 29 and later.
 *
 * @module contract/jest
 */

import {
  type ContractAssertions,
  type ContractFixtures,
  type ContractTestOptions,
  checkDirectory,
  contractMatchers,
  isActiveIn,
  rejectCall,
  type SplitOptions,
  splitOptions,
  TestFile,
  TestSession,
  useAdapter,
} from './adapters/index.js'

export type { ContractFixtures, ContractTestOptions, TestMockServer, TestServerOptions } from './adapters/index.js'

declare global {
  namespace jest {
    interface Matchers<R, T> extends ContractAssertions<R> {}
  }
}

/** The body of a test. It receives the fixtures `contract` and `mockServer`. */
export type TestBody = (fixtures: ContractFixtures) => unknown

/**
 * Defines a test for each row of a table. The body receives the values of the row as its first arguments, followed by
 * the fixtures.
 */
export interface EachCase {
  <T extends readonly [unknown, ...unknown[]]>(
    cases: readonly T[],
  ): (name: string, body: (...values: [...T, ContractFixtures]) => unknown, timeout?: number) => void
  <T>(
    cases: readonly T[],
  ): (name: string, body: (value: T, fixtures: ContractFixtures) => unknown, timeout?: number) => void
  <T extends object = Record<string, unknown>>(
    heading: TemplateStringsArray,
    ...values: readonly unknown[]
  ): (name: string, body: (row: T, fixtures: ContractFixtures) => unknown, timeout?: number) => void
}

/** Defines a test. Its `each` property defines a test for each row of a table. */
export interface DefineTest {
  /** Defines a test. `timeout` is in milliseconds. Default: Jest's `testTimeout`. */
  (name: string, body: TestBody, timeout?: number): void
  /** Defines a test for each row of a table. */
  readonly each: EachCase
}

/** A variant of `test`, such as `test.only`. */
export interface DefineVariant extends DefineTest {
  /** Defines a test that is expected to fail. Its interactions are not written to the contract file. */
  readonly failing: DefineTest
}

/** The `test` function that `contractTest` creates. It has the variants of Jest's `test`. */
export interface ContractTest extends DefineVariant {
  readonly only: DefineVariant
  readonly skip: DefineVariant
  readonly concurrent: DefineVariant & { readonly only: DefineTest; readonly skip: DefineTest }
  /** Defines a placeholder for a test without a body. Jest reports it as `todo`. */
  todo(name: string): void
}

/** Jest's `test` and its variants. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of the variants differ
type JestTest = ((...args: any[]) => unknown) & { readonly [variant: string]: JestTest | undefined }

interface JestGlobals {
  readonly test: JestTest
  readonly afterAll: (hook: () => unknown) => unknown
  readonly expect: { getState(): JestState; extend(matchers: object): void }
}

interface JestState {
  readonly testPath?: string
  readonly currentTestName?: string
  /**
   * The name of the current test. It is required for `test.concurrent`, in which `currentTestName` is the name of the
   * test that started last.
   */
  readonly currentConcurrentTestName?: () => string | undefined
}

/**
 * Creates a `test` function that provides each test with its own contract and mock server. Use it instead of Jest's `test`.
 *
 * A test fails if the mock server receives an unexpected request or does not receive an expected one. When a test passes, its
 * interactions are written to the contract file with the names of the test and its file.
 *
 * To remove obsolete interactions and print which contracts were written, add `contract/jest/reporter` to `reporters` in
 * Jest's configuration, or use the `contract/jest` preset.
 *
 * @example
 * import { contractTest } from 'contract/jest'
 *
 * const test = contractTest({ consumer: 'web', provider: 'users' })
 *
 * test('reads a user', async ({ contract, mockServer }) => {
 *   contract.uponReceiving('a request for user 1').withRequest('GET', '/users/1').willRespondWith(200)
 *   const response = await fetch(`${mockServer.url}/users/1`)
 *   expect(response.status).toBe(200)
 * })
 * @throws {ContractError} if Jest does not run the file (`ERR_CONTRACT_RUNNER`), or the directory is not writable
 * (`ERR_CONTRACT_FILE`)
 */
export function contractTest(options: ContractTestOptions): ContractTest {
  const jest = jestGlobals()
  useAdapter({
    module: 'contract/jest',
    runner: 'Jest',
    version: jestVersion(),
    oldest: '29',
    isActive: jest !== undefined,
  })
  const split = splitOptions(options)
  checkDirectory(split.contract.directory ?? '.')
  // `useAdapter` throws outside of Jest.
  const globals = jest as JestGlobals
  globals.expect.extend(contractMatchers)
  return defineTests(globals, split)
}

function defineTests(jest: JestGlobals, options: SplitOptions): ContractTest {
  const { testPath } = jest.expect.getState()
  const file = testPath === undefined ? undefined : new TestFile(testPath)
  if (file !== undefined) jest.afterAll(() => file.flush())

  const run = async (body: (fixtures: ContractFixtures) => unknown) => {
    const { currentTestName, currentConcurrentTestName } = jest.expect.getState()
    const name = currentConcurrentTestName?.() ?? currentTestName ?? ''
    const session = new TestSession(options, { name, file: testPath })
    await session.run(body)
    file?.passed(options, await session.end({ status: 'passed' }))
  }
  const define = (original: JestTest): DefineTest => {
    const call = (name: unknown, body: unknown, timeout?: number) => {
      checkBody(body)
      // The function has no parameters, because Jest passes a callback to functions with a parameter and waits for it.
      return original(name, () => run(body), timeout)
    }
    const each = (...table: readonly unknown[]) => {
      const defineRows = (original.each as JestTest)(...table) as JestTest
      return (name: unknown, body: unknown, timeout?: number) => {
        checkBody(body)
        const withRow = body as (...args: unknown[]) => unknown
        return defineRows(name, (...row: unknown[]) => run((fixtures) => withRow(...row, fixtures)), timeout)
      }
    }
    return Object.assign(call, { each }) as DefineTest
  }
  const variant = (original: JestTest): DefineVariant =>
    Object.assign(define(original), original.failing && { failing: define(original.failing) }) as DefineVariant
  const { test } = jest
  const { only, skip, concurrent, todo } = test as Required<Record<string, JestTest>>
  return Object.assign(variant(test), {
    only: variant(only as JestTest),
    skip: variant(skip as JestTest),
    concurrent: Object.assign(variant(concurrent as JestTest), {
      only: define((concurrent as JestTest).only as JestTest),
      skip: define((concurrent as JestTest).skip as JestTest),
    }),
    todo: (name: string) => void (todo as JestTest)(name),
  })
}

function checkBody(body: unknown): asserts body is TestBody {
  if (typeof body === 'function') return
  rejectCall(
    'test',
    `the body of the test must be a function, received ${typeof body}. Use test.todo for a test without a body`,
  )
}

/** Returns Jest's global functions, even with `injectGlobals: false`. Returns `undefined` outside of Jest. */
function jestGlobals(): JestGlobals | undefined {
  if (!isActiveIn('Jest')) return undefined
  const globals = globalThis as unknown as Partial<JestGlobals>
  if (typeof globals.expect?.getState === 'function' && globals.test && globals.afterAll) return globals as JestGlobals
  return require('@jest/globals') as JestGlobals
}

/** Returns the version of Jest that the project uses, such as `29.7.0`, or `undefined` if Jest is not found. */
function jestVersion(): string | undefined {
  try {
    return (require('jest/package.json') as { version: string }).version
  } catch {
    return undefined
  }
}
