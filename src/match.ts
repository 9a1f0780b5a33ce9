import { ContractArgumentError } from './errors.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { JsonText, type Matcher, type MatcherFields, matcher, type Template, toJsonText } from './template.js'

const TYPE = 'contract:matcher:type'
const GENERATOR = 'contract:generator:type'

/** A matcher whose rule the core has checked, together with its example. */
function checked<T>(name: string, fields: MatcherFields): Matcher<T> {
  const made = matcher<T>(fields)
  check(native.checkMatcher(name, toJsonText(made, `match.${name}`)))
  return made
}

function refuse(name: string, problem: string): never {
  throw new ContractArgumentError('ERR_CONTRACT_MATCHER', `match.${name}: ${problem}`)
}

/** Drops what was not given: to the core an absent attribute and `undefined` would differ. */
function given(fields: Record<string, unknown>): MatcherFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Bounds of a number. */
export interface Bounds {
  /** Least value. */
  readonly min?: number
  /** Greatest value. */
  readonly max?: number
}

/**
 * A whole number. Without an example one is generated between `min` and `max` (0 and 10); with one, it must lie between
 * them.
 */
export function int(example?: number | bigint, { min, max }: Bounds = {}): Matcher<number> {
  if (example === undefined) {
    return checked('int', given({ [TYPE]: 'integer', [GENERATOR]: 'RandomInt', min, max }))
  }
  if (typeof example === 'number' && !Number.isInteger(example)) refuse('int', `${example} is no whole number`)
  if (min !== undefined && example < min) refuse('int', `the example ${example} is below min ${min}`)
  if (max !== undefined && example > max) refuse('int', `the example ${example} is above max ${max}`)
  return checked('int', { [TYPE]: 'integer', value: example })
}

/** A number with a fraction. `match.float(1)` is written as `1.0`. Without an example one with `precision` digits is generated. */
export function float(example?: number, { precision }: { readonly precision?: number } = {}): Matcher<number> {
  if (example === undefined) {
    return checked('float', given({ [TYPE]: 'decimal', [GENERATOR]: 'RandomDecimal', digits: precision }))
  }
  return checked('float', { [TYPE]: 'decimal', value: decimal(example) })
}

/** JavaScript has one kind of number; contract files tell `1` from `1.0`. */
function decimal(value: number): JsonText | number {
  return Number.isInteger(value) && !/e/.test(String(value)) ? new JsonText(`${value}.0`) : value
}

/** A number of either kind. Without an example one is generated: whole by `min` and `max`, with a fraction by `precision`. */
export function number(
  example?: number,
  { min, max, precision }: Bounds & { readonly precision?: number } = {},
): Matcher<number> {
  if (example !== undefined) return checked('number', { [TYPE]: 'number', value: example })
  const fields =
    precision === undefined
      ? { [TYPE]: 'number', [GENERATOR]: 'RandomInt', min, max }
      : { [TYPE]: 'number', [GENERATOR]: 'RandomDecimal', digits: precision }
  return checked('number', given(fields))
}

/** Any text. Without an example one of `size` characters is generated. */
export function str(example?: string, { size }: { readonly size?: number } = {}): Matcher<string> {
  if (example !== undefined) return checked('str', { [TYPE]: 'type', value: example })
  return checked('str', given({ [TYPE]: 'type', [GENERATOR]: 'RandomString', size }))
}

/** True or false. */
export function bool(example?: boolean): Matcher<boolean> {
  if (example !== undefined) return checked('bool', { [TYPE]: 'boolean', value: example })
  return checked('bool', { [TYPE]: 'boolean', [GENERATOR]: 'RandomBoolean' })
}

/** How a UUID is written. */
export type UuidFormat = 'simple' | 'lowercase' | 'uppercase' | 'urn'

const UUIDS = {
  simple: { format: 'simple', pattern: '[0-9a-fA-F]{32}' },
  lowercase: { format: 'lower-case-hyphenated', pattern: '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' },
  uppercase: { format: 'upper-case-hyphenated', pattern: '[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}' },
  urn: { format: 'URN', pattern: 'urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' },
} as const

