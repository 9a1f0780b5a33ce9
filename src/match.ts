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
import { make, momentData, patternData } from './made.js'
import { type Fixed, type Generator, type Infer, type Matcher, type Template, tagOf } from './template.js'

/**
 * A whole number. Without an example one is generated between `min` and `max` (0 and 10); with one, it must lie between
 * them.
 */
export function int<T extends number | bigint = number>(
  example?: number extends T ? number | bigint : Fixed<T>,
  options?: Bounds,
): Matcher<T> {
  return make('match.int', { example }, options)
}

/**
 * A number that is written with a fraction: `1.5` and `1.0`, but **not** `2`. JavaScript cannot send `2.0`: its
 * `JSON.stringify(2.0)` is `2`, which this matcher refuses. For prices and the like use {@link number}, which accepts both.
 * `match.float(1)` is written as `1.0`. Without an example one with `precision` digits is generated.
 */
export function float<T extends number = number>(example?: Fixed<T>, options?: PrecisionOptions): Matcher<T> {
  return make('match.float', { example }, options)
}

/**
 * A number, with or without a fraction: `2` and `1.5`. Without an example one is generated: whole by `min` and `max`, with a
 * fraction by `precision`.
 */
export function number<T extends number = number>(example?: Fixed<T>, options?: Bounds & PrecisionOptions): Matcher<T> {
  return make('match.number', { example }, options)
}

/** Any text. Without an example one is generated: by `generator`, or of `size` characters. */
export function str<T extends string = string>(example?: Fixed<T>, options?: StringOptions): Matcher<T> {
  return make('match.str', { example }, options)
}

/** True or false. */
export function bool<T extends boolean = boolean>(example?: Fixed<T>): Matcher<T> {
  return make('match.bool', { example })
}

/** A UUID. Without a format: with hyphens, all in lower or all in upper case. */
export function uuid<T extends string = string>(example?: Fixed<T>, options?: UuidOptions): Matcher<T> {
  return make('match.uuid', { example }, options)
}

/** A regular expression, or its text in the syntax of Rust. */
export type Pattern = RegExp | string

/**
 * A text that matches a regular expression as a whole. A `RegExp` keeps its JavaScript meaning (`\d` is ASCII; the flags
 * i, m, s and u work); a pattern given as text has the meaning of Rust's regular expressions. With the pattern alone an
 * example is generated.
 *
 * On the path of a request the pattern sees what was sent, percent-encoded, and if that does not match, the decoded path, in
 * which an encoded slash stays `%2F`. On a list header such as `Allow` or `Cache-Control` it holds for each value.
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

/** A date or time of the Temporal proposal. */
export interface TemporalValue {
  readonly [Symbol.toStringTag]: string
  toString(): string
}

/** The example of a date or time: text in the format, or a value that is written in it (a `Date` in UTC). */
export type MomentExample = string | Date | TemporalValue

/** A date such as `2024-02-29`. Without an example one is generated. */
export function date(example?: MomentExample, options?: FormatOptions): Matcher<string> {
  return make('match.date', { example: momentData(example) }, options)
}

/**
 * A time of day such as `13:45:00`. Without a format, fractions of a second may be there or not (`13:45:00.123`), and an
 * offset is there if the example has one. Without an example one is generated.
 */
export function time(example?: MomentExample, options?: FormatOptions): Matcher<string> {
  return make('match.time', { example: momentData(example) }, options)
}

/**
 * A date and time such as `2024-02-29T13:45:00Z`. Without a format it accepts what `JSON.stringify(new Date())` and Java
 * send: fractions of a second or none, `Z` or an offset (neither, if the example has neither). Without an example one is
 * generated. With a format exactly that is accepted.
 */
export function datetime(example?: MomentExample, options?: FormatOptions): Matcher<string> {
  return make('match.datetime', { example: momentData(example) }, options)
}

/** The same kind of value as the example; holds for everything inside it. The example may be left to a generator. */
export function like<T>(example: undefined, options: { readonly generator: Generator<T> }): Matcher<T>
export function like<T>(example: Template<T>, options?: LikeOptions): Matcher<Infer<T>>
export function like(template: unknown, options?: LikeOptions): Matcher<unknown> {
  return make('match.like', { template }, options)
}

/** A list of which each item is like the template. At least one item, unless `min` or `allowEmpty` says otherwise. */
export function eachLike<T>(template: Template<T>, options?: EachLikeOptions): Matcher<Infer<T>[]> {
  return make('match.eachLike', { template }, options)
}

/** A list of at least one item like the template; the example has `count` of them. */
export function atLeastOneLike<T>(template: Template<T>, count?: number): Matcher<Infer<T>[]> {
  return make('match.atLeastOneLike', { template, count })
}

/** A list of at least `min` items like the template; the example has `count` of them. */
export function atLeastLike<T>(template: Template<T>, min: number, count?: number): Matcher<Infer<T>[]> {
  return make('match.atLeastLike', { template, min, count })
}

/** A list of at most `max` items like the template, none included; the example has `count` of them. */
export function atMostLike<T>(template: Template<T>, max: number, count?: number): Matcher<Infer<T>[]> {
  return make('match.atMostLike', { template, max, count })
}

