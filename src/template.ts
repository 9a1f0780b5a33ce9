import { ContractArgumentError, ContractError } from './errors.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { abortCall } from './pending-call.js'

/**
 * The key of a matcher's JSON text. It is registered globally, so that several copies of this package in one process
 * are compatible.
 */
const JSON_TEXT = Symbol.for('contract.matcher.json')

/** The key of a member that exists only in types, and that distinguishes matchers by the type of their example. */
declare const EXAMPLE: unique symbol

/**
 * An example value with a rule that accepts other values. You can use a matcher in place of a value of type `T`: for example,
 * `match.int(7)` in place of a number.
 *
 * @typeParam T - the type of the example
 */
export interface Matcher<T> {
  /** The matcher as JSON text, as created by the core. */
  readonly [JSON_TEXT]: string & { readonly [EXAMPLE]: T }
}

/** Produces a new value each time an interaction is used. You can use a generator wherever you can use a matcher. */
export type Generator<T> = Matcher<T>

/**
 * A value of type `T` in which any part can be a matcher. In JSON, a `Date` is a string, so use `match.datetime()` for
 * it.
 */
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

/** The type of the example value of a template, as in `Infer<typeof body>`. */
export type Infer<X> = Date extends Extract<X, Date> ? Exclude<InferEach<X>, string> : InferEach<X>

/** Infers the type of each member of a union. In a template, a `Date` includes `string`. */
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

/**
 * A type parameter `T` that TypeScript does not infer from this argument, but only from the expected type. It is like
 * `NoInfer` of TypeScript 5.4.
 */
export type Fixed<T> = [T][T extends unknown ? 0 : never]

/** JSON text that documents contain unchanged. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * The class of matchers. `JSON.stringify` returns their JSON text. Converting a matcher to a string throws an error.
 */
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

/** Creates a matcher from JSON text that the core returned. */
export function matcherOf<T>(text: string): Matcher<T> {
  return new MatcherText(text) as unknown as Matcher<T>
}

export function isMatcher(value: unknown): value is Matcher<unknown> {
  return has(value, JSON_TEXT)
}

/**
 * Returns the tag of a value, such as `Object` or `Date`. It is also correct for values from other realms, as in Jest,
 * and for revoked proxies.
 */
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

/** Returns a template as JSON text for the core. `call` is the name of the user's call in error messages. */
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
 * Returns the example value of a template, in which each matcher is replaced by its example. If an example is
 * generated, the contract file contains the same one.
 */
export function example<X>(template: X): Infer<X> {
  return JSON.parse(unwrap(native.exampleOf(toJsonText(template, 'example')))) as Infer<X>
}

/**
 * Maximum nesting depth. It exceeds the depth that the core accepts, but is small enough to prevent a stack overflow.
 */
const DEEPEST = 1_000

/** Converts values to JSON text. For speed, it uses plain loops, because it runs for every body in every test. */
export abstract class JsonWriter {
  /** The keys and indexes that lead to the current value, from the outermost to the innermost. */
  protected readonly path: (string | number)[] = []
  readonly #above: object[] = []

  /**
   * Returns the JSON text of a value that JSON cannot represent, or throws. `kind` is the value's type or tag, `circle`
   * for an object that contains itself, or `depth` for an object that is nested too deeply.
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

/** Advice for values that JSON cannot represent, by kind. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['undefined', 'undefined is not a JSON value. Omit the property, or use null'],
  ['circle', 'the value contains a circular reference'],
  ['depth', `the value is nested more than ${DEEPEST} levels deep`],
  ['Date', 'the JSON format of a Date is ambiguous. Use match.datetime(date) or date.toISOString()'],
  ['RegExp', 'a RegExp is not a JSON value. Use match.regex(example, regexp)'],
  ['Map', 'a Map is not a JSON value. Use Object.fromEntries(map)'],
  ['Set', 'a Set is not a JSON value. Use [...set]'],
])

/** Converts templates to JSON text. Throws for values that `JSON.stringify` would omit or change without an error. */
class TemplateWriter extends JsonWriter {
  readonly #call: string

  constructor(call: string) {
    super()
    this.#call = call
  }

  /** Also accepts matchers of other libraries that have the methods of pact-python's `AbstractMatcher`. */
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
