import { MismatchesError, ServeTimeoutError } from './errors.js'
import type { MockServer } from './mock-server.js'
import { colours } from './terminal.js'

/** A server and whose contract it serves. */
export interface Served {
  readonly server: MockServer
  readonly title: string
}

/**
 * Runs a test on its servers, stops them, and gives the test's value. Throws what did not match; the `cause` of that is the
 * test's own error, if it threw, too. `name` stands for the test in messages.
 */
export async function runTest<T>(served: readonly Served[], test: () => T | Promise<T>, name: string): Promise<T> {
  let value: T
  try {
    value = await inTime(served, test, name)
  } catch (error) {
    // A test that broke off leaves requests undone: that is its consequence. Requests that did not match may be its cause.
    const failed = (await ended(served, false)).filter(({ mismatches }) => !mismatches.every(isConsequence))
    if (failed.length === 0) throw error
    throw combined(failed, { cause: error })
  }
  const failed = await ended(served, true)
  if (failed.length > 0) throw combined(failed)
  return value
}

type Ended = Served & Awaited<ReturnType<MockServer['end']>>

/** Stops them all, whatever happens to one, and gives those whose mismatches are to be thrown. */
async function ended(served: readonly Served[], passed: boolean): Promise<Ended[]> {
  const ends = served.map(async (one): Promise<Ended> => ({ ...one, ...(await one.server.end(passed)) }))
  const results = await Promise.allSettled(ends)
  return results
    .map((result) => {
      // A file that cannot be written fails a test that passed otherwise; of one that failed it is not what matters.
      if (result.status === 'rejected' && passed) throw result.reason
      return result.status === 'fulfilled' ? result.value : undefined
    })
    .filter((one) => one !== undefined)
    .filter(({ matched, server }) => !matched && server.raises)
}

function isConsequence(mismatch: Ended['mismatches'][number]): boolean {
  return mismatch.type === 'missing-request' || (mismatch.type === 'times-mismatch' && mismatch.actual < mismatch.min)
}

function combined(failed: readonly Ended[], options: ErrorOptions = {}): MismatchesError {
  const titled = (text: (one: Ended) => string) =>
    failed.length === 1 ? failed.map(text).join('') : failed.map((one) => `${one.title}: ${text(one)}`).join('\n')
  const format = (colour: boolean) => titled(({ server }) => server.text(colour))
  return new MismatchesError(
    format(colours()),
    failed.flatMap(({ mismatches }) => mismatches),
    { ...options, logs: titled(({ server }) => server.logs), format },
  )
}

async function inTime<T>(served: readonly Served[], test: () => T | Promise<T>, name: string): Promise<T> {
  const running = test()
  const [first] = served
  if (first === undefined || first.server.timeout === 0 || !isThenable(running)) return running
  const overdue = first.server.overdue().then((isOverdue) => {
    if (isOverdue) throw tooLate(served, first.server.timeout, name)
    // The test has ended, and its own promise tells how.
    return running
  })
  try {
    return await Promise.race([running, overdue])
  } finally {
    first.server.endWatch()
  }
}

function tooLate(served: readonly Served[], timeout: number, name: string): ServeTimeoutError {
  const requests = served.flatMap(({ server }) => server.requests).sort((one, other) => one.at - other.at)
  const last = requests.at(-1)
  const seen =
    last === undefined
      ? 'No request had come: does it call the URL of the server?'
      : `The last request, ${last.method} ${last.path}, had come ${inSeconds(Date.now() - last.at)} before.`
  const logs = served.map(({ server }) => server.logs).join('\n')
  const advice =
    'A promise in it that never settles is the usual reason. ' +
    'If it needs longer, give serve a longer timeout in milliseconds; 0 is none.'
  const message = `${name} did not finish within ${inSeconds(timeout)}. ${seen}\n${advice}`
  return new ServeTimeoutError(message, timeout, logs)
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value
}

function inSeconds(milliseconds: number): string {
  return `${Math.max(milliseconds, 0) / 1000} s`
}
