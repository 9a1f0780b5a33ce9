// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Specification } from '../contract.js'
import type { HttpInteraction } from '../http-interaction.js'
import type { JsonObject } from '../json.js'

/** Options of a contract. */
export interface ContractOptions {
  /** Specification version of the contract file. Default: `V4`. */
  readonly specification?: Specification | undefined
  /**
   * Directory for the contract file, which is written at the end of each test. Default: the environment variable
   * `CONTRACT_OUTPUT_DIR`; without either, no file is written.
   */
  readonly directory?: string | URL | undefined
  /**
   * With `overwrite`, the first write of each test run replaces the file. The workers of a test runner belong to the
   * same run, as do all processes with the same `CONTRACT_RUN_ID`. Default: `merge`.
   */
  readonly writeMode?: 'merge' | 'overwrite' | undefined
  /** Whether body fields that the contract does not mention fail the test. Default: `ignore`. */
  readonly unexpectedFields?: 'ignore' | 'error' | undefined
  /** Seed for generated values, which makes them the same in every run. */
  readonly seed?: number | undefined
  /**
   * Maximum number of bytes that generators produce for the examples of one value, for one response (unless the
   * server's limits override it), or for one message. Default: 67108864 (64 MiB).
   */
  readonly generatedSize?: number | undefined
  /**
   * Timeout of a test or message handler in milliseconds; 0 disables it. Default: nine tenths of the test runner's
   * timeout (Jest, Vitest, or Mocha's default of 2000), so that this timeout is reported first; 60000 if the test
   * runner has no timeout, such as node:test; otherwise 4000.
   */
  readonly timeout?: number | undefined
  /** Time to wait for another process that writes the contract file, in milliseconds. Default: 4000. */
  readonly lockTimeout?: number | undefined
  /**
   * Whether interactions that no test defines anymore are removed from the file, if the test runner reports its
   * tests. Default: true, unless `CONTRACT_REMOVE_OBSOLETE` is `false`.
   */
  readonly removeObsolete?: boolean | undefined
  /** Plugin directories and timeouts. */
  readonly plugins?: PluginOptions | undefined
}

/** Options of a mock server. */
export interface ServeOptions {
  /** Address to listen on; `localhost` is 127.0.0.1 and `::1`. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** Alias of `host`, as in other languages. */
  readonly addr?: string | undefined
  /** Port. Default: a free port. */
  readonly port?: number | undefined
  /**
   * `http` and `https` support HTTP/1.1 and HTTP/2. Any other name is a protocol of a plugin of the contract, whose
   * mock server is then used for HTTP interactions and synchronous messages. Default: `http`, or `https` with `tls`.
   */
  readonly transport?: 'http' | 'https' | (string & {}) | undefined
  /** Configuration passed to the mock server of a plugin, as documented by the plugin. */
  readonly transportConfig?: JsonObject | undefined
  /**
   * Certificate for https. Default: a certificate created for this server; the running server provides its
   * authority.
   */
  readonly tls?: ServerTlsOptions | undefined
  /** Whether preflight requests of browsers are answered. Default: true. */
  readonly cors?: boolean | undefined
  /** Whether a connection serves several requests; if not, responses contain `Connection: close`. Default: true. */
  readonly keepAlive?: boolean | undefined
  /** Limits of size and time. */
  readonly limits?: ServerLimits | undefined
  /** Whether body fields that the contract does not mention fail the test. Default: the option of the contract. */
  readonly unexpectedFields?: 'ignore' | 'error' | undefined
  /**
   * Whether interactions that match the same request respond one after another, in the order of their definition:
   * each once, or as often as its `times` allows, and the last one from then on. Otherwise the interaction that
   * responded least often responds. Default: false.
   */
  readonly inOrder?: boolean | undefined
  /** Whether interactions of earlier calls are served again. Default: false. */
  readonly all?: boolean | undefined
  /**
   * Serves exactly these interactions, whether or not they were served before. Default: the interactions defined
   * since the last call.
   */
  readonly only?: readonly HttpInteraction[] | undefined
  /** Whether mismatches are thrown at the end. Default: true; otherwise they are available on the server object. */
  readonly raises?: boolean | undefined
  /** Whether mismatches are printed to standard error at the end, thrown or not. Default: false. */
  readonly verbose?: boolean | undefined
  /**
   * Timeout of the test in milliseconds; 0 disables it. Fake timers do not affect it. Default: the option of the
   * contract.
   */
  readonly timeout?: number | undefined
  /** Seed for generated values. Default: the option of the contract. */
  readonly seed?: number | undefined
}

