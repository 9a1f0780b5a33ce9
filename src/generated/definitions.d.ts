// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { NamedValues } from '../arguments.js'
import type { Part } from '../interaction.js'
import type { JsonObject } from '../json.js'
import type { Matcher, Template } from '../template.js'
import type { XmlElement } from '../xml-element.js'

/** A request as one value. */
export interface RequestDefinition {
  /** That of the defaults when absent, else GET. */
  readonly method?: string | undefined
  /** A text or a matcher, without query; `/` when absent. */
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

/** A response as one value. */
export interface ResponseDefinition {
  /** A number or a matcher; that of the defaults when absent, else 200. */
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

/** A provider state: its name, or `{ name, parameters }`. */
export interface StateDefinition {
  /** The name. */
  readonly name: string
  /** As with `given`. */
  readonly parameters?: object | undefined
}

/** An HTTP interaction as one value. */
export interface InteractionDefinition {
  /** Description and provider states together name it. */
  readonly description: string
  /** Names of states, or states with parameters. */
  readonly states?: readonly (string | StateDefinition)[] | undefined
  /** The request. */
  readonly request: RequestDefinition
  /** The response. */
  readonly response: ResponseDefinition
  /** Comments by name (V4). */
  readonly comments?: JsonObject | undefined
  /** A name for other parts to refer to (V4). */
  readonly key?: string | undefined
  /** Whether the provider need not honour it yet (V4). */
  readonly pending?: boolean | undefined
  /** The name of the test that defines it. */
  readonly testName?: string | undefined
}

/** What requests have unless they say otherwise. */
export interface RequestDefaults {
  /** The method. */
  readonly method?: string | undefined
  /** Query parameters. */
  readonly query?: NamedValues | undefined
  /** Headers. */
  readonly headers?: NamedValues | undefined
}

/** What responses have unless they say otherwise. */
export interface ResponseDefaults {
  /** A number or a matcher. */
  readonly status?: number | Matcher<number> | undefined
  /** Headers. */
  readonly headers?: NamedValues | undefined
}

/** What interactions have unless they say otherwise. */
export interface Defaults {
  /** Of requests. */
  readonly request?: RequestDefaults | undefined
  /** Of responses. */
  readonly response?: ResponseDefaults | undefined
}

/** A part of a multipart body: a name, one of `json`, `text`, `file` and `bytes`, and how it is sent. */
export interface MultipartPart {
  /** The name of the form field. */
  readonly name: string
  /** JSON with matchers in it. */
  readonly json?: Template<unknown> | undefined
  /** A text, or a matcher for it. */
  readonly text?: string | Matcher<string> | undefined
  /** The path of a file, read now; compared by its type. */
  readonly file?: string | URL | undefined
  /** Bytes; compared by their type. */
  readonly bytes?: Uint8Array | ArrayBuffer | undefined
  /** `application/json` for JSON; told from the content for files and bytes; none for a text. */
  readonly contentType?: string | undefined
  /** The name of the file; that of `file` when absent. */
  readonly filename?: string | undefined
}

/** A plugin that a contract uses. */
export interface PluginReference {
  /** Its name. */
  readonly plugin: string
  /** The least version; any when absent. */
  readonly version?: string | undefined
}

/** Options of `withMultipartFile`. */
export interface MultipartFileOptions {
  /** Told from the content when absent. */
  readonly contentType?: string | undefined
  /** That of the path when absent. */
  readonly filename?: string | undefined
  /** What stands between the parts; a text that occurs in none of them when absent. */
  readonly boundary?: string | undefined
  /** The part of the interaction. */
  readonly part?: Part | undefined
}
