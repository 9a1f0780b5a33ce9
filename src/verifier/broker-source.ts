import { guardReceiver } from '../receiver.js'

/**
 * The URL and credentials of a broker. A missing option is read from its environment variable. If an option is `null`,
 * the variable is not read.
 */
export interface BrokerSourceOptions {
  /**
   * The broker's base URL, which can contain `user:password@`. Default: the environment variable
   * `CONTRACT_BROKER_BASE_URL`.
   */
  readonly url?: string | URL | null | undefined
  /** User name for basic authentication. Default: the environment variable `CONTRACT_BROKER_USERNAME`. */
  readonly username?: string | null | undefined
  /** Password for basic authentication. Default: the environment variable `CONTRACT_BROKER_PASSWORD`. */
  readonly password?: string | null | undefined
  /**
   * Bearer token, used instead of a user name and password. Default: the environment variable `CONTRACT_BROKER_TOKEN`.
   */
  readonly token?: string | null | undefined
  /** Additional headers for each request to the broker. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Timeout for one request to the broker, in milliseconds. Default: 60000. */
  readonly timeout?: number | undefined
  /** Whether to read environment variables. Default: true. */
  readonly useEnv?: boolean | undefined
}

/**
 * Selects consumer versions whose contracts are verified. A version must satisfy all members. At least one member other
 * than `consumer` is required. `false` has the same effect as omitting a member.
 */
export interface ConsumerVersionSelector {
  /** Selects only versions of the consumer with this name. */
  readonly consumer?: string | undefined
  /** Selects the latest version on this branch. `true` selects the latest version on each branch. */
  readonly branch?: string | true | undefined
  /** Selects the latest version on each consumer's main branch. */
  readonly mainBranch?: boolean | undefined
  /** Selects the latest version on the branch that has the same name as the provider's branch. */
  readonly matchingBranch?: boolean | undefined
  /** The branch to use for consumers that do not have `branch`. Requires `branch` with a name. */
  readonly fallbackBranch?: string | undefined
  /**
   * Uses the main branch for consumers that do not have `branch`. Requires `branch` with a name. Versions of the Pact
   * Broker without this selector ignore it.
   */
  readonly fallbackToMainBranch?: boolean | undefined
  /** Selects all versions with this tag, or only the latest of them if `latest` is true. */
  readonly tag?: string | undefined
  /** Selects only the latest version, or the latest version with `tag`. */
  readonly latest?: boolean | undefined
  /** The tag to use for consumers that do not have `tag`. Requires `tag` and `latest`. */
  readonly fallbackTag?: string | undefined
  /** Selects versions that are currently deployed to an environment. */
  readonly deployed?: boolean | undefined
  /** Selects versions that are released and still supported in an environment. */
  readonly released?: boolean | undefined
  /** Selects versions that are currently deployed, or released and still supported. */
  readonly deployedOrReleased?: boolean | undefined
  /** Selects versions that are deployed or released to the environment with this name, such as `production`. */
  readonly environment?: string | undefined
}

/** Selects the contracts to fetch from a broker. The options correspond to the methods of `BrokerSelectorBuilder`. */
export interface SelectorOptions {
  /**
   * Whether failures of pending contracts are ignored. A contract is pending until it has passed on the provider's
   * branch. Default: false.
   */
  readonly includePending?: boolean | undefined
  /**
   * A date such as `2026-01-31`. Adds work-in-progress (WIP) contracts that were published on other branches since this
   * date. Their failures are ignored. By default, none are added.
   */
  readonly includeWipSince?: string | Date | undefined
  /**
   * The provider's branch, which determines the pending and work-in-progress contracts. Default: the branch of
   * `setPublishOptions`.
   */
  readonly providerBranch?: string | undefined
  /** The provider's tags. They are a legacy alternative to branches. */
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

  /** Treats failures of pending contracts as failures of the verification. This is the default. */
  excludePending(): this {
    return this.#call('excludePending')
  }

  /**
   * Adds work-in-progress (WIP) contracts that were published on other branches since this date, such as `2026-01-31`,
   * optionally with a time. Their failures are ignored.
   */
  includeWipSince(date: string | Date): this {
    return this.#call('includeWipSince', { date })
  }

  /** Excludes work-in-progress (WIP) contracts. This is the default. */
  excludeWip(): this {
    return this.#call('excludeWip')
  }

  /**
   * Sets the provider's branch, which determines which contracts are pending and which are work in progress (WIP).
   * Default: the branch of `setPublishOptions`.
   */
  providerBranch(branch: string): this {
    return this.#call('providerBranch', { branch })
  }

  /** Sets the provider's tags, which are a legacy alternative to branches. Replaces earlier tags. */
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

  /** Adds multiple consumer version selectors, each as an object or JSON text. */
  consumerVersions(...selectors: (ConsumerVersionSelector | string)[]): this {
    return this.#call('consumerVersions', { selectors })
  }

  /** Finishes the builder and returns the verifier. */
  build(): Verifier {
    this.#apply('build', {})
    return this.#verifier
  }
}
