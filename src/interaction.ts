import {
  bodyOptions,
  bytesData,
  type NamedValues,
  pairs,
  pathData,
  pluginData,
  readable,
  refuseCall,
  xmlData,
} from './arguments.js'
import { bytesOf } from './encoded.js'
import type { PluginReference } from './generated/definitions.js'
import { apply, interactions } from './handles.js'
import type { JsonObject, JsonValue } from './json.js'
import type { NativeInteraction } from './native/binding.js'
import type { Matcher, Template } from './template.js'
import { isXmlElement, type XmlElement } from './xml-element.js'

/** The part of an interaction that a call is about. Both spellings of the field are understood. */
export type Part = 'request' | 'response' | 'Request' | 'Response'

/** The one part of an asynchronous message. */
export type MessagePart = 'request' | 'Request'

/** Options of calls that set a body. */
export interface BodyOptions<P extends Part = Part> {
  /** The content type; told from the Content-Type header or the body when absent. */
  readonly contentType?: string | undefined
  /** The part; that of the last `withRequest` or `willRespondWith` when absent. */
  readonly part?: P | undefined
}

/** Options of calls that set something in a part. */
export interface PartOptions<P extends Part = Part> {
  /** The part; that of the last `withRequest` or `willRespondWith` when absent. */
  readonly part?: P | undefined
}

/** Options of calls that set a body of bytes. */
export interface BinaryOptions<P extends Part = Part> extends BodyOptions<P> {
  /** Whether every byte counts, or the type that the bytes turn out to have. */
  readonly match?: 'bytes' | 'contentType' | undefined
}

/** Arguments of `given`: one parameter as name and value, or all of them. */
export type GivenOptions =
  | {
      readonly name: string
      /** A text that is JSON stands for that value. */
      readonly value: JsonValue | object
      readonly parameters?: never
    }
  | {
      /** An object, or the JSON text of one. */
      readonly parameters: object | string
      readonly name?: never
      readonly value?: never
    }

/** What every kind of interaction has. Made by `Contract.uponReceiving`. */
export abstract class Interaction<P extends Part = Part> {
  /** @internal */
  constructor(native: NativeInteraction) {
    interactions.set(this, native)
  }

  /**
   * A state that the provider must be in. Parameters of the same state merge, later ones win.
   *
   * @example
   * interaction.given('user exists', { parameters: { id: 123 } })
   */
  given(state: string, options?: GivenOptions): this {
    return apply(this, 'given', { state }, options)
  }

  /** Short for `given(state, { parameters })`. */
  givenWith(state: string, parameters: object): this {
    return this.given(state, { parameters })
  }

  /**
   * The body. A text is sent as it is; anything else is JSON, with matchers in it. `null` is JSON null, `undefined` takes
   * the body away. An element of `xml.element` is the root of an XML body.
   */
  withBody<T = unknown>(body: Template<T> | XmlElement | undefined, options?: BodyOptions<P> | string, part?: P): this {
    if (isXmlElement(body)) return this.withXmlBody(body, options, part)
    if (bytesOf(body)) refuseCall('withBody', 'bytes are no JSON value: use withBinaryBody')
    return this.#body('with_body', { body }, options, part)
  }

  /** A JSON body with matchers in it; a text is a JSON string. */
  withJsonBody<T = unknown>(body: Template<T>, options?: BodyOptions<P> | string, part?: P): this {
    if (bytesOf(body)) refuseCall('withJsonBody', 'bytes are no JSON value: use withBinaryBody')
    return this.#body('with_json_body', { body }, options, part)
  }

  /** A body of text, or a matcher for the whole text. Its type is `text/plain` unless the call or a header says otherwise. */
  withTextBody(body: string | Matcher<string>, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_text_body', { body }, options, part)
  }

  /** An XML body from its root element, or as text. Its type is `application/xml` unless the call or a header says otherwise. */
  withXmlBody(root: XmlElement | string, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_xml_body', { root: xmlData(root) }, options, part)
  }

  /** The fields of a form (`application/x-www-form-urlencoded`): text, matchers, or several of them under one name. */
  withFormBody(fields: NamedValues, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_form_body', { fields: readable('withFormBody', () => pairs(fields)) }, options, part)
  }

