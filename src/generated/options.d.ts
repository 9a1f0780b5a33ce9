// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Specification } from '../contract.js'
import type { HttpInteraction } from '../http-interaction.js'
import type { JsonObject } from '../json.js'
import type { VariantOptions, VariantSet } from '../variants.js'

export interface ContractOptions {
  /** Specification version of the contract file. Default: `V4`. */
  readonly specification?: Specification | undefined
  /**
   * Directory for the contract file, which is written at the end of each test. Default: the environment variable
   * `CONTRACT_OUTPUT_DIR`. If neither is set, no file is written.
   */
  readonly directory?: string | URL | undefined
  /**
   * How an existing contract file is updated: `merge` or `overwrite`. With `overwrite`, the first write of each test
   * run replaces the file. The workers of a test runner belong to the same run, and so do all processes with the
   * same `CONTRACT_RUN_ID`. Default: `merge`.
   */
  readonly writeMode?: 'merge' | 'overwrite' | undefined
  /** Whether body fields that the contract does not define fail the test: `ignore` or `error`. Default: `ignore`. */
  readonly unexpectedFields?: 'ignore' | 'error' | undefined
  /** Seed for generated values, which are then the same in every run. */
  readonly seed?: number | undefined
  /**
   * Maximum number of bytes that generators produce for the examples of one value, for one message, or for one
   * response (unless the server's limits override it). Default: 67108864 (64 MiB).
   */
  readonly generatedSize?: number | undefined
  /**
   * Timeout for a test or message handler in milliseconds; 0 disables it. Default: nine tenths of the test runner's
   * timeout (Jest, Vitest, or Mocha's default of 2000), so that this timeout is reported first. For test runners
   * without a timeout, such as node:test, the default is 60000. In all other cases it is 4000.
   */
  readonly timeout?: number | undefined
  /** Maximum time to wait while another process writes the contract file, in milliseconds. Default: 4000. */
  readonly lockTimeout?: number | undefined
  /**
   * Whether interactions that no test defines anymore are removed from the file. Requires a test runner that reports
   * its tests. Default: true, unless `CONTRACT_REMOVE_OBSOLETE` is `false`.
   */
  readonly removeObsolete?: boolean | undefined
  /** Plugin directories and timeouts. */
  readonly plugins?: PluginOptions | undefined
  /**
   * Whether tests also run against the other answers (responses or messages) that the contract allows. Default: the
   * environment variable `CONTRACT_VARIANTS`, otherwise `off`.
   */
  readonly variants?: VariantSet | VariantOptions | undefined
}

