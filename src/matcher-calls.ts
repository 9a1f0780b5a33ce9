// Creates matchers in the core.
import { native } from './native/load.js'
import { unwrapArgument } from './native/result.js'
import { type Matcher, matcherOf, tagOf, toJsonText } from './template.js'

/** Creates a matcher in the core. Arguments that are undefined are omitted. The core validates `options`. */
export function make<T>(call: string, args: Readonly<Record<string, unknown>>, options?: unknown): Matcher<T> {
  return matcherOf(unwrapArgument(native.matcher(call, argumentsText(call, args, options))))
}

/** Returns arguments as JSON text for the core. */
export function argumentsText(call: string, args: Readonly<Record<string, unknown>>, options: unknown): string {
  // A plain loop, because this runs for every matcher of every test.
  let text = ''
  for (const name of Object.keys(args)) {
    if (args[name] !== undefined) text += `${text && ','}"${name}":${toJsonText(args[name], call)}`
  }
  if (options !== undefined) {
    // The names of positional parameters are not accepted as options, even if the argument was omitted.
    text += `${text && ','}"positional":${JSON.stringify(Object.keys(args))}`
    text += `,"options":${toJsonText(withoutUndefined(options), call)}`
  }
  return `{${text}}`
}

/**
 * Returns a copy of an object without undefined members, because the core distinguishes undefined members from missing
 * ones. Returns any other value unchanged.
 */
export function withoutUndefined<T>(value: T): T {
  if (tagOf(value) !== 'Object') return value
  return Object.fromEntries(Object.entries(value as object).filter(([, member]) => member !== undefined)) as T
}

/** Converts a regular expression, with its flags, to data for the core. */
export function patternData(pattern: unknown): unknown {
  if (tagOf(pattern) !== 'RegExp') return pattern
  const { source, flags } = pattern as RegExp
  return { source, flags }
}

/**
 * Converts a date or time to data for the core: milliseconds since 1970-01-01 UTC, or the text of a Temporal value.
 */
export function momentData(moment: unknown): unknown {
  const tag = tagOf(moment)
  if (tag === 'Date') return { milliseconds: finite((moment as Date).getTime()) }
  if (!tag.startsWith('Temporal.')) return moment
  const text = String(moment).replace(/\[.*$/, '')
  const inUtc = { 'Temporal.PlainTime': `1970-01-01T${text}Z`, 'Temporal.PlainDateTime': `${text}Z` }[tag] ?? text
  return { text, milliseconds: finite(Date.parse(inUtc)) }
}

function finite(milliseconds: number): number | null {
  return Number.isNaN(milliseconds) ? null : milliseconds
}
