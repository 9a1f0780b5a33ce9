import type { App } from '../app.js'
import type { JsonObject } from '../json.js'
import type { MessageFunction, MessageHandlerOptions, MessageMapping } from '../message-handlers.js'
import type { PluginOptions } from '../plugin-options.js'
import type { InteractionReport } from '../report.js'
import type { BrokerSourceOptions, SelectorOptions } from './broker-source.js'
import type { InteractionInfo, RequestFilter } from './request.js'
import type { StateFunction, StateHandlerOptions, StateMapping } from './states.js'

/** What opens a contract behind a URL: username and password, or a token. */
export interface SourceOptions {
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly token?: string | undefined
  /** More headers for the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Contracts to verify: a file, a directory with all that is below it, a pattern such as `contracts/**\/*-users.json`, a
 * URL, or a contract as an object or JSON text.
 */
export type Source =
  | string
  | URL
  | ({ readonly url: string | URL } & SourceOptions)
  | { readonly json: JsonObject | string; readonly name?: string | undefined }

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

/** An application in this process; it listens on a free port of 127.0.0.1 while a verification runs. */
export interface AppTransport {
  readonly app: App
  /** The name that interactions know it by. Default: `http`. */
  readonly protocol?: string | undefined
  /** Put in front of every path. */
  readonly path?: string | undefined
}

/** As which version of the provider results are published. */
export interface PublishOptions {
  /** The provider's version: the commit, or what else names it. `auto` is what continuous integration and git say. */
  readonly version: string
  /** Its branch. A selector without `providerBranch` takes it, too, and the other way round. */
  readonly branch?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** The page of the build. */
  readonly buildUrl?: string | URL | undefined
}

/** What `brokerSource` takes: a base URL, or more. */
export type BrokerSourceArgument =
  | (BrokerSourceOptions & { readonly selector?: SelectorOptions | boolean })
  | string
  | URL

/** What `addTransport` takes. */
export type TransportArgument = string | URL | TransportOptions | AppTransport | MessageFunction | MessageMapping

/** Which interactions are verified: those for which all of this holds. */
export interface FilterOptions {
  /** Found anywhere in the description. */
  readonly description?: string | RegExp | undefined
  /** Found anywhere in the name of a state. */
  readonly state?: string | RegExp | undefined
  /** Only interactions without states. */
  readonly noState?: boolean | undefined
  /** A key, a broker's id or a fingerprint of a report. */
  readonly id?: string | undefined
  readonly kind?: 'HTTP' | 'Async' | 'Sync' | undefined
}

/** The value of a header, or what makes it afresh for each request. */
export type HeaderValue = string | (() => string | Promise<string>)

/** Called before each interaction, its states included. */
export type BeforeEach = (context: { readonly interaction: InteractionInfo }) => unknown

/** Called after each interaction, its states included. */
export type AfterEach = (context: { readonly interaction: InteractionInfo }, result: InteractionReport) => unknown

/** How redirects are followed. */
export interface RedirectOptions {
  /** Whether headers that may hold credentials go along to another scheme, host or port. Default: false. */
  readonly credentials?: boolean | undefined
}

/** PEM as text or bytes. */
export type Pem = string | Uint8Array

/** Certificates. */
export interface TlsOptions {
  /** Certificates of authorities to trust besides the system's. */
  readonly ca?: Pem | readonly Pem[] | undefined
  /** The certificate to show when the provider asks for one, with its key. */
  readonly cert?: Pem | undefined
  readonly key?: Pem | undefined
  /** Of the key, if that is encrypted. */
  readonly passphrase?: string | undefined
}

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
  /** `setPlugins` */
  readonly plugins?: PluginOptions | undefined
}
