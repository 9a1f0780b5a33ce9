/**
 * The address and credentials of a broker. What is not given is read from the environment; `null` disables the
 * variable.
 */
export interface BrokerSourceOptions {
  /** The broker's base URL; may contain `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`. */
  readonly url?: string | URL | null | undefined
  /** User name for basic authentication. Default: `CONTRACT_BROKER_USERNAME`. */
  readonly username?: string | null | undefined
  /** Password for basic authentication. Default: `CONTRACT_BROKER_PASSWORD`. */
  readonly password?: string | null | undefined
  /** Bearer token, instead of user name and password. Default: `CONTRACT_BROKER_TOKEN`. */
  readonly token?: string | null | undefined
  /** Additional headers for each request to the broker. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Timeout of one request to the broker, in milliseconds. Default: 60000. */
  readonly timeout?: number | undefined
  /** Whether environment variables are read. Default: true. */
  readonly useEnv?: boolean | undefined
}

/**
 * Selects consumer versions whose contracts are verified. At least one member besides `consumer` is required; false is
 * the same as absent.
 */
export interface ConsumerVersionSelector {
  /** Only versions of this consumer. */
  readonly consumer?: string | undefined
  /** The latest version on this branch; `true` selects the latest version of every branch. */
  readonly branch?: string | true | undefined
  /** The latest version on each consumer's main branch. */
  readonly mainBranch?: boolean | undefined
  /** The latest version on the branch with the same name as the provider's. */
  readonly matchingBranch?: boolean | undefined
  /** The branch to use if `branch` does not exist. */
  readonly fallbackBranch?: string | undefined
  /** All versions with this tag; with `latest`, the latest of them. */
  readonly tag?: string | undefined
  /** The latest version: of all versions, or of those with `tag`. */
  readonly latest?: boolean | undefined
  /** The tag to use if no version has `tag`; requires `latest`. */
  readonly fallbackTag?: string | undefined
  /** Versions that are currently deployed. */
  readonly deployed?: boolean | undefined
  /** Versions that are released and supported. */
  readonly released?: boolean | undefined
  /** Versions that are deployed, or released and supported. */
  readonly deployedOrReleased?: boolean | undefined
  /** Versions that are deployed or released in this environment. */
  readonly environment?: string | undefined
}

/** Selects the contracts of a broker as one object. See `BrokerSelectorBuilder`. */
export interface SelectorOptions {
  /** Whether failures of pending contracts are ignored. Default: false. */
  readonly includePending?: boolean | undefined
  /** Adds WIP contracts from other branches published since this date. Their failures are ignored. Default: none. */
  readonly includeWipSince?: string | Date | undefined
  /** The provider's branch. Default: the branch of `setPublishOptions`. */
  readonly providerBranch?: string | undefined
  readonly providerTags?: readonly string[] | undefined
  /** The latest consumer version with each of these tags. A repeated call replaces. */
  readonly consumerTags?: readonly string[] | undefined
  /** Consumer versions. Default: main branches, and what is deployed or released. */
  readonly consumerVersions?: readonly (ConsumerVersionSelector | string)[] | undefined
}

/**
 * Selects the contracts of a broker. Finish with `build()`, which returns the verifier.
 *
 * @typeParam Verifier - what `build` gives
 */
export class BrokerSelectorBuilder<Verifier> {
  readonly #verifier: Verifier
  readonly #say: (call: string, given: object) => unknown

  /** @internal */
  constructor(verifier: Verifier, say: (call: string, given: object) => unknown) {
    this.#verifier = verifier
    this.#say = say
  }

  #said(call: string, given: object = {}): this {
    this.#say(call, given)
    return this
  }

  /**
   * Ignores failures of pending contracts: those that have never passed on the provider's branch. Default: every
   * failure counts.
   */
  includePending(): this {
    return this.#said('includePending')
  }

  /** Counts failures of pending contracts. */
  excludePending(): this {
    return this.#said('excludePending')
  }

  /**
   * Adds WIP contracts from other branches published since this date, for example `2026-01-31`, optionally with a time.
   * Their failures are ignored.
   */
  includeWipSince(date: string | Date): this {
    return this.#said('includeWipSince', { date })
  }

  /** Adds no WIP contracts. */
  excludeWip(): this {
    return this.#said('excludeWip')
  }

  /** Sets the provider's branch, which decides what is pending and WIP. Default: the branch of `setPublishOptions`. */
  providerBranch(branch: string): this {
    return this.#said('providerBranch', { branch })
  }

  /** Sets the provider's tags, the older alternative to branches. A repeated call replaces. */
  providerTags(...tags: string[]): this {
    return this.#said('providerTags', { tags })
  }

  /** The latest consumer version with each of these tags. A repeated call replaces. */
  consumerTags(...tags: string[]): this {
    return this.#said('consumerTags', { tags })
  }

  /** Adds a selector of consumer versions, as an object or as JSON text. */
  consumerVersion(selector: ConsumerVersionSelector | string): this {
    return this.#said('consumerVersion', { selector })
  }

  /** Adds several selectors. */
  consumerVersions(...selectors: (ConsumerVersionSelector | string)[]): this {
    return this.#said('consumerVersions', { selectors })
  }

  /** Finishes the builder and returns the verifier. */
  build(): Verifier {
    this.#say('build', {})
    return this.#verifier
  }
}
