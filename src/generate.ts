import type { MockServerUrlOptions, MomentOptions } from './generated/generators.js'
import type { Bounds, PrecisionOptions, StateValueType, UuidOptions } from './generated/matchers.js'
import { make, patternData } from './made.js'
import type { Pattern } from './match.js'
import { type Generator, tagOf } from './template.js'

/** A whole number from `min` to `max`, both included. Default: 0 to 10. */
export function int(options?: Bounds): Generator<number> {
  return make('generate.int', {}, options)
}

/** A number with a fraction; `precision` is how many digits it has in all. Default: 10. */
export function float(precision?: number | PrecisionOptions): Generator<number> {
  return makeBy('generate.float', 'precision', precision)
}

/** Hexadecimal digits, as many as asked for. Default: 10. */
export function hex(digits?: number | { readonly digits?: number | undefined }): Generator<string> {
  return makeBy('generate.hex', 'digits', digits)
}

/** Letters and digits, as many as asked for. Default: 10. */
export function str(size?: number | { readonly size?: number | undefined }): Generator<string> {
  return makeBy('generate.str', 'size', size)
}

/** A text that matches the pattern. */
export function regex(pattern: Pattern): Generator<string> {
  return make('generate.regex', { pattern: patternData(pattern) })
}

/** A random UUID. Default: with hyphens, in lower case. */
export function uuid(options?: UuidOptions): Generator<string> {
  return make('generate.uuid', {}, options)
}

/** Today's date, or that of the expression. A text is its format. */
export function date(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.date', 'format', options)
}

/** The time of day. A text is its format. */
export function time(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.time', 'format', options)
}

/** Date and time. A text is its format. */
export function datetime(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.datetime', 'format', options)
}

/** With options, or with the one that is mostly given. */
function makeBy<T>(call: string, name: string, given: unknown): Generator<T> {
  return typeof given === 'object' ? make(call, {}, given) : make(call, { [name]: given })
}

/** True or false. */
export function bool(): Generator<boolean> {
  return make('generate.bool', {})
}

/** A value of the provider state. */
export interface ProviderStateOptions<T> {
  /** What stands for the value in the consumer's test; needed where the generator stands alone. */
  readonly example?: T | undefined
  /** What the value is turned into. Default: what the example is; null, lists and objects stay what the handler returned. */
  readonly type?: StateValueType | undefined
}

/**
 * A value that the provider's state handler returns; the expression names it, as in `${id}`. Beside a matcher, as in
 * `match.int(7, …)`, the matcher has the example. Alone it needs one.
 */
export function providerState<T = string>(expression: string, options?: ProviderStateOptions<T>): Generator<T> {
  return make('generate.providerState', { expression }, options)
}

/** A URL with the address of the mock server in place of its own; the one group of `regex` is what stays of the example. */
export function mockServerUrl(options: MockServerUrlOptions): Generator<string> {
  const given = tagOf(options) === 'Object' ? { ...options, regex: patternData(options.regex) } : options
  return make('generate.mockServerUrl', {}, given)
}

export type * from './generated/generators.js'
export { bool as boolean, datetime as timestamp, float as decimal, hex as hexadecimal, int as integer, str as string }
