import { ContractArgumentError, ContractError } from './errors.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'

/** Common to every copy of this package in a process, so that matchers of one are matchers of all. */
const JSON_TEXT = Symbol.for('contract.matcher.json')

/** There is no such member; the name keeps matchers of different examples apart. */
declare const EXAMPLE: unique symbol

/**
 * Accepts values that differ from an example. Fits wherever the example would fit: `match.int(7)` can be used where a
 * number is expected.
 *
 * @typeParam T - the type of the example
 */
export interface Matcher<T> {
  /** Matcher JSON, written by the core. */
  readonly [JSON_TEXT]: string & { readonly [EXAMPLE]: T }
}

/** Generates a value each time the contract is replayed. Fits wherever a matcher fits. */
export type Generator<T> = Matcher<T>

/** A `T` in which any part may be a matcher. A `Date` is a string in JSON: use `match.datetime()`. */
export type Template<T> =
  | T
  | Matcher<T>
  | Matcher<Infer<T>>
  | (T extends Date
      ? string | Matcher<string>
      : T extends readonly (infer Item)[]
        ? readonly Template<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: Template<Exclude<T[Key], undefined>> }
          : never)

/** The type of the example of a template: `Infer<typeof body>`. */
export type Infer<X> = Date extends Extract<X, Date> ? Exclude<InferEach<X>, string> : InferEach<X>

/** Member by member of a union; in a template of a `Date` its text is one of them. */
type InferEach<X> =
  X extends Matcher<infer T>
    ? T
    : X extends Date
      ? X
      : X extends readonly (infer Item)[]
        ? Infer<Item>[]
        : X extends object
          ? { -readonly [Key in keyof X]: Infer<X[Key]> }
          : X

/** A `T` that is told by where the result goes, and not by this argument: `NoInfer` of TypeScript 5.4. */
export type Fixed<T> = [T][T extends unknown ? 0 : never]

/** Text that stands in a JSON document as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What stands behind a matcher. In JSON it is matcher JSON; in a text it can only be a slip. */
class MatcherText {
  readonly [JSON_TEXT]: string

  constructor(text: string) {
    this[JSON_TEXT] = text
  }

  toJSON(): unknown {
    return JSON.parse(this[JSON_TEXT])
  }

  [Symbol.toPrimitive](): never {
    throw new ContractArgumentError(
      'ERR_CONTRACT_MATCHER',
      'a matcher cannot be put into a text: give match.regex(example, pattern) or match.pathFromProviderState(expression, example) for the whole of it',
    )
  }
}

/** A matcher from the text that the core has made. */
export function matcherOf<T>(text: string): Matcher<T> {
  return new MatcherText(text) as unknown as Matcher<T>
}

export function isMatcher(value: unknown): value is Matcher<unknown> {
  return has(value, JSON_TEXT)
}

/** What a value is, by its tag: under Jest values come from many realms. A proxy may refuse to say. */
export function tagOf(value: unknown): string {
  try {
    return Object.prototype.toString.call(value).slice(8, -1)
  } catch {
    return 'Proxy'
  }
}

/** Whether the value is an object with this member. */
export function has(value: unknown, member: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && member in value
  } catch {
    return false
  }
}

/** The template as matcher JSON, the form in which it crosses to the core. */
export function toJsonText(template: unknown, what: string): string {
  if (typeof template === 'string') return JSON.stringify(template)
  const writer = new TemplateWriter(what)
  try {
    return writer.write(template)
  } catch (error) {
    if (error instanceof ContractArgumentError || error instanceof ContractError) throw error
    // A getter or a proxy of the caller's.
    throw writer.refused('the value cannot be read', error)
  }
}

/**
 * Returns the example of a template: the template with each matcher replaced by its example. Examples that are
 * generated are the same as in the contract file.
 */
export function example<X>(template: X): Infer<X> {
  return JSON.parse(unwrap(native.exampleOf(toJsonText(template, 'example')))) as Infer<X>
}

/** Deeper than any document that the core takes, and far from the end of the stack. */
const DEEPEST = 1_000

/** Writes one value as JSON text. It runs for every body of every test, hence the plain loops. */
export abstract class JsonWriter {
  /** The keys and indices that lead to the value at hand, and the objects that hold it, outermost first. */
  protected readonly path: (string | number)[] = []
  readonly #above: object[] = []

