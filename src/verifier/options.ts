import type { App, AppObject } from '../app.js'
import type {
  FilterOptions,
  MessageHandlerOptions,
  PluginOptions,
  PublishOptions,
  RedirectOptions,
  SourceOptions,
  StateHandlerOptions,
  TlsOptions,
} from '../generated/options.js'
import type { InteractionInfo, InteractionReport } from '../generated/report.js'
import type { JsonObject } from '../json.js'
import type { MessageFunction, MessageMapping } from '../message-handlers.js'
import type { BrokerSourceOptions, SelectorOptions } from './broker-source.js'
import type { RequestFilter } from './request.js'
import type { StateFunction, StateMapping } from './states.js'

/**
 * Contracts to verify: a file, a directory (searched recursively), a glob pattern such as `contracts/**\/*-users.json`,
 * a URL, or a contract as an object or JSON text.
 */
export type Source =
  | string
  | URL
  | ({ readonly url: string | URL } & SourceOptions)
  | { readonly json: JsonObject | string; readonly name?: string | undefined }
  | { readonly interactions: readonly unknown[]; readonly [member: string]: unknown }
  | { readonly messages: readonly unknown[]; readonly [member: string]: unknown }

/** How to reach the provider: a base URL, or the parts of a URL. */
export interface TransportOptions {
  /** The base URL. Cannot be combined with `scheme`, `host`, `port`, and `path`. */
  readonly url?: string | URL | undefined
  /** The name by which interactions refer to this transport. Default: `http`. */
  readonly protocol?: string | undefined
  /** The URL scheme: `http` or `https`. Default: `http`. */
  readonly scheme?: string | undefined
  /** The host name or IP address. Default: `127.0.0.1`. */
  readonly host?: string | undefined
  /** The port. Default: the default port of the scheme. */
  readonly port?: number | undefined
  /** The path that precedes the path of each request, such as `/v1`. Default: none. */
  readonly path?: string | undefined
}

/** An application in this process. It listens on a free port of 127.0.0.1 while a verification runs. */
export interface AppTransport {
  readonly app: App
  /** The name by which interactions refer to this transport. Default: `http`. */
  readonly protocol?: string | undefined
  /** The path that precedes the path of each request, such as `/v1`. Default: none. */
  readonly path?: string | undefined
}

/** The argument of `brokerSource`: a base URL or an object with options. */
export type BrokerSourceArgument =
  | (BrokerSourceOptions & { readonly selector?: SelectorOptions | boolean })
  | string
  | URL

/** The argument of `addTransport`: a base URL, the parts of a URL, an application, or message handlers. */
export type TransportArgument =
  | string
  | URL
  | TransportOptions
  | AppTransport
  | AppObject
  | MessageFunction
  | MessageMapping

/** The value of a header, or a function that returns the value and is called for each request. */
export type HeaderValue = string | (() => string | Promise<string>)

/**
 * A function that is called before the provider states of each interaction are set up. If it throws, the interaction
 * fails.
 */
export type BeforeEach = (context: { readonly interaction: InteractionInfo }) => unknown

/**
 * A function that is called with the result of each interaction after its provider states were torn down. If it throws,
 * the interaction fails.
 */
export type AfterEach = (context: { readonly interaction: InteractionInfo }, result: InteractionReport) => unknown

