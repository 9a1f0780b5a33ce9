// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { Specification } from '../contract.js'
import type { HttpInteraction } from '../http-interaction.js'
import type { JsonObject } from '../json.js'

/** What a contract does unless a call says otherwise. */
export interface ContractOptions {
  /** The version that files are written in. Default: `V4`. */
  readonly specification?: Specification | undefined
  /**
   * Where the contract file is written at the end of a test. Default: the environment variable `CONTRACT_OUTPUT_DIR`;
   * without either, it is not.
   */
  readonly directory?: string | URL | undefined
  /**
   * `overwrite` begins the file anew, once for each run of the tests: workers of one test runner belong to one run, and
   * so do all processes with the same `CONTRACT_RUN_ID`. Default: `merge`.
   */
  readonly writeMode?: 'merge' | 'overwrite' | undefined
  /** Whether body fields that the contract does not name fail the test. Default: `ignore`. */
  readonly unexpectedFields?: 'ignore' | 'error' | undefined
  /** Makes generated values the same in every run. */
  readonly seed?: number | undefined
  /**
   * Most bytes that generators make: for the examples of one value that is defined, for one response (unless the limits
   * of its server say otherwise), for one message. Default: 67108864 (64 MiB).
   */
  readonly generatedSize?: number | undefined
  /**
   * Milliseconds that a test, or a message's handler, may take; 0 is without end. Default: nine tenths of what the test
   * runner allows (Jest, Vitest, Mocha's usual 2000), else 4000, so that its error comes before the runner's; 60000
   * under a runner that allows any time, such as node:test.
   */
  readonly timeout?: number | undefined
  /** Milliseconds to wait for others who write the contract file. Default: 4000. */
  readonly lockTimeout?: number | undefined
  /**
   * Whether interactions that no test defines any more go from the file, where the test runner tells of its tests.
   * Default: true, unless `CONTRACT_REMOVE_OBSOLETE` is `false`.
   */
  readonly removeObsolete?: boolean | undefined
  /** Where plugins are, and how long they are waited for. */
  readonly plugins?: PluginOptions | undefined
}

/** How one mock server behaves. */
export interface ServeOptions {
  /** The address to listen on; `localhost` is 127.0.0.1 and `::1`. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** The same, as other languages call it. */
  readonly addr?: string | undefined
  /** The port. Default: a free one. */
  readonly port?: number | undefined
  /**
   * Both of http and https speak HTTP/1.1 and HTTP/2; any other name is a protocol that a plugin of the contract speaks,
   * which then plays the provider: for HTTP interactions and synchronous messages. Default: `http`; with `tls` it is
   * `https`.
   */
  readonly transport?: 'http' | 'https' | (string & {}) | undefined
  /** What a plugin's mock server is told; the plugin says what it may be. */
  readonly transportConfig?: JsonObject | undefined
  /** The certificate for https. Default: one of the server's own; the running server gives the authority behind it. */
  readonly tls?: ServerTlsOptions | undefined
  /** Whether pre-flight requests of browsers are answered. Default: true. */
  readonly cors?: boolean | undefined
  /** Whether a connection serves several requests; if not, answers say `Connection: close`. Default: true. */
  readonly keepAlive?: boolean | undefined
  /** Bounds of size and time. */
  readonly limits?: ServerLimits | undefined
  /** Whether body fields that the contract does not name fail the test. Default: that of the contract. */
  readonly unexpectedFields?: 'ignore' | 'error' | undefined
  /**
   * Whether interactions that match the same request answer one after another, in the order of their definition: each
   * once, or as its `times` say, and the last one from then on. Else the one that answered less often answers. Default:
   * false.
   */
  readonly inOrder?: boolean | undefined
  /** Serves interactions of earlier calls again, too. Default: false. */
  readonly all?: boolean | undefined
  /** Exactly these interactions, whether or not they were served before. Default: those defined since the last time. */
  readonly only?: readonly HttpInteraction[] | undefined
  /** Whether mismatches are thrown at the end. Default: true; else they are on the server object. */
  readonly raises?: boolean | undefined
  /** Whether mismatches are printed at the end on standard error, thrown or not. Default: false. */
  readonly verbose?: boolean | undefined
  /** Milliseconds that the test may take; 0 is without end. Fake timers do not touch it. Default: that of the contract. */
  readonly timeout?: number | undefined
  /** Makes generated values the same in every run. Default: that of the contract. */
  readonly seed?: number | undefined
}

