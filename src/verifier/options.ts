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
 * Contracts to verify: a file, a directory with all that is below it, a pattern such as `contracts/**\/*-users.json`, a
 * URL, or a contract as an object or JSON text.
 */
export type Source =
  | string
  | URL
  | ({ readonly url: string | URL } & SourceOptions)
  | { readonly json: JsonObject | string; readonly name?: string | undefined }
  | { readonly interactions: readonly unknown[]; readonly [member: string]: unknown }
  | { readonly messages: readonly unknown[]; readonly [member: string]: unknown }

/** A way to reach the provider: its base URL, or the parts of one. */
export interface TransportOptions {
  /** The base URL; or its parts below. */
  readonly url?: string | URL | undefined
  /** The name that interactions know it by. Default: `http`. */
  readonly protocol?: string | undefined
  /** Default: `http`. */
  readonly scheme?: string | undefined
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined
  readonly port?: number | undefined
  /** Put in front of every path. */
  readonly path?: string | undefined
}

/** An application in this process with more to say about it; it listens on a free port of 127.0.0.1 while a verification runs. */
export interface AppTransport {
  readonly app: App
  /** The name that interactions know it by. Default: `http`. */
  readonly protocol?: string | undefined
  /** Put in front of every path. */
  readonly path?: string | undefined
}

/** What `brokerSource` takes: a base URL, or more. */
export type BrokerSourceArgument =
  | (BrokerSourceOptions & { readonly selector?: SelectorOptions | boolean })
  | string
  | URL

/** What `addTransport` takes. */
export type TransportArgument =
  | string
  | URL
  | TransportOptions
  | AppTransport
  | AppObject
  | MessageFunction
  | MessageMapping

/** The value of a header, or what makes it afresh for each request. */
export type HeaderValue = string | (() => string | Promise<string>)

/** Called before each interaction, its states included. */
export type BeforeEach = (context: { readonly interaction: InteractionInfo }) => unknown

/** Called after each interaction, its states included. */
export type AfterEach = (context: { readonly interaction: InteractionInfo }, result: InteractionReport) => unknown

/** What a verifier is told at once; each is the same as the call of that name. */
export interface VerifierOptions {
  /** `addSource` for each. */
  readonly sources?: readonly Source[] | undefined
  /** A base URL, or more; what is chosen stands in `selector`. */
  readonly brokerSource?:
    | (BrokerSourceOptions & { readonly selector?: SelectorOptions | false })
    | string
    | URL
    | undefined
  /** `setPublishOptions` */
  readonly publishOptions?: PublishOptions | undefined
  /** `addTransport` for each. */
  readonly transports?: readonly TransportArgument[] | undefined
  readonly stateHandler?: StateFunction | StateMapping | string | URL | undefined
  /** The options of `stateHandler`. */
  readonly stateHandlerOptions?: StateHandlerOptions | undefined
  readonly messageHandler?: MessageFunction | MessageMapping | undefined
  /** The options of `messageHandler`. */
  readonly messageHandlerOptions?: MessageHandlerOptions | undefined
  readonly filter?: FilterOptions | string | RegExp | undefined
  readonly filterConsumers?: readonly string[] | undefined
  /** `addCustomHeaders` */
  readonly customHeaders?: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, HeaderValue]> | undefined
  readonly requestFilter?: RequestFilter | undefined
  readonly beforeEach?: BeforeEach | undefined
  readonly afterEach?: AfterEach | undefined
  /** `setRequestTimeout` */
  readonly requestTimeout?: number | undefined
  /** `setCallbackTimeout` */
  readonly callbackTimeout?: number | undefined
  /** `setBodyLimit` */
  readonly bodyLimit?: number | undefined
  /** `setGeneratedSize` */
  readonly generatedSize?: number | undefined
  /** `setPatternSize` */
  readonly patternSize?: number | undefined
  /** `setSourceLimit` */
  readonly sourceLimit?: number | undefined
  /** `setDirectoryLimit` */
  readonly directoryLimit?: number | undefined
  readonly tls?: TlsOptions | undefined
  readonly disableSslVerification?: boolean | undefined
  /** `setHttpVersion` */
  readonly httpVersion?: '1.1' | '2' | undefined
  /** An object follows them with these options. */
  readonly followRedirects?: boolean | RedirectOptions | undefined
  /** `setErrorOnEmptyContract` */
  readonly errorOnEmptyContract?: boolean | undefined
  /** `setColouredOutput` */
  readonly colouredOutput?: boolean | undefined
  /** `setQuiet` */
  readonly quiet?: boolean | undefined
  /** `setPlugins` */
  readonly plugins?: PluginOptions | undefined
}
