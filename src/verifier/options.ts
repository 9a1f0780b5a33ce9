import type { App } from '../app.js'
import { ContractArgumentError } from '../errors.js'
import type { JsonObject } from '../json.js'
import type { MessageFunction, MessageMapping } from '../message-handlers.js'
import type { InteractionReport } from '../report.js'
import type { InteractionInfo, RequestFilter } from './request.js'
import type { StateFunction, StateHandlerOptions, StateMapping } from './states.js'

/** What opens a contract behind a URL: username and password, or a token. */
export interface SourceOptions {
  readonly username?: string
  readonly password?: string
  readonly token?: string
  /** More headers for the request. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Contracts to verify: a file, a directory with all that is below it, a pattern such as `contracts/**\/*-users.json`, a
 * URL, or a contract as an object or JSON text.
 */
export type Source =
  | string
  | URL
  | ({ readonly url: string | URL } & SourceOptions)
  | { readonly json: JsonObject | string; readonly name?: string }

/** A way to reach the provider: its base URL, or the parts of one. */
export interface TransportOptions {
  /** The base URL; or its parts below. */
  readonly url?: string | URL
  /** The name that interactions know it by. Default: `http`. */
  readonly protocol?: string
  /** Default: `http`. */
  readonly scheme?: string
  /** Default: 127.0.0.1. */
  readonly host?: string
  readonly port?: number
  /** Put in front of every path. */
  readonly path?: string
}

/** An application in this process; it listens on a free port of 127.0.0.1 while a verification runs. */
export interface AppTransport {
  readonly app: App
  /** The name that interactions know it by. Default: `http`. */
  readonly protocol?: string
  /** Put in front of every path. */
  readonly path?: string
}

/** What `addTransport` takes. */
export type TransportArgument = string | URL | TransportOptions | AppTransport | MessageFunction | MessageMapping

/** Which interactions are verified: those for which all of this holds. */
export interface FilterOptions {
  /** Found anywhere in the description. */
  readonly description?: string | RegExp
  /** Found anywhere in the name of a state. */
  readonly state?: string | RegExp
  /** Only interactions without states. */
  readonly noState?: boolean
  /** A key, a broker's id or a fingerprint of a report. */
  readonly id?: string
  readonly kind?: 'HTTP' | 'Async' | 'Sync'
}

/** The value of a header, or what makes it afresh for each request. */
export type HeaderValue = string | (() => string | Promise<string>)

/** Called before each interaction, its states included. */
export type BeforeEach = (context: { readonly interaction: InteractionInfo }) => unknown

/** Called after each interaction, its states included. */
export type AfterEach = (context: { readonly interaction: InteractionInfo }, result: InteractionReport) => unknown

/** PEM as text or bytes. */
export type Pem = string | Uint8Array

/** Certificates. */
export interface TlsOptions {
  /** Certificates of authorities to trust besides the system's. */
  readonly ca?: Pem | readonly Pem[]
  /** The certificate to show when the provider asks for one, with its key. */
  readonly cert?: Pem
  readonly key?: Pem
  /** Of the key, if that is encrypted. */
  readonly passphrase?: string
}

/** What a verifier is told at once; each is the same as the call of that name. */
export interface VerifierOptions {
  /** `addSource` for each. */
  readonly sources?: readonly Source[]
  /** `addTransport` for each. */
  readonly transports?: readonly TransportArgument[]
  readonly stateHandler?: StateFunction | StateMapping | string | URL
  /** The options of `stateHandler`. */
  readonly stateHandlerOptions?: StateHandlerOptions
  readonly messageHandler?: MessageFunction | MessageMapping
  readonly filter?: FilterOptions | string | RegExp
  readonly filterConsumers?: readonly string[]
  /** `addCustomHeaders` */
  readonly customHeaders?: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, HeaderValue]>
  readonly requestFilter?: RequestFilter
  readonly beforeEach?: BeforeEach
  readonly afterEach?: AfterEach
  /** `setRequestTimeout` */
  readonly requestTimeout?: number
  /** `setCallbackTimeout` */
  readonly callbackTimeout?: number
  /** `setBodyLimit` */
  readonly bodyLimit?: number
  /** `setSourceLimit` */
  readonly sourceLimit?: number
  readonly tls?: TlsOptions
  readonly disableSslVerification?: boolean
  /** `setHttpVersion` */
  readonly httpVersion?: '1.1' | '2'
  readonly followRedirects?: boolean
  /** `setErrorOnEmptyContract` */
  readonly errorOnEmptyContract?: boolean
  /** `setColouredOutput` */
  readonly colouredOutput?: boolean
}

/** Names of options elsewhere, and what says the same here. */
const HINTS: Readonly<Record<string, string>> = {
  provider: "the provider's name is the first argument of the constructor",
  providerBaseUrl: 'use transports: [url]',
  pactUrls: 'use sources',
  contractUrls: 'use sources',
  stateHandlers: 'use stateHandler',
  messageProviders: 'use messageHandler',
  providerStatesSetupUrl: 'use stateHandler: url with stateHandlerOptions: { body: true, teardown: true }',
  customProviderHeaders: 'use customHeaders',
  consumerFilters: 'use filterConsumers',
  timeout: 'use requestTimeout',
  failIfNoPactsFound: 'use errorOnEmptyContract',
  tlsClientOptions: 'use tls',
  validateSSL: 'use disableSslVerification',
  changeOrigin: 'requests go to the provider directly, so there is nothing to change; leave it out',
  proxyHost: 'requests go to the provider directly, so there is no proxy; leave it out',
  logLevel: 'use contract_ffi.logToStderr(level)',
  logFile: 'use contract_ffi.logToStderr(level), or verifier.logs after the run',
  logDir: 'use contract_ffi.logToStderr(level), or verifier.logs after the run',
  format: 'the report is data: verify() gives it; leave it out',
  out: 'the report is data: verify() gives it; leave it out',
  verbose: 'use contract_ffi.logToStderr("DEBUG")',
  monkeypatch: 'it has no meaning; leave it out',
}

type Apply<V> = (value: V) => unknown
type Appliers = { readonly [Name in keyof VerifierOptions]-?: Apply<NonNullable<VerifierOptions[Name]>> }

/** Hands each option to the call of its name, and refuses those that have none. */
export function apply(options: VerifierOptions, appliers: Appliers): void {
  for (const [name, value] of Object.entries(options)) {
    const applier = Object.hasOwn(appliers, name) ? appliers[name as keyof Appliers] : undefined
    if (!applier) throw unknown(name, Object.keys(appliers))
    if (value !== undefined) (applier as Apply<unknown>)(value)
  }
}

function unknown(name: string, known: readonly string[]): ContractArgumentError {
  const near = known.find((option) => option.toLowerCase() === name.toLowerCase().replace('color', 'colour'))
  const hint = Object.hasOwn(HINTS, name) ? HINTS[name] : near && `did you mean ${near}?`
  const text = hint ?? `options are ${known.join(', ')}`
  return new ContractArgumentError(
    'ERR_CONTRACT_OPTIONS',
    `Verifier: there is no option ${JSON.stringify(name)}; ${text}`,
  )
}
