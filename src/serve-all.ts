import { type Contract, nameOfTest, type ServeOptions } from './contract.js'
import type { MockServer } from './mock-server.js'
import { origin } from './origin.js'
import { runTest, type Served } from './run-test.js'

/** The test: gets the servers in the order of their contracts. */
export type ServeAllCallback<T> = (...servers: MockServer[]) => T | Promise<T>

/** Options of several servers: each has a port of its own. */
export type ServeAllOptions = Omit<ServeOptions, 'port' | 'only'>

/**
 * Plays several providers at once for one test, each as `Contract.serve` does. All are stopped at the end; what did not match
 * on any of them is thrown as one error.
 *
 * @example
 * await serveAll([users, orders], async (users, orders) => {
 *   await new Shop(users.url, orders.url).checkout()
 * })
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
  const test = typeof first === 'function' ? first : second
  if (test === undefined) throw new TypeError('serveAll: expected a function')
  const place = origin(serveAll)
  const served = await startAll(contracts, typeof first === 'function' ? {} : first)
  return runTest(served, () => test(...served.map(({ server }) => server)), nameOfTest('serveAll', test, place))
}

async function startAll(contracts: readonly Contract[], options: ServeAllOptions): Promise<Served[]> {
  const served: Served[] = []
  try {
    for (const contract of contracts) served.push({ server: contract.start(options), title: contract.title })
    return served
  } catch (error) {
    await Promise.all(served.map(({ server }) => server.end(false)))
    throw error
  }
}
