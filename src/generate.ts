import { checked, GENERATOR, given, patternText, refuse, UUIDS, type UuidFormat } from './checked.js'
import type { Bounds, FormatOptions, StateValueType } from './match.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { type Generator, matcher } from './template.js'

/** A whole number from `min` to `max`, both included. Default: 0 to 10. */
export function int({ min, max }: Bounds = {}): Generator<number> {
  return checked('generate.int', { [GENERATOR]: 'RandomInt', min, max })
}

/** A number with a fraction; `precision` is how many digits it has in all. Default: 10. */
export function float(precision?: number | { readonly precision?: number }): Generator<number> {
  const digits = typeof precision === 'object' ? precision.precision : precision
  return checked('generate.float', { [GENERATOR]: 'RandomDecimal', digits })
}

/** Hexadecimal digits, as many as asked for. Default: 10. */
export function hex(digits?: number | { readonly digits?: number }): Generator<string> {
  const count = typeof digits === 'object' ? digits.digits : digits
  return checked('generate.hex', { [GENERATOR]: 'RandomHexadecimal', digits: count })
}

/** Letters and digits, as many as asked for. Default: 10. */
export function str(size?: number | { readonly size?: number }): Generator<string> {
  const count = typeof size === 'object' ? size.size : size
  return checked('generate.str', { [GENERATOR]: 'RandomString', size: count })
}

/** A text that matches the pattern. */
export function regex(pattern: RegExp | string): Generator<string> {
  return checked('generate.regex', { [GENERATOR]: 'Regex', regex: patternText('generate.regex', pattern) })
}

/** A random UUID. Default: with hyphens, in lower case. */
export function uuid({ format = 'lowercase' }: { readonly format?: UuidFormat } = {}): Generator<string> {
  if (!Object.hasOwn(UUIDS, format)) {
    refuse(
      'generate.uuid',
      `there is no format ${JSON.stringify(format)}; formats are ${Object.keys(UUIDS).join(', ')}`,
    )
  }
  return checked('generate.uuid', { [GENERATOR]: 'Uuid', format: UUIDS[format].format })
}

/** How a date or time is made. */
export interface MomentOptions extends FormatOptions {
  /** Which one, seen from now: `today + 1 day`, `next month`, `now @ + 2 hours`. Default: now. */
  readonly expression?: string
}

/** Today's date, or that of the expression. A text is its format. */
export function date(options: MomentOptions | string = {}): Generator<string> {
  return moment('date', 'Date', options)
}

/** The time of day. A text is its format. */
export function time(options: MomentOptions | string = {}): Generator<string> {
  return moment('time', 'Time', options)
}

/** Date and time. A text is its format. */
export function datetime(options: MomentOptions | string = {}): Generator<string> {
  return moment('datetime', 'DateTime', options)
}

function moment(
  name: 'date' | 'time' | 'datetime',
  generator: string,
  options: MomentOptions | string,
): Generator<string> {
  const { format, formatStyle, expression } = typeof options === 'string' ? { format: options } : options
  const call = `generate.${name}`
  const made = unwrap(native.moment(call, name, null, null, format ?? null, formatStyle ?? null))
  return checked(call, { [GENERATOR]: generator, format: made.format, expression })
}

/** True or false. */
export function bool(): Generator<boolean> {
  return checked('generate.boolean', { [GENERATOR]: 'RandomBoolean' })
}

/** A value of the provider state. */
export interface ProviderStateOptions<T> {
  /** What stands for the value in the consumer's test; needed where the generator stands alone. */
  readonly example?: T
  /** What the value is turned into. Default: what the example is; null, lists and objects stay what the handler returned. */
  readonly type?: StateValueType
}

/**
 * A value that the provider's state handler returns; the expression names it, as in `${id}`. Beside a matcher, as in
 * `match.int(7, …)`, the matcher has the example. Alone it needs one.
 */
export function providerState<T = string>(
  expression: string,
  { example, type }: ProviderStateOptions<T> = {},
): Generator<T> {
  const fields = given({ [GENERATOR]: 'ProviderState', expression, dataType: type?.toUpperCase(), value: example })
  if (typeof expression !== 'string' || expression === '') {
    refuse('generate.providerState', 'give an expression: the name of the value in a dollar sign and braces')
  }
  return example === undefined ? matcher(fields) : checked('generate.providerState', fields)
}

/** A URL with the address of the mock server in place of its own; the one group of `regex` is what stays of the example. */
export function mockServerUrl({
  example,
  regex: pattern,
}: {
  readonly example: string
  readonly regex: RegExp | string
}): Generator<string> {
  return checked('generate.mockServerUrl', {
    [GENERATOR]: 'MockServerURL',
    example,
    regex: patternText('generate.mockServerUrl', pattern),
    value: example,
  })
}

export { bool as boolean, datetime as timestamp, float as decimal, hex as hexadecimal, int as integer, str as string }