/** A UUID. Without a format: with hyphens, all in lower or all in upper case. */
export function uuid(example?: string, { format }: { readonly format?: UuidFormat } = {}): Matcher<string> {
  if (format !== undefined && !Object.hasOwn(UUIDS, format)) {
    refuse('uuid', `there is no format ${JSON.stringify(format)}; formats are ${Object.keys(UUIDS).join(', ')}`)
  }
  const pattern = format === undefined ? `${UUIDS.lowercase.pattern}|${UUIDS.uppercase.pattern}` : UUIDS[format].pattern
  const fields = { [TYPE]: 'regex', regex: pattern }
  if (example !== undefined) return checked('uuid', { ...fields, value: example })
  return checked('uuid', { ...fields, [GENERATOR]: 'Uuid', format: UUIDS[format ?? 'lowercase'].format })
}

/**
 * A text that matches a regular expression as a whole. A `RegExp` keeps its JavaScript meaning (`\d` is ASCII; the flags
 * i, m, s and u work); a pattern given as text has the meaning of Rust's regular expressions. With the pattern alone an
 * example is generated.
 */
export function regex(example: string, pattern: RegExp | string | { readonly regex: RegExp | string }): Matcher<string>
export function regex(pattern: RegExp): Matcher<string>
export function regex(
  exampleOrPattern: string | RegExp,
  pattern?: RegExp | string | { readonly regex: RegExp | string },
): Matcher<string> {
  if (isRegExp(exampleOrPattern)) {
    const text = patternText(exampleOrPattern)
    if (pattern !== undefined) refuse('regex', 'the example comes first: match.regex(example, pattern)')
    return checked('regex', { [TYPE]: 'regex', regex: text, [GENERATOR]: 'Regex' })
  }
  if (pattern === undefined) refuse('regex', 'a pattern is missing: match.regex(example, /pattern/)')
  const wanted = isRegExp(pattern) || typeof pattern === 'string' ? pattern : pattern.regex
  return checked('regex', { [TYPE]: 'regex', regex: patternText(wanted), value: exampleOrPattern })
}

function isRegExp(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]'
}

function patternText(pattern: RegExp | string): string {
  if (typeof pattern === 'string') return pattern
  if (!isRegExp(pattern)) refuse('regex', 'the pattern must be a RegExp or a text')
  return unwrap(native.regexFromJavascript(pattern.source, pattern.flags))
}

/** The format of a date or time. */
export interface FormatOptions {
  /**
   * The format: with `%` in the style of strftime (`%Y-%m-%d`), else in the letters of Java's DateTimeFormatter
   * (`yyyy-MM-dd`). Without one it is told from the example; without both it is ISO 8601.
   */
  readonly format?: string
  /** Which style the format has, where that is in doubt. */
  readonly formatStyle?: 'strftime' | 'java'
}

/** A date such as `2024-02-29`. Without an example one is generated. */
export function date(example?: string | Date, options: FormatOptions = {}): Matcher<string> {
  return moment('date', 'Date', example, options)
}

/** A time of day such as `13:45:00`. Without an example one is generated. */
export function time(example?: string | Date, options: FormatOptions = {}): Matcher<string> {
  return moment('time', 'Time', example, options)
}

/** A date and time such as `2024-02-29T13:45:00Z`. Without an example one is generated. */
export function datetime(example?: string | Date, options: FormatOptions = {}): Matcher<string> {
  return moment('datetime', 'DateTime', example, options)
}

function moment(
  name: 'date' | 'time' | 'datetime',
  generator: string,
  example: string | Date | undefined,
  { format, formatStyle }: FormatOptions,
): Matcher<string> {
  const isDate = Object.prototype.toString.call(example) === '[object Date]'
  const milliseconds = isDate ? (example as Date).getTime() : undefined
  const text = isDate ? undefined : (example as string | undefined)
  const made = unwrap(native.moment(name, text ?? null, milliseconds ?? null, format ?? null, formatStyle ?? null))
  const fields = { [TYPE]: name, format: made.format }
  if (made.example === undefined) return checked(name, { ...fields, [GENERATOR]: generator })
  return checked(name, { ...fields, value: made.example })
}

/** Sizes of a list. */
export interface Sizes {
  /** Fewest items. */
  readonly min?: number
  /** Most items. */
  readonly max?: number
}

