/**
 * An adapter for Playwright Test.
 *
 * @module contract/playwright
 */

import {
  type BrowserContext,
  type Page,
  type Request as PlaywrightRequest,
  type Response as PlaywrightResponse,
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
import {
  type ContractMock,
  type ContractMockOptions,
  type ContractSource,
  isWithoutBody,
  type MockResponse,
  problemOf,
  ServedContracts,
  type UnmatchedOptions,
  type UnmatchedRequest,
} from './engine/index.js'
import { deferred } from './load-deferred.js'
import type { ContractRecorder, Exchange, TestRecordOptions, TrafficRecorder } from './recorder.js'

export type { ContractFixtures, ContractTestOptions, TestMockServer, TestServerOptions } from './adapters/index.js'
export type * from './engine/types.js'
export type { RecordOptions } from './generated/options.js'
export type { GuessedRule, RecordedContract, SkippedRequest } from './generated/results.js'
export type { ContractRecorder, TestRecordOptions } from './recorder.js'

/** Options for `contractTest` in Playwright. */
export interface PlaywrightContractOptions extends ContractTestOptions {
  /**
   * The base URL of the API that the pages call, such as `https://api.example.com/v1`. All requests below it are
   * redirected to the mock server. By default, no requests are redirected; configure your application with
   * `mockServer.url`.
   */
  readonly apiUrl?: string | URL | undefined
}

/**
 * Creates a `test` function that provides each test with its own contract and mock server, in addition to Playwright's
 * fixtures. CORS is enabled.
 *
 * A test fails if the mock server receives an unexpected request or does not receive an expected one. The mock server's
 * log is attached to a failed test. When a test passes, its interactions are written to the contract file with the
 * names of the test and its file.
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
  // One of the fixtures runs the session, instead of a fixture of its own, because each fixture costs Playwright time.
  const sessions = new WeakMap<TestInfo, TestSession>()
  const inSession = async (info: TestInfo, body: (session: TestSession) => Promise<void>): Promise<void> => {
    const running = sessions.get(info)
    if (running !== undefined) return body(running)
    await runSession(split, info, (session) => {
      sessions.set(info, session)
      return body(session)
    })
  }
  // Playwright requires the first parameter to be destructured, and provides the fixtures in the pattern.
  return playwrightTest.extend<ContractFixtures>({
    contract: [
      // biome-ignore lint/correctness/noEmptyPattern: as above
      ({}: object, use: Use<ContractFixtures['contract']>, info: TestInfo) =>
        inSession(info, (session) => use(session.contract)),
      WITHOUT_STEPS,
    ],
    mockServer: [
      // biome-ignore lint/correctness/noEmptyPattern: as above
      ({}: object, use: Use<ContractFixtures['mockServer']>, info: TestInfo) =>
        inSession(info, (session) => use(session.mockServer)),
      WITHOUT_STEPS,
    ],
    ...(base !== undefined && {
      context: ({ context }: PlaywrightTestArgs, use: Use<BrowserContext>, info: TestInfo) =>
        inSession(info, async (session) => {
          await redirect(context, base, session)
          await use(context)
        }),
    }),
  })
}

/**
 * Fixtures with this option are not steps of the test. For each step, Playwright captures a call stack and reads source
 * maps, which takes longer than these fixtures do.
 */
const WITHOUT_STEPS = { box: 'self' }

type Use<T> = (value: T) => Promise<void>

/** Enables CORS unless the options disable it, because the pages have a different origin than the mock server. */
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
  return rejectCall('contractTest', `"apiUrl" must be a URL such as https://api.example.com/v1; received "${apiUrl}"`)
}

/** Redirects requests below the base URL from all pages of a browser context to the mock server. */
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

/** Options for `routeContract`, including what to do with requests that no interaction matches. */
export interface RouteContractOptions
  extends ContractMockOptions,
    UnmatchedOptions<(unmatched: UnmatchedRequest, route: Route) => void | Promise<void>> {}

/** Contracts that respond to the requests of a page. */
export interface RoutedContract extends ContractMock {
  /** The first 1,000 requests that no interaction matched, in the order in which they were received. */
  readonly unmatched: readonly UnmatchedRequest[]
  /** Removes the route, so that requests reach the network again. */
  stop(): Promise<void>
}

/** Maximum number of unmatched requests to keep in memory. */
const MAX_UNMATCHED = 1000

