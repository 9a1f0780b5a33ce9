import { bearerToken } from './checked.js'
import type { ServeCallback, ServeOptions } from './contract.js'
import { pathOf } from './directory.js'
import { ContractArgumentError } from './errors.js'
import { type GraphQLRequest, requestText } from './graphql-request.js'
import type { JsonObject, JsonValue } from './json.js'
import type { NativeInteraction } from './native/binding.js'
import { check } from './native/result.js'
import { isMatcher, type Matcher, type Template, toJsonText } from './template.js'
import { isXmlElement, type XmlElement, xmlText } from './xml-element.js'

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

/** Options of calls that set a body of bytes. */
export interface BinaryOptions<P extends Part = Part> extends BodyOptions<P> {
  /** Whether every byte counts, or the type that the bytes turn out to have. */
  readonly match?: 'bytes' | 'contentType'
}

/** Options of `withMultipartFile`. */
export interface MultipartFileOptions {
  /** The type of the file; told from its content when absent. */
  readonly contentType?: string
  /** The name of the file in the body. Default: that of the path. */
  readonly filename?: string
  /** What stands between the parts of the body. Default: a text that occurs in none of them. */
  readonly boundary?: string
  /** The part of the interaction; that of the last `withRequest` or `willRespondWith` when absent. */
  readonly part?: Part
}

/** A part of a multipart body: a name, one of `json`, `text`, `file` and `bytes`, and how it is sent. */
export interface MultipartPart {
  /** The name of the form field. */
  readonly name: string
  /** JSON, with matchers in it. */
  readonly json?: Template<unknown>
  /** A text, or a matcher for one. */
  readonly text?: string | Matcher<string>
  /** The path of a file, read now. Compared by its type. */
  readonly file?: string | URL
  /** Bytes. Compared by their type. */
  readonly bytes?: Uint8Array | ArrayBuffer
  /** `application/json` for JSON; told from the content for files and bytes; none for a text. */
  readonly contentType?: string
  /** The name of a file. Default: that of `file`. */
  readonly filename?: string
}

/** A request as one object. */
export interface RequestDefinition {
  /** Default: GET. */
  readonly method?: string
  /** Default: `/`. */
  readonly path?: string | Matcher<string>
  readonly query?: NamedValues
  readonly headers?: NamedValues
  /** As with `withBody`; bytes and XML elements as well. */
  readonly body?: unknown
  /** The type of the body. */
  readonly contentType?: string
}

/** A response as one object. */
export interface ResponseDefinition {
  /** Default: 200. */
  readonly status?: number | Matcher<number>
  readonly headers?: NamedValues
  /** As with `withBody`; bytes and XML elements as well. */
  readonly body?: unknown
  /** The type of the body. */
  readonly contentType?: string
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
   * the body away. An element of `xml.element` is the root of an XML body.
   */
  withBody<T = unknown>(body: Template<T> | XmlElement | undefined, options?: BodyOptions<P> | string, part?: P): this {
    if (isXmlElement(body)) return this.withXmlBody(body, options, part)
    const value: unknown = body
    if (value !== undefined && typeof value !== 'string') return this.withJsonBody<unknown>(value, options, part)
    const { contentType, part: chosen } = bodyOptions(options, part)
    check(this.native.withTextBody(value ?? null, contentType, chosen))
    return this
  }

  /** A JSON body with matchers in it; a text is a JSON string. */
  withJsonBody<T = unknown>(body: Template<T>, options?: BodyOptions<P> | string, part?: P): this {
    const { contentType, part: chosen } = bodyOptions(options, part)
    refuseBytes(body)
    check(this.native.withTemplateBody(toJsonText(body, 'withBody'), contentType, chosen))
    return this
  }

  /** A body of text, or a matcher for the whole text. Its type is `text/plain` unless the call or a header says otherwise. */
  withTextBody(body: string | Matcher<string>, options?: BodyOptions<P> | string, part?: P): this {
    return this.#document('text', toJsonText(body, 'withTextBody'), options, part)
  }

  /** An XML body from its root element, or as text. Its type is `application/xml` unless the call or a header says otherwise. */
  withXmlBody(root: XmlElement | string, options?: BodyOptions<P> | string, part?: P): this {
    return this.#document('xml', isXmlElement(root) ? xmlText(root) : toJsonText(root, 'withXmlBody'), options, part)
  }

  /** The fields of a form (`application/x-www-form-urlencoded`): text, matchers, or several of them under one name. */
  withFormBody(fields: NamedValues, options?: BodyOptions<P> | string, part?: P): this {
    return this.#document('form', toJsonText([...pairs(fields)], 'withFormBody'), options, part)
  }