/**
 * Limits of a mock server. A request that exceeds a size limit is rejected, and the test fails with an error that
 * names the limit.
 */
export interface ServerLimits {
  /** Maximum size of a request body in bytes; larger ones are answered with 413. Default: 67108864 (64 MiB). */
  readonly bodySize?: number | undefined
  /**
   * Maximum size of a request head in bytes, at least 8192; larger ones are answered with 431. Default: 65536 (64
   * KiB).
   */
  readonly headerSize?: number | undefined
  /** Maximum number of request headers; more are answered with 431. Default: 100. */
  readonly headerCount?: number | undefined
  /**
   * Maximum number of bytes generated for one response; beyond it, examples are sent and a warning is logged. Default:
   * the option of the contract.
   */
  readonly generatedSize?: number | undefined
  /** Maximum number of open connections; further ones are answered with 503. Default: 4096. */
  readonly connections?: number | undefined
  /** Timeout for the head of a request, from its first byte, in milliseconds. Default: 30000. */
  readonly headerTimeout?: number | undefined
  /** Idle timeout of a connection in milliseconds. Default: 300000. */
  readonly idleTimeout?: number | undefined
  /** Timeout for sending the request body and receiving the response, in milliseconds. Default: 600000. */
  readonly requestTimeout?: number | undefined
  /** Timeout of a TLS handshake in milliseconds. Default: 10000. */
  readonly handshakeTimeout?: number | undefined
  /** Time for requests in flight when the server stops, in milliseconds. Default: 500. */
  readonly stopTimeout?: number | undefined
}

/** A certificate chain and its key, as PEM. */
export interface ServerTlsOptions {
  /** The certificate chain, starting with the server's own certificate. */
  readonly cert: string | Uint8Array
  /** The private key. */
  readonly key: string | Uint8Array
}

/** Options of `Contract.verify`. */
export interface MessageVerifyOptions {
  /** Whether failures are thrown as one error. Default: true; otherwise they are returned. */
  readonly raises?: boolean | undefined
  /** Whether a value that the handler of a synchronous message returns is compared with the response. Default: true. */
  readonly checkResponse?: boolean | undefined
  /** Whether messages of earlier calls are passed again. Default: false. */
  readonly all?: boolean | undefined
  /** Whether a message without contents is passed to the handler. Default: false; it fails. */
  readonly allowEmpty?: boolean | undefined
  /**
   * Timeout of the handler for one message, in milliseconds. Default: the option of the contract, otherwise nine
   * tenths of the limit of the test runner, otherwise 4000.
   */
  readonly timeout?: number | undefined
  /** Seed for generated values. Default: the option of the contract. */
  readonly seed?: number | undefined
  /**
   * Maximum number of bytes generated for one message and its responses; beyond it, the message fails. Default: the
   * option of the contract.
   */
  readonly generatedSize?: number | undefined
}

/** Plugin directories and timeouts. */
export interface PluginOptions {
  /**
   * Directories with plugins, one directory with a `pact-plugin.json` per plugin. Default: the environment variable
   * `CONTRACT_PLUGIN_DIR`, otherwise `PACT_PLUGIN_DIR` (several are separated as in `PATH`), otherwise
   * `.pact/plugins` in the home directory.
   */
  readonly directories?: readonly (string | URL)[] | undefined
  /** Timeout for the start of a plugin, in milliseconds. Default: `CONTRACT_PLUGIN_START_TIMEOUT`, otherwise 60000. */
  readonly startTimeout?: number | undefined
  /** Timeout of one call to a plugin, in milliseconds. Default: 30000. */
  readonly timeout?: number | undefined
}

