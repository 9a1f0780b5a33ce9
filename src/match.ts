/**
 * Matchers. A matcher combines an example value with a rule that determines which values match.
 *
 * @packageDocumentation
 */

import type {
  Bounds,
  EachLikeOptions,
  FormatOptions,
  FromProviderStateOptions,
  LikeOptions,
  PrecisionOptions,
  StringOptions,
  UuidOptions,
} from './generated/matchers.js'
import { make, momentData, patternData } from './matcher-calls.js'
import { type Fixed, type Generator, type Infer, type Matcher, type Template, tagOf } from './template.js'

/**
 * Matches an integer. The example must be between `min` and `max`. Without an example, an integer between `min` (default: 0)
 * and `max` (default: 10) is generated.
 */
export function int<T extends number | bigint = number>(
  example?: number extends T ? number | bigint : Fixed<T>,
  options?: Bounds,
): Matcher<T> {
  return make('match.int', { example }, options)
}

/**
 * Matches a number with a fraction: `1.5` and `1.0`, but **not** `2`. JavaScript cannot send `2.0`, because
 * `JSON.stringify(2.0)` returns `2`, so use {@link number} for values such as prices. The contract file contains the
 * example `1` as `1.0`. Without an example, a number with `precision` digits is generated (default: 10).
 */
export function float<T extends number = number>(example?: Fixed<T>, options?: PrecisionOptions): Matcher<T> {
  return make('match.float', { example }, options)
}

/**
 * Matches any number, such as `2` or `1.5`. Without an example, one is generated: an integer if `min` or `max` is set,
 * or a number with a fraction if `precision` (the total number of digits) is set.
 */
export function number<T extends number = number>(example?: Fixed<T>, options?: Bounds & PrecisionOptions): Matcher<T> {
  return make('match.number', { example }, options)
}

/**
 * Matches any string. Without an example, the `generator` produces one. Without a generator, a string of `size`
 * characters (default: 10) is generated.
 */
export function str<T extends string = string>(example?: Fixed<T>, options?: StringOptions): Matcher<T> {
  return make('match.str', { example }, options)
}

/** Matches `true` and `false`. */
export function bool<T extends boolean = boolean>(example?: Fixed<T>): Matcher<T> {
  return make('match.bool', { example })
}

/** Matches a UUID. Default format: with hyphens, all lowercase or all uppercase. */
export function uuid<T extends string = string>(example?: Fixed<T>, options?: UuidOptions): Matcher<T> {
  return make('match.uuid', { example }, options)
}

/** A `RegExp`, or a regular expression as a string in the syntax of Rust's `regex` crate. */
export type Pattern = RegExp | string

/**
 * Matches a string if the regular expression matches the whole string. A `RegExp` keeps its JavaScript semantics: `\d` matches
 * only ASCII digits, and the flags `i`, `m`, `s`, and `u` are supported. A pattern in a string uses the syntax of Rust's
 * `regex` crate. Without an example, a matching string is generated.
 *
 * In the path of a request, the pattern is matched against the percent-encoded path as it was sent, and then against the
 * decoded path, in which an encoded slash remains `%2F`. In a list header such as `Allow` or `Cache-Control`, the pattern
 * applies to each value.
 */
export function regex<T extends string = string>(
  example: Fixed<T>,
  pattern: Pattern | { readonly regex: Pattern },
): Matcher<T>
export function regex<T extends string = string>(pattern: RegExp | { readonly regex: Pattern }): Matcher<T>
export function regex(first: unknown, second?: unknown): Matcher<string> {
  const alone = second === undefined && typeof first !== 'string'
  const [example, pattern] = alone ? [undefined, first] : [first, second]
  return make('match.regex', { example: patternData(example), pattern: patternOf(pattern) })
}

function patternOf(pattern: unknown): unknown {
  const isNamed = tagOf(pattern) === 'Object' && Object.hasOwn(pattern as object, 'regex')
  return patternData(isNamed ? (pattern as { readonly regex: unknown }).regex : pattern)
}

/** A date or time of the Temporal API, such as `Temporal.Instant`. */
export interface TemporalValue {
  readonly [Symbol.toStringTag]: string
  toString(): string
}

