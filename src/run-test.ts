import { optionsData, refuseCall } from './arguments.js'
import { MismatchesError, ServeTimeoutError } from './errors.js'
import type { Mismatched, Verdict } from './generated/results.js'
import { behind, servers } from './handles.js'
import type { MockServer } from './mock-server.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { runningTest } from './runner.js'
import { colours } from './terminal.js'
import { settle } from './timeout.js'

/**
 * Runs a test on its servers, stops them, and gives the test's value. What its end means, the core decides: throws what did
 * not match, its `cause` the test's own error; or that error. `name` stands for the test in messages.
 */
export async function runTest<T>(tested: readonly MockServer[], test: () => T | Promise<T>, name: string): Promise<T> {
  let atOnce = false
  const caller = runningTest()
  const run = () => {
    const value = test()
    atOnce = typeof (value as { then?: unknown } | null | undefined)?.then !== 'function'
    return value
  }
  const settled = await settle(run, tested[0] === undefined ? 0 : behind(servers, tested[0]).timeout)
  const end = 'timedOut' in settled ? 'timed_out' : 'cause' in settled ? 'failed' : 'passed'
  const { mismatched, late } = await endTest(tested, {
    end,
    name,
    atOnce,
    afterTest: caller !== undefined && runningTest() !== caller,
  })
  const tooLate = late === null ? [] : [new ServeTimeoutError(late.text, late.timeout, late.logs)]
  const thrown = 'cause' in settled ? [settled.cause] : tooLate
  if (mismatched !== null) throw mismatchesError(mismatched, thrown.length === 0 ? {} : { cause: thrown[0] })
  if (thrown.length > 0) throw thrown[0]
  return (settled as { readonly value: T }).value
}

/** Stops servers; what is to be thrown comes back. */
export async function endTest(stopped: readonly MockServer[], ending: object): Promise<Verdict> {
  const natives = stopped.map((server) => behind(servers, server))
  const verdict = JSON.parse(unwrap(await native.endTest(natives, JSON.stringify(ending)))) as Verdict
  for (const text of verdict.print) console.error(text)
  return verdict
}

/** The error of what did not match. */
export function mismatchesError(mismatched: Mismatched, options: ErrorOptions = {}): MismatchesError {
  const { text, coloured, mismatches, logs } = mismatched
  const format = (colour: boolean) => (colour ? coloured : text)
  return new MismatchesError(format(colours()), mismatches, { ...options, logs, format })
}

/** The arguments of a call that takes a test, and options before it if there are any. */
export function testArguments<F extends (...args: never[]) => unknown>(
  call: string,
  first: unknown,
  second: F | undefined,
): { readonly options: Record<string, unknown>; readonly test: F } {
  const test = typeof first === 'function' ? (first as F) : second
  const options = typeof first === 'function' ? {} : optionsData(call, first ?? {})
  if (typeof test !== 'function') refuseCall(call, `the test must be a function, got ${typeof test}`)
  return { options, test }
}

/** How an error names a test that was given to a function of this package. */
export function nameOfTest(call: string, callback: (...args: never[]) => unknown, place: string): string {
  const own = callback.name === '' ? '' : ` ${JSON.stringify(callback.name)}`
  return `The function${own} given to ${call}${place === '' ? '' : ` at ${place}`}`
}