/** Options for the `Verifier` constructor. Each option has the same effect as a method call. */
export interface VerifierOptions {
  /** The contracts to verify: files, directories, glob patterns, URLs, and contracts. See `addSource`. */
  readonly sources?: readonly Source[] | undefined
  /**
   * The broker from which the provider's contracts are fetched: a base URL, or an object with options. Its `selector`
   * selects the contracts. See `brokerSource`.
   */
  readonly brokerSource?:
    | (BrokerSourceOptions & { readonly selector?: SelectorOptions | false })
    | string
    | URL
    | undefined
  /**
   * Publishes the results to the broker for this version of the provider. By default, results are not published. See
   * `setPublishOptions`.
   */
  readonly publishOptions?: PublishOptions | undefined
  /** How to reach the provider: base URLs, parts of URLs, applications, and message handlers. See `addTransport`. */
  readonly transports?: readonly TransportArgument[] | undefined
  /**
   * Sets up provider states: an object that maps state names to functions, one function for all states, or a URL of the
   * provider. See the `stateHandler` method.
   */
  readonly stateHandler?: StateFunction | StateMapping | string | URL | undefined
  /** Options for `stateHandler`, such as whether states are torn down. */
  readonly stateHandlerOptions?: StateHandlerOptions | undefined
  /**
   * Creates messages: an object that maps descriptions to functions or fixed messages, or one function for all
   * descriptions. See the `messageHandler` method.
   */
  readonly messageHandler?: MessageFunction | MessageMapping | undefined
  /** Options for `messageHandler`, such as the timeout for a handler. */
  readonly messageHandlerOptions?: MessageHandlerOptions | undefined
  /**
   * Verifies only interactions that match all criteria. A string or `RegExp` is matched against any part of the
   * description. See the `filter` method.
   */
  readonly filter?: FilterOptions | string | RegExp | undefined
  /** Names of consumers whose contracts are verified. Default: all consumers. */
  readonly filterConsumers?: readonly string[] | undefined
  /**
   * Headers that are set in every request to the provider. They replace headers in the contract. See
   * `addCustomHeaders`.
   */
  readonly customHeaders?: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, HeaderValue]> | undefined
  /** A function that can change each request before it is sent to the provider. See the `requestFilter` method. */
  readonly requestFilter?: RequestFilter | undefined
  /** A function that is called before each interaction. If it throws, the interaction fails. */
  readonly beforeEach?: BeforeEach | undefined
  /** A function that is called with the result after each interaction. If it throws, the interaction fails. */
  readonly afterEach?: AfterEach | undefined
  /** Timeout for one request, from connecting to the last byte of the response, in milliseconds. Default: 5000. */
  readonly requestTimeout?: number | undefined
  /** Timeout for one call to a handler, filter, hook, or header function, in milliseconds. Default: 30000. */
  readonly callbackTimeout?: number | undefined
  /** Maximum size of a decompressed response, in bytes. Default: 64 MiB. */
  readonly bodyLimit?: number | undefined
  /** Maximum size of the values generated for one request or message, in bytes. Default: 64 MiB. */
  readonly generatedSize?: number | undefined
  /** Maximum size of the regular expressions compiled for one response or message, in bytes. Default: 256 MiB. */
  readonly patternSize?: number | undefined
  /** Maximum size of one contract, in bytes. Default: 64 MiB. */
  readonly sourceLimit?: number | undefined
  /** Maximum total size of the contracts for one verification, in bytes. Default: 512 MiB. */
  readonly totalSourceLimit?: number | undefined
  /** Maximum number of directories that are searched for one source. Default: 100000. */
  readonly directoryLimit?: number | undefined
  /**
   * Certificates for connections to the provider, to the URL that sets up its states, and to URLs of contracts, in PEM
   * format. See the `tls` method.
   */
  readonly tls?: TlsOptions | undefined
  /** Whether any server certificate is accepted without verification. Default: false. */
  readonly disableSslVerification?: boolean | undefined
  /**
   * The HTTP version of all requests. By default, requests use HTTP/1.1, or HTTP/2 if the server selects it during the
   * TLS handshake.
   */
  readonly httpVersion?: '1.1' | '2' | undefined
  /**
   * Whether redirects from the provider are followed. An object follows them with these options. Default: true. See the
   * `followRedirects` method.
   */
  readonly followRedirects?: boolean | RedirectOptions | undefined
  /** Whether the verification fails if no contract for this provider is found. Default: true. */
  readonly errorOnEmptyContract?: boolean | undefined
  /** Whether the output is colored. Default: true if standard error is a terminal. */
  readonly colouredOutput?: boolean | undefined
  /**
   * Whether printing of pending failures, broker notices, warnings, and published results is disabled. Default: false.
   */
  readonly quiet?: boolean | undefined
  /** Directories to search for plugins, and the plugins' timeouts. See `setPlugins`. */
  readonly plugins?: PluginOptions | undefined
}
