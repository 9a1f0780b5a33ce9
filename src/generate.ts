/**
 * Generators, which create a new value each time an interaction is used.
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

/** Generates a number with a fraction. `precision` is its total number of digits. Default: 10. */
export function float(precision?: number | PrecisionOptions): Generator<number> {
  return makeBy('generate.float', 'precision', precision)
}

/** Generates hexadecimal digits. Default: 10 digits. */
export function hex(digits?: number | { readonly digits?: number | undefined }): Generator<string> {
  return makeBy('generate.hex', 'digits', digits)
}

/** Generates letters and digits. Default: 10 characters. */
export function str(size?: number | { readonly size?: number | undefined }): Generator<string> {
  return makeBy('generate.str', 'size', size)
}

/** Generates a string that matches the pattern. */
export function regex(pattern: Pattern): Generator<string> {
  return make('generate.regex', { pattern: patternData(pattern) })
}

/** Generates a random UUID. Default format: lowercase with hyphens. */
export function uuid(options?: UuidOptions): Generator<string> {
  return make('generate.uuid', {}, options)
}

/** Generates today's date, or the date that `expression` describes. Pass a string to set only the format. */
export function date(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.date', 'format', options)
}

/** Generates the current time. Pass a string to set only the format. */
export function time(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.time', 'format', options)
}

/** Generates the current date and time. Pass a string to set only the format. */
export function datetime(options?: MomentOptions | string): Generator<string> {
  return makeBy('generate.datetime', 'format', options)
}

/** Creates a generator from an options object, or from the value of its main option. */
function makeBy<T>(call: string, name: string, value: unknown): Generator<T> {
  return typeof value === 'object' ? make(call, {}, value) : make(call, { [name]: value })
}

/** Generates `true` or `false`. */
export function bool(): Generator<boolean> {
  return make('generate.bool', {})
}

/** Options of `generate.providerState`. */
export interface ProviderStateOptions<T> {
  /** The value to use in the consumer test. Required if the generator is used without a matcher. */
  readonly example?: T | undefined
  /** The type to convert the value to. Default: the type of the example. `null`, arrays, and objects are not converted. */
  readonly type?: StateValueType | undefined
}

/**
 * Uses a value that the provider's state handler returns. The expression refers to it by name, as in `${id}`. `example` is
 * required unless a matcher that uses the generator provides the example.
 */
export function providerState<T = string>(expression: string, options?: ProviderStateOptions<T>): Generator<T> {
  return make('generate.providerState', { expression }, options)
}

/**
 * Replaces the base of a URL with the URL of the mock server. `regex` has one group, which matches the part of the example
 * to keep.
 */
export function mockServerUrl(options: MockServerUrlOptions): Generator<string> {
  const data = tagOf(options) === 'Object' ? { ...options, regex: patternData(options.regex) } : options
  return make('generate.mockServerUrl', {}, data)
}

export type * from './generated/generators.js'
export { bool as boolean, datetime as timestamp, float as decimal, hex as hexadecimal, int as integer, str as string }
