// Runs a consumer test against the other answers (responses or messages) that its contract allows.

import { optionsData, rejectCall } from './arguments.js'
import { VariantsError, withoutCode } from './errors.js'
import type { ServedAnswer, VariantStep } from './generated/results.js'
import { nativeOf, servers } from './handles.js'
import { type MockServer, withVariant } from './mock-server.js'
import { unwrap } from './native/result.js'
import { settle } from './timeout.js'

/** The name of a set of variants. `off` serves no variants. */
export type VariantSet = 'off' | 'default' | 'values' | 'all'

/** A kind of variants: how an answer differs from the example. */
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

/** A response of the provider. */
export interface VariantAnswer {
  /** The name of the variant; `undefined` for the example. */
  readonly variant: string | undefined
  /** The description of the interaction. */
  readonly interaction: string
  /** The status of the response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON body, or the text of any other body. Generated values are those of the example. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the body is known only to the test
  readonly body: any
}

/** The variants that a test runs against. */
export interface VariantOptions {
  /** The kinds of variants, or names of sets. Default: `['default']`. */
  readonly include?: readonly (VariantKind | Exclude<VariantSet, 'off'>)[] | undefined
  /** Places in the body, such as `$.internalNote`, that always have their example value. */
  readonly except?: readonly string[] | undefined
  /** Maximum number of answers per test, not counting those that isolate a failure. Default: 30. */
  readonly max?: number | undefined
  /** Whether every pair of values from different places is combined. Default: false. */
  readonly pairs?: boolean | undefined
  /** Seed for the strings that the kinds `member` and `text` generate. Default: 0. */
  readonly seed?: number | undefined
  /**
   * Compares the result of the callback with the answer that it received. Called after each run, including the run with
   * the example. If several interactions vary, `answer` is the one that differs from its example.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the result is known only to the test
  check?(result: any, answer: VariantAnswer): unknown
}

/** A function that compares a result with an answer. */
type Check = NonNullable<VariantOptions['check']>

/** @internal Separates `check`, which only JavaScript can call, from the options for the core. */
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
 * @internal Returns a test that also runs against the variants of the server, after it has passed with the example. The result
 * is that of the example.
 */
export function withVariants<T>(
  server: MockServer,
  test: () => T | Promise<T>,
  check: Check | undefined,
): () => T | Promise<T> {
  const native = nativeOf(servers, server)
  if (!JSON.parse(native.facts).variants) return test
  return async () => {
    const value = await test()
    const examples = check === undefined ? [] : (JSON.parse(native.exampleAnswers()) as ServedAnswer[])
    for (const answer of examples) await check?.(value, answerOf(answer))
    await runVariants(server, test, check)
    return value
  }
}

async function runVariants<T>(server: MockServer, test: () => T | Promise<T>, check: Check | undefined): Promise<void> {
  const native = nativeOf(servers, server)
  const causes: unknown[] = []
  let ended: object | null = null
  for (;;) {
    const text: string = unwrap(native.nextVariant(ended === null ? null : JSON.stringify(ended)))
    const { next, report } = JSON.parse(text) as VariantStep
    if (next === null) {
      if (report === null) return
      const cause = causes[report.failures[0]?.run ?? 0]
      throw new VariantsError(report, cause === undefined ? {} : { cause })
    }
    const run = async () => {
      const value = await test()
      await check?.(value, answerOf(next))
    }
    const settled = await withVariant(server, next.name ?? undefined, () => settle(run, next.timeout))
    causes.push('cause' in settled ? settled.cause : undefined)
    ended = endOf(settled)
  }
}

/** @internal Returns how a run ended, for the core. */
export function endOf(settled: object): object {
  if ('timedOut' in settled) return { end: 'timed_out' }
  return 'cause' in settled ? { end: 'failed', error: errorText(settled.cause) } : { end: 'passed' }
}

/** Returns the name and the message of an error. */
function errorText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const message = withoutCode(cause.message)
  return message === '' ? cause.name : `${cause.name}: ${message}`
}

/** @internal Converts an answer from the core for `check`. */
export function answerOf({ name, interaction, status, headers, body }: ServedAnswer): VariantAnswer {
  return {
    variant: name ?? undefined,
    interaction,
    status: status ?? 0,
    headers: headers as Readonly<Record<string, string>>,
    body,
  }
}