/**
 * Bounds of a mock server. A request beyond those of size is refused, which fails the test with an error that names the
 * bound.
 */
export interface ServerLimits {
  /** Largest body of a request in bytes; a larger one is answered 413. Default: 67108864 (64 MiB). */
  readonly bodySize?: number | undefined
  /** Largest head of a request in bytes, at least 8192; a larger one is answered 431. Default: 65536 (64 KiB). */
  readonly headerSize?: number | undefined
  /** Most headers of a request; one with more is answered 431. Default: 100. */
  readonly headerCount?: number | undefined
  /** Bytes generated for one response; beyond them the examples stand, which the log says. Default: that of the contract. */
  readonly generatedSize?: number | undefined
  /** Connections open at a time; further ones are answered 503. Default: 4096. */
  readonly connections?: number | undefined
  /** Milliseconds to send the head of a request, from its first byte. Default: 30000. */
  readonly headerTimeout?: number | undefined
  /** Milliseconds in which nothing moves on a connection. Default: 300000. */
  readonly idleTimeout?: number | undefined
  /** Milliseconds to send the body of a request and take the answer. Default: 600000. */
  readonly requestTimeout?: number | undefined
  /** Milliseconds for a TLS handshake. Default: 10000. */
  readonly handshakeTimeout?: number | undefined
  /** Milliseconds that a request in flight has left when the server stops. Default: 500. */
  readonly stopTimeout?: number | undefined
}

/** A certificate with its chain and its key, as PEM. */
export interface ServerTlsOptions {
  /** The chain, the server's own certificate first. */
  readonly cert: string | Uint8Array
  /** The key. */
  readonly key: string | Uint8Array
}

/** Which messages are handed over, and what becomes of them. */
export interface MessageVerifyOptions {
  /** Whether failures are thrown as one error. Default: true; else they are returned. */
  readonly raises?: boolean | undefined
  /** Whether a value that the handler of a synchronous message returns is compared with the response. Default: true. */
  readonly checkResponse?: boolean | undefined
  /** Hands over messages of earlier calls again, too. Default: false. */
  readonly all?: boolean | undefined
  /** Whether a message without contents is handed over. Default: false, it fails. */
  readonly allowEmpty?: boolean | undefined
  /**
   * How long the handler may take for one message, in milliseconds. Default: that of the contract, else nine tenths of
   * what the test runner allows, else 4000.
   */
  readonly timeout?: number | undefined
  /** Makes generated values the same in every run. Default: that of the contract. */
  readonly seed?: number | undefined
  /** Most bytes generated for one message and its responses; beyond them it fails. Default: that of the contract. */
  readonly generatedSize?: number | undefined
}

/** Where plugins are, and how long they are waited for. */
export interface PluginOptions {
  /**
   * Directories that hold plugins, one directory with a `pact-plugin.json` for each. Default: those of the environment
   * variable `CONTRACT_PLUGIN_DIR`, else of `PACT_PLUGIN_DIR` (several are separated as in `PATH`), else `.pact/plugins` in
   * the home directory.
   */
  readonly directories?: readonly (string | URL)[] | undefined
  /** Milliseconds that a plugin may take to start. Default: `CONTRACT_PLUGIN_START_TIMEOUT`, else 60000. */
  readonly startTimeout?: number | undefined
  /** Milliseconds that a plugin may take for one answer. Default: 30000. */
  readonly timeout?: number | undefined
}

