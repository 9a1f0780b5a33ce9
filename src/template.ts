import { ContractArgumentError, ContractError } from './errors.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'

/** Common to every copy of this package in a process, so that matchers of one are matchers of all. */
const JSON_TEXT = Symbol.for('contract.matcher.json')

/** There is no such member; the name keeps matchers of different examples apart. */
declare const EXAMPLE: unique symbol

/**
 * Says how a value may differ from its example. Fits where the example would: `match.int(7)` where a number is asked for.
 *
 * @typeParam T - the type of the example
 */
export interface Matcher<T> {
  /** Matcher JSON, as the core has written it. */
  readonly [JSON_TEXT]: string & { readonly [EXAMPLE]: T }
}

/** Makes a value afresh each time the contract is exercised. Fits wherever a matcher does. */
export type Generator<T> = Matcher<T>

/** A `T` of which any part may be a matcher for that part. A `Date` is a text in JSON: `match.datetime()`. */
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

/** The type of a template's example: `Infer<typeof body>`. */
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

/** A matcher from the text that the core has made. */
export function matcherOf<T>(text: string): Matcher<T> {
  return { [JSON_TEXT]: text } as unknown as Matcher<T>
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
  const writer = new Writer(what)
  try {
    return writer.textOf(template)
  } catch (error) {
    if (error instanceof ContractArgumentError || error instanceof ContractError) throw error
    // A getter or a proxy of the caller's.
    throw writer.refused('the value cannot be read', error)
  }
}

/**
 * The example of a template: the template with each matcher replaced by its example. Matchers that were given none get the
 * same as in the contract file.
 */
export function example<X>(template: X): Infer<X> {
  return JSON.parse(unwrap(native.exampleOf(toJsonText(template, 'example')))) as Infer<X>
}

/** Deeper than any document that the core takes, and far from the end of the stack. */
const DEEPEST = 1_000

/** Writes one document. It runs for every body of every test, hence the plain loops. */
class Writer {
  readonly #what: string
  /** The objects that hold the value at hand, outermost first. */
  readonly #above: object[] = []
  /** The keys and indices that lead to it. */
  readonly #path: (string | number)[] = []
  #text = ''

  constructor(what: string) {
    this.#what = what
  }

  textOf(value: unknown): string {
    this.#value(value)
    return this.#text
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#text += JSON.stringify(value)
        return
      case 'number':
        if (!Number.isFinite(value)) throw this.refused(`${value} is no JSON number`)
        this.#text += value
        return
      case 'boolean':
      case 'bigint':
        this.#text += value
        return
      case 'object':
        if (value === null) this.#text += 'null'
        else this.#object(value)
        return
      case 'undefined':
        throw this.refused('undefined is no JSON value; leave the property out, or use null')
      default:
        throw this.refused(`a ${typeof value} is no JSON value`)
    }
  }

  #object(value: object): void {
    if (isMatcher(value) || value instanceof JsonText) {
      this.#text += isMatcher(value) ? value[JSON_TEXT] : value.text
      return
    }
    if (this.#above.includes(value)) throw this.refused('the value contains itself')
    if (this.#above.length === DEEPEST) throw this.refused(`it is nested deeper than ${DEEPEST} levels`)
    this.#above.push(value)
    if (Array.isArray(value)) this.#array(value)
    else this.#members(value as Readonly<Record<string, unknown>>)
    this.#above.pop()
  }

  #array(items: readonly unknown[]): void {
    this.#text += '['
    // By index: holes of an array are undefined, too.
    for (let i = 0; i < items.length; i += 1) {
      if (i > 0) this.#text += ','
      this.#at(i, items[i])
    }
    this.#text += ']'
  }

  #members(value: Readonly<Record<string, unknown>>): void {
    this.#refuseForeign(value)
    let separator = '{'
    for (const key of Object.keys(value)) {
      this.#text += `${separator}${JSON.stringify(key)}:`
      separator = ','
      this.#at(key, value[key])
    }
    this.#text += separator === '{' ? '{}' : '}'
  }

  #at(step: string | number, value: unknown): void {
    this.#path.push(step)
    this.#value(value)
    this.#path.pop()
  }

  /** Objects that JSON would turn into something their author did not mean. By tag: under Jest they come from many realms. */
  #refuseForeign(value: object): void {
    const tag = tagOf(value)
    switch (tag) {
      case 'Object':
      case 'Error':
        return
      case 'Date':
        throw this.refused('a Date has many forms in JSON: use match.datetime(date), or date.toISOString()')
      case 'RegExp':
        throw this.refused('a RegExp is no JSON value: use match.regex(example, regexp)')
      case 'Map':
      case 'Set':
        throw this.refused(`a ${tag} is no JSON value: use Object.fromEntries(map) or [...set]`)
      default:
        throw this.refused(`a ${tag} is no JSON value`)
    }
  }

  refused(problem: string, cause?: unknown): ContractArgumentError {
    const steps = this.#path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    // Of a path without end the beginning says enough.
    const place = `$${steps.slice(0, 20).join('')}${steps.length > 20 ? '…' : ''}`
    const details = { operation: this.#what, place, ...(cause === undefined ? {} : { cause }) }
    const message = `${this.#what}: at ${place}: ${problem}`
    native.valueRefused(message)
    return new ContractArgumentError('ERR_CONTRACT_VALUE', message, details)
  }
}
