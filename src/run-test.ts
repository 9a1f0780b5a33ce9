import { optionsData, rejectCall } from './arguments.js'
import { MismatchesError, ServeTimeoutError } from './errors.js'
import type { Mismatched, Verdict } from './generated/results.js'
import { nativeOf, servers } from './handles.js'
import type { MockServer } from './mock-server.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { runningTest } from './runner.js'
import { useColors } from './terminal.js'
import { settle } from './timeout.js'

/**
 * Runs a test against its servers, stops the servers, and returns the test's result. If there are mismatches, throws a
 * `MismatchesError` with the test's error as its `cause`. Otherwise, throws the test's error, if any. `name` identifies
 * the test in messages.
 */
export async function runTest<T>(
  mockServers: readonly MockServer[],
  test: () => T | Promise<T>,
  name: string,
): Promise<T> {
  let isSynchronous = false
  const caller = runningTest()
  const run = () => {
    const value = test()
    isSynchronous = typeof (value as { then?: unknown } | null | undefined)?.then !== 'function'
    return value
  }
  const settled = await settle(run, mockServers[0] === undefined ? 0 : nativeOf(servers, mockServers[0]).timeout)
  const end = 'timedOut' in settled ? 'timed_out' : 'cause' in settled ? 'failed' : 'passed'
  const { mismatched, late } = await endTest(mockServers, {
    end,
    name,
    atOnce: isSynchronous,
    afterTest: caller !== undefined && runningTest() !== caller,
  })
  const tooLate = late === null ? [] : [new ServeTimeoutError(late.text, late.timeout, late.logs)]
  const thrown = 'cause' in settled ? [settled.cause] : tooLate
  if (mismatched !== null) throw mismatchesError(mismatched, thrown.length === 0 ? {} : { cause: thrown[0] })
  if (thrown.length > 0) throw thrown[0]
  return (settled as { readonly value: T }).value
}

/** Stops the servers of a test and returns the verdict, which contains the errors to throw and the lines to print. */
export async function endTest(stopped: readonly MockServer[], ending: object): Promise<Verdict> {
  const natives = stopped.map((server) => nativeOf(servers, server))
  const verdict = JSON.parse(unwrap(await native.endTest(natives, JSON.stringify(ending)))) as Verdict
  for (const text of verdict.print) console.error(text)
  return verdict
}

export function mismatchesError(mismatched: Mismatched, options: ErrorOptions = {}): MismatchesError {
  const { text, coloured, mismatches, logs } = mismatched
  const format = (color: boolean) => (color ? coloured : text)
  return new MismatchesError(format(useColors()), mismatches, { ...options, logs, format })
}

/** Separates the options and the callback in the arguments of a call with optional options. */
export function testArguments<F extends (...args: never[]) => unknown>(
  call: string,
  first: unknown,
  second: F | undefined,
): { readonly options: Record<string, unknown>; readonly test: F } {
  const test = typeof first === 'function' ? (first as F) : second
  const options = typeof first === 'function' ? {} : optionsData(call, first ?? {})
  if (typeof test !== 'function') rejectCall(call, `the callback must be a function, received ${typeof test}`)
  return { options, test }
}

/**
 * Returns the description of a callback for error messages, such as `The function passed to serve at
 * orders.test.ts:12:5`.
 */
export function nameOfTest(call: string, callback: (...args: never[]) => unknown, place: string): string {
  const own = callback.name === '' ? '' : ` ${JSON.stringify(callback.name)}`
  return `The function${own} passed to ${call}${place === '' ? '' : ` at ${place}`}`
}