/** Credentials for a contract behind a URL: user name and password, or a token. */
export interface SourceOptions {
  /** User name for basic authentication. */
  readonly username?: string | undefined
  /** Password for basic authentication. Empty by default. */
  readonly password?: string | undefined
  /** Token for bearer authentication. */
  readonly token?: string | undefined
  /** Additional headers for the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The provider version for which results are published. */
export interface PublishOptions {
  /**
   * The version of the provider, usually the commit. `auto` detects version, branch, and build URL from the CI system
   * or git.
   */
  readonly version: string
  /** The branch of the version. It is also the default of the selector's provider branch, and vice versa. */
  readonly branch?: string | undefined
  /** Tags of the version. */
  readonly tags?: readonly string[] | undefined
  /** The URL of the build. */
  readonly buildUrl?: string | URL | undefined
}

/** Selects interactions to verify: those that satisfy all conditions. */
export interface FilterOptions {
  /** Searched for in the description. */
  readonly description?: string | RegExp | undefined
  /** Searched for in the names of the provider states; an empty string selects interactions without states. */
  readonly state?: string | RegExp | undefined
  /** Selects interactions without provider states. */
  readonly noState?: boolean | undefined
  /** A key, the identifier at a broker, or a fingerprint from a report. */
  readonly id?: string | undefined
  /** Kind of interaction: `HTTP`, `Async`, or `Sync`. */
  readonly kind?: 'HTTP' | 'Async' | 'Sync' | undefined
}

/** Options of message handlers. */
export interface MessageHandlerOptions {
  /** Timeout of a handler in milliseconds. Default: 30000. */
  readonly timeout?: number | undefined
}

/** Options of `stateHandler`. */
export interface StateHandlerOptions {
  /** Whether states are torn down. Default: false; handlers with a `teardown` function are always torn down. */
  readonly teardown?: boolean | undefined
  /** For a URL: whether the state is sent in the body of the request, or in its query string and headers. Required. */
  readonly body?: boolean | undefined
  /** For a URL: headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * For handlers by state: whether an interaction with a state without a handler fails (`error`), is verified with a
   * warning (`warn`), or is verified silently (`ignore`). Default: `error`.
   */
  readonly onMissing?: 'error' | 'warn' | 'ignore' | undefined
  /** For a function: whether it is called with an empty name for interactions without states. Default: false. */
  readonly emptyState?: boolean | undefined
}

/** Options for following redirects. */
export interface RedirectOptions {
  /** Whether headers that may contain credentials are sent to another scheme, host, or port. Default: false. */
  readonly credentials?: boolean | undefined
}

/** Certificates as PEM. Several calls are combined; later ones take precedence. */
export interface TlsOptions {
  /** Certificates of authorities to trust in addition to the system's. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined
  /** Client certificate. */
  readonly cert?: string | Uint8Array | undefined
  /** Private key of the client certificate. */
  readonly key?: string | Uint8Array | undefined
  /** Passphrase of the private key, if it is encrypted. */
  readonly passphrase?: string | undefined
}

/** Options of one run. */
export interface VerifyRunOptions {
  /** Stops at the first failure that is not pending. The remaining interactions are reported as skipped. */
  readonly exitFirst?: boolean | undefined
  /** Verifies only what failed in the last run, or everything if nothing failed. */
  readonly lastFailed?: boolean | undefined
  /** Number of interactions without states that are verified at the same time. Default: 1. */
  readonly concurrency?: number | undefined
  /** Whether progress of a long run is shown. Default: on a terminal, outside of test runners. */
  readonly progress?: boolean | undefined
}

/** Options of a broker for tests. */
export interface BrokerOptions {
  /** Storage: `memory`, `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST/NAME`. Default: `memory`. */
  readonly db?: string | undefined
  /** Port on 127.0.0.1; 0 selects a free port. Default: 0. */
  readonly port?: number | undefined
  /** Credentials for reading and writing. Default: no authentication. */
  readonly credentials?: BrokerCredentials | undefined
  /** Credentials for reading only. Requires `credentials`. */
  readonly readOnlyCredentials?: BrokerCredentials | undefined
}

/** A user name and its password. */
export interface BrokerCredentials {
  /** The user name. It must not contain a colon. */
  readonly username: string
  /** The password. */
  readonly password: string
}