/** What opens a contract behind a URL: username and password, or a token. */
export interface SourceOptions {
  /** With the password, for basic authentication. */
  readonly username?: string | undefined
  /** Empty when there is only a user name. */
  readonly password?: string | undefined
  /** For bearer authentication. */
  readonly token?: string | undefined
  /** More headers for the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** As which version of the provider results are published. */
export interface PublishOptions {
  /**
   * The provider's version: the commit, or what else names it. `auto` is what continuous integration and git say, with
   * branch and page of the build unless they are given.
   */
  readonly version: string
  /** Its branch. Contracts are selected for it, too, unless a selector says otherwise, and the other way round. */
  readonly branch?: string | undefined
  /** Its tags. */
  readonly tags?: readonly string[] | undefined
  /** The page of the build. */
  readonly buildUrl?: string | URL | undefined
}

/** Which interactions are verified: those for which all of this holds. */
export interface FilterOptions {
  /** Found anywhere in the description. */
  readonly description?: string | RegExp | undefined
  /** Found anywhere in the name of a state; an empty text is for none. */
  readonly state?: string | RegExp | undefined
  /** Only interactions without states. */
  readonly noState?: boolean | undefined
  /** A key, a broker's id or a fingerprint of a report. */
  readonly id?: string | undefined
  /** `HTTP`, `Async` or `Sync`. */
  readonly kind?: 'HTTP' | 'Async' | 'Sync' | undefined
}

/** Options of message handlers. */
export interface MessageHandlerOptions {
  /** How long a handler may take, in milliseconds. Default: 30 seconds. */
  readonly timeout?: number | undefined
}

/** How state handlers are called. */
export interface StateHandlerOptions {
  /** Whether states are torn down. Default: false; handlers with a `teardown` of their own always are. */
  readonly teardown?: boolean | undefined
  /** For a URL: whether the state goes into the body of the request, or into its query and headers. Has to be said. */
  readonly body?: boolean | undefined
  /** For a URL: headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * For handlers by state: whether an interaction whose state has none fails, is verified with a warning, or is just
   * verified. Default: `error`.
   */
  readonly onMissing?: 'error' | 'warn' | 'ignore' | undefined
  /** For a function: whether it is called for interactions without states, with an empty name. Default: false. */
  readonly emptyState?: boolean | undefined
}

/** How redirects are followed. */
export interface RedirectOptions {
  /** Whether headers that may hold credentials go along to another scheme, host or port. Default: false. */
  readonly credentials?: boolean | undefined
}

/** Certificates in PEM. Several calls add up, a later one comes first. */
export interface TlsOptions {
  /** Certificates of authorities to trust besides the system's. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
  /** The certificate to show when the provider asks for one, with its key. */
  readonly cert?: string | Uint8Array | undefined
  /** Its key. */
  readonly key?: string | Uint8Array | undefined
  /** Of the key, if that is encrypted. Bindings hand keys over decrypted. */
  readonly passphrase?: string | undefined
}

/** Options of one run. */
export interface VerifyRunOptions {
  /** Stops at the first failure that is not pending; what comes after it is reported as skipped. */
  readonly exitFirst?: boolean | undefined
  /** Verifies only what failed the last time, if anything did. */
  readonly lastFailed?: boolean | undefined
  /** How many interactions without states run at a time. Default: 1. */
  readonly concurrency?: number | undefined
  /** Whether the terminal shows how far a long run is. Default: on a terminal, outside of test runners. */
  readonly progress?: boolean | undefined
}

/** How a broker for tests is set up. */
export interface BrokerOptions {
  /** Where it stores its data: `memory`, `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/NAME`. Default: `memory`. */
  readonly db?: string | undefined
  /** The port of 127.0.0.1 to listen on; 0 is a free one. Default: 0. */
  readonly port?: number | undefined
  /** Who may read and write. Default: everybody on this machine. */
  readonly credentials?: BrokerCredentials | undefined
  /** Who may only read; requires `credentials`. */
  readonly readOnlyCredentials?: BrokerCredentials | undefined
}

/** A user name with its password. */
export interface BrokerCredentials {
  /** The user name. It must not contain a colon. */
  readonly username: string
  /** The password. */
  readonly password: string
}
