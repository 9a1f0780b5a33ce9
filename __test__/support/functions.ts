import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate, graphql, match, xml } from 'contract'

/** A function of the core, as `fixtures/operations/functions.json` has it. */
export interface CoreFunction {
  readonly name: string
  readonly arguments: readonly string[]
  readonly aliases: readonly string[]
}

/** A file of `fixtures/operations`. */
export function operations<T>(name: string): T {
  return JSON.parse(readFileSync(join(__dirname, `../../fixtures/operations/${name}.json`), 'utf8'))
}

/** `match.eachLike` of `match.each_like`. */
export function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The positional arguments; the others are options. */
const positional: Readonly<Record<string, readonly string[]>> = {
  'match.regex': ['example', 'pattern'],
  'match.like': ['template'],
  'match.eachLike': ['template'],
  'match.atLeastOneLike': ['template', 'count'],
  'match.atLeastLike': ['template', 'min', 'count'],
  'match.atMostLike': ['template', 'max', 'count'],
  'match.constrainedArrayLike': ['template', 'min', 'max', 'count'],
  'match.includes': ['text'],
  'match.equal': ['value'],
  'match.json': ['text'],
  'match.arrayContaining': ['variants'],
  'match.eachKeyLike': ['key', 'template'],
  'match.eachKeyMatches': ['template', 'rules'],
  'match.eachValueMatches': ['template', 'rules'],
  'match.any': ['alternatives'],
  'match.all': ['matchers'],
  'match.nullable': ['template'],
  'match.contentType': ['contentType', 'example'],
  'match.notEmpty': ['template'],
  'match.status': ['accepted', 'example'],
  'match.fromProviderState': ['expression', 'example'],
  'match.pathFromProviderState': ['expression', 'example'],
  'match.url': [],
  'graphql.document': ['query'],
  'generate.regex': ['pattern'],
  'generate.providerState': ['expression'],
  'xml.element': ['name', 'attributes', 'children'],
  'xml.body': ['root'],
}

/** Rest arguments. */
const rest = ['match.any', 'match.all', 'xml.element']

const namespaces: Readonly<Record<string, object>> = { match, generate, graphql, xml }

/** The function of that name, under which `a.b` is in a namespace. */
export function functionOf(name: string): ((...args: unknown[]) => unknown) | undefined {
  const [namespace = '', ...path] = name.split('.')
  if (path.length !== 1) return undefined
  return (namespaces[namespace] as Record<string, (...args: unknown[]) => unknown>)?.[camel(path[0] as string)]
}

/** The arguments of a call of the core as TypeScript has them. */
export function argumentsOf(name: string, given: Readonly<Record<string, unknown>>): unknown[] {
  const call = camel(name)
  const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [camel(key), value]))
  const isGenerator = call.startsWith('generate.')
  const places = positional[call] ?? (isGenerator ? [] : ['example'])
  const args: unknown[] = places.map((place) => values[place])
  if (rest.includes(call)) args.push(...((args.pop() as unknown[] | undefined) ?? []))
  const { options, ...others } = values as { options?: unknown }
  const left = Object.entries(others).filter(([key]) => !places.includes(key))
  if (left.length > 0 && options !== undefined) throw new Error(`${name}: options in two ways`)
  if (options !== undefined) args.push(options)
  else if (left.length > 0) args.push(Object.fromEntries(left))
  return args
}

/** The JSON text for the core. */
export function jsonText(made: unknown): string {
  const symbols = [Symbol.for('contract.matcher.json'), Symbol.for('contract.xml.element.json')]
  const own = made as Record<symbol, string>
  const text = symbols.map((symbol) => own[symbol]).find((text) => text !== undefined)
  if (text === undefined) throw new Error('not a matcher')
  return text
}
