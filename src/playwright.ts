/**
 * An adapter for Playwright Test.
 *
 * @module contract/playwright
 */

import {
  type BrowserContext,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  test as playwrightTest,
  type Route,
  type TestInfo,
  type TestInfoError,
  type TestType,
} from '@playwright/test'
import {
  type ContractFixtures,
  type ContractTestOptions,
  checkDirectory,
  isActiveIn,
  rejectCall,
  type SplitOptions,
  splitOptions,
  TestFile,
  type TestOutcome,
  TestSession,
  useAdapter,
} from './adapters/index.js'

export type { ContractFixtures, ContractTestOptions, TestMockServer, TestServerOptions } from './adapters/index.js'

/** Options of `contractTest` for Playwright. */
export interface PlaywrightContractOptions extends ContractTestOptions {
  /**
   * The base URL of the API that the pages call, such as `https://api.example.com/v1`. The mock server receives all requests
   * below this URL. By default, no requests are redirected; configure your application with `mockServer.url`.
   */
  readonly apiUrl?: string | URL | undefined
}

/**
 * Creates a `test` function that provides each test with its own contract and mock server, in addition to the fixtures of
 * Playwright. CORS is enabled.
 *
 * A test fails if the mock server receives an unexpected request or does not receive an expected one. The log of the mock
 * server is attached to a failed test. When a test passes, its interactions are written to the contract file with the names of
 * the test and its file.
 *
 * To remove obsolete interactions and print which contracts were written, add `contract/playwright/reporter` to `reporter` in
 * Playwright's configuration.
 *
 * @example
 * import { expect } from '@playwright/test'
 * import { contractTest } from 'contract/playwright'
 *
 * const test = contractTest({ consumer: 'web', provider: 'users', apiUrl: 'https://api.example.com' })
 *
 * test('shows a user', async ({ page, contract }) => {
 *   contract
 *     .uponReceiving('a request for user 1')
 *     .withRequest('GET', '/users/1')
 *     .willRespondWith(200)
 *     .withBody({ name: 'Alice' })
 *   await page.goto('http://localhost:3000/users/1')
 *   await expect(page.getByText('Alice')).toBeVisible()
 * })
 * @throws {ContractError} if another runner runs the file (`ERR_CONTRACT_RUNNER`), or the directory is not writable
 * (`ERR_CONTRACT_FILE`)
 */
export function contractTest(
  options: PlaywrightContractOptions,
): TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & ContractFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> {
  useAdapter({
    module: 'contract/playwright',
    runner: 'Playwright',
    version: playwrightVersion(),
    oldest: '1.45',
    isActive: isActiveIn('Playwright'),
  })
  const { apiUrl, ...rest } = (options ?? {}) as PlaywrightContractOptions
  const split = withCors(splitOptions(options === undefined || options === null ? options : rest))
  checkDirectory(split.contract.directory ?? '.')
  const base = apiUrl === undefined ? undefined : baseOf(apiUrl)
  type Session = { readonly contractSession: TestSession }
  // Playwright requires the first parameter to be destructured, and provides the fixtures in the pattern.
  return playwrightTest.extend<ContractFixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: as above
    contractSession: ({}: object, use: Use<TestSession>, info: TestInfo) => runSession(split, use, info),
    contract: ({ contractSession }: Session, use: Use<ContractFixtures['contract']>) => use(contractSession.contract),
    mockServer: ({ contractSession }: Session, use: Use<ContractFixtures['mockServer']>) =>
      use(contractSession.mockServer),
    context: async ({ context, contractSession }: Session & PlaywrightTestArgs, use: Use<BrowserContext>) => {
      if (base !== undefined) await redirect(context, base, contractSession)
      await use(context)
    },
  })
}

type Use<T> = (value: T) => Promise<void>

/** Enables CORS, because pages have a different origin than the mock server. */
function withCors(options: SplitOptions): SplitOptions {
  return { ...options, server: { cors: true, ...options.server } }
}

function baseOf(apiUrl: string | URL): URL {
  try {
    const url = new URL(apiUrl)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  } catch {
    // Rejected below.
  }
  return rejectCall('contractTest', `"apiUrl" must be a URL such as https://api.example.com/v1, received "${apiUrl}"`)
}

/** Redirects requests of a browser context below the base URL to the mock server. */
async function redirect(context: BrowserContext, base: URL, session: TestSession): Promise<void> {
  const path = base.pathname.replace(/\/$/, '')
  const isBelow = ({ origin, pathname }: URL) =>
    origin === base.origin && (pathname === path || pathname.startsWith(`${path}/`))
  await context.route(isBelow, async (route: Route) => {
    const { pathname, search } = new URL(route.request().url())
    const { url } = await session.mockServer.start()
    const target = `${url}${pathname.slice(path.length)}${search}`
    await route.fulfill({ response: await route.fetch({ url: target, maxRedirects: 0 }) })
  })
}

async function runSession(options: SplitOptions, use: Use<TestSession>, info: TestInfo): Promise<void> {
  const { titlePath, file, timeout, errors } = info
  // The first name is the path of the file.
  const session = new TestSession(options, { name: titlePath.slice(1).join(' > '), file, timeout })
  const testFile = new TestFile(file)
  await use(session)
  const own = errors[0]
  const cause = own === undefined ? undefined : asError(own)
  const outcome = outcomeOf(info, cause)
  const result = await session.end(outcome)
  if (outcome.status === 'passed' && result.error === undefined) testFile.passed(options, result)
  testFile.flush()
  if (result.log !== '' && (own !== undefined || result.error !== undefined)) {
    await info.attach('log of the mock server', { body: result.log, contentType: 'text/plain' })
  }
  if (result.error === cause) return
  // The combined error contains the test's own error as its cause.
  if (own !== undefined) errors.shift()
  throw result.error
}

/** Returns the version of Playwright that the project uses, or `undefined` if it is not found. */
function playwrightVersion(): string | undefined {
  try {
    return (require('@playwright/test/package.json') as { version: string }).version
  } catch {
    return undefined
  }
}

function outcomeOf({ status }: TestInfo, error: Error | undefined): TestOutcome {
  if (status === 'skipped' || status === 'interrupted') return { status: 'skipped' }
  if (status === 'timedOut') return { status: 'timedOut', error }
  return status === 'passed' ? { status: 'passed' } : { status: 'failed', error }
}

/** Converts an error of Playwright, because Playwright prints the cause of an error only if it is an `Error`. */
function asError({ message = '', stack }: TestInfoError): Error {
  const [, name, rest] = /^(\w*Error): (.*)$/s.exec(message) ?? []
  const error = Object.assign(new Error(rest ?? message), name !== undefined && { name })
  if (stack !== undefined) error.stack = stack
  return error
}
