import type { ServeCallback, ServeOptions } from './contract.js'
import type { JsonObject, JsonValue } from './json.js'
import type { NativeInteraction } from './native/binding.js'
import { check } from './native/result.js'
import { isMatcher, type Matcher, type Template, toJsonText } from './template.js'

/** The part of an interaction that a call is about. Both spellings of the field are understood. */
export type Part = 'request' | 'response' | 'Request' | 'Response'

/** The one part of an asynchronous message. */
export type MessagePart = 'request' | 'Request'

/** Options of calls that set a body. */
export interface BodyOptions<P extends Part = Part> {
  /** The content type; told from the Content-Type header or the body when absent. */
  readonly contentType?: string
  /** The part; that of the last `withRequest` or `willRespondWith` when absent. */
  readonly part?: P
}

/** Options of calls that set something in a part. */
export interface PartOptions<P extends Part = Part> {
  /** The part; that of the last `withRequest` or `willRespondWith` when absent. */
  readonly part?: P
}

/** Arguments of `given`: one parameter as name and value, or all of them. */
export type GivenOptions =
  | {
      readonly name: string
      /** A text that is JSON stands for that value. */
      readonly value: JsonValue
      readonly parameters?: never
    }
  | {
      /** An object, or the JSON text of one. */
      readonly parameters: JsonObject | string
      readonly name?: never
      readonly value?: never
    }

/** The value of a header or a query parameter: text, a matcher, or several of them. */
export type NamedValue = string | number | boolean | Matcher<unknown> | NamedValueJson | readonly NamedValue[]

/** Matcher JSON as an object: `{ value, 'contract:matcher:type': 'regex', regex }`. */
export interface NamedValueJson {
  readonly value: string | readonly string[]
  readonly [key: string]: unknown
}

/** Headers or query parameters: a mapping, or pairs where a name stands several times. */
export type NamedValues = Readonly<Record<string, NamedValue>> | Iterable<readonly [string, NamedValue]>

/** What every kind of interaction has. Made by `Contract.uponReceiving`. */
export abstract class Interaction<P extends Part = Part> {
  /** @internal */
  protected readonly native: NativeInteraction

  /** @internal */
  constructor(native: NativeInteraction) {
    this.native = native
  }

  /**
   * A state that the provider must be in. Parameters of the same state merge, later ones win.
   *
   * @example
   * interaction.given('user exists', { parameters: { id: 123 } })
   */
  given(state: string, options?: GivenOptions): this {
    const { name, value, parameters, ...unknown } = options ?? {}
    refuseUnknown('given', unknown, 'parameters of the state go into { parameters: { … } }')
    check(
      this.native.given(
        state,
        name ?? null,
        value === undefined ? null : toJsonText(value, 'given'),
        parameters === undefined ? null : toJsonText(parameters, 'given'),
      ),
    )
    return this
  }

  /** Short for `given(state, { parameters })`. */
  givenWith(state: string, parameters: JsonObject): this {
    return this.given(state, { parameters })
  }

  /**
   * The body. A text is sent as it is; anything else is JSON, with matchers in it. `null` is JSON null, `undefined` takes
   * the body away.
   */
  withBody<T = unknown>(body: Template<T> | undefined, options?: BodyOptions<P> | string, part?: P): this {
    const { contentType, part: chosen } = bodyOptions(options, part)
    if (body === undefined) check(this.native.withTextBody(null, contentType, chosen))
    else if (typeof body === 'string') check(this.native.withTextBody(body, contentType, chosen))
    else check(this.native.withTemplateBody(toJsonText(body, 'withBody'), contentType, chosen))
    return this
  }

  /** The body as bytes; `null` for none. The type is `application/octet-stream` unless said otherwise. */
  withBinaryBody(body: Uint8Array | null, options?: BodyOptions<P> | string, part?: P): this {
    const { contentType, part: chosen } = bodyOptions(options, part)
    check(this.native.withBinaryBody(body, contentType, chosen))
    return this
  }

  /** Matching rules in the form of contract files; they replace rules at the same places. */
  withMatchingRules(rules: JsonObject | string, { part }: PartOptions<P> = {}): this {
    check(this.native.withMatchingRules(documentText(rules, 'withMatchingRules'), part ?? null))
    return this
  }