/** Options for a mock server. */
export interface ServeOptions {
  /** IP address or host name to listen on. `localhost` means both 127.0.0.1 and `::1`. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** Other name of `host`, which other Pact libraries use. Ignored if `host` is set. */
  readonly addr?: string | undefined
  /** Port to listen on; 0 selects a free port. Default: 0. */
  readonly port?: number | undefined
  /**
   * Transport of the server. `http` and `https` support HTTP/1.1 and HTTP/2. Any other name selects the transport of
   * one of the contract's plugins, whose mock server then serves HTTP interactions and synchronous messages.
   * Default: `http`, or `https` if `tls` is set.
   */
  readonly transport?: 'http' | 'https' | (string & {}) | undefined
  /** Configuration for a plugin's mock server, in the format that the plugin defines. */
  readonly transportConfig?: JsonObject | undefined
  /**
   * Certificate for HTTPS. Default: with the transport `https`, a certificate that is created for this server, whose
   * CA certificate is available from the server object.
   */
  readonly tls?: ServerTlsOptions | undefined
  /** Whether the server responds to CORS preflight requests and adds CORS headers to its responses. Default: true. */
  readonly cors?: boolean | undefined
  /**
   * Whether a connection can be used for several requests. If false, responses contain `Connection: close`. Default:
   * true.
   */
  readonly keepAlive?: boolean | undefined
  /** Size and time limits of the server. */
  readonly limits?: ServerLimits | undefined
  /**
   * Whether a request body with fields that the contract does not define fails the test: `ignore` or `error`.
   * Default: the contract's option.
   */
  readonly unexpectedFields?: 'ignore' | 'error' | undefined
  /**
   * Whether interactions that match the same request respond one after another, in the order of their definition.
   * Each interaction responds once, or as often as its `times` allows, and the last one responds to all further
   * requests. If false, the interaction that has responded least often responds. Default: false.
   */
  readonly inOrder?: boolean | undefined
  /** Whether interactions that earlier calls served are served again. Cannot be combined with `only`. Default: false. */
  readonly all?: boolean | undefined
  /**
   * Serves only these interactions, even if earlier calls served them. Default: the interactions defined since the
   * last call.
   */
  readonly only?: readonly HttpInteraction[] | undefined
  /**
   * Whether mismatches are thrown when the server stops. If false, they are only available from the server object.
   * Default: true.
   */
  readonly raises?: boolean | undefined
  /** Whether mismatches are also printed to standard error when the server stops. Default: false. */
  readonly verbose?: boolean | undefined
  /**
   * Timeout for the test in milliseconds; 0 disables it. Fake timers do not affect it. Default: the contract's
   * option.
   */
  readonly timeout?: number | undefined
  /** Seed for generated values. Default: the contract's option, otherwise a random seed. */
  readonly seed?: number | undefined
  /**
   * Whether the callback also runs with other responses that the contract allows: `off`, `default`, `values`, `all`,
   * or options. Requires a callback. Default: the contract's option.
   */
  readonly variants?: VariantSet | VariantOptions | undefined
}

/**
 * Limits for a mock server. The server rejects a request that exceeds a size limit, and the test fails with an error
 * that names the limit.
 */
export interface ServerLimits {
  /**
   * Maximum size of a request body in bytes. The server responds to larger bodies with status 413. Default: 67108864
   * (64 MiB).
   */
  readonly bodySize?: number | undefined
  /**
   * Maximum size of a request head in bytes. The server responds to larger heads with status 431. Minimum: 8192.
   * Default: 65536 (64 KiB).
   */
  readonly headerSize?: number | undefined
  /** Maximum number of request headers. If there are more, the server responds with status 431. Default: 100. */
  readonly headerCount?: number | undefined
  /**
   * Maximum number of bytes that generators produce for one response. If a response needs more, the server sends the
   * examples instead and logs a warning. Default: the contract's option, otherwise 67108864 (64 MiB).
   */
  readonly generatedSize?: number | undefined
  /** Maximum number of open connections. The server responds to further connections with status 503. Default: 4096. */
  readonly connections?: number | undefined
  /** Maximum time from the first to the last byte of a request head, in milliseconds. Default: 30000. */
  readonly headerTimeout?: number | undefined
  /** Time after which an idle connection is closed, in milliseconds. Default: 300000. */
  readonly idleTimeout?: number | undefined
  /** Maximum time to receive the request body and to send the response, in milliseconds. Default: 600000. */
  readonly requestTimeout?: number | undefined
  /** Maximum duration of a TLS handshake in milliseconds. Default: 10000. */
  readonly handshakeTimeout?: number | undefined
  /** Maximum time to wait for requests in progress when the server stops, in milliseconds. Default: 500. */
  readonly stopTimeout?: number | undefined
}

/** A certificate chain and its private key, both in PEM format. */
export interface ServerTlsOptions {
  /** Certificate chain in PEM format. The server's certificate must be the first one. Required. */
  readonly cert: string | Uint8Array
  /** Private key of the server's certificate in PEM format. Required. */
  readonly key: string | Uint8Array
}

