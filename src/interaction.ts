import {
  bodyOptions,
  bytesData,
  type NamedValues,
  pairs,
  pathData,
  pluginData,
  readable,
  rejectCall,
  xmlData,
} from './arguments.js'
import { bytesOf } from './encoded.js'
import type { PluginReference } from './generated/definitions.js'
import { apply, interactions, trackCalls } from './handles.js'
import type { JsonObject, JsonValue } from './json.js'
import type { NativeInteraction } from './native/binding.js'
import type { Matcher, Template } from './template.js'
import { isXmlElement, type XmlElement } from './xml-element.js'

/** The part of an interaction that a call applies to. Lowercase and capitalized names are equivalent. */
export type Part = 'request' | 'response' | 'Request' | 'Response'

/** The only part of an asynchronous message. */
export type MessagePart = 'request' | 'Request'

/** Options of calls that set a body. */
export interface BodyOptions<P extends Part = Part> {
  /** The content type. Default: the `Content-Type` header, or else the type detected from the body. */
  readonly contentType?: string | undefined
  /** The part. Default: the part of the last `withRequest` or `willRespondWith`. */
  readonly part?: P | undefined
}

/** Options of calls that apply to a part. */
export interface PartOptions<P extends Part = Part> {
  /** The part. Default: the part of the last `withRequest` or `willRespondWith`. */
  readonly part?: P | undefined
}

/** Options of calls that set a binary body. */
export interface BinaryOptions<P extends Part = Part> extends BodyOptions<P> {
  /** `bytes` compares every byte. `contentType` accepts any content of the same type. */
  readonly match?: 'bytes' | 'contentType' | undefined
}

/** Arguments of `given`: one parameter as name and value, or all parameters. */
export type GivenOptions =
  | {
      readonly name: string
      /** The value. A string with valid JSON is parsed. */
      readonly value: JsonValue | object
      readonly parameters?: never
    }
  | {
      /** An object, or the JSON text of one. */
      readonly parameters: object | string
      readonly name?: never
      readonly value?: never
    }

/** The base class of all kinds of interactions. Created by `Contract.uponReceiving`. */
export abstract class Interaction<P extends Part = Part> {
  /** @internal */
  constructor(native: NativeInteraction) {
    interactions.set(this, native)
  }

  /**
   * Adds a provider state that the provider must set up. Repeated calls for the same state merge the parameters; later values
   * override earlier ones.
   *
   * @example
   * interaction.given('user exists', { parameters: { id: 123 } })
   */
  given(state: string, options?: GivenOptions): this {
    return apply(this, 'given', { state }, options)
  }

  /** Shorthand for `given(state, { parameters })`. */
  givenWith(state: string, parameters: object): this {
    return this.given(state, { parameters })
  }

  /**
   * Sets the body. A string is sent unchanged. Any other value is sent as JSON and can contain matchers. `null` is sent as
   * JSON null. `undefined` removes the body. An element created by `xml.element` becomes the root of an XML body.
   */
  withBody<T = unknown>(body: Template<T> | XmlElement | undefined, options?: BodyOptions<P> | string, part?: P): this {
    if (isXmlElement(body)) return this.withXmlBody(body, options, part)
    if (bytesOf(body)) rejectCall('withBody', 'the body is binary: use withBinaryBody()')
    return this.#body('with_body', { body }, options, part)
  }

  /** Sets a JSON body, which can contain matchers. A string is sent as a JSON string. */
  withJsonBody<T = unknown>(body: Template<T>, options?: BodyOptions<P> | string, part?: P): this {
    if (bytesOf(body)) rejectCall('withJsonBody', 'the body is binary: use withBinaryBody()')
    return this.#body('with_json_body', { body }, options, part)
  }

  /**
   * Sets a text body, or a matcher for the whole text. The content type is `text/plain`, unless this call or a header sets
   * a different type.
   */
  withTextBody(body: string | Matcher<string>, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_text_body', { body }, options, part)
  }

  /**
   * Sets an XML body from its root element or from a string. The content type is `application/xml`, unless this call or a
   * header sets a different type.
   */
  withXmlBody(root: XmlElement | string, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_xml_body', { root: xmlData(root) }, options, part)
  }

  /**
   * Sets the fields of a form (`application/x-www-form-urlencoded`). The value of a field is a string, a matcher, or an array
   * of them.
   */
  withFormBody(fields: NamedValues, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_form_body', { fields: readable('withFormBody', () => pairs(fields)) }, options, part)
  }

