// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { NamedValues } from '../arguments.js'
import type { Part } from '../interaction.js'
import type { JsonObject } from '../json.js'
import type { Matcher, Template } from '../template.js'
import type { XmlElement } from '../xml-element.js'

/** A request as one object. */
export interface RequestDefinition {
  /** Default: GET, unless the defaults say otherwise. */
  readonly method?: string | undefined
  /** A text or a matcher, without query. Default: `/`. */
  readonly path?: string | Matcher<string> | undefined
  /** As with `withQueryParameters`. */
  readonly query?: NamedValues | undefined
  /** As with `withHeaders`. */
  readonly headers?: NamedValues | undefined
  /** As with `withBody`. */
  readonly body?: unknown
  /** As with `withBinaryBody`. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** As with `withXmlBody`. */
  readonly xmlBody?: XmlElement | string | undefined
  /** The type of the body. */
  readonly contentType?: string | undefined
}

/** A response as one object. */
export interface ResponseDefinition {
  /** A number or a matcher. Default: 200, unless the defaults say otherwise. */
  readonly status?: number | Matcher<number> | undefined
  /** As with `withHeaders`. */
  readonly headers?: NamedValues | undefined
  /** As with `withBody`. */
  readonly body?: unknown
  /** As with `withBinaryBody`. */
  readonly binaryBody?: Uint8Array | ArrayBuffer | undefined
  /** As with `withXmlBody`. */
  readonly xmlBody?: XmlElement | string | undefined
  /** The type of the body. */
  readonly contentType?: string | undefined
}

/** A provider state with parameters, or its name alone. */
export interface StateDefinition {
  /** The name. */
  readonly name: string
  /** As with `given`. */
  readonly parameters?: object | undefined
}

/** An HTTP interaction as one object. */
export interface InteractionDefinition {
  /** Description and provider states together name it. */
  readonly description: string
  /** The states that the provider must be in: names, or states with parameters. */
  readonly states?: readonly (string | StateDefinition)[] | undefined
  /** The request. */
  readonly request: RequestDefinition
  /** The response. */
  readonly response: ResponseDefinition
  /** Comments (V4). */
  readonly comments?: JsonObject | undefined
  /** A name for other parts to refer to (V4). */
  readonly key?: string | undefined
  /** Whether the provider need not honour it yet (V4). */
  readonly pending?: boolean | undefined
  /** The name of the test that defines it (V4). */
  readonly testName?: string | undefined
}

/** What interactions have unless they say otherwise. */
export interface Defaults {
  /** Of requests. */
  readonly request?: {
    /** The method. */
    readonly method?: string | undefined
    /** Query parameters. */
    readonly query?: NamedValues | undefined
    /** Headers. */
    readonly headers?: NamedValues | undefined
  } | undefined
  /** Of responses. */
  readonly response?: {
    /** A number or a matcher. */
    readonly status?: number | Matcher<number> | undefined
    /** Headers. */
    readonly headers?: NamedValues | undefined
  } | undefined
}

/** A part of a multipart body: a name, one of `json`, `text`, `file` and `bytes`, and how it is sent. */
export interface MultipartPart {
  /** The name of the form field. */
  readonly name: string
  /** JSON, with matchers in it. */
  readonly json?: Template<unknown> | undefined
  /** A text, or a matcher for it. */
  readonly text?: string | Matcher<string> | undefined
  /** The path of a file, read now; compared by its type. */
  readonly file?: string | URL | undefined
  /** Bytes; compared by their type. */
  readonly bytes?: Uint8Array | ArrayBuffer | undefined
  /** `application/json` for JSON; told from the content for files and bytes; none for a text. */
  readonly contentType?: string | undefined
  /** The name of a file. Default: that of `file`. */
  readonly filename?: string | undefined
}

/** A plugin that a contract uses. */
export interface PluginReference {
  /** Its name. */
  readonly plugin: string
  /** An installed version that is the same or later serves; the highest does. Default: any. */
  readonly version?: string | undefined
}

/** Options of `withMultipartFile`. */
export interface MultipartFileOptions {
  /** The type of the file; told from its content when absent. */
  readonly contentType?: string | undefined
  /** The name of the file in the body. Default: that of the path. */
  readonly filename?: string | undefined
  /** What stands between the parts of the body. Default: a text that occurs in none of them. */
  readonly boundary?: string | undefined
  /** The part of the interaction; that of the last `withRequest` or `willRespondWith` when absent. */
  readonly part?: Part | undefined
}
