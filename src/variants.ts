// Types and options of variants: the other answers (responses or messages) that a contract allows. `variant-runs.ts` runs tests
// against them.

import { optionsData, rejectCall } from './arguments.js'
import { nativeOf, servers } from './handles.js'
import { deferred } from './load-deferred.js'
import type { MockServer } from './mock-server.js'

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

/** The `check` option, which compares a result with an answer. */
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

/** @internal Returns a test that, after it has passed with the example, also runs against the server's variants. */
export function withVariants<T>(
  server: MockServer,
  test: () => T | Promise<T>,
  check: Check | undefined,
): () => T | Promise<T> {
  const { variants, unread } = JSON.parse(nativeOf(servers, server).facts)
  return variants ? () => deferred().runWithVariants(server, test, check, unread) : test
}