/**
 * The example of a date or time: a string in the expected format, or a `Date` or Temporal value, which is converted to
 * this format. A `Date` is converted to UTC.
 */
export type MomentExample = string | Date | TemporalValue

/**
 * Matches a date such as `2024-02-29`. Default format: detected from the example, or ISO 8601 without an example.
 * Without an example, a date is generated.
 */
export function date(example?: MomentExample, options?: FormatOptions): Matcher<string> {
  return make('match.date', { example: momentData(example) }, options)
}

/**
 * Matches a time such as `13:45:00`. Without a format, fractions of a second are optional (`13:45:00.123`), and an
 * offset is required if the example has one. Without an example, a time is generated.
 */
export function time(example?: MomentExample, options?: FormatOptions): Matcher<string> {
  return make('match.time', { example: momentData(example) }, options)
}

/**
 * Matches a date and time such as `2024-02-29T13:45:00Z`. Without a format, it accepts what `JSON.stringify(new
 * Date())` and Java send: optional fractions of a second, and `Z` or an offset (neither if the example has neither).
 * With a format, only that format is accepted. Without an example, a date and time is generated.
 */
export function datetime(example?: MomentExample, options?: FormatOptions): Matcher<string> {
  return make('match.datetime', { example: momentData(example) }, options)
}

/** Alias of {@link datetime}: matches a date and time such as `2024-02-29T13:45:00Z`. */
export function timestamp(example?: MomentExample, options?: FormatOptions): Matcher<string> {
  return make('match.timestamp', { example: momentData(example) }, options)
}

/**
 * Matches values of the same type as the example, at every nesting level. With the `generator` option, the example can
 * be `undefined`.
 */
export function like<T>(example: undefined, options: { readonly generator: Generator<T> }): Matcher<T>
export function like<T>(example: Template<T>, options?: LikeOptions): Matcher<Infer<T>>
export function like(template: unknown, options?: LikeOptions): Matcher<unknown> {
  return make('match.like', { template }, options)
}

/**
 * Matches an array in which every item matches the template by type. At least one item is required, unless the `min` or
 * `allowEmpty` option is set.
 */
export function eachLike<T>(template: Template<T>, options?: EachLikeOptions): Matcher<Infer<T>[]> {
  return make('match.eachLike', { template }, options)
}

/** Matches an array of at least one item like the template. The example contains `count` items. */
export function atLeastOneLike<T>(template: Template<T>, count?: number): Matcher<Infer<T>[]> {
  return make('match.atLeastOneLike', { template, count })
}

/** Matches an array of at least `min` items like the template. The example contains `count` items. */
export function atLeastLike<T>(template: Template<T>, min: number, count?: number): Matcher<Infer<T>[]> {
  return make('match.atLeastLike', { template, min, count })
}

/**
 * Matches an array of at most `max` items like the template. An empty array also matches. The example contains `count`
 * items.
 */
export function atMostLike<T>(template: Template<T>, max: number, count?: number): Matcher<Infer<T>[]> {
  return make('match.atMostLike', { template, max, count })
}

/** Matches an array of `min` to `max` items like the template. The example contains `count` items. */
export function constrainedArrayLike<T>(
  template: Template<T>,
  min: number,
  max: number,
  count?: number,
): Matcher<Infer<T>[]> {
  return make('match.constrainedArrayLike', { template, min, max, count })
}

/** Matches an empty array. */
export function emptyArray(): Matcher<never[]> {
  return make('match.emptyArray', {})
}

/** Matches a string that contains `text`. */
export function includes<T extends string = string>(
  text: string,
  options?: { readonly generator?: Generator<unknown> | undefined },
): Matcher<T> {
  return make('match.includes', { text }, options)
}

/** Matches `null`. */
function nullValue(): Matcher<null> {
  return make('match.null', {})
}

/** Matches only this value, even inside `like` and `eachLike`. */
export function equal<T>(value: T): Matcher<T> {
  return make('match.equal', { value })
}

/**
 * Inserts JSON text unchanged, for values that JavaScript cannot represent: `match.json('1.0')` is the number `1.0`, and
 * `match.json('12345678901234567890')` keeps all digits. Like a plain value, it is compared for equality.
 */
export function json<T = unknown>(text: string): Matcher<T> {
  return make('match.json', { text })
}

