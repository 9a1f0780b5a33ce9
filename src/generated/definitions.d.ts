// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { NamedValues } from '../arguments.js'
import type { Part } from '../interaction.js'
import type { JsonObject } from '../json.js'
import type { Matcher, Template } from '../template.js'
import type { XmlElement } from '../xml-element.js'

/** Arguments of the `withRequest` operation. */
export interface RequestDefinition {
  /** HTTP method. Default: GET, unless `defaults` sets another method. */
  readonly method?: string | undefined
  /** Path as a string or matcher, without a query string. Default: `/`. */
  readonly path?: string | Matcher<string> | undefined
  /**
   * Query parameters by name. A value is a string, matcher JSON, or an array of these; null adds the name without a
   * value.
   */
  readonly query?: NamedValues | undefined
  /** Headers by name. A value is a string, matcher JSON, or an array of these. */
  readonly headers?: NamedValues | undefined
  /** Body: a string that is used unchanged, or a JSON template. Set at most one of the three body arguments. */
  readonly body?: unknown
  /** Binary body, of which every byte is compared. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** XML body: a document as a string, or an element `{ name, attributes, children, each }`. */
  readonly xmlBody?: XmlElement | string | undefined
  /**
   * Content type of the body. The default is that of `withBody`, `withBinaryBody`, or `withXmlBody`, depending
   * on which body is set.
   */
  readonly contentType?: string | undefined
}

/** Arguments of the `willRespondWith` operation. */
export interface ResponseDefinition {
  /** Status code from 100 to 599, as a number or matcher JSON. Default: 200, unless `defaults` sets another status. */
  readonly status?: number | Matcher<number> | undefined
  /** Headers by name. A value is a string, matcher JSON, or an array of these. */
  readonly headers?: NamedValues | undefined
  /** Body: a string that is used unchanged, or a JSON template. Set at most one of the three body arguments. */
  readonly body?: unknown
  /** Binary body, of which every byte is compared. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** XML body: a document as a string, or an element `{ name, attributes, children, each }`. */
  readonly xmlBody?: XmlElement | string | undefined
  /**
   * Content type of the body. The default is that of `withBody`, `withBinaryBody`, or `withXmlBody`, depending
   * on which body is set.
   */
  readonly contentType?: string | undefined
}

/** A provider state. In JSON, a name, or an object with `name` and `parameters`. */
export interface StateDefinition {
  readonly name: string
  /**
   * Parameters of the state: an object, or a string that contains a JSON object. Any other JSON text becomes
   * `{ value: parsed }`, and other text becomes `{ value: text }`.
   */
  readonly parameters?: object | undefined
}

/** Arguments of the `interaction` operation. */
export interface InteractionDefinition {
  /** Description. No other interaction of the contract may have the same description and provider states. */
  readonly description: string
  /** Provider states. In JSON, each is a name, or an object with `name` and `parameters`. */
  readonly states?: readonly (string | StateDefinition)[] | undefined
  /** The request that the consumer sends. */
  readonly request: RequestDefinition
  /** The response that the provider must return. */
  readonly response: ResponseDefinition
  /** Comments by name (V4). */
  readonly comments?: JsonObject | undefined
  /** Key that identifies the interaction when contracts are merged (V4). */
  readonly key?: string | undefined
  /** Whether the interaction is pending (V4): a failing verification does not fail the build. Default: false. */
  readonly pending?: boolean | undefined
  /** Name of the test that defines the interaction (V4). */
  readonly testName?: string | undefined
}

/** Arguments of the contract operation `defaults`. */
export interface Defaults {
  /** Defaults for requests: method, query parameters, and headers. */
  readonly request?: {
    /** HTTP method of requests that do not set one. Default: GET. */
    readonly method?: string | undefined
    /** Query parameters. An interaction that sets a parameter with the same name replaces the default. */
    readonly query?: NamedValues | undefined
    /** Headers. An interaction that sets a header with the same name replaces the default. */
    readonly headers?: NamedValues | undefined
  } | undefined
  /** Defaults for responses: status and headers. */
  readonly response?: {
    /** Status code of responses that do not set one, as a number or matcher JSON. Default: 200. */
    readonly status?: number | Matcher<number> | undefined
    /** Headers. An interaction that sets a header with the same name replaces the default. */
    readonly headers?: NamedValues | undefined
  } | undefined
}

/** A part of a multipart body. Set at most one of `json`, `text`, `file`, and `bytes`; without them, the part is empty. */
export interface MultipartPart {
  /** Name of the form field. */
  readonly name: string
  /** JSON contents, which may contain matchers. */
  readonly json?: Template<unknown> | undefined
  /** Text contents: a string, or matcher JSON for the whole text. */
  readonly text?: string | Matcher<string> | undefined
  /** Path of a file, which is read immediately. Its contents are compared by content type only. */
  readonly file?: string | URL | undefined
  /** Binary contents, which are compared by content type only. */
  readonly bytes?: Uint8Array | ArrayBuffer | undefined
  /** Content type. Default: `application/json` for JSON, none for text, and the detected type for files and bytes. */
  readonly contentType?: string | undefined
  /** File name. Default: the last component of the path in `file`, otherwise none. */
  readonly filename?: string | undefined
}

/** A plugin that a contract uses. */
export interface PluginReference {
  /** Name of the plugin. */
  readonly plugin: string
  /** Minimum version, such as `1.2.0`; the highest installed version is used. Default: any version. */
  readonly version?: string | undefined
}

/** Options for `withMultipartFile`. */
export interface MultipartFileOptions {
  /** Content type of the file. Default: detected from its content. */
  readonly contentType?: string | undefined
  /** File name in the body. Default: the last component of the path. */
  readonly filename?: string | undefined
  /** Boundary between the parts. Default: a string that occurs in no part. */
  readonly boundary?: string | undefined
  /** Part of the interaction. Default: the part of the last call to `withRequest` or `willRespondWith`. */
  readonly part?: Part | undefined
}
