import { ContractArgumentError } from './errors.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'

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

/** Makes a value afresh each time the contract is exercised. Fits wherever a matcher does. */
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

/** What a matcher is made of. */
export function fieldsOf(of: Matcher<unknown>): MatcherFields {
  return of[FIELDS]
}

export function isMatcher(value: unknown): value is Matcher<unknown> {
  return typeof value === 'object' && value !== null && FIELDS in value
}

/** The template as matcher JSON, the form in which it crosses to the core. */
export function toJsonText(template: unknown, what: string): string {
  return new Writer(what).textOf(template)
}

/**
 * The example of a template: the template with each matcher replaced by its example. Matchers that were given none get the
 * same as in the contract file.
 */
export function example<X>(template: X): Infer<X> {
  return JSON.parse(unwrap(native.exampleOf(toJsonText(template, 'example')))) as Infer<X>
}

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
        if (!Number.isFinite(value)) throw this.#refused(`${value} is no JSON number`)
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
        throw this.#refused('undefined is no JSON value; leave the property out, or use null')
      default:
        throw this.#refused(`a ${typeof value} is no JSON value`)
    }
  }

  #object(value: object): void {
    // By name, too: it may come from another copy of this package.
    if (value instanceof JsonText || value.constructor?.name === 'JsonText') {
      this.#text += (value as JsonText).text
      return
    }
    if (this.#above.includes(value)) throw this.#refused('the value contains itself')
    this.#above.push(value)
    if (isMatcher(value)) this.#value(value[FIELDS])
    else if (Array.isArray(value)) this.#array(value)
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
    const tag = Object.prototype.toString.call(value).slice(8, -1)
    switch (tag) {
      case 'Object':
      case 'Error':
        return
      case 'Date':
        throw this.#refused('a Date has many forms in JSON: use match.datetime(date), or date.toISOString()')
      case 'RegExp':
        throw this.#refused('a RegExp is no JSON value: use match.regex(example, regexp)')
      case 'Map':
      case 'Set':
        throw this.#refused(`a ${tag} is no JSON value: use Object.fromEntries(map) or [...set]`)
      default:
        throw this.#refused(`a ${tag} is no JSON value`)
    }
  }

  #refused(problem: string): ContractArgumentError {
    const path = this.#path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
    return new ContractArgumentError('ERR_CONTRACT_VALUE', `${this.#what}: at $${path}: ${problem}`)
  }
}