  #body(
    name: string,
    args: Record<string, unknown>,
    options?: BodyOptions | BinaryOptions | string,
    part?: Part,
  ): this {
    const [bodyArguments, rest] = bodyOptions(options, part)
    return apply(this, name, { ...args, ...bodyArguments }, rest)
  }

  /**
   * Sets a binary body. `null` sets an empty body. The default content type is `application/octet-stream`. By default, every
   * byte is compared. With `{ match: 'contentType' }`, any content of the same type matches.
   */
  withBinaryBody(body: Uint8Array | ArrayBuffer | null, options?: BinaryOptions<P> | string, part?: P): this {
    return this.#body('with_binary_body', { body: bytesData('withBinaryBody', body) }, options, part)
  }

  /**
   * Sets the body to the content of a file, which is read immediately. By default, any content of the same type matches, and
   * the content type is detected from the content. With `{ match: 'bytes' }`, every byte is compared.
   */
  withBinaryFile(path: string | URL, options?: BinaryOptions<P> | string, part?: P): this {
    return this.#body('with_binary_file', { path: pathData(path) }, options, part)
  }

  /**
   * Starts a plugin for the contract, or reuses a running one, and returns when it is ready. The plugin runs as long as the
   * contract exists and handles its content types and protocols for all interactions of the contract.
   *
   * @throws {ContractArgumentError} `ERR_CONTRACT_PLUGIN` if the plugin is not installed or does not start; the message
   * lists the searched directories, the installed plugins, and the plugin's last output
   */
  usingPlugin(plugin: PluginReference): this
  usingPlugin(name: string, version?: string | undefined): this
  usingPlugin(plugin: PluginReference | string, version?: string): this {
    return apply(this, 'using_plugin', pluginData('usingPlugin', plugin, version))
  }

  /**
   * Sets the body from plugin contents (V4), including matching rules, generators, and the plugin's own configuration. The
   * content type selects the plugin. For a synchronous message, one call can set all parts. With `part`, only that part is
   * set.
   *
   * @example
   * contract
   *   .uponReceiving('a request for a report')
   *   .usingPlugin({ plugin: 'csv', version: '0.0.6' })
   *   .withRequest('GET', '/report.csv')
   *   .willRespondWith(200)
   *   .withPluginContents({ csvHeaders: true, 'column:Name': "matching(type, 'Name')" }, 'text/csv')
   * @throws {ContractArgumentError} `ERR_CONTRACT_PLUGIN` if no plugin handles the content type, or the plugin returns an
   * error
   */
  withPluginContents(contents: object | string, contentType: string, part?: P): this {
    return apply(this, 'with_plugin_contents', { contents, contentType }, part === undefined ? undefined : { part })
  }

  /**
   * Sets matching rules in the format of contract files. New rules replace rules at the same paths. You can pass a single
   * rule or matcher instead of `{ combine, matchers }`.
   */
  withMatchingRules(rules: Template<JsonObject> | string, options?: PartOptions<P>): this {
    return apply(this, 'with_matching_rules', { rules }, options)
  }

  /** Sets generators in the format of contract files. New generators replace generators at the same paths. */
  withGenerators(generators: Template<JsonObject> | string, options?: PartOptions<P>): this {
    return apply(this, 'with_generators', { generators }, options)
  }

  /** Sets a comment (V4). `undefined` removes it; `null` is stored as null. */
  setComment(key: string, value: JsonValue | object | undefined): this {
    return apply(this, 'set_comment', { key, value })
  }

  /** Adds a text comment (V4). */
  addTextComment(text: string): this {
    return apply(this, 'add_text_comment', { text })
  }

  /** Adds a reference to something outside of the contract, such as an issue (V4). */
  addReference(group: string, name: string, value: JsonValue | object): this {
    return apply(this, 'add_reference', { group, name, value })
  }

  /** Sets the key of the interaction (V4); `null` removes it. */
  setKey(key: string | null): this {
    return apply(this, 'set_key', { key })
  }

  /** Marks the interaction as pending (V4). The failure of a pending interaction does not fail the verification. */
  setPending(pending: boolean): this {
    return apply(this, 'set_pending', { pending })
  }

  /** Shorthand for `setPending(true)`. */
  pending(pending = true): this {
    return this.setPending(pending)
  }

  /** Sets the name of the test that defines the interaction (V4). */
  testName(name: string): this {
    return apply(this, 'test_name', { name })
  }
}

trackCalls(Interaction)
