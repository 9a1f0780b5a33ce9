// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { NamedValues } from '../arguments.js'
import type { Part } from '../interaction.js'
import type { JsonObject } from '../json.js'
import type { Matcher, Template } from '../template.js'
import type { XmlElement } from '../xml-element.js'

/** Defines a request. */
export interface RequestDefinition {
  /** HTTP method. Default: GET, unless `defaults` sets another method. */
  readonly method?: string | undefined
  /** Path as a string or matcher, without a query string. Default: `/`. */
  readonly path?: string | Matcher<string> | undefined
  /** Query parameters, as in `withQueryParameters`. */
  readonly query?: NamedValues | undefined
  /** Headers, as in `withHeaders`. */
  readonly headers?: NamedValues | undefined
  /** Body, as in `withBody`. */
  readonly body?: unknown
  /** Binary body, as in `withBinaryBody`. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** XML body, as in `withXmlBody`. */
  readonly xmlBody?: XmlElement | string | undefined
  /** Content type of the body. Default: as in the operation that sets this kind of body. */
  readonly contentType?: string | undefined
}

/** Defines a response. */
export interface ResponseDefinition {
  /** Status code, as a number or matcher. Default: 200, unless `defaults` sets another status. */
  readonly status?: number | Matcher<number> | undefined
  /** Headers, as in `withHeaders`. */
  readonly headers?: NamedValues | undefined
  /** Body, as in `withBody`. */
  readonly body?: unknown
  /** Binary body, as in `withBinaryBody`. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** XML body, as in `withXmlBody`. */
  readonly xmlBody?: XmlElement | string | undefined
  /** Content type of the body. Default: as in the operation that sets this kind of body. */
  readonly contentType?: string | undefined
}

/** A provider state with optional parameters. */
export interface StateDefinition {
  /** Name of the state. */
  readonly name: string
  /** Parameters of the state, as in `given`. */
  readonly parameters?: object | undefined
}

/** Defines an HTTP interaction. */
export interface InteractionDefinition {
  /** Description. The description and the provider states together must be unique in the contract. */
  readonly description: string
  /** Provider states: names, or objects with name and parameters. */
  readonly states?: readonly (string | StateDefinition)[] | undefined
  /** The request that the consumer sends. */
  readonly request: RequestDefinition
  /** The response that the provider must return. */
  readonly response: ResponseDefinition
  /** Comments by name (V4). */
  readonly comments?: JsonObject | undefined
  /** Key of the interaction (V4). */
  readonly key?: string | undefined
  /**
   * Whether the interaction is pending (V4). A failing verification of a pending interaction does not fail the
   * build.
   */
  readonly pending?: boolean | undefined
  /** Name of the test that defines the interaction (V4). */
  readonly testName?: string | undefined
}

/** Defaults for interactions that are defined later. */
export interface Defaults {
  /** Default method, query parameters, and headers. */
  readonly request?: {
    /** HTTP method. */
    readonly method?: string | undefined
    /** Query parameters. An interaction that sets a parameter with the same name replaces the default. */
    readonly query?: NamedValues | undefined
    /** Headers. An interaction that sets a header with the same name replaces the default. */
    readonly headers?: NamedValues | undefined
  } | undefined
  /** Default status and headers. */
  readonly response?: {
    /** Status code, as a number or matcher. */
    readonly status?: number | Matcher<number> | undefined
    /** Headers. An interaction that sets a header with the same name replaces the default. */
    readonly headers?: NamedValues | undefined
  } | undefined
}

/** A part of a multipart body. Set exactly one of `json`, `text`, `file`, and `bytes`. */
export interface MultipartPart {
  /** Name of the form field. */
  readonly name: string
  /** JSON contents, which may contain matchers. */
  readonly json?: Template<unknown> | undefined
  /** Text contents: a string or a matcher. */
  readonly text?: string | Matcher<string> | undefined
  /** Path of a file, which is read immediately. Its contents are compared by content type only. */
  readonly file?: string | URL | undefined
  /** Binary contents, which are compared by content type only. */
  readonly bytes?: Uint8Array | ArrayBuffer | undefined
  /** Content type. Default: `application/json` for JSON, none for text, and the detected type for files and bytes. */
  readonly contentType?: string | undefined
  /** File name. Default: the file name in `file`. */
  readonly filename?: string | undefined
}

/** A plugin that a contract uses. */
export interface PluginReference {
  /** Name of the plugin. */
  readonly plugin: string
  /** Minimum version. The highest installed version is used. Default: any version. */
  readonly version?: string | undefined
}

/** Options of `withMultipartFile`. */
export interface MultipartFileOptions {
  /** Content type of the file. Default: detected from its content. */
  readonly contentType?: string | undefined
  /** File name in the body. Default: the file name in the path. */
  readonly filename?: string | undefined
  /** Boundary between the parts. Default: a string that occurs in no part. */
  readonly boundary?: string | undefined
  /** Part of the interaction. Default: the part of the last call to `withRequest` or `willRespondWith`. */
  readonly part?: Part | undefined
}
