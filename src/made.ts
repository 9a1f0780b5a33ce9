// Calls of the core that make matchers: a name with its arguments.
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { type Matcher, matcherOf, tagOf, toJsonText } from './template.js'

/**
 * The matcher that the core makes of this call. Arguments that are undefined are left out; `options` are the caller's own
 * and handed on as they are, so that the core can say what is wrong with them.
 */
export function make<T>(call: string, args: Readonly<Record<string, unknown>>, options?: unknown): Matcher<T> {
  return matcherOf(unwrap(native.matcher(call, argumentsText(call, args, options))))
}

/** Arguments in the form in which they cross to the core. */
export function argumentsText(call: string, args: Readonly<Record<string, unknown>>, options: unknown): string {
  // It runs for every matcher of every test, hence the plain loop.
  let text = ''
  for (const name of Object.keys(args)) {
    if (args[name] !== undefined) text += `${text && ','}"${name}":${toJsonText(args[name], call)}`
  }
  if (options !== undefined) {
    // What stands in the parentheses is no option, even where it was left out.
    text += `${text && ','}"beside":${JSON.stringify(Object.keys(args))}`
    text += `,"options":${toJsonText(present(options), call)}`
  }
  return `{${text}}`
}

/** An object without what is undefined, which to the core would not be the same as absent; anything else as it is. */
export function present<T>(value: T): T {
  if (tagOf(value) !== 'Object') return value
  return Object.fromEntries(Object.entries(value as object).filter(([, member]) => member !== undefined)) as T
}

/** A regular expression as data, its meaning still that of JavaScript. */
export function patternData(pattern: unknown): unknown {
  if (tagOf(pattern) !== 'RegExp') return pattern
  const { source, flags } = pattern as RegExp
  return { source, flags }
}

/** A moment as data: milliseconds since 1970, and how a Temporal value writes itself. */
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