  /** Generators in the form of contract files; they replace generators at the same places. */
  withGenerators(generators: JsonObject | string, { part }: PartOptions<P> = {}): this {
    check(this.native.withGenerators(documentText(generators, 'withGenerators'), part ?? null))
    return this
  }

  /** A comment (V4). `undefined` takes it away, `null` is stored. */
  setComment(key: string, value: JsonValue | undefined): this {
    check(this.native.setComment(key, value === undefined ? null : toJsonText(value, 'setComment')))
    return this
  }

  /** A text among the comments (V4). */
  addTextComment(text: string): this {
    check(this.native.addTextComment(text))
    return this
  }

  /** A reference to something outside, such as an issue (V4). */
  addReference(group: string, name: string, value: JsonValue): this {
    check(this.native.addReference(group, name, toJsonText(value, 'addReference')))
    return this
  }

  /** A name for other parts to refer to (V4); `null` takes it away. */
  setKey(key: string | null): this {
    check(this.native.setKey(key))
    return this
  }

  /** Marks the interaction as one that the provider need not honour yet (V4). */
  setPending(pending: boolean): this {
    check(this.native.setPending(pending))
    return this
  }

  /** The name of the test that defines the interaction (V4). */
  testName(name: string): this {
    check(this.native.testName(name))
    return this
  }
}

/** A request and its response. */
export class HttpInteraction extends Interaction {
  readonly #serve: Serve

  /** @internal */
  constructor(native: NativeInteraction, serve: Serve) {
    super(native)
    this.#serve = serve
  }

  /** @internal */
  static nativeOf(interaction: HttpInteraction): NativeInteraction {
    return interaction.native
  }

  /** The request that the consumer makes. The path is a text or a matcher, without query. */
  withRequest(method: string, path: string | Matcher<string>): this {
    check(this.native.withRequest(method, toJsonText(path, 'withRequest')))
    return this
  }

  /** Begins the response; from here on, calls without a part are about it. */
  willRespondWith(status: number | Matcher<number>): this {
    check(this.native.willRespondWith(status === undefined ? null : toJsonText(status, 'willRespondWith')))
    return this
  }

  /** A header. Repeated calls add values; a text that is JSON with `value` is matcher JSON. */
  withHeader(name: string, value: NamedValue, part?: Part): this {
    check(this.native.withHeader(name, toJsonText(value, 'withHeader'), part ?? null))
    return this
  }

  /** Headers, each as with `withHeader`. */
  withHeaders(headers: NamedValues, part?: Part): this {
    for (const [name, value] of pairs(headers)) this.withHeader(name, value, part)
    return this
  }

  /** A header with a text that is not processed; replaces earlier values. */
  setHeader(name: string, value: string, part?: Part): this {
    check(this.native.setHeader(name, value, part ?? null))
    return this
  }

  /** Headers, each as with `setHeader`. */
  setHeaders(headers: Readonly<Record<string, string>> | Iterable<readonly [string, string]>, part?: Part): this {
    for (const [name, value] of pairs(headers)) this.setHeader(name, value, part)
    return this
  }

  /** A query parameter. Repeated calls add values; `null` is a name without value. */
  withQueryParameter(name: string, value: NamedValue | null): this {
    check(this.native.withQueryParameter(name, toJsonText(value, 'withQueryParameter')))
    return this
  }

  /** Query parameters, each as with `withQueryParameter`. */
  withQueryParameters(parameters: NamedValues): this {
    for (const [name, value] of pairs(parameters)) this.withQueryParameter(name, value)
    return this
  }

  /**
   * How often the test requests it: a number, or bounds. Without: once or more. Only the mock server looks at this, the
   * contract file does not hold it.
   */
  times(times: number | Times): this {
    check(this.native.times(toJsonText(times, 'times')))
    return this
  }

  /** Lets the test leave it unrequested; then it does not reach the contract file. */
  optional(optional = true): this {
    check(this.native.optional(optional))
    return this
  }

