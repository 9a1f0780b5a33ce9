/** The content of a contract file: a parsed JSON document, JSON text, or the bytes of the file. */
export type ContractContent = object | string | Uint8Array

/**
 * A contract to serve: its content, or `{ name, content }`. `name` identifies the contract in messages. Default: the
 * names of the consumer and the provider, such as `web-users`.
 *
 * In a document parsed by JavaScript, `1.0` and `1` are the same number. If a contract distinguishes them, pass its
 * text.
 */
export type ContractSource = ContractContent | { readonly name: string; readonly content: ContractContent }

/**
 * A provider state to select: its name, or its name and some of its parameters. Other parameters may have any value.
 */
export type StateSelection = string | { readonly name: string; readonly parameters?: Readonly<Record<string, unknown>> }

/** An interaction of a contract. */
export interface ContractInteraction {
  /** The name of the contract that contains the interaction. */
  readonly contract: string
  readonly description: string
  /** The provider states that the interaction requires. Absent if it requires none. */
  readonly states?: readonly { readonly name: string; readonly parameters?: Readonly<Record<string, unknown>> }[]
  readonly key?: string
}

/** Two interactions of different contracts that match the same request but have different responses. */
export interface ContractConflict {
  /** Method and path of the request, such as `GET /users/7`. */
  readonly request: string
  /** The interaction that responds to the request. */
  readonly first: ConflictingInteraction
  /** The interaction that does not respond, because `first` has priority. */
  readonly other: ConflictingInteraction
}

/** One of the two interactions of a conflict. */
export interface ConflictingInteraction {
  readonly contract: string
  readonly description: string
  readonly status: number
}

/** A difference between a request and the closest interaction. */
export interface RequestMismatch {
  /** The type, which names the part of the request that differs, such as `QueryMismatch` or `BodyMismatch`. */
  readonly type: string
  /** Stable name of the kind of mismatch, such as `not-equal` or `missing`. */
  readonly kind: string
  /** The location of the difference, such as `header X-Id` or `$.items[0].id`. */
  readonly place: string
  readonly expected?: unknown
  readonly actual?: unknown
  /** Description of the difference in one sentence. */
  readonly mismatch: string
  readonly explanation?: string
}

/** A request that no interaction matches. Secrets are redacted. */
export interface UnmatchedRequest {
  /** Summary on one line, with the closest interaction and the parts that differ. */
  readonly error: string
  /** True if an interaction has the method and the path of the request. */
  readonly hasTarget: boolean
  /** The request: method, path, query, headers, and body. */
  readonly request: object
  /** The interaction that is closest to the request, or null if none is similar. */
  readonly closest: {
    readonly contract: string
    readonly interaction: Omit<ContractInteraction, 'contract'>
    readonly method: string
    readonly path: string
    readonly mismatches: readonly RequestMismatch[]
  } | null
}

/** Options for all functions that serve contracts as mocks. */
export interface ContractMockOptions {
  /**
   * The base URL of the API, such as `https://api.example.com/v1`. Only requests below it are compared with the
   * contracts. Paths in the contracts are relative to it. By default, requests to all hosts are compared.
   */
  readonly baseUrl?: string | URL | undefined
  /** Name of a consumer, or an array of names. Only the contracts of these consumers are served. Default: all. */
  readonly consumer?: string | readonly string[] | undefined
  /** Name of a provider, or an array of names. Only the contracts of these providers are served. Default: all. */
  readonly provider?: string | readonly string[] | undefined
  /**
   * The provider states to select. If set, an interaction responds only if all its states are selected. By default,
   * interactions respond regardless of their states.
   */
  readonly states?: readonly StateSelection[] | undefined
  /**
   * What to do if interactions of different contracts respond differently to the same request in the same states:
   * `warn` prints a warning, `reject` throws an error, and `ignore` does nothing. Unless an error is thrown, the first
   * contract in the list responds. Default: `warn`.
   */
  readonly conflicts?: 'warn' | 'reject' | 'ignore' | undefined
  /**
   * What to do with interactions that require plugins, which are not available here: `reject` throws an error, and
   * `ignore` skips the interactions with a warning. Default: `reject`.
   */
  readonly plugins?: 'reject' | 'ignore' | undefined
  /**
   * Maximum total size of the contracts in bytes. Loading a contract requires about ten times its size in memory.
   * Default: 67108864 (64 MiB).
   */
  readonly contractLimit?: number | undefined
  /**
   * Seed for generated values, a non-negative integer. With a seed, the values are the same in every run. Default:
   * random.
   */
  readonly seed?: number | undefined
  /** Returns the current time, on which generated dates and times are based. Default: `Date.now`. */
  readonly now?: (() => number | Date) | undefined
  /** A function that receives each warning. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** Options that apply to requests that no interaction matches. */
export interface UnmatchedOptions<Decide> {
  /**
   * What to do with a request that no interaction matches:
   *
   * - `respond`: respond with status 501 and a problem document (`application/problem+json`) that contains the closest
   *   interaction and its mismatches.
   * - `bypass`: let other handlers, other routes, or the network respond.
   * - a function: a handler of MSW responds with its result, and `undefined` bypasses the request. A route of Playwright is
   *   passed to the function, which responds to it, for example with `route.abort()`.
   *
   * Default: `respond` for requests below `baseUrl`. If `baseUrl` is not set, `respond` for requests with the method and path of
   * an interaction, and `bypass` for all others.
   */
  readonly onUnmatched?: 'respond' | 'bypass' | Decide | undefined
}

/** Contracts that are served as mocks. */
export interface ContractMock {
  /** The interactions that are served, in the order of the contracts. */
  readonly interactions: readonly ContractInteraction[]
  /** Interactions of different contracts that match the same request but have different responses. */
  readonly conflicts: readonly ContractConflict[]
  /**
   * Selects provider states and replaces the states selected earlier. Without an argument, interactions respond
   * regardless of their states.
   */
  setStates(states?: readonly StateSelection[]): void
  /** Selects the states of the `states` option again, and restarts the sequence of generated values. */
  reset(): void
}
