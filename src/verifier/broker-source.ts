import { guardReceiver } from '../receiver.js'

/**
 * The URL and credentials of a broker. Missing options are read from environment variables. `null` disables the environment
 * variable of an option.
 */
export interface BrokerSourceOptions {
  /** The broker's base URL, which can contain `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`. */
  readonly url?: string | URL | null | undefined
  /** User name for basic authentication. Default: `CONTRACT_BROKER_USERNAME`. */
  readonly username?: string | null | undefined
  /** Password for basic authentication. Default: `CONTRACT_BROKER_PASSWORD`. */
  readonly password?: string | null | undefined
  /** Bearer token, which replaces user name and password. Default: `CONTRACT_BROKER_TOKEN`. */
  readonly token?: string | null | undefined
  /** Additional headers for each request to the broker. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Timeout of one request to the broker, in milliseconds. Default: 60000. */
  readonly timeout?: number | undefined
  /** Whether to read environment variables. Default: true. */
  readonly useEnv?: boolean | undefined
}

/**
 * Selects the consumer versions to verify. At least one member in addition to `consumer` is required. `false` is the same as
 * an omitted member.
 */
export interface ConsumerVersionSelector {
  /** Only versions of this consumer. */
  readonly consumer?: string | undefined
  /** The latest version on this branch. `true` selects the latest version of every branch. */
  readonly branch?: string | true | undefined
  /** The latest version on each consumer's main branch. */
  readonly mainBranch?: boolean | undefined
  /** The latest version on the branch with the same name as the provider's branch. */
  readonly matchingBranch?: boolean | undefined
  /** The branch to use if `branch` does not exist. */
  readonly fallbackBranch?: string | undefined
  /**
   * Uses the main branch of consumers that do not have `branch`. Ignored by Pact Broker versions without this selector.
   */
  readonly fallbackToMainBranch?: boolean | undefined
  /** All versions with this tag. With `latest`, only the latest of these versions. */
  readonly tag?: string | undefined
  /** The latest of all versions, or of the versions with `tag`. */
  readonly latest?: boolean | undefined
  /** The tag to use if no version has `tag`. Requires `latest`. */
  readonly fallbackTag?: string | undefined
  /** Versions that are currently deployed. */
  readonly deployed?: boolean | undefined
  /** Versions that are released and supported. */
  readonly released?: boolean | undefined
  /** Versions that are deployed, or released and supported. */
  readonly deployedOrReleased?: boolean | undefined
  /** Versions that are deployed or released to this environment. */
  readonly environment?: string | undefined
}

/** The contracts to fetch from a broker, as one object. See `BrokerSelectorBuilder`. */
export interface SelectorOptions {
  /** Whether to ignore failures of pending contracts. Default: false. */
  readonly includePending?: boolean | undefined
  /** Adds WIP contracts from other branches published since this date. Their failures are ignored. Default: none. */
  readonly includeWipSince?: string | Date | undefined
  /** The provider's branch. Default: the branch of `setPublishOptions`. */
  readonly providerBranch?: string | undefined
  /** The provider's tags, an older alternative to branches. */
  readonly providerTags?: readonly string[] | undefined
  /** Selects the latest consumer version with each of these tags. */
  readonly consumerTags?: readonly string[] | undefined
  /** Consumer version selectors. Default: the latest versions on main branches, and all deployed or released versions. */
  readonly consumerVersions?: readonly (ConsumerVersionSelector | string)[] | undefined
}

/**
 * A builder that selects the contracts to fetch from a broker. Call `build()` last; it returns the verifier.
 *
 * @typeParam Verifier - the type that `build` returns
 */
export class BrokerSelectorBuilder<Verifier> {
  readonly #verifier: Verifier
  readonly #apply: (call: string, args: object) => unknown

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #apply in object)
  }

  /** @internal */
  constructor(verifier: Verifier, apply: (call: string, args: object) => unknown) {
    this.#verifier = verifier
    this.#apply = apply
  }

  #call(call: string, args: object = {}): this {
    this.#apply(call, args)
    return this
  }

  /**
   * Ignores failures of pending contracts, which have never passed on the provider's branch. By default, these failures are not
   * ignored.
   */
  includePending(): this {
    return this.#call('includePending')
  }

  /** Does not ignore failures of pending contracts. */
  excludePending(): this {
    return this.#call('excludePending')
  }

  /**
   * Adds WIP contracts from other branches published since this date, for example `2026-01-31`, optionally with a time.
   * Their failures are ignored.
   */
  includeWipSince(date: string | Date): this {
    return this.#call('includeWipSince', { date })
  }

  /** Excludes WIP contracts, which is the default. */
  excludeWip(): this {
    return this.#call('excludeWip')
  }

  /**
   * Sets the provider's branch, which determines the pending and WIP contracts. Default: the branch of `setPublishOptions`.
   */
  providerBranch(branch: string): this {
    return this.#call('providerBranch', { branch })
  }

  /** Sets the provider's tags, an older alternative to branches. Replaces earlier tags. */
  providerTags(...tags: string[]): this {
    return this.#call('providerTags', { tags })
  }

  /** Selects the latest consumer version with each of these tags. Replaces earlier tags. */
  consumerTags(...tags: string[]): this {
    return this.#call('consumerTags', { tags })
  }

  /** Adds a consumer version selector, as an object or JSON text. Selectors are combined (union). */
  consumerVersion(selector: ConsumerVersionSelector | string): this {
    return this.#call('consumerVersion', { selector })
  }

  /** Adds several consumer version selectors. */
  consumerVersions(...selectors: (ConsumerVersionSelector | string)[]): this {
    return this.#call('consumerVersions', { selectors })
  }

  /** Finishes the builder and returns the verifier. */
  build(): Verifier {
    this.#apply('build', {})
    return this.#verifier
  }
}