  /** Serves this interaction alone, whether or not it was served before: short for `contract.serve({ only: [this] }, test)`. */
  executeTest<T>(test: ServeCallback<T>): Promise<T>
  executeTest<T>(options: Omit<ServeOptions, 'only' | 'all'>, test: ServeCallback<T>): Promise<T>
  async executeTest<T>(first: ServeCallback<T> | ServeOptions, second?: ServeCallback<T>): Promise<T> {
    const test = typeof first === 'function' ? first : second
    if (test === undefined) throw new TypeError('executeTest: expected a function')
    const options = typeof first === 'function' ? {} : first
    return this.#serve({ ...options, only: [this] }, test)
  }
}

/** Bounds on how often a test requests an interaction. */
export interface Times {
  /** Default: 1. */
  readonly min?: number
  /** Default: no bound. */
  readonly max?: number
}

type Serve = <T>(options: ServeOptions, test: ServeCallback<T>) => Promise<T>

/** What messages have: metadata. */
abstract class MessageInteraction<P extends Part> extends Interaction<P> {
  /**
   * Metadata beside the contents: text, values or matchers. `null` takes an entry away, `''` stores the empty text and the
   * text `null` stores JSON null. The provider must have what stands here, and may have more.
   *
   * @example
   * message.withMetadata({ topic: 'orders', partition: match.int(3) })
   */
  withMetadata(metadata: Readonly<Record<string, Template<JsonValue>>>, { part }: PartOptions<P> = {}): this {
    for (const [key, value] of Object.entries(metadata)) {
      const text = value === null ? null : toJsonText(value, 'withMetadata')
      check(this.native.withMetadata(key, text, part ?? null))
    }
    return this
  }
}

/**
 * A message from the provider to the consumer. It has no response.
 *
 * @example
 * contract
 *   .uponReceiving('an order was placed', 'Async')
 *   .given('an order exists', { parameters: { id: 7 } })
 *   .withBody({ id: match.int(7) })
 *   .withMetadata({ topic: 'orders' })
 */
export class AsyncMessageInteraction extends MessageInteraction<MessagePart> {}

/**
 * A message from the consumer and the provider's responses: one, or several in order.
 *
 * @example
 * contract
 *   .uponReceiving('a question for the price of a book', 'Sync')
 *   .withBody({ isbn: match.str('978-3-16') })
 *   .willRespondWith()
 *   .withBody({ price: match.number(12.5) })
 */
export class SyncMessageInteraction extends MessageInteraction<Part> {
  /** Begins a response; each call begins a further one. */
  willRespondWith(...none: readonly []): this {
    const [status] = none as readonly unknown[]
    check(this.native.willRespondWith(status === undefined ? null : toJsonText(status, 'willRespondWith')))
    return this
  }
}

// The types say that these do not exist; callers without types get the reason instead of "is not a function".
Object.defineProperties(AsyncMessageInteraction.prototype, {
  willRespondWith: {
    value(this: { native: NativeInteraction }): void {
      check(this.native.willRespondWith(null))
    },
  },
})
Object.defineProperties(HttpInteraction.prototype, {
  withMetadata: {
    value(this: { native: NativeInteraction }): void {
      check(this.native.withMetadata('', null, null))
    },
  },
})

function bodyOptions(options: BodyOptions | string | undefined, part: Part | undefined) {
  const given = typeof options === 'string' ? { contentType: options } : (options ?? {})
  return { contentType: given.contentType ?? null, part: part ?? ('part' in given ? given.part : undefined) ?? null }
}

function documentText(document: JsonObject | string, what: string): string {
  return typeof document === 'string' ? document : toJsonText(document, what)
}

function pairs<V>(
  values: Readonly<Record<string, V>> | Iterable<readonly [string, V]>,
): Iterable<readonly [string, V]> {
  return Symbol.iterator in values && !isMatcher(values)
    ? (values as Iterable<readonly [string, V]>)
    : Object.entries(values as Readonly<Record<string, V>>)
}

function refuseUnknown(call: string, unknown: object, hint: string): void {
  const [name] = Object.keys(unknown)
  if (name !== undefined) {
    check({
      kind: 'argument',
      code: 'ERR_CONTRACT_GIVEN_ARGS',
      message: `${call}: there is no option ${name}; ${hint}`,
    })
  }
}
