import { ContractArgumentError } from './errors.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { fieldsOf, isMatcher, type Matcher, type MatcherFields, matcher, toJsonText } from './template.js'

/** The keys of the matcher JSON. */
export const TYPE = 'contract:matcher:type'
export const GENERATOR = 'contract:generator:type'

/** A matcher or generator whose rule the core has checked, together with its example. `call` names who makes it. */
export function checked<T>(call: string, fields: Record<string, unknown>): Matcher<T> {
  const made = matcher<T>(given(fields))
  check(native.checkMatcher(call, toJsonText(made, call)))
  return made
}

export function refuse(call: string, problem: string): never {
  throw new ContractArgumentError('ERR_CONTRACT_MATCHER', `${call}: ${problem}`)
}

/** Drops what was not given: to the core an absent attribute and `undefined` would differ. */
export function given(fields: Record<string, unknown>): MatcherFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** The attributes of a generator that stands beside a matcher's own. */
export function generatorFields(call: string, generator: Matcher<unknown> | undefined): MatcherFields {
  if (generator === undefined) return {}
  const fields = isMatcher(generator) ? fieldsOf(generator) : {}
  if (!(GENERATOR in fields) || TYPE in fields)
    refuse(call, 'generator must be one of generate.…, such as generate.uuid()')
  const { value: _, ...attributes } = fields
  return attributes
}

export function isRegExp(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]'
}

/** The pattern in the form of contract files. */
export function patternText(call: string, pattern: RegExp | string): string {
  if (typeof pattern === 'string') return pattern
  if (!isRegExp(pattern)) refuse(call, 'the pattern must be a RegExp or a text')
  return unwrap(native.regexFromJavascript(pattern.source, pattern.flags))
}

/** A pattern for exactly this text, whichever engine reads it. */
export function literalPattern(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
}

/** How a UUID is written. */
export type UuidFormat = 'simple' | 'lowercase' | 'uppercase' | 'urn'

/** The formats of a UUID: as generators name them, and as patterns. */
export const UUIDS = {
  simple: { format: 'simple', pattern: '[0-9a-fA-F]{32}' },
  lowercase: { format: 'lower-case-hyphenated', pattern: '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' },
  uppercase: { format: 'upper-case-hyphenated', pattern: '[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}' },
  urn: { format: 'URN', pattern: 'urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' },
} as const

/** The value of an Authorization header (RFC 6750, section 2.1). */
export function bearerToken(example: string): Matcher<string> {
  const fields = { [TYPE]: 'regex', regex: 'Bearer [A-Za-z0-9._~+/-]+=*', value: `Bearer ${example}` }
  return checked('withBearerToken', fields)
}
