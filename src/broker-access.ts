/** Where a broker is, who asks, and how. What is not given comes from the environment. */
export interface BrokerAccess {
  /** Its base URL; may hold `user:password@`. Else `CONTRACT_BROKER_BASE_URL`, or behind it `PACT_BROKER_BASE_URL`. */
  readonly url?: string | URL
  /** For basic authentication; else `CONTRACT_BROKER_USERNAME`. Silences a token of the environment. */
  readonly username?: string
  /** For basic authentication; else `CONTRACT_BROKER_PASSWORD`. */
  readonly password?: string
  /** For bearer authentication; else `CONTRACT_BROKER_TOKEN`. Silences name and password of the environment. */
  readonly token?: string
  /**
   * Whether the environment is looked at, for proxies and certificates, too.
   * @defaultValue `true`
   */
  readonly useEnv?: boolean
  /** Headers for every request to the broker. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * How often a request is sent again that cannot be answered now, and does no harm when it is done twice.
   * @defaultValue `CONTRACT_BROKER_HTTP_RETRIES`, else `5`, and `2` where nobody listens
   */
  readonly retries?: number
  /**
   * Time for one answer, in milliseconds.
   * @defaultValue `60000`
   */
  readonly timeout?: number
  /** Certificates of authorities to trust besides the system's: contents of PEM files. */
  readonly ca?: readonly string[]
  /** The certificate to show when the broker asks for one: contents of a PEM file. */
  readonly cert?: string
  /** Its private key, not encrypted: contents of a PEM file. */
  readonly key?: string
  /**
   * Accepts any certificate.
   * @defaultValue `false`
   */
  readonly disableSslVerification?: boolean
}

/** What every call to a broker takes. */
export interface BrokerCall {
  /** Where the broker is, and who asks. */
  readonly broker?: BrokerAccess
}
