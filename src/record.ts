// Contracts from traffic that a team already has.
import type { RecordOptions } from './generated/options.js'
import type { RecordedContract } from './generated/results.js'
import { deferred } from './load-deferred.js'
import type { ContractRecorder, TestRecordOptions } from './recorder.js'

/**
 * Derives a contract from an HTTP archive (HAR 1.2), which browsers and Playwright (`recordHar`) write. Rules are guessed
 * conservatively from the kinds of values, and credentials are removed. Review the result: a recording does not show what the
 * consumer needs.
 *
 * Requests without a response, entries without a body, pages, scripts, styles, images, and fonts are not recorded.
 *
 * @example
 * import { recordHar } from 'contract'
 *
 * const recorded = await recordHar('session.har', {
 *   consumer: 'web',
 *   provider: 'orders',
 *   target: 'https://api.example.com',
 *   directory: 'contracts',
 * })
 * console.log(recorded.summary)
 * @param file - path of the archive, or a `file:` URL
 * @returns the path of the written file and what to review
 * @throws {ContractError} if the archive cannot be read, contains no requests to the target, or the result cannot be written
 */
export async function recordHar(file: string | URL, options: RecordOptions): Promise<RecordedContract> {
  return await deferred().recordHar(file, options)
}

/** The members that `recordWith` uses of a Mock Service Worker 2 server or worker. */
export interface RecordableServer {
  readonly events: {
    on(event: never, listener: never): unknown
    removeListener(event: never, listener: never): unknown
  }
}

/**
 * Records the requests that a Mock Service Worker 2 server intercepts, with the responses from its handlers or the
 * network, and derives a contract from them. Use it to introduce contracts in a test suite that already has mocks.
 * Rules are guessed conservatively from the kinds of values, and credentials are removed. Review the result.
 *
 * @example
 * import { recordWith } from 'contract'
 * import { setupServer } from 'msw/node'
 * import { afterAll, beforeAll, expect } from 'vitest'
 *
 * const server = setupServer()
 * const recorder = recordWith(server, {
 *   consumer: 'web',
 *   provider: 'orders',
 *   target: 'https://api.example.com',
 *   directory: 'contracts',
 *   testName: () => expect.getState().currentTestName,
 * })
 * beforeAll(() => server.listen())
 * afterAll(async () => {
 *   const { summary } = await recorder.stop()
 *   console.log(summary)
 * })
 * @param server - the result of `setupServer`
 * @throws {ContractArgumentError} if an option is invalid
 */
export function recordWith(server: RecordableServer, options: TestRecordOptions): ContractRecorder {
  return deferred().recordWith(server, options)
}