  #body(
    name: string,
    args: Record<string, unknown>,
    options?: BodyOptions | BinaryOptions | string,
    part?: Part,
  ): this {
    const [more, given] = bodyOptions(options, part)
    return apply(this, name, { ...args, ...more }, given)
  }

  /**
   * The body as bytes; `null` for none. The type is `application/octet-stream` unless said otherwise. Every byte counts;
   * with `{ match: 'contentType' }` any bytes of the same type will do.
   */
  withBinaryBody(body: Uint8Array | ArrayBuffer | null, options?: BinaryOptions<P> | string, part?: P): this {
    return this.#body('with_binary_body', { body: bytesData('withBinaryBody', body) }, options, part)
  }

  /**
   * The body as the bytes of a file, read now. Any bytes of the same type will do; with `{ match: 'bytes' }` every byte
   * counts. The type is told from the content unless said otherwise.
   */
  withBinaryFile(path: string | URL, options?: BinaryOptions<P> | string, part?: P): this {
    return this.#body('with_binary_file', { path: pathData(path) }, options, part)
  }

  /**
   * Starts a plugin for the contract, or takes part in one that runs already; it runs as long as the contract is there. What the
   * plugin claims, contents or protocol, it does for all interactions of the contract. Waits until the plugin can be called.
   *
   * @throws ContractArgumentError (`ERR_CONTRACT_PLUGIN`) when it is not installed or does not start; the text says where was looked,
   * what is there, and what the plugin wrote last
   */
  usingPlugin(plugin: PluginReference): this {
    return apply(this, 'using_plugin', pluginData('usingPlugin', plugin))
  }

  /**
   * The body as a plugin makes it of these contents (V4): with rules, generators and what the plugin wants to be kept. The plugin
   * is the one that claims the content type. Of a synchronous message one call may say all parts; a part that is named takes
   * only its own.
   *
   * @example
   * contract
   *   .uponReceiving('a request for a report')
   *   .usingPlugin({ plugin: 'csv', version: '0.0.6' })
   *   .withRequest('GET', '/report.csv')
   *   .willRespondWith(200)
   *   .withPluginContents({ csvHeaders: true, 'column:Name': "matching(type, 'Name')" }, 'text/csv')
   * @throws ContractArgumentError (`ERR_CONTRACT_PLUGIN`) when no plugin claims the type, or the one that does refuses
   */
  withPluginContents(contents: object | string, contentType: string, part?: P): this {
    return apply(this, 'with_plugin_contents', { contents, contentType }, part === undefined ? undefined : { part })
  }

  /**
   * Matching rules in the form of contract files; they replace rules at the same places. One rule or one matcher may stand
   * where the file has `{ combine, matchers }`.
   */
  withMatchingRules(rules: Template<JsonObject> | string, options?: PartOptions<P>): this {
    return apply(this, 'with_matching_rules', { rules }, options)
  }

  /** Generators in the form of contract files; they replace generators at the same places. */
  withGenerators(generators: Template<JsonObject> | string, options?: PartOptions<P>): this {
    return apply(this, 'with_generators', { generators }, options)
  }

  /** A comment (V4). `undefined` takes it away, `null` is stored. */
  setComment(key: string, value: JsonValue | object | undefined): this {
    return apply(this, 'set_comment', { key, value })
  }

  /** A text among the comments (V4). */
  addTextComment(text: string): this {
    return apply(this, 'add_text_comment', { text })
  }

  /** A reference to something outside, such as an issue (V4). */
  addReference(group: string, name: string, value: JsonValue | object): this {
    return apply(this, 'add_reference', { group, name, value })
  }

  /** A name for other parts to refer to (V4); `null` takes it away. */
  setKey(key: string | null): this {
    return apply(this, 'set_key', { key })
  }

  /** Marks the interaction as one that the provider need not honour yet (V4). */
  setPending(pending: boolean): this {
    return apply(this, 'set_pending', { pending })
  }

  /** Short for `setPending(true)`. */
  pending(pending = true): this {
    return this.setPending(pending)
  }

  /** The name of the test that defines the interaction (V4). */
  testName(name: string): this {
    return apply(this, 'test_name', { name })
  }
}
