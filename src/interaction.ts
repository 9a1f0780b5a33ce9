import {
  bodyOptions,
  bytesOf,
  documentText,
  matchOf,
  type NamedValues,
  pairs,
  refuseBytes,
  refuseUnknown,
} from './arguments.js'
import { pathOf } from './directory.js'
import type { JsonObject, JsonValue } from './json.js'
import type { NativeInteraction } from './native/binding.js'
import { check } from './native/result.js'
import { type Matcher, type Template, toJsonText } from './template.js'
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