/** Options for `Contract.verify`. */
export interface MessageVerifyOptions {
  /** Whether failures are thrown as one error. If false, they are returned. Default: true. */
  readonly raises?: boolean | undefined
  /**
   * Whether the handler's result for a synchronous message is compared with the response in the contract. Default:
   * true.
   */
  readonly checkResponse?: boolean | undefined
  /** Whether messages that earlier calls tested are passed to the handler again. Default: false. */
  readonly all?: boolean | undefined
  /** Whether a message without contents is passed to the handler. If false, the message fails. Default: false. */
  readonly allowEmpty?: boolean | undefined
  /**
   * Timeout for one handler call, in milliseconds. Default: the contract's option, otherwise nine tenths of the test
   * runner's timeout, 60000 if the test runner has no timeout, and 4000 if its timeout is unknown.
   */
  readonly timeout?: number | undefined
  /** Seed for generated values. Default: the contract's option, otherwise a random seed. */
  readonly seed?: number | undefined
  /**
   * Maximum number of bytes that generators produce for one message and its responses. If a message needs more, it
   * fails. Default: the contract's option, otherwise 67108864 (64 MiB).
   */
  readonly generatedSize?: number | undefined
  /**
   * Whether the handler is also called with other contents that the contract allows: `off`, `default`, `values`,
   * `all`, or options. Only supported for asynchronous messages. Default: the contract's option.
   */
  readonly variants?: VariantSet | VariantOptions | undefined
}

export interface PluginOptions {
  /**
   * Directories to search for plugins. Each plugin is a subdirectory with a `pact-plugin.json`. Default: the
   * environment variable `CONTRACT_PLUGIN_DIR`, otherwise `PACT_PLUGIN_DIR` (both may contain several directories,
   * separated as in `PATH`), otherwise `.pact/plugins` in the home directory.
   */
  readonly directories?: readonly (string | URL)[] | undefined
  /** Maximum time for a plugin to start, in milliseconds. Default: `CONTRACT_PLUGIN_START_TIMEOUT`, otherwise 60000. */
  readonly startTimeout?: number | undefined
  /** Maximum time for one call to a plugin, in milliseconds. Default: 30000. */
  readonly timeout?: number | undefined
}

