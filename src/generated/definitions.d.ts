// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { NamedValues } from '../arguments.js'
import type { Part } from '../interaction.js'
import type { JsonObject } from '../json.js'
import type { Matcher, Template } from '../template.js'
import type { XmlElement } from '../xml-element.js'

/** A request as one object. */
export interface RequestDefinition {
  /** HTTP method. Default: GET, unless `defaults` sets another. */
  readonly method?: string | undefined
  /** A string or a matcher, without a query string. Default: `/`. */
  readonly path?: string | Matcher<string> | undefined
  /** Same as in `withQueryParameters`. */
  readonly query?: NamedValues | undefined
  /** Same as in `withHeaders`. */
  readonly headers?: NamedValues | undefined
  /** Same as in `withBody`. */
  readonly body?: unknown
  /** Same as in `withBinaryBody`. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** Same as in `withXmlBody`. */
  readonly xmlBody?: XmlElement | string | undefined
  /** Content type of the body. */
  readonly contentType?: string | undefined
}

/** A response as one object. */
export interface ResponseDefinition {
  /** Status code or matcher. Default: 200, unless `defaults` sets another. */
  readonly status?: number | Matcher<number> | undefined
  /** Same as in `withHeaders`. */
  readonly headers?: NamedValues | undefined
  /** Same as in `withBody`. */
  readonly body?: unknown
  /** Same as in `withBinaryBody`. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** Same as in `withXmlBody`. */
  readonly xmlBody?: XmlElement | string | undefined
  /** Content type of the body. */
  readonly contentType?: string | undefined
}

/** A provider state: its name, or its name with parameters. */
export interface StateDefinition {
  /** The name. */
  readonly name: string
  /** Parameters, as with `given`. */
  readonly parameters?: object | undefined
}

/** An HTTP interaction as one object. */
export interface InteractionDefinition {
  /** The description. Together with the provider states it must be unique in the contract. */
  readonly description: string
  /** Provider states: names, or states with parameters. */
  readonly states?: readonly (string | StateDefinition)[] | undefined
  /** The request. */
  readonly request: RequestDefinition
  /** The response. */
  readonly response: ResponseDefinition
  /** Comments (V4). */
  readonly comments?: JsonObject | undefined
  /** The key of the interaction (V4). */
  readonly key?: string | undefined
  /** Whether the interaction is pending (V4). */
  readonly pending?: boolean | undefined
  /** The name of the test that defines the interaction (V4). */
  readonly testName?: string | undefined
}

/** Defaults for interactions. */
export interface Defaults {
  /** Defaults for requests. */
  readonly request?: {
    /** The method. */
    readonly method?: string | undefined
    /** Query parameters. */
    readonly query?: NamedValues | undefined
    /** Headers. */
    readonly headers?: NamedValues | undefined
  } | undefined
  /** Defaults for responses. */
  readonly response?: {
    /** A status code or a matcher. */
    readonly status?: number | Matcher<number> | undefined
    /** Headers. */
    readonly headers?: NamedValues | undefined
  } | undefined
}

/** A part of a multipart body: a name and one of `json`, `text`, `file`, and `bytes`. */
export interface MultipartPart {
  /** The name of the form field. */
  readonly name: string
  /** JSON, which may contain matchers. */
  readonly json?: Template<unknown> | undefined
  /** A string, or a matcher. */
  readonly text?: string | Matcher<string> | undefined
  /** Path of a file, which is read immediately. It is compared by type. */
  readonly file?: string | URL | undefined
  /** Bytes, which are compared by type. */
  readonly bytes?: Uint8Array | ArrayBuffer | undefined
  /** Content type. Default: `application/json` for JSON, detected for files and bytes, none for text. */
  readonly contentType?: string | undefined
  /** File name. Default: the name of `file`. */
  readonly filename?: string | undefined
}

/** A plugin that a contract uses. */
export interface PluginReference {
  /** The name. */
  readonly plugin: string
  /** Minimum version; the highest installed version is used. Default: any. */
  readonly version?: string | undefined
}

/** Options of `withMultipartFile`. */
export interface MultipartFileOptions {
  /** Content type of the file. Default: detected from its content. */
  readonly contentType?: string | undefined
  /** File name in the body. Default: the name in the path. */
  readonly filename?: string | undefined
  /** Boundary between the parts. Default: a string that occurs in no part. */
  readonly boundary?: string | undefined
  /** The part of the interaction. Default: the part of the last `withRequest` or `willRespondWith`. */
  readonly part?: Part | undefined
}