/** The same kind of value as the example; holds for everything inside it. */
export function like<T>(example: Template<T>, { min, max }: Sizes = {}): Matcher<T> {
  return checkedSizes('like', given({ [TYPE]: 'type', value: example, min, max }), min, max)
}

/** A list of which each item is like the template. At least one item, unless `min` or `allowEmpty` says otherwise. */
export function eachLike<T>(
  template: Template<T>,
  {
    min,
    max,
    examples,
    allowEmpty = false,
  }: Sizes & {
    /** How often the template stands in the example; `min` times, or once. */
    readonly examples?: number
    /** Whether the list may be empty. */
    readonly allowEmpty?: boolean
  } = {},
): Matcher<T[]> {
  if (min === 0 && !allowEmpty) refuse('eachLike', 'min 0 lets an empty list pass; say so with { allowEmpty: true }')
  const least = allowEmpty ? (min ?? 0) : (min ?? 1)
  const count = examples ?? Math.max(least, 1)
  if (!Number.isInteger(count) || count < 1) refuse('eachLike', `examples must be a whole number above 0, got ${count}`)
  if (count < least || (max !== undefined && count > max)) {
    refuse('eachLike', `${count} examples do not lie between min ${least} and max ${max ?? 'none'}`)
  }
  const value = Array.from({ length: count }, () => template)
  return checkedSizes('eachLike', given({ [TYPE]: 'type', value, min: least, max }), least, max)
}

/** What is inside has been checked when it was made; only the sizes are new. */
function checkedSizes<T>(name: string, fields: MatcherFields, min?: number, max?: number): Matcher<T> {
  for (const [which, size] of [
    ['min', min],
    ['max', max],
  ] as const) {
    if (size !== undefined && (!Number.isInteger(size) || size < 0)) {
      refuse(name, `${which} must be a whole number, got ${size}`)
    }
  }
  if (min !== undefined && max !== undefined && min > max) refuse(name, `min ${min} is above max ${max}`)
  return matcher(fields)
}

/** A text that contains this one. */
export function includes(text: string): Matcher<string> {
  return checked('includes', { [TYPE]: 'include', value: text })
}

/** Null. */
function nullValue(): Matcher<null> {
  return matcher({ [TYPE]: 'null', value: null })
}

/** Exactly this value, also inside `like` and `eachLike`. */
export function equal<T>(value: T): Matcher<T> {
  return matcher({ [TYPE]: 'equality', value })
}

/** A list in which each of these items stands somewhere; order is free and others may be there. */
export function arrayContaining<T>(variants: readonly Template<T>[]): Matcher<T[]> {
  if (!Array.isArray(variants) || variants.length === 0) refuse('arrayContaining', 'give a list of at least one item')
  return matcher({ [TYPE]: 'arrayContains', variants })
}

/** A map whose keys match all of the matchers. */
export function eachKeyMatches<T>(
  example: Template<T>,
  rules: Matcher<string> | readonly Matcher<string>[],
): Matcher<T> {
  return checked('eachKeyMatches', { [TYPE]: 'eachKey', value: example, rules: [rules].flat() })
}

/** A map or list whose values match all of the matchers. */
export function eachValueMatches<T>(
  example: Template<T>,
  rules: Matcher<unknown> | readonly Matcher<unknown>[],
): Matcher<T> {
  return checked('eachValueMatches', { [TYPE]: 'eachValue', value: example, rules: [rules].flat() })
}

/** Neither null nor empty. */
export function notEmpty<T>(example: T): Matcher<T> {
  return checked('notEmpty', { [TYPE]: 'notEmpty', value: example })
}

/** A semantic version such as `1.2.3-rc.1`. */
export function semver(example: string): Matcher<string> {
  return checked('semver', { [TYPE]: 'semver', value: example })
}

/** A class of status codes. */
export type StatusClass = 'info' | 'success' | 'redirect' | 'clientError' | 'serverError' | 'nonError' | 'error'

/** A status code of a class, or one of a list; for `willRespondWith`. */
export function status(accepted: StatusClass | readonly number[], example: number): Matcher<number> {
  return checked('status', { [TYPE]: 'statusCode', status: accepted, value: example })
}

export {
  bool as boolean,
  float as decimal,
  int as integer,
  like as type,
  nullValue as none,
  nullValue as null,
  str as string,
}