/** Credentials and headers for fetching a contract from an http or https URL. */
export interface SourceOptions {
  /** User name for basic authentication. Default: no authentication. */
  readonly username?: string | undefined
  /** Password for basic authentication. Default: empty. */
  readonly password?: string | undefined
  /** Token for bearer authentication. Default: none. */
  readonly token?: string | undefined
  /** Additional headers of the request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The provider version for which results are published, and its build. */
export interface PublishOptions {
  /**
   * Version of the provider, usually the commit. `auto` reads the version from the CI system or git, and also the
   * branch and the build URL if they are not set. Required.
   */
  readonly version: string
  /**
   * Branch of the version. Default: the selector's provider branch. If the selector sets no provider branch, this
   * branch is used for it.
   */
  readonly branch?: string | undefined
  /** Tags of the version, which are a legacy alternative to the branch. Default: none. */
  readonly tags?: readonly string[] | undefined
  /** URL of the build, which the broker shows with the result. Default: none. */
  readonly buildUrl?: string | URL | undefined
}

/** Selects interactions. An interaction must satisfy all options that are set. */
export interface FilterOptions {
  /** A regular expression that must match a part of the description. */
  readonly description?: string | RegExp | undefined
  /**
   * A regular expression that must match a part of a provider state's name. An empty string selects interactions
   * without states.
   */
  readonly state?: string | RegExp | undefined
  /** If true, selects only interactions without provider states. Default: false. */
  readonly noState?: boolean | undefined
  /** The interaction's key in the contract, its ID in the broker, or its fingerprint in a report. */
  readonly id?: string | undefined
  /** Kind of the interaction: `HTTP`, `Async`, or `Sync`. */
  readonly kind?: 'HTTP' | 'Async' | 'Sync' | undefined
}

/** Options for message handlers. */
export interface MessageHandlerOptions {
  /** Maximum duration of one handler call, in milliseconds. Default: 30000. */
  readonly timeout?: number | undefined
}

/** Options for `stateHandler`. */
export interface StateHandlerOptions {
  /**
   * Whether states are torn down after an interaction. Handlers with a `teardown` function are always torn down.
   * Default: false.
   */
  readonly teardown?: boolean | undefined
  /**
   * True to send the state in the request body, false to send it in the query string and headers. Required if the
   * handler is a URL, otherwise not supported.
   */
  readonly body?: boolean | undefined
  /** Additional headers of the request that changes a state. Only supported if the handler is a URL. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * What happens to interactions with a state that has no handler: `error` fails them, `warn` verifies them with a
   * warning, and `ignore` verifies them without a warning. Only supported for handlers by state. Default: `error`.
   */
  readonly onMissing?: 'error' | 'warn' | 'ignore' | undefined
  /**
   * Whether the function is also called, with an empty state name, for interactions without states. Only supported
   * if the handler is a function for all states. Default: false.
   */
  readonly emptyState?: boolean | undefined
}

/** Options for following redirects. */
export interface RedirectOptions {
  /**
   * Whether headers that may contain credentials are also sent when a redirect leads to another scheme, host, or
   * port. Default: false.
   */
  readonly credentials?: boolean | undefined
}

/**
 * Certificates and keys in PEM format. If several calls set different options, all of them apply. If they set the same
 * option, the last call applies.
 */
export interface TlsOptions {
  /** CA certificates to trust, in addition to the system certificates. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
  /** Client certificate, followed by any intermediate certificates. Requires `key`. */
  readonly cert?: string | Uint8Array | undefined
  /** Private key of the client certificate. Requires `cert`. */
  readonly key?: string | Uint8Array | undefined
  /** Passphrase of the private key. Required if the key is encrypted. */
  readonly passphrase?: string | undefined
}

/** Options for a verification run. */
export interface VerifyRunOptions {
  /**
   * Whether the run stops at the first failure that is not pending. The remaining interactions are reported as
   * skipped. Default: false.
   */
  readonly exitFirst?: boolean | undefined
  /**
   * Whether only interactions that failed in their last verification are verified. If there are none, all are
   * verified. The results are not published. Default: false.
   */
  readonly lastFailed?: boolean | undefined
  /** Maximum number of interactions without states that are verified at the same time, from 1 to 10000. Default: 1. */
  readonly concurrency?: number | undefined
  /**
   * Whether a line on standard error shows the progress of a run that takes longer than one second. Default: true on
   * a terminal outside of test runners, otherwise false.
   */
  readonly progress?: boolean | undefined
}

/** Options for a recording. */
export interface RecordOptions {
  /** Name of the consumer. */
  readonly consumer: string
  /** Name of the provider. */
  readonly provider: string
  /**
   * Base URL of the API, such as `https://api.example.com/v1`. Only requests below it are recorded, and its path is
   * not part of the paths in the contract. Default: the origin of the requests, if there is only one.
   */
  readonly target?: string | URL | undefined
  /**
   * Directory for the result. It is created if it does not exist. Default: `CONTRACT_OUTPUT_DIR`, otherwise the
   * current directory.
   */
  readonly directory?: string | URL | undefined
  /** Form of the result: `file` for a contract file, or `code` for a consumer test in TypeScript. Default: `file`. */
  readonly as?: 'file' | 'code' | undefined
  /** Names of headers to omit, in addition to credentials and headers that depend on the connection. */
  readonly omitHeaders?: readonly string[] | undefined
  /**
   * Maximum size of a recorded body in bytes. Requests with larger bodies are not recorded, and larger response
   * bodies are omitted. Default: 1048576 (1 MiB).
   */
  readonly bodyLimit?: number | undefined
}

/** Options for a test broker. */
export interface BrokerOptions {
  /** Storage of the broker: `memory`, `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST/NAME`. Default: `memory`. */
  readonly db?: string | undefined
  /** Port on 127.0.0.1; 0 selects a free port. Default: 0. */
  readonly port?: number | undefined
  /** Credentials of a user with read and write access. Default: no authentication. */
  readonly credentials?: BrokerCredentials | undefined
  /** Credentials of a user with read access only. Requires `credentials`. Default: no such user. */
  readonly readOnlyCredentials?: BrokerCredentials | undefined
}

/** The user name and password of a broker user. */
export interface BrokerCredentials {
  /** User name. Must not be empty or contain a colon. */
  readonly username: string
  /** Password. Must not be empty. */
  readonly password: string
}
