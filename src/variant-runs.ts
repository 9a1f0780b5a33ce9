// Runs a consumer test against the other answers (responses or messages) that its contract allows.
import { inspect } from 'node:util'
import { rejectCall } from './arguments.js'
import { ContractError, MismatchesError, ServeTimeoutError, VariantsError, withoutCode } from './errors.js'
import type { ListedVariant, ServedAnswer, VariantReport, VariantStep } from './generated/results.js'
import { nativeOf, servers } from './handles.js'
import { MockServer, withVariant } from './mock-server.js'
import type { NativeVariants } from './native/binding.js'
import { unwrap } from './native/result.js'
import { nameOfTest, runTest } from './run-test.js'
import { tagOf } from './template.js'
import { settle } from './timeout.js'
import type { Check, ContractVariant, VariantAnswer, VariantKind } from './variants.js'

/**
 * Runs a test with the example and, after it has passed, against the server's variants. Returns the result with the
 * example.
 */
export async function runWithVariants<T>(
  server: MockServer,
  test: () => T | Promise<T>,
  check: Check | undefined,
  unread: boolean,
): Promise<T> {
  const value = await test()
  // As text, because later runs may change the same object.
  const result = unread && value !== undefined ? snapshot(value) : undefined
  const native = nativeOf(servers, server)
  const examples = check === undefined ? [] : (JSON.parse(native.exampleAnswers()) as ServedAnswer[])
  for (const answer of examples) await check?.(value, answerOf(answer))
  await runVariants(server, test, check, result)
  return value
}

/** Returns text that is the same for equal values and different for different values. */
function snapshot(value: unknown): string {
  return inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: Number.POSITIVE_INFINITY,
    sorted: true,
  })
}

/**
 * Runs a test against the server's variants. `result` is the snapshot of its result with the example. It is only set if
 * the test searches for fields that it does not read.
 */
async function runVariants<T>(
  server: MockServer,
  test: () => T | Promise<T>,
  check: Check | undefined,
  result: string | undefined,
): Promise<void> {
  const native = nativeOf(servers, server)
  const causes: unknown[] = []
  let ended: object | null = null
  for (;;) {
    const text: string = unwrap(native.nextVariant(ended === null ? null : JSON.stringify(ended)))
    const { next, report, print } = JSON.parse(text) as VariantStep
    if (next === null) {
      if (print !== null) console.error(print)
      if (report === null) return
      const cause = causes[report.failures[0]?.run ?? 0]
      throw new VariantsError(report, cause === undefined ? {} : { cause })
    }
    const run = async () => {
      const value = await test()
      if (!next.probe) await check?.(value, answerOf(next))
      return value
    }
    const settled = await withVariant(server, next.name ?? undefined, () => settle(run, next.timeout))
    if (next.probe) {
      const same = result !== undefined && 'value' in settled ? snapshot(settled.value) === result : undefined
      ended = { ...endOf(settled), same }
    } else {
      causes.push('cause' in settled ? settled.cause : undefined)
      ended = endOf(settled)
    }
  }
}

/** Returns how a run ended, in the form that the core reads. */
export function endOf(settled: object): object {
  if ('timedOut' in settled) return { end: 'timed_out' }
  return 'cause' in settled ? { end: 'failed', error: errorText(settled.cause) } : { end: 'passed' }
}

/** Returns a description of an error that consists of its name and message. */
function errorText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const message = withoutCode(cause.message)
  return message === '' ? cause.name : `${cause.name}: ${message}`
}

/** Converts an answer from the core to the form that `check` receives. */
function answerOf({ name, interaction, status, headers, body }: ServedAnswer): VariantAnswer {
  return {
    variant: name ?? undefined,
    interaction,
    status: status ?? 0,
    headers: headers as Readonly<Record<string, string>>,
    body,
  }
}

/** Returns a suite's variants. `context` returns the context of a call at a call site. */
export function listVariants(
  suite: NativeVariants,
  check: Check | undefined,
  context: (call: string) => string,
  place: (call: (...args: never[]) => unknown) => string,
): ContractVariant[] {
  const listed = JSON.parse(suite.list()) as ListedVariant[]
  return listed.map(({ kind, ...facts }, number) => {
    const serve = async <T>(callback: (server: MockServer) => T | Promise<T>): Promise<T> => {
      const origin = place(serve)
      if (typeof callback !== 'function') {
        rejectCall('serve', `the callback must be a function, received ${tagOf(callback)}`)
      }
      const server = new MockServer(unwrap(suite.serve(number, context(origin))))
      const answers = check === undefined ? [] : (JSON.parse(suite.answers(number)) as ServedAnswer[])
      const checked = async () => {
        const value = await callback(server)
        for (const answer of answers) await check?.(value, answerOf(answer))
        return value
      }
      const test = check === undefined ? () => callback(server) : checked
      const name = kind === null ? undefined : facts.name
      try {
        return await withVariant(server, name, () => runTest([server], test, nameOfTest('serve', callback, origin)))
      } catch (error) {
        throw variantError(server, error)
      }
    }
    return { ...facts, kind: (kind as VariantKind | null) ?? undefined, serve, toString: () => facts.name }
  })
}

/** Returns the error with which a test that received one variant must fail. */
function variantError(server: MockServer, error: unknown): unknown {
  const isTest = error instanceof MismatchesError || error instanceof ServeTimeoutError
  // For example, the contract file could not be written.
  if (error instanceof ContractError && !isTest) return error
  const own = error instanceof MismatchesError ? error.cause : error
  const isLate = own instanceof ServeTimeoutError
  const settled = own === undefined ? {} : isLate ? { timedOut: true } : { cause: own }
  const text = unwrap(nativeOf(servers, server).variantReport(JSON.stringify(endOf(settled))))
  const report = JSON.parse(text) as VariantReport | null
  return report === null ? error : new VariantsError(report, { cause: own ?? error })
}