  /** @internal */
  protected document(kind: string, document: string, options?: BodyOptions<P> | string, part?: P): this {
    return this.#document(kind, document, options, part)
  }

  #document(kind: string, document: string, options?: BodyOptions<P> | string, part?: P): this {
    const { contentType, part: chosen } = bodyOptions(options, part)
    check(this.native.withDocumentBody(kind, document, contentType, chosen))
    return this
  }

  /**
   * The body as bytes; `null` for none. The type is `application/octet-stream` unless said otherwise. Every byte counts;
   * with `{ match: 'contentType' }` any bytes of the same type will do.
   */
  withBinaryBody(body: Uint8Array | ArrayBuffer | null, options?: BinaryOptions<P> | string, part?: P): this {
    const { contentType, part: chosen } = bodyOptions(options, part)
    const bytes = body === null ? null : bytesOf('withBinaryBody', body)
    check(this.native.withBinaryBody(bytes, matchOf(options), contentType, chosen))
    return this
  }

  /**
   * The body as the bytes of a file, read now. Any bytes of the same type will do; with `{ match: 'bytes' }` every byte
   * counts. The type is told from the content unless said otherwise.
   */
  withBinaryFile(path: string | URL, options?: BinaryOptions<P> | string, part?: P): this {
    const { contentType, part: chosen } = bodyOptions(options, part)
    check(this.native.withBinaryFile(pathOf(path), matchOf(options), contentType, chosen))
    return this
  }

  /**
   * Matching rules in the form of contract files; they replace rules at the same places. One rule or one matcher may stand
   * where the file has `{ combine, matchers }`.
   */
  withMatchingRules(rules: Template<JsonObject> | string, { part }: PartOptions<P> = {}): this {
    check(this.native.withMatchingRules(documentText(rules, 'withMatchingRules'), part ?? null))
    return this
  }

  /** Generators in the form of contract files; they replace generators at the same places. */
  withGenerators(generators: Template<JsonObject> | string, { part }: PartOptions<P> = {}): this {
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

  /** Short for `setPending(true)`. */
  pending(pending = true): this {
    return this.setPending(pending)
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
  withRequest(method: string, path: string | Matcher<string>): this
  /** The request as one object. */
  withRequest(request: RequestDefinition): this
  withRequest(first: string | RequestDefinition, path?: string | Matcher<string>): this {
    if (typeof first === 'string') {
      if (path === undefined) refuseCall('withRequest', 'give a path as well: withRequest(method, path)')
      check(this.native.withRequest(first, toJsonText(path, 'withRequest')))
      return this
    }
    const { method, path: chosen, query, headers, body, contentType, ...unknown } = definition('withRequest', first)
    refuseUnknown('withRequest', unknown, 'a request has method, path, query, headers, body and contentType')
    check(this.native.withRequest(method ?? null, chosen === undefined ? null : toJsonText(chosen, 'withRequest')))
    if (query !== undefined) this.withQueryParameters(query)
    return this.#part('request', headers, body, contentType)
  }

  /** Begins the response; from here on, calls without a part are about it. */
  willRespondWith(status: number | Matcher<number>): this
  /** The response as one object. */
  willRespondWith(response: ResponseDefinition): this
  willRespondWith(first: number | Matcher<number> | ResponseDefinition): this {
    if (typeof first !== 'object' || first === null || isMatcher(first)) {
      check(this.native.willRespondWith(first === undefined ? null : toJsonText(first, 'willRespondWith')))
      return this
    }
    const { status, headers, body, contentType, ...unknown } = first
    refuseUnknown('willRespondWith', unknown, 'a response has status, headers, body and contentType')
    check(
      status === undefined ? this.native.beginResponse() : this.native.willRespondWith(toJsonText(status, 'status')),
    )
    return this.#part('response', headers, body, contentType)
  }

  #part(part: Part, headers: NamedValues | undefined, body: unknown, contentType: string | undefined): this {
    if (headers !== undefined) this.withHeaders(headers, part)
    const options = contentType === undefined ? { part } : { part, contentType }
    if (isBytes(body)) return this.withBinaryBody(body, options)
    return body === undefined ? this : this.withBody(body, options)
  }

  /**
   * A GraphQL request in JSON. The query is compared as a document: blanks, line ends, commas and comments do not count,
   * the order of fields does.
   *
   * @example
   * interaction.withRequest('POST', '/graphql').withGraphQL({
   *   query: 'query User($id: ID!) { user(id: $id) { name } }',
   *   variables: { id: match.str('7') },
   * })
   */
  withGraphQL(request: GraphQLRequest, options?: BodyOptions | string, part?: Part): this {
    return this.document('graphql', requestText(request), options, part)
  }

  /**
   * Adds a file to a multipart body (`multipart/form-data`), or begins one; without a path the part is empty. Any file of
   * the same type will do.
   */
  withMultipartFile(
    name: string,
    path: string | URL | null,
    options: MultipartFileOptions | string = {},
    part?: Part,
    boundary?: string,
  ): this {
    const given: MultipartFileOptions = typeof options === 'string' ? { contentType: options } : options
    const value = { ...partFields(name, given.contentType, given.filename), boundary: given.boundary ?? boundary }
    const file = path === null ? undefined : pathOf(path)
    check(this.native.withMultipart(present({ ...value, file }), part ?? given.part ?? null))
    return this
  }

  /** Adds parts to a multipart body (`multipart/form-data`), or begins one. */
  withMultipart(
    parts: readonly MultipartPart[],
    { part, boundary }: { readonly part?: Part; readonly boundary?: string } = {},
  ): this {
    for (const { name, json, text, file, bytes, contentType, filename, ...unknown } of parts) {
      const call = `withMultipart ${JSON.stringify(name)}`
      refuseUnknown(call, unknown, 'a part has name, one of json, text, file and bytes, contentType and filename')
      const contents = [json, text, file, bytes].filter((content) => content !== undefined)
      if (contents.length > 1) refuseCall(call, 'a part has only one of json, text, file and bytes')
      const value = present({
        ...partFields(name, contentType, filename),
        boundary,
        json: json === undefined ? undefined : toJsonText(json, call),
        text: text === undefined ? undefined : toJsonText(text, call),
        file: file === undefined ? undefined : pathOf(file),
        bytes: bytes === undefined ? undefined : bytesOf(call, bytes),
      })
      check(this.native.withMultipart(value, part ?? null))
    }
    return this
  }

  /**
   * A cookie: of the request one of those in `Cookie`, wherever it stands among them; of the response one `Set-Cookie` with
   * any attributes. The value is a text or `match.regex`; with any other matcher every value will do.
   */
  withCookie(name: string, value: string | Matcher<string>, part?: Part): this {
    check(this.native.withCookie(name, toJsonText(value, 'withCookie'), part ?? null))
    return this
  }

  /** `Authorization: Bearer …` with any token like the example. */
  withBearerToken(example: string): this {
    return this.withHeader('Authorization', bearerToken(example), 'request')
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

function documentText(document: unknown, what: string): string {
  return typeof document === 'string' ? document : toJsonText(document, what)
}

/** @internal */
export function pairs<V>(
  values: Readonly<Record<string, V>> | Iterable<readonly [string, V]>,
): Iterable<readonly [string, V]> {
  return Symbol.iterator in values && !isMatcher(values)
    ? (values as Iterable<readonly [string, V]>)
    : Object.entries(values as Readonly<Record<string, V>>)
}

function matchOf(options: BinaryOptions | string | undefined): string | null {
  return typeof options === 'object' ? (options.match ?? null) : null
}

function partFields(name: string, contentType: string | undefined, filename: string | undefined) {
  return { name, contentType, filename }
}

/** Without what is undefined: to the core that would not be the same as absent. */
function present<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const known = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(known) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}

/** By tag: under Jest they come from many realms. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

function isBytes(value: unknown): value is Uint8Array | ArrayBuffer {
  return ArrayBuffer.isView(value) || tagOf(value) === 'ArrayBuffer'
}

function bytesOf(call: string, value: unknown): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (tagOf(value) === 'ArrayBuffer') return new Uint8Array(value as ArrayBuffer)
  if (['Blob', 'File'].includes(tagOf(value))) {
    refuseCall(call, 'a Blob is read asynchronously: give await blob.arrayBuffer()')
  }
  refuseCall(call, `the bytes must be a Uint8Array or an ArrayBuffer, got ${value === null ? 'null' : typeof value}`)
}

function refuseBytes(body: unknown): void {
  if (isBytes(body)) refuseCall('withBody', 'bytes are no JSON value: use withBinaryBody')
}

function definition<T>(call: string, value: T): T {
  if (typeof value !== 'object' || value === null) refuseCall(call, 'give a method and a path, or one object')
  return value
}

function refuseCall(call: string, problem: string): never {
  throw new ContractArgumentError('ERR_CONTRACT_ARGUMENTS', `${call}: ${problem}`)
}

/** @internal */
export function refuseUnknown(call: string, unknown: object, hint: string): void {
  const [name] = Object.keys(unknown)
  if (name === undefined) return
  const code = call === 'given' ? 'ERR_CONTRACT_GIVEN_ARGS' : 'ERR_CONTRACT_ARGUMENTS'
  throw new ContractArgumentError(code, `${call}: there is no option ${name}; ${hint}`)
}
