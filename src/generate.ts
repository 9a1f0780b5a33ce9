/**
 * Generators, which produce a new value each time an interaction is used.
 *
 * @packageDocumentation
 */

import type { MockServerUrlOptions, MomentOptions } from './generated/generators.js'
import type { Bounds, PrecisionOptions, StateValueType, UuidOptions } from './generated/matchers.js'
import type { Pattern } from './match.js'
import { make, patternData } from './matcher-calls.js'
import { type Generator, tagOf } from './template.js'

/** Generates an integer from `min` to `max`, inclusive. Default: 0 to 10. */
export function int(options?: Bounds): Generator<number> {
  return make('generate.int', {}, options)
}

/** Generates a number with a fraction. `precision` is the total number of digits. Default: 10. */
export function float(precision?: number | PrecisionOptions): Generator<number> {
  return makeBy('generate.float', 'precision', precision)
}

/** Generates a string of hexadecimal digits. `digits` is its length. Default: 10. */
export function hex(digits?: number | { readonly digits?: number | undefined }): Generator<string> {
  return makeBy('generate.hex', 'digits', digits)
}

/** Generates a string of letters and digits. `size` is its length. Default: 10. */
export function str(size?: number | { readonly size?: number | undefined }): Generator<string> {
  return makeBy('generate.str', 'size', size)
}

/** Generates a string that matches the regular expression. For the syntax, see `match.regex`. */
export function regex(pattern: Pattern): Generator<string> {
  return make('generate.regex', { pattern: patternData(pattern) })
}

/** Generates a random UUID. Default format: lowercase with hyphens. */
export function uuid(options?: UuidOptions): Generator<string> {
  return make('generate.uuid', {}, options)
}

/**
 * Generates today's date, or the date of an `expression` such as `today + 1 day`. If the argument is a string, it is
 * the format.
 */
export function date(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.date', 'format', options)
}

/**
 * Generates the current time, or the time of an `expression` such as `now + 2 hours`. If the argument is a string, it
 * is the format.
 */
export function time(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.time', 'format', options)
}

/**
 * Generates the current date and time, or those of an `expression` such as `today @ + 2 hours`. If the argument is a
 * string, it is the format.
 */
export function datetime(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.datetime', 'format', options)
}

/** Creates a generator from its options object, or from the value of the option `name`. */
function makeBy<T>(call: string, name: string, value: unknown): Generator<T> {
  return typeof value === 'object' ? make(call, {}, value) : make(call, { [name]: value })
}

/** Generates `true` or `false`. */
export function bool(): Generator<boolean> {
  return make('generate.bool', {})
}

/** Options for `generate.providerState`. */
export interface ProviderStateOptions<T> {
  /** The value to use in the consumer test. Required unless a matcher provides it. */
  readonly example?: T | undefined
  /**
   * The type to which the value is converted. Default: the type of the example. If the example is `null`, an array, or
   * an object, the value is not converted.
   */
  readonly type?: StateValueType | undefined
}

/**
 * Inserts a value that the provider's state handler returns. The expression contains the value's name, as in `${id}`.
 * `example` is required unless the generator is part of a matcher, which then provides the example.
 */
export function providerState<T = string>(expression: string, options?: ProviderStateOptions<T>): Generator<T> {
  return make('generate.providerState', { expression }, options)
}

/**
 * Replaces the base of a URL with the mock server's URL. The group in `regex` matches the part of the example that is
 * kept, as in `.*(/users/\d+)$`.
 */
export function mockServerUrl(options: MockServerUrlOptions): Generator<string> {
  const data = tagOf(options) === 'Object' ? { ...options, regex: patternData(options.regex) } : options
  return make('generate.mockServerUrl', {}, data)
}

export type * from './generated/generators.js'
export { bool as boolean, datetime as timestamp, float as decimal, hex as hexadecimal, int as integer, str as string }