/**
 * Responds to the requests of a page, or of all pages of a browser context, as defined by contracts. The rules are the
 * same as for `handlersFrom` of `contract/msw`.
 *
 * CORS headers are added to responses for other origins. Requests that the page's service worker handles do not reach
 * this route. To route them, pass `serviceWorkers: 'block'` to the context.
 *
 * @example
 * import { readFileSync } from 'node:fs'
 * import { expect, test } from '@playwright/test'
 * import { routeContract } from 'contract/playwright'
 *
 * test('shows a user', async ({ page }) => {
 *   const contract = readFileSync('contracts/web-users.json')
 *   const routed = await routeContract(page, contract, { baseUrl: 'https://api.example.com' })
 *   await page.goto('http://localhost:3000/users/1')
 *   await expect(page.getByText('Alice')).toBeVisible()
 *   expect(routed.unmatched).toEqual([])
 * })
 * @param target - a page or a browser context
 * @param contracts - a contract or an array of contracts
 * @throws {Error} with a `code`: `ERR_CONTRACT_SOURCE` if a contract is invalid or there is nothing to serve,
 * `ERR_CONTRACT_PLUGIN` if an interaction requires a plugin, `ERR_CONTRACT_CONFLICT`, and `ERR_CONTRACT_OPTIONS`
 */
export async function routeContract(
  target: Page | BrowserContext,
  contracts: ContractSource | readonly ContractSource[],
  options: RouteContractOptions = {},
): Promise<RoutedContract> {
  const served = await ServedContracts.open('routeContract', contracts, options, ['onUnmatched'])
  const unmatched: UnmatchedRequest[] = []
  const isServed = (url: URL) => served.pathOf(url) !== undefined
  const handle = (route: Route) => respond(served, options, route, unmatched)
  await target.route(isServed, handle)
  return {
    interactions: served.interactions,
    conflicts: served.conflicts,
    unmatched,
    setStates: served.setStates.bind(served),
    reset() {
      unmatched.splice(0)
      served.reset()
    },
    async stop() {
      await target.unroute(isServed, handle)
    },
  }
}

async function respond(
  served: ServedContracts,
  { onUnmatched }: RouteContractOptions,
  route: Route,
  allUnmatched: UnmatchedRequest[],
): Promise<void> {
  const request = route.request()
  const [method, url] = [request.method(), new URL(request.url())]
  const headers = (await request.headersArray()).map(({ name, value }): [string, string] => [name, value])
  const answer = await served.answer({ method, url, headers, body: request.postDataBuffer() ?? new Uint8Array() })
  if (answer === undefined) return route.fallback()
  if (answer.response !== undefined) return fulfill(route, answer.response, headers)
  const { unmatched } = answer
  const headerOf = (name: string) => headers.find(([other]) => other.toLowerCase() === name)?.[1]
  const isPreflight = method === 'OPTIONS' && headerOf('access-control-request-method') !== undefined
  if (isPreflight && served.isOwn(unmatched)) return fulfill(route, preflight(headerOf), headers)
  if (unmatched.hasTarget || onUnmatched !== undefined || served.isOwn(unmatched)) {
    if (allUnmatched.length < MAX_UNMATCHED) allUnmatched.push(unmatched)
  }
  if (typeof onUnmatched === 'function') return onUnmatched(unmatched, route)
  const responds = onUnmatched === undefined ? served.isOwn(unmatched) : onUnmatched === 'respond'
  return responds ? fulfill(route, problemOf(unmatched), headers) : route.fallback()
}

function preflight(headerOf: (name: string) => string | undefined): MockResponse {
  const allowed = [
    ['access-control-allow-methods', headerOf('access-control-request-method') ?? '*'],
    ['access-control-allow-headers', headerOf('access-control-request-headers') ?? '*'],
  ] as const
  return { status: 204, headers: allowed, body: new Uint8Array() }
}

/** Sends a response with all CORS headers that the mock server would add and that the contract does not define. */
async function fulfill(route: Route, response: MockResponse, request: readonly [string, string][]): Promise<void> {
  const headers: Record<string, string> = {}
  for (const [name, value] of response.headers) {
    const key = name.toLowerCase()
    const separator = key === 'set-cookie' ? '\n' : ', '
    headers[key] = headers[key] === undefined ? value : `${headers[key]}${separator}${value}`
  }
  const exposed = Object.keys(headers).join(', ')
  const origin = request.find(([name]) => name.toLowerCase() === 'origin')?.[1]
  if (origin !== undefined && headers['access-control-allow-origin'] === undefined) {
    headers['access-control-allow-origin'] = origin
    headers['access-control-allow-credentials'] ??= 'true'
    headers['access-control-expose-headers'] ??= exposed
  }
  const body = isWithoutBody(response.status) ? Buffer.alloc(0) : Buffer.from(response.body)
  await route.fulfill({ status: response.status, headers, body })
}