/**
 * Matches an array that contains at least one item for each of these templates, in any order. Other items are allowed.
 */
export function arrayContaining<V>(variants: readonly V[]): Matcher<Infer<V>[]>
export function arrayContaining<A extends readonly [unknown, unknown, ...unknown[]]>(
  ...variants: A
): Matcher<Infer<A[number]>[]>
export function arrayContaining(...variants: readonly unknown[]): Matcher<unknown[]> {
  return make('match.arrayContaining', { variants: variants.length === 1 ? variants[0] : variants })
}

/**
 * Matches an object with any keys and with values like the template. `key` is the key in the example:
 * `match.eachKeyLike('order-7', { total: match.int(1) })`.
 */
export function eachKeyLike<T>(key: string, template: Template<T>): Matcher<Record<string, Infer<T>>> {
  return make('match.eachKeyLike', { key, template })
}

/** Matches an object in which each key matches all of these matchers. */
export function eachKeyMatches<T>(
  template: Template<T>,
  rules: Matcher<string> | readonly Matcher<string>[],
): Matcher<Infer<T>> {
  return make('match.eachKeyMatches', { template, rules })
}

/** Matches an object or an array in which each value matches all of these matchers. */
export function eachValueMatches<T>(
  template: Template<T>,
  rules: Matcher<unknown> | readonly Matcher<unknown>[],
): Matcher<Infer<T>> {
  return make('match.eachValueMatches', { template, rules })
}

/** An alternative for `match.any`: a matcher, a string that must be equal, or `null`. */
export type Alternative = Matcher<unknown> | string | null

/** Matches a value that matches at least one of the alternatives. The first alternative provides the example. */
export function any<A extends readonly [Alternative, Alternative, ...Alternative[]]>(
  ...alternatives: A
): Matcher<Infer<A[number]>> {
  return make('match.any', { alternatives })
}

/** Matches a value that matches all of these matchers. The first matcher provides the example. */
export function all<A extends readonly [Matcher<unknown>, Matcher<unknown>, ...Matcher<unknown>[]]>(
  ...matchers: A
): Matcher<Infer<A[0]>> {
  return make('match.all', { matchers })
}

/** Matches `null` or a value like the template. If the template is a matcher, the value must match it. */
export function nullable<T>(template: Template<T>): Matcher<Infer<T> | null> {
  return make('match.nullable', { template })
}

/**
 * Matches content of this type, such as `image/png`. The type of the received content is detected from its first bytes.
 * `example` is encoded in base64.
 */
export function contentType(type: string, example: string): Matcher<string> {
  return make('match.contentType', { contentType: type, example })
}

/** Matches a value that is neither `null` nor empty. */
export function notEmpty<T>(template: Template<T>): Matcher<Infer<T>> {
  return make('match.notEmpty', { template })
}

/** Matches a semantic version such as `1.2.3-rc.1`. */
export function semver<T extends string = string>(example?: Fixed<T>): Matcher<T> {
  return make('match.semver', { example })
}

/** A class of HTTP status codes, such as `success` for 200 to 299. */
export type StatusClass = 'info' | 'success' | 'redirect' | 'clientError' | 'serverError' | 'nonError' | 'error'

/**
 * Matches any status code of a class, or one of the codes in an array. Use it in `willRespondWith`. Default example:
 * the first of these codes.
 */
export function status(accepted: StatusClass | readonly number[], example?: number): Matcher<number> {
  return make('match.status', { accepted, example })
}

/**
 * Inserts a value that the provider's state handler returns. The expression contains the value's name, as in `${id}`.
 * The consumer test must send exactly the example, unless `loose` is true.
 */
export function fromProviderState<T>(expression: string, example: T, options?: FromProviderStateOptions): Matcher<T> {
  return make('match.fromProviderState', { expression, example }, options)
}

/** Inserts values from the provider state into a path: `match.pathFromProviderState('/users/${id}', '/users/7')`. */
export function pathFromProviderState(expression: string, example: string): Matcher<string> {
  return make('match.pathFromProviderState', { expression, example })
}

export type * from './generated/matchers.js'
export * from './presets.js'
export {
  bool as boolean,
  float as decimal,
  int as integer,
  like as type,
  nullValue as none,
  nullValue as null,
  str as string,
}
