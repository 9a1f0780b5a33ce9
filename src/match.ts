import {
  checked,
  GENERATOR,
  generatorFields,
  given,
  isRegExp,
  literalPattern,
  patternText,
  refuse,
  TYPE,
  UUIDS,
  type UuidFormat,
} from './checked.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import {
  example as exampleOf,
  fieldsOf,
  type Generator,
  type Infer,
  isMatcher,
  JsonText,
  type Matcher,
  type MatcherFields,
  matcher,
  type Template,
  toJsonText,
} from './template.js'

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
    return checked('match.int', { [TYPE]: 'integer', [GENERATOR]: 'RandomInt', min, max })
  }
  if (typeof example === 'number' && !Number.isInteger(example)) refuse('match.int', `${example} is no whole number`)
  if (min !== undefined && example < min) refuse('match.int', `the example ${example} is below min ${min}`)
  if (max !== undefined && example > max) refuse('match.int', `the example ${example} is above max ${max}`)
  return checked('match.int', { [TYPE]: 'integer', value: example })
}

/** A number with a fraction. `match.float(1)` is written as `1.0`. Without an example one with `precision` digits is generated. */
export function float(example?: number, { precision }: { readonly precision?: number } = {}): Matcher<number> {
  if (example === undefined) {
    return checked('match.float', { [TYPE]: 'decimal', [GENERATOR]: 'RandomDecimal', digits: precision })
  }
  return checked('match.float', { [TYPE]: 'decimal', value: decimal(example) })
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
  if (example !== undefined) {
    if (min !== undefined && example < min) refuse('match.number', `the example ${example} is below min ${min}`)
    if (max !== undefined && example > max) refuse('match.number', `the example ${example} is above max ${max}`)
    return checked('match.number', { [TYPE]: 'number', value: example })
  }
  return checked(
    'match.number',
    precision === undefined
      ? { [TYPE]: 'number', [GENERATOR]: 'RandomInt', min, max }
      : { [TYPE]: 'number', [GENERATOR]: 'RandomDecimal', digits: precision },
  )
}

/** Options of `match.str`. */
export interface StringOptions {
  /** How many characters the generated example has. Default: 10. */
  readonly size?: number
  /** Makes the value afresh where the contract is exercised. */
  readonly generator?: Generator<unknown>
}

/** Any text. Without an example one is generated: by `generator`, or of `size` characters. */
export function str(example?: string, { size, generator }: StringOptions = {}): Matcher<string> {
  if (size !== undefined && generator !== undefined) refuse('match.str', 'use either size or generator, not both')
  if (size !== undefined && example !== undefined) {
    refuse('match.str', 'size is that of a generated text; leave the example out, or the size')
  }
  if (example !== undefined || generator !== undefined) {
    return checked('match.str', { [TYPE]: 'type', value: example, ...generatorFields('match.str', generator) })
  }
  return checked('match.str', { [TYPE]: 'type', [GENERATOR]: 'RandomString', size })
}

/** True or false. */
export function bool(example?: boolean): Matcher<boolean> {
  if (example !== undefined) return checked('match.bool', { [TYPE]: 'boolean', value: example })
  return checked('match.bool', { [TYPE]: 'boolean', [GENERATOR]: 'RandomBoolean' })
}

/** A UUID. Without a format: with hyphens, all in lower or all in upper case. */
export function uuid(example?: string, { format }: { readonly format?: UuidFormat } = {}): Matcher<string> {
  if (format !== undefined && !Object.hasOwn(UUIDS, format)) {
    refuse('match.uuid', `there is no format ${JSON.stringify(format)}; formats are ${Object.keys(UUIDS).join(', ')}`)
  }
  const pattern = format === undefined ? `${UUIDS.lowercase.pattern}|${UUIDS.uppercase.pattern}` : UUIDS[format].pattern
  const fields = { [TYPE]: 'regex', regex: pattern }
  if (example !== undefined) return checked('match.uuid', { ...fields, value: example })
  return checked('match.uuid', { ...fields, [GENERATOR]: 'Uuid', format: UUIDS[format ?? 'lowercase'].format })
}