/**
 * Records the API requests of a page, or of all pages of a browser context, and derives a contract from them. Only requests by
 * `fetch` and `XMLHttpRequest` are recorded. Rules are guessed conservatively from the kinds of values, and credentials are
 * removed. Review the result: a recording does not show what the application needs.
 *
 * @example
 * import { test } from '@playwright/test'
 * import { recordPage } from 'contract/playwright'
 *
 * test('shows a user', async ({ page }) => {
 *   const recorder = recordPage(page, {
 *     consumer: 'web',
 *     provider: 'users',
 *     target: 'https://api.example.com',
 *     directory: 'contracts',
 *   })
 *   await page.goto('http://localhost:3000/users/1')
 *   const { summary } = await recorder.stop()
 *   console.log(summary)
 * })
 * @param target - a page or a browser context
 * @throws {ContractArgumentError} if an option is invalid
 */
export function recordPage(target: Page | BrowserContext, options: TestRecordOptions): ContractRecorder {
  const exchanges = new Map<PlaywrightRequest, Exchange>()
  const begin = (request: PlaywrightRequest) => {
    if (!['fetch', 'xhr'].includes(request.resourceType())) return
    const exchange = recorder.begin(request.url(), request.method())
    if (exchange !== undefined) exchanges.set(request, exchange)
  }
  const end = (response: PlaywrightResponse) => {
    const request = response.request()
    const exchange = exchanges.get(request)
    exchanges.delete(request)
    if (exchange !== undefined) recorder.follow(exchange, () => complete(recorder, exchange, request, response))
  }
  const recorder = new (deferred().TrafficRecorder)('record_page', options, nameOfTest, () => {
    target.off('request', begin)
    target.off('response', end)
  })
  target.on('request', begin)
  target.on('response', end)
  return recorder
}

async function complete(
  recorder: TrafficRecorder,
  exchange: Exchange,
  request: PlaywrightRequest,
  response: PlaywrightResponse,
): Promise<void> {
  const pairs = (headers: readonly { readonly name: string; readonly value: string }[]) =>
    headers.map(({ name, value }): [string, string] => [name, value])
  exchange.requestHeaders = pairs(await request.headersArray())
  exchange.requestBody = recorder.encode(request.postDataBuffer() ?? new Uint8Array())
  exchange.responseHeaders = pairs(await response.headersArray())
  const status = response.status()
  // Browsers do not keep the bodies of redirects.
  const hasBody = !isWithoutBody(status) && (status < 300 || status > 399)
  if (hasBody) exchange.responseBody = recorder.encode(await response.body())
  exchange.status = status
}

/** Returns the name of the Playwright test that is running, or `undefined` if none is running. */
function nameOfTest(): string | undefined {
  try {
    return playwrightTest.info().titlePath.slice(1).join(' > ')
  } catch {
    // Playwright is used without its test runner.
    return undefined
  }
}

/** The test files that run in this worker. */
const testFiles = new Map<string, TestFile>()

/**
 * Creates a test's session, passes it to `use` while the test runs, and then ends it. Playwright sets up the session
 * fixture first and therefore tears it down last.
 */
async function runSession(options: SplitOptions, info: TestInfo, use: Use<TestSession>): Promise<void> {
  const { titlePath, file, timeout, errors } = info
  // The first name is the path of the file.
  const session = new TestSession(options, { name: titlePath.slice(1).join(' > '), file, timeout })
  const testFile = testFiles.get(file) ?? new TestFile(file)
  testFiles.set(file, testFile)
  await use(session)
  const own = errors[0]
  const cause = own === undefined ? undefined : asError(own)
  const outcome = outcomeOf(info, cause)
  const result = await session.end(outcome)
  if (outcome.status === 'passed' && result.error === undefined) testFile.passed(options, result)
  testFile.flush()
  if ((own !== undefined || result.error !== undefined) && result.log !== '') {
    await info.attach('log of the mock server', { body: result.log, contentType: 'text/plain' })
  }
  if (result.error === cause) return
  // The combined error contains the test's own error as its cause.
  if (own !== undefined) errors.shift()
  throw result.error
}

/**
 * Returns the version of Playwright that the project uses, such as `1.49.0`, or `undefined` if Playwright is not found.
 */
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

/**
 * Converts Playwright's description of an error to an `Error`. Playwright prints the cause of an error only if the
 * cause is an `Error`.
 */
function asError({ message = '', stack }: TestInfoError): Error {
  const [, name, rest] = /^(\w*Error): (.*)$/s.exec(message) ?? []
  const error = Object.assign(new Error(rest ?? message), name !== undefined && { name })
  if (stack !== undefined) error.stack = stack
  return error
}
