/**
 * An adapter for `node:test`.
 *
 * @module contract/node-test
 */

import { after, type test as nodeTest } from 'node:test'
import {
  type ContractFixtures,
  type ContractTestOptions,
  checkDirectory,
  type EndedTest,
  isActiveIn,
  isPartOfNodeTest,
  rejectCall,
  type SplitOptions,
  splitOptions,
  TestFile,
  TestSession,
  useAdapter,
} from './adapters/index.js'

export type { ContractFixtures, ContractTestOptions, TestMockServer, TestServerOptions } from './adapters/index.js'

/** The context that node:test passes to a running test. */
type NodeTestContext = nodeTest.TestContext

/** The body of a test. It receives the fixtures and the test context of node:test. */
export type TestBody = (fixtures: ContractFixtures, context: NodeTestContext) => unknown

/** A function that wraps a test body and provides it with its own contract and mock server. */
export type WithContract = (body: TestBody) => (context: NodeTestContext) => Promise<void>

/** A test file and the results of its tests so far. */
interface CountedFile {
  readonly file: TestFile
  readonly tests: EndedTest[]
}

/** The test files that run in this process. There are several with `--test-isolation=none`. */
const files = new Map<string, CountedFile>()

/**
 * Creates a function that wraps the body of a test and provides it with its own contract and mock server. It does not replace
 * `test` as in other runners, because node:test reports the line that calls `test`.
 *
 * A test fails if the mock server receives an unexpected request or does not receive an expected one. When a test passes, its
 * interactions are written to the contract file with the names of the test and its file.
 *
 * To remove the interactions of deleted tests and print which contracts were written, also use the
 * `--test-reporter=contract/node-test/reporter` option.
 *
 * @example
 * import { contractTest } from 'contract/node-test'
 * import { test } from 'node:test'
 *
 * const withContract = contractTest({ consumer: 'web', provider: 'users' })
 *
 * test('reads a user', withContract(async ({ contract, mockServer }) => {
 *   contract.uponReceiving('a request for user 1').withRequest('GET', '/users/1').willRespondWith(200)
 *   const response = await fetch(`${mockServer.url}/users/1`)
 *   assert.equal(response.status, 200)
 * }))
 * @throws {ContractError} if another runner runs the file (`ERR_CONTRACT_RUNNER`), or the directory is not writable
 * (`ERR_CONTRACT_FILE`)
 */
export function contractTest(options: ContractTestOptions): WithContract {
  useAdapter({
    module: 'contract/node-test',
    runner: 'node:test',
    version: process.versions.node,
    oldest: '20',
    isActive: isActiveIn('node:test'),
  })
  const split = splitOptions(options)
  checkDirectory(split.contract.directory ?? '.')
  return (body) => {
    if (typeof body !== 'function') {
      // In the other adapters, `contractTest` returns a function that takes the name of the test.
      const advice =
        typeof body === 'string'
          ? '. Wrap only the body: test(name, withContract(async ({ contract, mockServer }) => { … }))'
          : ''
      rejectCall('contractTest', `the body of the test must be a function, received ${typeof body}${advice}`)
    }
    // The function has one parameter, because node:test passes a callback to functions with two parameters and waits
    // for it.
    return (context) => {
      if (typeof context?.diagnostic !== 'function') {
        rejectCall('contractTest', 'pass the wrapped body to test() or it() from node:test')
      }
      return runNodeTest(context, split, body)
    }
  }
}

async function runNodeTest(context: NodeTestContext, options: SplitOptions, body: TestBody): Promise<void> {
  const { name, fullName, filePath, signal } = context as NodeTestContext & {
    readonly fullName?: string
    readonly filePath?: string
  }
  const path = filePath ?? process.argv[1]
  // The name that node:test reporters use. Node 20 has `fullName` since 20.16.
  const test = fullName ?? name
  const session = new TestSession(options, { name: test, file: path })
  const file = path === undefined ? undefined : fileOf(path)
  let isSkipped = false
  const skip = context.skip.bind(context)
  // Unlike in other runners, the test continues.
  context.skip = (message) => {
    isSkipped = true
    skip(message)
  }
  const stop = () => reportTimeout(session)
  signal.addEventListener('abort', stop)
  let status: EndedTest['status'] = 'failed'
  try {
    await session.run(async (fixtures) => {
      await body(fixtures, context)
      if (isSkipped) await session.end({ status: 'skipped' })
    })
    status = isSkipped ? 'skipped' : 'passed'
  } finally {
    signal.removeEventListener('abort', stop)
    file?.tests.push({ name: test, status })
  }
  if (status === 'passed') file?.file.passed(options, await session.end({ status: 'passed' }))
}

/** Prints the reason for a timeout, because node:test fails the test with its own error message. */
async function reportTimeout(session: TestSession): Promise<void> {
  const { error } = await session.end({ status: 'timedOut', error: undefined })
  // The session has not reached its own timeout, and the timeout of the test is unknown.
  if (error instanceof Error)
    console.error(error.message.replace(/ did not finish within [\d.]+ s\./, ' did not finish.'))
}

function fileOf(path: string): CountedFile {
  const known = files.get(path)
  if (known !== undefined) return known
  const created = { file: new TestFile(path), tests: [] }
  files.set(path, created)
  return created
}

// Registered for the file, because node:test runs each file in a separate process.
if (isActiveIn('node:test')) {
  after(async () => {
    for (const { file, tests } of files.values()) {
      // Without the reporter, deleted tests cannot be distinguished from tests that were not selected.
      await file.end(tests, { complete: false, partial: isPartOfNodeTest() })
    }
    files.clear()
  })
}
