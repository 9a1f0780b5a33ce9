import { ContractArgumentError, ContractError } from './errors.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { abortCall } from './pending-call.js'

/** The key of matcher JSON, registered globally so that several copies of this package in one process are compatible. */
const JSON_TEXT = Symbol.for('contract.matcher.json')

/** A member that exists only in types. It distinguishes matchers by the type of their example. */
declare const EXAMPLE: unique symbol

/**
 * An example value with a rule that accepts other values. You can use a matcher in place of a value of type `T`: for example,
 * `match.int(7)` in place of a number.
 *
 * @typeParam T - the type of the example
 */
export interface Matcher<T> {
  /** Matcher JSON, written by the core. */
  readonly [JSON_TEXT]: string & { readonly [EXAMPLE]: T }
}

/** Generates a value each time the contract is replayed. You can use a generator in place of a matcher. */
export type Generator<T> = Matcher<T>

/** A `T` in which any part can be a matcher. A `Date` is a string in JSON, so use `match.datetime()`. */
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

/** The type of a template's example, for example `Infer<typeof body>`. */
export type Infer<X> = Date extends Extract<X, Date> ? Exclude<InferEach<X>, string> : InferEach<X>

/** Infers each member of a union. The template of a `Date` includes `string`. */
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

/** A `T` that TypeScript infers from the expected type and not from this argument, like `NoInfer` in TypeScript 5.4. */
export type Fixed<T> = [T][T extends unknown ? 0 : never]

/** JSON text that is inserted into a document unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The implementation of a matcher. `JSON.stringify` returns matcher JSON. Conversion to a string throws. */
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
      'a matcher cannot be part of a string. Use match.regex(example, pattern) or match.pathFromProviderState(expression, example) for the whole string',
    )
  }
}

/** Creates a matcher from matcher JSON that the core created. */
export function matcherOf<T>(text: string): Matcher<T> {
  return new MatcherText(text) as unknown as Matcher<T>
}

export function isMatcher(value: unknown): value is Matcher<unknown> {
  return has(value, JSON_TEXT)
}

/** Returns the tag of a value. Works for values from other realms, as in Jest, and for revoked proxies. */
export function tagOf(value: unknown): string {
  try {
    return Object.prototype.toString.call(value).slice(8, -1)
  } catch {
    return 'Proxy'
  }
}

export function has(value: unknown, member: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && member in value
  } catch {
    return false
  }
}

/** Returns the template as matcher JSON for the core. */
export function toJsonText(template: unknown, call: string): string {
  if (typeof template === 'string') return JSON.stringify(template)
  const writer = new TemplateWriter(call)
  try {
    return writer.write(template)
  } catch (error) {
    if (error instanceof ContractArgumentError || error instanceof ContractError) throw error
    // Thrown by a getter or a proxy of the caller.
    throw writer.error('the value cannot be read', error)
  }
}

/**
 * Returns the example value of a template, in which each matcher is replaced by its example. Generated examples are the same
 * as in the contract file.
 */
export function example<X>(template: X): Infer<X> {
  return JSON.parse(unwrap(native.exampleOf(toJsonText(template, 'example')))) as Infer<X>
}

/** Maximum nesting: more than the core accepts, but far less than the call stack allows. */
const DEEPEST = 1_000

/** Converts a value to JSON text. Uses plain loops for speed, because it runs for every body of every test. */
export abstract class JsonWriter {
  /** The keys and indexes of the current value, outermost first. */
  protected readonly path: (string | number)[] = []
  readonly #above: object[] = []

  /**
   * Returns the JSON text for a value that JSON cannot represent, or throws. `kind` is the type or the tag of the value,
   * `circle` for an object that contains itself, or `depth` for an object that is nested too deeply.
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
    // Iterates by index, because holes in an array are undefined.
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

/** Messages for values that JSON cannot represent, by kind. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['undefined', 'undefined is not a JSON value. Omit the property, or use null'],
  ['circle', 'the value contains a circular reference'],
  ['depth', `the value is nested more than ${DEEPEST} levels deep`],
  ['Date', 'the JSON format of a Date is ambiguous. Use match.datetime(date) or date.toISOString()'],
  ['RegExp', 'a RegExp is not a JSON value. Use match.regex(example, regexp)'],
  ['Map', 'a Map is not a JSON value. Use Object.fromEntries(map)'],
  ['Set', 'a Set is not a JSON value. Use [...set]'],
])

/** Converts templates to JSON text. Throws for values that `JSON.stringify` would change silently. */
class TemplateWriter extends JsonWriter {
  readonly #call: string

  constructor(call: string) {
    super()
    this.#call = call
  }

  /** Supports matchers of other libraries that implement the interface of `AbstractMatcher` in pact-python. */
  override write(value: unknown, owner?: object): string {
    const custom = value as { toIntegrationJson?: unknown } | null | undefined
    if (typeof value !== 'object' || typeof custom?.toIntegrationJson !== 'function') return super.write(value, owner)
    return super.write(custom.toIntegrationJson(), owner)
  }

  protected foreign(kind: string, value: unknown): never {
    if (kind === 'function' && this.path.at(-1) === 'getValue') {
      this.path.pop()
      throw this.error(
        'matchers of MatchersV2 in pact-js are not supported. Use the matchers of this package instead, such as match.like(…)',
      )
    }
    const problem = kind === 'number' ? `${value} is not a JSON number` : `a ${kind} is not a JSON value`
    throw this.error(ADVICE.get(kind) ?? problem)
  }

  error(problem: string, cause?: unknown): ContractArgumentError {
    const steps = this.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    const place = `$${steps.slice(0, 20).join('')}${steps.length > 20 ? '…' : ''}`
    const details = { operation: this.#call, place, ...(cause === undefined ? {} : { cause }) }
    const message = `${this.#call}: at ${place}: ${problem}`
    abortCall(message)
    return new ContractArgumentError('ERR_CONTRACT_VALUE', message, details)
  }
}
