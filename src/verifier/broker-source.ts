/** Where a broker is and who asks it. What is left out comes from the environment; null is not looked for there. */
export interface BrokerSourceOptions {
  /** Its base URL; may hold `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`. */
  readonly url?: string | URL | null | undefined
  /** For basic authentication. Default: `CONTRACT_BROKER_USERNAME`. */
  readonly username?: string | null | undefined
  /** Default: `CONTRACT_BROKER_PASSWORD`. */
  readonly password?: string | null | undefined
  /** For bearer authentication, instead of name and password. Default: `CONTRACT_BROKER_TOKEN`. */
  readonly token?: string | null | undefined
  /** More headers for each request to the broker. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How long one request to the broker may take, in milliseconds. Default: 60000. */
  readonly timeout?: number | undefined
  /** Whether the environment is looked at. Default: true. */
  readonly useEnv?: boolean | undefined
}

/** Versions of consumers whose contracts are chosen. At least one member besides `consumer`; false is the same as absent. */
export interface ConsumerVersionSelector {
  /** Of this consumer alone. */
  readonly consumer?: string | undefined
  /** The newest version of this branch; true for that of each branch. */
  readonly branch?: string | true | undefined
  /** The newest version of each consumer's main branch. */
  readonly mainBranch?: boolean | undefined
  /** The newest version of the branch that is called as the provider's. */
  readonly matchingBranch?: boolean | undefined
  /** The branch to take where there is no such `branch`. */
  readonly fallbackBranch?: string | undefined
  /** All versions with this tag; with `latest` the newest of them. */
  readonly tag?: string | undefined
  /** The newest version: of all, or of those with `tag`. */
  readonly latest?: boolean | undefined
  /** The tag to take where there is none of `tag`; needs `latest`. */
  readonly fallbackTag?: string | undefined
  /** Versions that are deployed. */
  readonly deployed?: boolean | undefined
  /** Versions that are released and supported. */
  readonly released?: boolean | undefined
  /** Versions that are one or the other. */
  readonly deployedOrReleased?: boolean | undefined
  /** Versions that are deployed or released in this environment. */
  readonly environment?: string | undefined
}

/** Which contracts a broker gives, as one object: the calls of `BrokerSelectorBuilder`. */
export interface SelectorOptions {
  /** Whether contracts that the provider never honoured may fail. Default: false. */
  readonly includePending?: boolean | undefined
  /** Adds contracts of other branches published since this date, which may fail. Default: none. */
  readonly includeWipSince?: string | Date | undefined
  /** The provider's branch. Default: that of `setPublishOptions`. */
  readonly providerBranch?: string | undefined
  readonly providerTags?: readonly string[] | undefined
  /** The newest consumer versions with each of these tags. */
  readonly consumerTags?: readonly string[] | undefined
  /** Default: main branches, and what is deployed or released. */
  readonly consumerVersions?: readonly (ConsumerVersionSelector | string)[] | undefined
}

/**
 * Says which contracts a broker gives. It has to come to its end with `build()`, which gives the verifier back.
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

  /** Contracts that the provider never honoured may fail. Default: every failure counts. */
  includePending(): this {
    return this.#said('includePending')
  }

  /** Every failure counts. */
  excludePending(): this {
    return this.#said('excludePending')
  }

  /** Adds contracts of other branches published since this date, which may fail: `2026-01-31`, perhaps with a time. */
  includeWipSince(date: string | Date): this {
    return this.#said('includeWipSince', { date })
  }

  /** Adds none. */
  excludeWip(): this {
    return this.#said('excludeWip')
  }

  /** The provider's branch, by which pending and work in progress are told. Default: that of `setPublishOptions`. */
  providerBranch(branch: string): this {
    return this.#said('providerBranch', { branch })
  }

  /** The provider's tags, the older way to tell them. A repeated call replaces. */
  providerTags(...tags: string[]): this {
    return this.#said('providerTags', { tags })
  }

  /** The newest consumer versions with each of these tags. A repeated call replaces. */
  consumerTags(...tags: string[]): this {
    return this.#said('consumerTags', { tags })
  }

  /** Versions of consumers, or the JSON text of that. Repeated calls add up. */
  consumerVersion(selector: ConsumerVersionSelector | string): this {
    return this.#said('consumerVersion', { selector })
  }

  /** Several of them. */
  consumerVersions(...selectors: (ConsumerVersionSelector | string)[]): this {
    return this.#said('consumerVersions', { selectors })
  }

  /** Ends the builder. */
  build(): Verifier {
    this.#say('build', {})
    return this.#verifier
  }
}