/**
 * A text that matches a regular expression as a whole. A `RegExp` keeps its JavaScript meaning (`\d` is ASCII; the flags
 * i, m, s and u work); a pattern given as text has the meaning of Rust's regular expressions. With the pattern alone an
 * example is generated.
 */
export function regex(example: string, pattern: RegExp | string | { readonly regex: RegExp | string }): Matcher<string>
export function regex(pattern: RegExp | { readonly regex: RegExp | string }): Matcher<string>
export function regex(
  exampleOrPattern: string | RegExp | { readonly regex: RegExp | string },
  pattern?: RegExp | string | { readonly regex: RegExp | string },
): Matcher<string> {
  if (typeof exampleOrPattern !== 'string') {
    if (pattern !== undefined) refuse('match.regex', 'the example comes first: match.regex(example, pattern)')
    return checked('match.regex', { [TYPE]: 'regex', regex: patternOf(exampleOrPattern), [GENERATOR]: 'Regex' })
  }
  if (pattern === undefined) refuse('match.regex', 'a pattern is missing: match.regex(example, /pattern/)')
  return checked('match.regex', { [TYPE]: 'regex', regex: patternOf(pattern), value: exampleOrPattern })
}

function patternOf(pattern: RegExp | string | { readonly regex: RegExp | string }): string {
  const plain = isRegExp(pattern) || typeof pattern === 'string' ? pattern : pattern?.regex
  if (plain === undefined) refuse('match.regex', 'a pattern is missing: match.regex(example, /pattern/)')
  return patternText('match.regex', plain)
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

/** A date or time of the Temporal proposal. */
export interface TemporalValue {
  readonly [Symbol.toStringTag]: string
  toString(): string
}

/** The example of a date or time: text in the format, or a value that is written in it (a `Date` in UTC). */
export type MomentExample = string | Date | TemporalValue

/** A date such as `2024-02-29`. Without an example one is generated. */
export function date(example?: MomentExample, options: FormatOptions = {}): Matcher<string> {
  return moment('date', 'Date', example, options)
}

/** A time of day such as `13:45:00`. Without an example one is generated. */
export function time(example?: MomentExample, options: FormatOptions = {}): Matcher<string> {
  return moment('time', 'Time', example, options)
}

/** A date and time such as `2024-02-29T13:45:00Z`. Without an example one is generated. */
export function datetime(example?: MomentExample, options: FormatOptions = {}): Matcher<string> {
  return moment('datetime', 'DateTime', example, options)
}

function moment(
  name: 'date' | 'time' | 'datetime',
  generator: string,
  example: MomentExample | undefined,
  { format, formatStyle }: FormatOptions,
): Matcher<string> {
  const call = `match.${name}`
  const { text, milliseconds } = momentOf(call, example, format !== undefined)
  const made = unwrap(
    native.moment(call, name, text ?? null, milliseconds ?? null, format ?? null, formatStyle ?? null),
  )
  const fields = { [TYPE]: name, format: made.format }
  if (made.example === undefined) return checked(call, { ...fields, [GENERATOR]: generator })
  return checked(call, { ...fields, value: made.example })
}

function momentOf(
  call: string,
  example: MomentExample | undefined,
  hasFormat: boolean,
): { readonly text?: string; readonly milliseconds?: number } {
  if (example === undefined) return {}
  if (typeof example === 'string') return { text: example }
  // By tag: under Jest they come from many realms.
  const tag = Object.prototype.toString.call(example).slice(8, -1)
  if (tag === 'Date') return { milliseconds: (example as Date).getTime() }
  if (!tag.startsWith('Temporal.')) refuse(call, 'the example must be a text, a Date or a Temporal value')
  const text = String(example).replace(/\[.*$/, '')
  if (!hasFormat) return { text }
  if (tag === 'Temporal.PlainTime') return { milliseconds: Date.parse(`1970-01-01T${text}Z`) }
  return { milliseconds: Date.parse(tag === 'Temporal.PlainDateTime' ? `${text}Z` : text) }
}

/** Sizes of a list. */
export interface Sizes {
  /** Fewest items. */
  readonly min?: number
  /** Most items. */
  readonly max?: number
}

/** Options of `match.like`. */
export interface LikeOptions extends Sizes {
  /** Makes the value afresh where the contract is exercised. */
  readonly generator?: Generator<unknown>
}

/** The same kind of value as the example; holds for everything inside it. The example may be left to a generator. */
export function like<T>(example: undefined, options: { readonly generator: Generator<T> }): Matcher<T>
export function like<T>(example: Template<T>, options?: LikeOptions): Matcher<Infer<T>>
export function like<T>(example: Template<T> | undefined, { min, max, generator }: LikeOptions = {}): Matcher<unknown> {
  if (generator === undefined) {
    if (example === undefined) refuse('match.like', 'give an example, or a generator that makes one')
    return checkedSizes('match.like', given({ [TYPE]: 'type', value: example, min, max }), min, max)
  }
  if (min !== undefined || max !== undefined) refuse('match.like', 'a list of some size cannot be generated')
  return checked('match.like', { [TYPE]: 'type', value: example, ...generatorFields('match.like', generator) })
}

/** Sizes of a list, and of its example. */
export interface EachLikeOptions extends Sizes {
  /** How often the template stands in the example; `min` times, or once. */
  readonly examples?: number
  /** Whether the list may be empty. */
  readonly allowEmpty?: boolean
}

/** A list of which each item is like the template. At least one item, unless `min` or `allowEmpty` says otherwise. */
export function eachLike<T>(template: Template<T>, options: EachLikeOptions = {}): Matcher<Infer<T>[]> {
  return list('match.eachLike', template, options)
}

function list<T>(
  call: string,
  template: Template<T>,
  { min, max, examples, allowEmpty = false }: EachLikeOptions,
): Matcher<Infer<T>[]> {
  if (template === undefined) refuse(call, 'give a template for the items')
  if (min === 0 && !allowEmpty) refuse(call, 'min 0 lets an empty list pass; say so with { allowEmpty: true }')
  const least = allowEmpty ? (min ?? 0) : (min ?? 1)
  const count = examples ?? Math.max(least, 1)
  if (!Number.isInteger(count) || count < 1) refuse(call, `examples must be a whole number above 0, got ${count}`)
  const fields = given({ [TYPE]: 'type', min: least, max })
  checkSizes(call, least, max)
  if (count < least || (max !== undefined && count > max)) {
    refuse(call, `${count} examples do not lie between min ${least} and max ${max ?? 'none'}`)
  }
  return matcher({ ...fields, value: Array.from({ length: count }, () => template) })
}

/** A list of at least one item like the template; the example has `count` of them. */
export function atLeastOneLike<T>(template: Template<T>, count = 1): Matcher<Infer<T>[]> {
  return list('match.atLeastOneLike', template, { min: 1, examples: count })
}

/** A list of at least `min` items like the template; the example has `count` of them. */
export function atLeastLike<T>(template: Template<T>, min: number, count?: number): Matcher<Infer<T>[]> {
  return list('match.atLeastLike', template, { min, ...(count === undefined ? {} : { examples: count }) })
}

/** A list of at most `max` items like the template, none included; the example has `count` of them. */
export function atMostLike<T>(template: Template<T>, max: number, count = 1): Matcher<Infer<T>[]> {
  return list('match.atMostLike', template, { max, examples: count, allowEmpty: true })
}

/** A list of `min` to `max` items like the template; the example has `count` of them. */
export function constrainedArrayLike<T>(
  template: Template<T>,
  min: number,
  max: number,
  count?: number,
): Matcher<Infer<T>[]> {
  const examples = count === undefined ? {} : { examples: count }
  return list('match.constrainedArrayLike', template, { min, max, ...examples, allowEmpty: min === 0 })
}

/** What is inside has been checked when it was made; only the sizes are new. */
function checkedSizes<T>(call: string, fields: MatcherFields, min?: number, max?: number): Matcher<T> {
  checkSizes(call, min, max)
  return matcher(fields)
}

function checkSizes(call: string, min?: number, max?: number): void {
  for (const [which, size] of [
    ['min', min],
    ['max', max],
  ] as const) {
    if (size !== undefined && (!Number.isInteger(size) || size < 0)) {
      refuse(call, `${which} must be a whole number, got ${size}`)
    }
  }
  if (min !== undefined && max !== undefined && min > max) refuse(call, `min ${min} is above max ${max}`)
}

/** A list without items. */
export function emptyArray(): Matcher<never[]> {
  return matcher({ [TYPE]: 'equality', value: [] })
}

/** A text that contains this one. */
export function includes(
  text: string,
  { generator }: { readonly generator?: Generator<unknown> } = {},
): Matcher<string> {
  if (typeof text !== 'string') refuse('match.includes', 'give the text that the value must contain')
  return checked('match.includes', { [TYPE]: 'include', value: text, ...generatorFields('match.includes', generator) })
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
export function arrayContaining<V>(variants: readonly V[]): Matcher<Infer<V>[]>
export function arrayContaining<A extends readonly [unknown, unknown, ...unknown[]]>(
  ...variants: A
): Matcher<Infer<A[number]>[]>
export function arrayContaining(...given: readonly unknown[]): Matcher<unknown[]> {
  const variants = given.length === 1 ? given[0] : given
  if (!Array.isArray(variants) || variants.length === 0) {
    refuse('match.arrayContaining', 'give a list of at least one item')
  }
  return checked('match.arrayContaining', { [TYPE]: 'arrayContains', variants })
}

/** A map whose keys match all of the matchers. */
export function eachKeyMatches<T>(
  example: Template<T>,
  rules: Matcher<string> | readonly Matcher<string>[],
): Matcher<Infer<T>> {
  return checked('match.eachKeyMatches', { [TYPE]: 'eachKey', value: example, rules: [rules].flat() })
}

/** A map or list whose values match all of the matchers. */
export function eachValueMatches<T>(
  example: Template<T>,
  rules: Matcher<unknown> | readonly Matcher<unknown>[],
): Matcher<Infer<T>> {
  return checked('match.eachValueMatches', { [TYPE]: 'eachValue', value: example, rules: [rules].flat() })
}

/** What `any` and `all` take: matchers, exact texts, and null. */
export type Alternative = Matcher<unknown> | string | null

/** A value that one of these accepts. The first gives the example. */
export function any<A extends readonly [Alternative, Alternative, ...Alternative[]]>(
  ...alternatives: A
): Matcher<Infer<A[number]>> {
  return combined('match.any', 'OR', alternatives)
}

/** A value that all of these accept. The first gives the example. */
export function all<A extends readonly [Matcher<unknown>, Matcher<unknown>, ...Matcher<unknown>[]]>(
  ...matchers: A
): Matcher<Infer<A[0]>> {
  return combined('match.all', 'AND', matchers)
}

/** A value like the template, or null. A matcher is kept as it is. */
export function nullable<T>(template: Template<T>): Matcher<Infer<T> | null> {
  const inner = isMatcher(template) ? template : like<unknown>(template)
  return combined('match.nullable', 'OR', [inner, nullValue()])
}

function combined<T>(call: string, combine: 'AND' | 'OR', parts: readonly unknown[]): Matcher<T> {
  if (parts.length < 2) refuse(call, 'give at least two matchers')
  const all = parts.flatMap((part) => flattened(call, combine, partFields(call, part)))
  const [first] = all
  if (first === undefined) refuse(call, 'give at least two matchers')
  for (const other of all.slice(1)) {
    // The file compares with the one example that there is.
    refuseOtherKind(call, first, other)
    if (other[TYPE] === 'equality' && toJsonText(other.value, call) !== toJsonText(first.value ?? null, call)) {
      refuse(call, 'match.equal can only stand first: it compares with the example, and there is only one')
    }
  }
  const { [TYPE]: _, ...attributes } = first
  return checked(call, {
    ...(GENERATOR in first ? attributes : {}),
    [TYPE]: all.map(ruleFields),
    combine,
    value: first.value,
  })
}

/** A `type` rule asks for the kind of the one example. */
function refuseOtherKind(call: string, first: MatcherFields, other: MatcherFields): void {
  if (other[TYPE] !== 'type') return
  const [wanted, found] = [first, other].map((fields) => kindOf(exampleOf(matcher(fields))))
  if (wanted === found) return
  const hint = 'put that matcher first, or use one that names its kind, such as match.int, match.bool or match.regex'
  refuse(call, `a matcher by example (${found}) must have the kind of the first example (${wanted}); ${hint}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

/** Matchers of the same combination inside are part of it; a file cannot hold the other kind there. */
function flattened(call: string, combine: 'AND' | 'OR', fields: MatcherFields): MatcherFields[] {
  const inner = fields[TYPE]
  if (!Array.isArray(inner)) return [fields]
  if (fields.combine !== combine) {
    refuse(call, 'a contract file cannot combine matchers of which all must hold with matchers of which one suffices')
  }
  return inner.map((rule: MatcherFields, at) =>
    at === 0 && 'value' in fields ? { ...rule, value: fields.value } : rule,
  )
}

function partFields(call: string, part: unknown): MatcherFields {
  if (part === null) return { [TYPE]: 'null', value: null }
  if (typeof part === 'string') return { [TYPE]: 'regex', regex: literalPattern(part), value: part }
  const fields = isMatcher(part) ? fieldsOf(part) : {}
  if (!(TYPE in fields)) refuse(call, 'give matchers; match.any also takes texts and null')
  return fields
}

/** The rule alone: examples and generators belong to the whole. Of some rules `value` is an attribute. */
function ruleFields(fields: MatcherFields): MatcherFields {
  const { value, [GENERATOR]: _, ...rule } = fields
  return ['include', 'contentType'].includes(String(rule[TYPE])) && value !== undefined ? { ...rule, value } : rule
}

/** Text or bytes in base64 that are of this content type, told by their first bytes. */
export function contentType(type: string, example: string): Matcher<string> {
  if (typeof example !== 'string') {
    refuse('match.contentType', `give an example whose content is ${type}: a text, or bytes in base64`)
  }
  return checked('match.contentType', { [TYPE]: [{ [TYPE]: 'contentType', value: type }], value: example })
}

/** Neither null nor empty. */
export function notEmpty<T>(example: Template<T>): Matcher<Infer<T>> {
  return checked('match.notEmpty', { [TYPE]: 'notEmpty', value: example })
}

/** A semantic version such as `1.2.3-rc.1`. */
export function semver(example = '1.0.0'): Matcher<string> {
  return checked('match.semver', { [TYPE]: 'semver', value: example })
}

/** A class of status codes. */
export type StatusClass = 'info' | 'success' | 'redirect' | 'clientError' | 'serverError' | 'nonError' | 'error'

/** A status code of a class, or one of a list; for `willRespondWith`. Without an example: the first code of the class. */
export function status(accepted: StatusClass | readonly number[], example?: number): Matcher<number> {
  return checked('match.status', { [TYPE]: 'statusCode', status: accepted, value: example })
}

/** What a value of a provider state is turned into. */
export type StateValueType = 'string' | 'integer' | 'decimal' | 'boolean' | 'raw'

/** Options of `match.fromProviderState`. */
export interface FromProviderStateOptions {
  /** Whether the consumer may send any value of the example's kind. Default: false, the example exactly. */
  readonly loose?: boolean
  /** What the value is turned into. Default: what the example is; null, lists and objects stay what the handler returned. */
  readonly type?: StateValueType
}

/**
 * A value that the provider's state handler returns: the expression names it, as in `${id}`. In the consumer's test the
 * example stands for it, and must arrive exactly unless `loose`.
 */
export function fromProviderState<T>(
  expression: string,
  example: T,
  { loose = false, type }: FromProviderStateOptions = {},
): Matcher<T> {
  if (typeof expression !== 'string' || expression === '') {
    refuse('match.fromProviderState', 'give an expression: the name of the value in a dollar sign and braces')
  }
  if (example === undefined) refuse('match.fromProviderState', 'give an example: it stands for the value in the test')
  return checked('match.fromProviderState', {
    [TYPE]: loose ? 'type' : undefined,
    [GENERATOR]: 'ProviderState',
    expression,
    dataType: type?.toUpperCase(),
    value: example,
  })
}

/** A path with values of the provider state in it: `match.pathFromProviderState('/users/${id}', '/users/7')`. */
export function pathFromProviderState(template: string, example: string): Matcher<string> {
  if (typeof example !== 'string' || !example.startsWith('/')) {
    refuse('match.pathFromProviderState', `the example must be a path, got ${JSON.stringify(example)}`)
  }
  return fromProviderState(template, example)
}

export * from './presets.js'
export type { UuidFormat }
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
