import { rejectCall } from './arguments.js'
import { Contract, startServer } from './contract.js'
import type { ServeOptions } from './generated/options.js'
import type { MockServer } from './mock-server.js'
import { origin } from './origin.js'
import { endTest, nameOfTest, runTest, testArguments } from './run-test.js'

/** The test that `serveAll` runs. It receives one mock server for each contract, in the same order. */
export type ServeAllCallback<T> = (...servers: MockServer[]) => T | Promise<T>

/** Options for all servers. `port` is not one of them, because each server needs its own port. */
export type ServeAllOptions = Omit<ServeOptions, 'port' | 'only' | 'variants'>

/**
 * Starts a mock server for each contract, runs one test against them, and stops them.
 *
 * @example
 * await serveAll([usersContract, ordersContract], async (users, orders) => {
 *   await new Shop(users.url, orders.url).checkout()
 * })
 * @returns the result of the test
 * @throws {MismatchesError} if there are mismatches; it contains the mismatches of all servers
 */
export function serveAll<T>(contracts: readonly Contract[], test: ServeAllCallback<T>): Promise<T>
export function serveAll<T>(
  contracts: readonly Contract[],
  options: ServeAllOptions,
  test: ServeAllCallback<T>,
): Promise<T>
export async function serveAll<T>(
  contracts: readonly Contract[],
  first: ServeAllOptions | ServeAllCallback<T>,
  second?: ServeAllCallback<T>,
): Promise<T> {
  const place = origin(serveAll)
  const { options, test } = testArguments('serveAll', first, second)
  if (options.variants !== undefined) {
    rejectCall('serveAll', '"variants" is not supported with multiple servers. Call serve() for each contract instead')
  }
  const servers = await startAll(contracts, options, place)
  return runTest(servers, () => test(...servers), nameOfTest('serveAll', test, place))
}

async function startAll(
  contracts: readonly Contract[],
  options: ServeAllOptions,
  place: string,
): Promise<MockServer[]> {
  if (!Array.isArray(contracts) || !contracts.every((contract) => contract instanceof Contract)) {
    rejectCall('serveAll', '"contracts" must be an array of contracts')
  }
  // All servers are started before any of them is awaited, so that each serves the interactions defined before this call.
  const starting = contracts.map(async (contract) => startServer(contract, options, place, false))
  const settled = await Promise.allSettled(starting)
  const servers = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed === undefined) return servers
  if (servers.length > 0) await endTest(servers, { end: 'failed' })
  throw failed.reason
}