/** A list of `min` to `max` items like the template; the example has `count` of them. */
export function constrainedArrayLike<T>(
  template: Template<T>,
  min: number,
  max: number,
  count?: number,
): Matcher<Infer<T>[]> {
  return make('match.constrainedArrayLike', { template, min, max, count })
}

/** A list without items. */
export function emptyArray(): Matcher<never[]> {
  return make('match.emptyArray', {})
}

/** A text that contains this one. */
export function includes<T extends string = string>(
  text: string,
  options?: { readonly generator?: Generator<unknown> | undefined },
): Matcher<T> {
  return make('match.includes', { text }, options)
}

/** Null. */
function nullValue(): Matcher<null> {
  return make('match.null', {})
}

/** Exactly this value, also inside `like` and `eachLike`. */
export function equal<T>(value: T): Matcher<T> {
  return make('match.equal', { value })
}

/**
 * JSON as its text has it, for what JavaScript cannot write: `match.json('1.0')` is the number `1.0`, and
 * `match.json('12345678901234567890')` keeps all digits. It stands for that value exactly, as a plain value would.
 */
export function json<T = unknown>(text: string): Matcher<T> {
  return make('match.json', { text })
}

/** A list in which each of these items stands somewhere; order is free and others may be there. */
export function arrayContaining<V>(variants: readonly V[]): Matcher<Infer<V>[]>
export function arrayContaining<A extends readonly [unknown, unknown, ...unknown[]]>(
  ...variants: A
): Matcher<Infer<A[number]>[]>
export function arrayContaining(...given: readonly unknown[]): Matcher<unknown[]> {
  return make('match.arrayContaining', { variants: given.length === 1 ? given[0] : given })
}

/**
 * A map with any keys, of which each value is like the template: `match.eachKeyLike('order-7', { total: match.int(1) })`. The
 * key stands in the example.
 */
export function eachKeyLike<T>(key: string, template: Template<T>): Matcher<Record<string, Infer<T>>> {
  return make('match.eachKeyLike', { key, template })
}

/** A map whose keys match all of the matchers. */
export function eachKeyMatches<T>(
  template: Template<T>,
  rules: Matcher<string> | readonly Matcher<string>[],
): Matcher<Infer<T>> {
  return make('match.eachKeyMatches', { template, rules })
}

/** A map or list whose values match all of the matchers. */
export function eachValueMatches<T>(
  template: Template<T>,
  rules: Matcher<unknown> | readonly Matcher<unknown>[],
): Matcher<Infer<T>> {
  return make('match.eachValueMatches', { template, rules })
}

/** What `any` and `all` take: matchers, exact texts, and null. */
export type Alternative = Matcher<unknown> | string | null

/** A value that one of these accepts. The first gives the example. */
export function any<A extends readonly [Alternative, Alternative, ...Alternative[]]>(
  ...alternatives: A
): Matcher<Infer<A[number]>> {
  return make('match.any', { alternatives })
}

/** A value that all of these accept. The first gives the example. */
export function all<A extends readonly [Matcher<unknown>, Matcher<unknown>, ...Matcher<unknown>[]]>(
  ...matchers: A
): Matcher<Infer<A[0]>> {
  return make('match.all', { matchers })
}

/** A value like the template, or null. A matcher is kept as it is. */
export function nullable<T>(template: Template<T>): Matcher<Infer<T> | null> {
  return make('match.nullable', { template })
}

/** Text or bytes in base64 that are of this content type, told by their first bytes. */
export function contentType(type: string, example: string): Matcher<string> {
  return make('match.contentType', { contentType: type, example })
}

/** Neither null nor empty. */
export function notEmpty<T>(template: Template<T>): Matcher<Infer<T>> {
  return make('match.notEmpty', { template })
}

/** A semantic version such as `1.2.3-rc.1`. */
export function semver<T extends string = string>(example?: Fixed<T>): Matcher<T> {
  return make('match.semver', { example })
}

/** A class of status codes. */
export type StatusClass = 'info' | 'success' | 'redirect' | 'clientError' | 'serverError' | 'nonError' | 'error'

/** A status code of a class, or one of a list; for `willRespondWith`. Without an example: the first code of the class. */
export function status(accepted: StatusClass | readonly number[], example?: number): Matcher<number> {
  return make('match.status', { accepted, example })
}

/**
 * A value that the provider's state handler returns: the expression names it, as in `${id}`. In the consumer's test the
 * example stands for it, and must arrive exactly unless `loose`.
 */
export function fromProviderState<T>(expression: string, example: T, options?: FromProviderStateOptions): Matcher<T> {
  return make('match.fromProviderState', { expression, example }, options)
}

/** A path with values of the provider state in it: `match.pathFromProviderState('/users/${id}', '/users/7')`. */
export function pathFromProviderState(expression: string, example: string): Matcher<string> {
  return make('match.pathFromProviderState', { expression, example })
}

export type * from './generated/matchers.js'
export * from './presets.js'
export {
  bool as boolean,
  datetime as timestamp,
  float as decimal,
  int as integer,
  like as type,
  nullValue as none,
  nullValue as null,
  str as string,
}