  /**
   * What stands for a value that JSON has no form for. The kind is its type, or its tag, because under Jest objects come from
   * many realms; or `circle` for an object that contains itself, and `depth` for one that is too deep inside others.
   */
  protected abstract foreign(kind: string, value: unknown, owner?: object): string

  write(value: unknown, owner?: object): string {
    switch (typeof value) {
      case 'string':
        return JSON.stringify(value)
      case 'number':
        return Number.isFinite(value) ? String(value) : this.foreign('number', value)
      case 'boolean':
      case 'bigint':
        return String(value)
      case 'object':
        return value === null ? 'null' : this.#object(value)
      default:
        return this.foreign(typeof value, value, owner)
    }
  }

  #object(value: object): string {
    if (isMatcher(value)) return value[JSON_TEXT]
    if (value instanceof JsonText) return value.text
    if (this.#above.includes(value)) return this.foreign('circle', value)
    if (this.#above.length === DEEPEST) return this.foreign('depth', value)
    this.#above.push(value)
    const text = Array.isArray(value) ? this.#array(value) : this.#members(value as Readonly<Record<string, unknown>>)
    this.#above.pop()
    return text
  }

  #array(items: readonly unknown[]): string {
    let text = ''
    // By index: holes of an array are undefined, too.
    for (let i = 0; i < items.length; i += 1) text += `${i > 0 ? ',' : ''}${this.#at(i, items[i], items)}`
    return `[${text}]`
  }

  #members(value: Readonly<Record<string, unknown>>): string {
    const tag = tagOf(value)
    if (tag !== 'Object' && tag !== 'Error') return this.foreign(tag, value)
    let text = ''
    for (const key of Object.keys(value)) {
      text += `${text && ','}${JSON.stringify(key)}:${this.#at(key, value[key], value)}`
    }
    return `{${text}}`
  }

  #at(step: string | number, value: unknown, owner: object): string {
    this.path.push(step)
    const text = this.write(value, owner)
    this.path.pop()
    return text
  }
}

/** What to do instead, by what JSON has no form for. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['undefined', 'undefined is no JSON value; leave the property out, or use null'],
  ['circle', 'the value contains itself'],
  ['depth', `it is nested deeper than ${DEEPEST} levels`],
  ['Date', 'a Date has many forms in JSON: use match.datetime(date), or date.toISOString()'],
  ['RegExp', 'a RegExp is no JSON value: use match.regex(example, regexp)'],
  ['Map', 'a Map is no JSON value: use Object.fromEntries(map) or [...set]'],
  ['Set', 'a Set is no JSON value: use Object.fromEntries(map) or [...set]'],
])

/** Writes templates, and refuses what JSON would turn into something that its author did not mean. */
class TemplateWriter extends JsonWriter {
  readonly #what: string

  constructor(what: string) {
    super()
    this.#what = what
  }

  /** Matchers of other libraries write themselves: the same interface as pact-python's `AbstractMatcher`. */
  override write(value: unknown, owner?: object): string {
    const custom = value as { toIntegrationJson?: unknown } | null | undefined
    if (typeof value !== 'object' || typeof custom?.toIntegrationJson !== 'function') return super.write(value, owner)
    return super.write(custom.toIntegrationJson(), owner)
  }

  protected foreign(kind: string, value: unknown): never {
    if (kind === 'function' && this.path.at(-1) === 'getValue') {
      this.path.pop()
      throw this.refused(
        'this is a matcher of MatchersV2 of pact-js. Use the matchers of this package instead, such as match.like(…)',
      )
    }
    const problem = kind === 'number' ? `${value} is no JSON number` : `a ${kind} is no JSON value`
    throw this.refused(ADVICE.get(kind) ?? problem)
  }

  refused(problem: string, cause?: unknown): ContractArgumentError {
    const steps = this.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    // Of a path without end the beginning says enough.
    const place = `$${steps.slice(0, 20).join('')}${steps.length > 20 ? '…' : ''}`
    const details = { operation: this.#what, place, ...(cause === undefined ? {} : { cause }) }
    const message = `${this.#what}: at ${place}: ${problem}`
    native.valueRefused(message)
    return new ContractArgumentError('ERR_CONTRACT_VALUE', message, details)
  }
}
