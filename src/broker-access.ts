/** The address and credentials of a broker. Missing options are read from environment variables. */
export interface BrokerAccess {
  /**
   * The broker's base URL; may contain `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`, then
   * `PACT_BROKER_BASE_URL`.
   */
  readonly url?: string | URL | undefined
  /**
   * User name for basic authentication. Default: `CONTRACT_BROKER_USERNAME`. Overrides a token from the environment.
   */
  readonly username?: string | undefined
  /** Password for basic authentication. Default: `CONTRACT_BROKER_PASSWORD`. */
  readonly password?: string | undefined
  /** Bearer token. Default: `CONTRACT_BROKER_TOKEN`. Overrides a user name and password from the environment. */
  readonly token?: string | undefined
  /**
   * Whether environment variables are read, including those for proxies and certificates.
   *
   * @defaultValue `true`
   */
  readonly useEnv?: boolean | undefined
  /** Additional headers for every request to the broker. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Number of retries of idempotent requests.
   *
   * @defaultValue `CONTRACT_BROKER_HTTP_RETRIES`, then `5`, or `2` if the connection is refused
   */
  readonly retries?: number | undefined
  /**
   * Timeout of one request, in milliseconds.
   *
   * @defaultValue `60000`
   */
  readonly timeout?: number | undefined
  /** Certificates of authorities to trust in addition to the system's, as PEM. */
  readonly ca?: readonly string[] | undefined
  /** Client certificate, as PEM. */
  readonly cert?: string | undefined
  /** Private key of the client certificate, as unencrypted PEM. */
  readonly key?: string | undefined
  /**
   * Accepts any certificate.
   * @defaultValue `false`
   */
  readonly disableSslVerification?: boolean | undefined
}

/** Options of every call to a broker. */
export interface BrokerCall {
  /** Address and credentials of the broker. */
  readonly broker?: BrokerAccess | undefined
}
