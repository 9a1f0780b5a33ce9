// Runs a consumer test against the other answers (responses or messages) that its contract allows.

import { inspect } from 'node:util'
import { optionsData, rejectCall } from './arguments.js'
import { ContractError, MismatchesError, ServeTimeoutError, VariantsError, withoutCode } from './errors.js'
import type { ListedVariant, ServedAnswer, VariantReport, VariantStep } from './generated/results.js'
import { nativeOf, servers } from './handles.js'
import { MockServer, withVariant } from './mock-server.js'
import type { NativeVariants } from './native/binding.js'
import { unwrap } from './native/result.js'
import { nameOfTest, runTest } from './run-test.js'
import { tagOf } from './template.js'
import { settle } from './timeout.js'

/** A set of variants: `off` (none), `default`, `values`, or `all`. */
export type VariantSet = 'off' | 'default' | 'values' | 'all'

/** A kind of variant, which describes how an answer differs from the example. See the guide on variants. */
export type VariantKind =
  | 'branch'
  | 'null'
  | 'empty-list'
  | 'absent'
  | 'extra'
  | 'order'
  | 'member'
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'many'
  | 'status'
  | 'media'
  | 'casing'
  | 'big-integer'

/** The response that the callback received in one run. */
export interface VariantAnswer {
  /** The name of the variant, such as `null@$.note`. `undefined` for the example. */
  readonly variant: string | undefined
  /** The description of the interaction. */
  readonly interaction: string
  /** The status code of the response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body: parsed JSON, or the text of any other body. Generated values are those of the example. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the body is known only to the test
  readonly body: any
}

/** Which variants a test runs against, and what it checks. */
export interface VariantOptions {
  /** Kinds of variants to include, or names of sets. Default: `['default']`. */
  readonly include?: readonly (VariantKind | Exclude<VariantSet, 'off'>)[] | undefined
  /** Locations in the body, such as `$.internalNote`, at which only the example value is served. */
  readonly except?: readonly string[] | undefined
  /** Maximum number of responses or messages per test. Those that narrow down a failure do not count. Default: 30. */
  readonly max?: number | undefined
  /** Whether each pair of values at different locations is also served in combination. Default: false. */
  readonly pairs?: boolean | undefined
  /** Seed for the strings that the kinds `member` and `text` generate. Default: 0. */
  readonly seed?: number | undefined
  /**
   * Searches for fields of the body that the client does not read: neither another value nor their absence changes the result
   * of the callback. `print` prints them to standard error, and `error` fails the test. Default: they are not searched.
   */
  readonly unread?: 'print' | 'error' | undefined
  /**
   * Compares the result of the callback with the answer that it received. Called after each run, including the run with
   * the example. If several interactions vary, `answer` is the one that differs from its example.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the result is known only to the test
  check?(result: any, answer: VariantAnswer): unknown
}

/**
 * A response that the contract allows, to be tested in a separate test. Created by `Contract.variants`.
 *
 * @example
 * for (const { name, serve } of contract.variants()) {
 *   test(name, () => serve((server) => showOrder(server.url)))
 * }
 */
export interface ContractVariant {
  /** The name, such as `null@$.note`. It is `example` for the example. */
  readonly name: string
  /** How the response differs from the example. `undefined` for the example. */
  readonly kind: VariantKind | undefined
  /** Location of the value that differs, such as `$.note`. Empty for the example. */
  readonly place: string
  /** The description of the interaction whose response differs. Empty for the example. */
  readonly interaction: string
  /** Why the contract allows the value. Empty for the example. */
  readonly rule: string
  /** The value that differs, as text. Empty for the example. */
  readonly value: string
  /**
   * Runs the callback against a mock server that sends this response, and returns the callback's result. The
   * interactions are written to the contract file once the tests of all responses have passed.
   *
   * @throws {VariantsError} if the callback fails or sends requests that do not match the contract. For the example, throws the
   * error of the callback or a `MismatchesError`
   */
  serve<T>(callback: (server: MockServer) => T | Promise<T>): Promise<T>
  /** Returns `name`. */
  toString(): string
}

/** @internal The `check` option, which compares a result with an answer. */
export type Check = NonNullable<VariantOptions['check']>

/** @internal Separates `check`, which only JavaScript can call, from the options that the core reads. */
export function splitVariants(
  call: string,
  variants: unknown,
): { readonly data: unknown; readonly check: Check | undefined } {
  if (typeof variants !== 'object' || variants === null || Array.isArray(variants)) {
    return { data: variants, check: undefined }
  }
  const { check, ...data } = optionsData(call, variants)
  if (check !== undefined && typeof check !== 'function') {
    rejectCall(call, `variants: "check" must be a function, received ${typeof check}`)
  }
  return { data, check: check as Check | undefined }
}

/**
 * @internal Returns a test that, after it has passed with the example, also runs against the server's variants. Its
 * result is the result with the example.
 */
export function withVariants<T>(
  server: MockServer,
  test: () => T | Promise<T>,
  check: Check | undefined,
): () => T | Promise<T> {
  const native = nativeOf(servers, server)
  const { variants, unread } = JSON.parse(native.facts)
  if (!variants) return test
  return async () => {
    const value = await test()
    // As text, because later runs may change the same object.
    const result = unread && value !== undefined ? snapshot(value) : undefined
    const examples = check === undefined ? [] : (JSON.parse(native.exampleAnswers()) as ServedAnswer[])
    for (const answer of examples) await check?.(value, answerOf(answer))
    await runVariants(server, test, check, result)
    return value
  }
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

/** @internal Returns how a run ended, in the form that the core reads. */
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

/** @internal Converts an answer from the core to the form that `check` receives. */
export function answerOf({ name, interaction, status, headers, body }: ServedAnswer): VariantAnswer {
  return {
    variant: name ?? undefined,
    interaction,
    status: status ?? 0,
    headers: headers as Readonly<Record<string, string>>,
    body,
  }
}

/** @internal Returns a suite's variants. `context` returns the context of a call at a call site. */
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
