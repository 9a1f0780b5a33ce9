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

/** The part of an interaction to which a call applies. The capitalized names are equivalent. */
export type Part = 'request' | 'response' | 'Request' | 'Response'

/** The part of an asynchronous message, which has no response. */
export type MessagePart = 'request' | 'Request'

/** Options for calls that set a body. */
export interface BodyOptions<P extends Part = Part> {
  /**
   * The content type, such as `application/json`. Default: the `Content-Type` header, or else the type detected from
   * the body.
   */
  readonly contentType?: string | undefined
  /**
   * Whether the call applies to the request or the response. Default: the part of the last `withRequest` or
   * `willRespondWith`.
   */
  readonly part?: P | undefined
}

/** Options for calls that apply to either the request or the response. */
export interface PartOptions<P extends Part = Part> {
  /**
   * Whether the call applies to the request or the response. Default: the part of the last `withRequest` or
   * `willRespondWith`.
   */
  readonly part?: P | undefined
}

/** Options for calls that set a binary body. */
export interface BinaryOptions<P extends Part = Part> extends BodyOptions<P> {
  /**
   * `bytes` compares every byte. `contentType` accepts any content of the same type. Default: `bytes` for
   * `withBinaryBody`, `contentType` for `withBinaryFile`.
   */
  readonly match?: 'bytes' | 'contentType' | undefined
}

/** Parameters of a provider state: either one name and value, or an object with all parameters. */
export type GivenOptions =
  | {
      readonly name: string
      /** The value of the parameter. A string that contains valid JSON is parsed. */
      readonly value: JsonValue | object
      readonly parameters?: never
    }
  | {
      /** All parameters: an object, or the JSON text of an object. */
      readonly parameters: object | string
      readonly name?: never
      readonly value?: never
    }

/** The methods that all kinds of interactions have. `Contract.uponReceiving` creates interactions. */
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
   * Sets a text body: a string, or a matcher for the whole text. Default content type: `text/plain`, unless a header
   * sets another type.
   */
  withTextBody(body: string | Matcher<string>, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_text_body', { body }, options, part)
  }

  /**
   * Sets an XML body: its root element, or a string. Default content type: `application/xml`, unless a header sets
   * another type.
   */
  withXmlBody(root: XmlElement | string, options?: BodyOptions<P> | string, part?: P): this {
    return this.#body('with_xml_body', { root: xmlData(root) }, options, part)
  }

  /**
   * Sets a form body (`application/x-www-form-urlencoded`) with these fields. The value of a field is a string, a
   * matcher, or an array of these.
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
   * Sets a binary body; `null` means an empty body. Default content type: `application/octet-stream`. By default, every
   * byte is compared. With `{ match: 'contentType' }`, any content of the same type matches.
   */
  withBinaryBody(body: Uint8Array | ArrayBuffer | null, options?: BinaryOptions<P> | string, part?: P): this {
    return this.#body('with_binary_body', { body: bytesData('withBinaryBody', body) }, options, part)
  }

  /**
   * Sets the body to the contents of a file, which is read immediately. The content type is detected from the contents
   * unless it is set. By default, any content of the same type matches. With `{ match: 'bytes' }`, every byte is
   * compared.
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
   * Sets matching rules in the format of contract files. They replace rules at the same paths. A single rule or matcher
   * can be used instead of `{ combine, matchers }`.
   */
  withMatchingRules(rules: Template<JsonObject> | string, options?: PartOptions<P>): this {
    return apply(this, 'with_matching_rules', { rules }, options)
  }

  /** Sets generators in the format of contract files. They replace generators at the same paths. */
  withGenerators(generators: Template<JsonObject> | string, options?: PartOptions<P>): this {
    return apply(this, 'with_generators', { generators }, options)
  }

  /**
   * Sets a comment (V4), which can be any JSON value. `undefined` removes the comment, and `null` is stored as null.
   */
  setComment(key: string, value: JsonValue | object | undefined): this {
    return apply(this, 'set_comment', { key, value })
  }

  /** Adds a text comment (V4). */
  addTextComment(text: string): this {
    return apply(this, 'add_text_comment', { text })
  }

  /** Adds a reference (V4) to an external resource, such as an issue: `addReference('jira', 'ticket', 'ABC-7')`. */
  addReference(group: string, name: string, value: JsonValue | object): this {
    return apply(this, 'add_reference', { group, name, value })
  }

  /** Sets the key of the interaction (V4), such as `rename-user`. `null` removes the key. */
  setKey(key: string | null): this {
    return apply(this, 'set_key', { key })
  }

  /**
   * Sets whether the interaction is pending (V4). The failure of a pending interaction does not fail the verification.
   */
  setPending(pending: boolean): this {
    return apply(this, 'set_pending', { pending })
  }

  /** Marks the interaction as pending (V4), or as not pending with `false`. See `setPending`. */
  pending(pending = true): this {
    return this.setPending(pending)
  }

  /** Sets the name of the test that defines the interaction (V4). */
  testName(name: string): this {
    return apply(this, 'test_name', { name })
  }
}

trackCalls(Interaction)
