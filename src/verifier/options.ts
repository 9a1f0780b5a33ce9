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
 * Contracts to verify: a file, a directory (searched recursively), a pattern such as `contracts/**\/*-users.json`, a URL,
 * or a contract as an object or JSON text.
 */
export type Source =
  | string
  | URL
  | ({ readonly url: string | URL } & SourceOptions)
  | { readonly json: JsonObject | string; readonly name?: string | undefined }
  | { readonly interactions: readonly unknown[]; readonly [member: string]: unknown }
  | { readonly messages: readonly unknown[]; readonly [member: string]: unknown }

/** A way to reach the provider: its base URL, or the parts of a URL. */
export interface TransportOptions {
  /** The base URL. Cannot be combined with `scheme`, `host`, `port`, and `path`. */
  readonly url?: string | URL | undefined
  /** The name of the transport in interactions. Default: `http`. */
  readonly protocol?: string | undefined
  /** The URL scheme: `http` or `https`. Default: `http`. */
  readonly scheme?: string | undefined
  /** The host. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** The port. Default: the default port of the scheme. */
  readonly port?: number | undefined
  /** The prefix of every request path. */
  readonly path?: string | undefined
}

/** An application in this process. It listens on a free port of 127.0.0.1 while a verification runs. */
export interface AppTransport {
  readonly app: App
  /** The name of the transport in interactions. Default: `http`. */
  readonly protocol?: string | undefined
  /** The prefix of every request path. */
  readonly path?: string | undefined
}

/** The argument of `brokerSource`: a base URL or an object with options. */
export type BrokerSourceArgument =
  | (BrokerSourceOptions & { readonly selector?: SelectorOptions | boolean })
  | string
  | URL

/** The argument of `addTransport`. */
export type TransportArgument =
  | string
  | URL
  | TransportOptions
  | AppTransport
  | AppObject
  | MessageFunction
  | MessageMapping

/** The value of a header, or a function that returns it for each request. */
export type HeaderValue = string | (() => string | Promise<string>)

/** A function that is called before the provider states of each interaction are set up. */
export type BeforeEach = (context: { readonly interaction: InteractionInfo }) => unknown

/** A function that is called after the provider states of each interaction are torn down. */
export type AfterEach = (context: { readonly interaction: InteractionInfo }, result: InteractionReport) => unknown

/** Options of the `Verifier` constructor. Each option corresponds to a method. */
export interface VerifierOptions {
  /** Contract sources. Each item is passed to `addSource`. */
  readonly sources?: readonly Source[] | undefined
  /** Calls `brokerSource`: a base URL or an object with options, including `selector`. */
  readonly brokerSource?:
    | (BrokerSourceOptions & { readonly selector?: SelectorOptions | false })
    | string
    | URL
    | undefined
  /** See `setPublishOptions`. */
  readonly publishOptions?: PublishOptions | undefined
  /** Calls `addTransport` with each item. */
  readonly transports?: readonly TransportArgument[] | undefined
  /** See `stateHandler`. */
  readonly stateHandler?: StateFunction | StateMapping | string | URL | undefined
  /** The second argument of `stateHandler`. */
  readonly stateHandlerOptions?: StateHandlerOptions | undefined
  /** See `messageHandler`. */
  readonly messageHandler?: MessageFunction | MessageMapping | undefined
  /** The second argument of `messageHandler`. */
  readonly messageHandlerOptions?: MessageHandlerOptions | undefined
  /** See `filter`. */
  readonly filter?: FilterOptions | string | RegExp | undefined
  /** See `filterConsumers`. */
  readonly filterConsumers?: readonly string[] | undefined
  /** See `addCustomHeaders`. */
  readonly customHeaders?: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, HeaderValue]> | undefined
  /** See `requestFilter`. */
  readonly requestFilter?: RequestFilter | undefined
  /** See `beforeEach`. */
  readonly beforeEach?: BeforeEach | undefined
  /** See `afterEach`. */
  readonly afterEach?: AfterEach | undefined
  /** Timeout of one request, in milliseconds. Default: 5000. See `setRequestTimeout`. */
  readonly requestTimeout?: number | undefined
  /** Timeout of one handler call, in milliseconds. Default: 30000. See `setCallbackTimeout`. */
  readonly callbackTimeout?: number | undefined
  /** Maximum size of a decompressed response, in bytes. Default: 64 MiB. See `setBodyLimit`. */
  readonly bodyLimit?: number | undefined
  /** Maximum size of generated values, in bytes. Default: 64 MiB. See `setGeneratedSize`. */
  readonly generatedSize?: number | undefined
  /** Maximum size of compiled regular expressions, in bytes. Default: 256 MiB. See `setPatternSize`. */
  readonly patternSize?: number | undefined
  /** Maximum size of one contract, in bytes. Default: 64 MiB. See `setSourceLimit`. */
  readonly sourceLimit?: number | undefined
  /** Maximum size of all contracts, in bytes. Default: 512 MiB. See `setTotalSourceLimit`. */
  readonly totalSourceLimit?: number | undefined
  /** Maximum number of directories to search for one source. Default: 100000. See `setDirectoryLimit`. */
  readonly directoryLimit?: number | undefined
  /** See `tls`. */
  readonly tls?: TlsOptions | undefined
  /** Whether to disable certificate verification. Default: false. */
  readonly disableSslVerification?: boolean | undefined
  /** See `setHttpVersion`. */
  readonly httpVersion?: '1.1' | '2' | undefined
  /** Whether to follow redirects. An object follows them with these options. Default: true. See `followRedirects`. */
  readonly followRedirects?: boolean | RedirectOptions | undefined
  /** Whether the verification fails if no contract is found. Default: true. */
  readonly errorOnEmptyContract?: boolean | undefined
  /** Whether to color the output. Default: true if standard error is a terminal. */
  readonly colouredOutput?: boolean | undefined
  /** Whether to print only errors. Default: false. */
  readonly quiet?: boolean | undefined
  /** See `setPlugins`. */
  readonly plugins?: PluginOptions | undefined
}
