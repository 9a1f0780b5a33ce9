import { ContractArgumentError } from './errors.js'

/** Common to every copy of this package in a process, so that matchers of one are matchers of all. */
const FIELDS = Symbol.for('contract.matcher')

/**
 * Says how a value may differ from its example. Fits where the example would: `match.int(7)` where a number is asked for.
 *
 * @typeParam T - the type of the example
 */
export interface Matcher<T> {
  readonly [FIELDS]: MatcherFields
  /** Not there at run time; keeps matchers of different types apart. */
  readonly __example?: T
}

/** A value made afresh each time; its type is that of the value. */
export type Generator<T> = Matcher<T>

/** What a matcher is made of, in the words of the matcher JSON. */
export interface MatcherFields {
  readonly [key: string]: unknown
}

/** A `T` of which any part may be a matcher for that part. */
export type Template<T> =
  | T
  | Matcher<T>
  | (T extends readonly (infer Item)[]
      ? readonly Template<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Template<T[Key]> }
        : never)

/** The type of a template's example: `Infer<typeof body>`. */
export type Infer<X> =
  X extends Matcher<infer T>
    ? T
    : X extends readonly (infer Item)[]
      ? Infer<Item>[]
      : X extends object
        ? { -readonly [Key in keyof X]: Infer<X[Key]> }
        : X

/** Text that stands in a JSON document as it is: numbers keep how they are written (`1.0`). */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export function matcher<T>(fields: MatcherFields): Matcher<T> {
  return { [FIELDS]: fields } as Matcher<T>
}

export function isMatcher(value: unknown): value is Matcher<unknown> {
  return typeof value === 'object' && value !== null && FIELDS in value
}

/** The template as matcher JSON, the form in which it crosses to the core. */
export function toJsonText(template: unknown, what: string): string {
  return write(template, { what, path: '$', above: [] }, fields)
}

/** The example of a template: the template with each matcher replaced by its example. */
export function example<X>(template: X): Infer<X> {
  const text = write(template, { what: 'example', path: '$', above: [] }, exampleOf)
  return JSON.parse(text) as Infer<X>
}

function fields(of: MatcherFields): unknown {
  return of
}

function exampleOf(of: MatcherFields): unknown {
  if ('value' in of) return of.value
  if (Array.isArray(of.variants)) return of.variants
  throw new ContractArgumentError('ERR_CONTRACT_MATCHER', 'example: a matcher without example has none to give')
}

interface Place {
  readonly what: string
  readonly path: string
  readonly above: readonly object[]
}

type Unfold = (of: MatcherFields) => unknown

function write(value: unknown, at: Place, unfold: Unfold): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw refused(at, `${value} is no JSON number`)
      return JSON.stringify(value)
    case 'bigint':
      return value.toString()
    case 'object':
      if (value === null) return 'null'
      return writeObject(value, at, unfold)
    case 'undefined':
      throw refused(at, 'undefined is no JSON value; leave the property out, or use null')
    default:
      throw refused(at, `a ${typeof value} is no JSON value`)
  }
}

function writeObject(value: object, at: Place, unfold: Unfold): string {
  if (value instanceof JsonText || value.constructor?.name === 'JsonText') return (value as JsonText).text
  if (at.above.includes(value)) throw refused(at, 'the value contains itself')
  const inside = { ...at, above: [...at.above, value] }
  if (isMatcher(value)) return write(unfold(value[FIELDS]), inside, unfold)
  if (Array.isArray(value)) {
    const items = Array.from(value, (item, i) => write(item, { ...inside, path: `${at.path}[${i}]` }, unfold))
    return `[${items.join(',')}]`
  }
  refuseForeign(value, at)
  const members = Object.entries(value).map(([key, item]) => {
    return `${JSON.stringify(key)}:${write(item, { ...inside, path: `${at.path}.${key}` }, unfold)}`
  })
  return `{${members.join(',')}}`
}

/** Objects that JSON would turn into something their author did not mean. By tag: under Jest they come from many realms. */
function refuseForeign(value: object, at: Place): void {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  switch (tag) {
    case 'Object':
    case 'Error':
      return
    case 'Date':
      throw refused(at, 'a Date has many forms in JSON: use match.datetime(date), or date.toISOString()')
    case 'RegExp':
      throw refused(at, 'a RegExp is no JSON value: use match.regex(example, regexp)')
    case 'Map':
    case 'Set':
      throw refused(at, `a ${tag} is no JSON value: use Object.fromEntries(map) or [...set]`)
    default:
      throw refused(at, `a ${tag} is no JSON value`)
  }
}

function refused({ what, path }: Place, problem: string): ContractArgumentError {
  return new ContractArgumentError('ERR_CONTRACT_VALUE', `${what}: at ${path}: ${problem}`)
}
