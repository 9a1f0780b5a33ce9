/** The content of a contract file: a parsed document, JSON text, or the bytes of the file. */
export type ContractContent = object | string | Uint8Array

/**
 * A contract to serve. Pass `{ name, content }` to set the name for messages. By default, it consists of the names of
 * the consumer and the provider.
 *
 * In a document parsed by JavaScript, `1.0` and `1` are the same number. If a contract distinguishes them, pass its text.
 */
export type ContractSource = ContractContent | { readonly name: string; readonly content: ContractContent }

/** A provider state to select: its name, or its name and some of its parameters. */
export type StateSelection = string | { readonly name: string; readonly parameters?: Readonly<Record<string, unknown>> }

/** An interaction of a contract. */
export interface ContractInteraction {
  /** The name of the contract. */
  readonly contract: string
  readonly description: string
  /** The provider states that the interaction requires. */
  readonly states?: readonly { readonly name: string; readonly parameters?: Readonly<Record<string, unknown>> }[]
  readonly key?: string
}

/** Two interactions of different contracts that respond differently to the same request. */
export interface ContractConflict {
  /** Method and path of the example request. */
  readonly request: string
  /** The interaction that responds. */
  readonly first: ConflictingInteraction
  /** The interaction that does not respond. */
  readonly other: ConflictingInteraction
}

/** An interaction in a conflict. */
export interface ConflictingInteraction {
  readonly contract: string
  readonly description: string
  readonly status: number
}

/** A difference between a request and the closest interaction. */
export interface RequestMismatch {
  /** The type, which identifies the part of the request, such as `QueryMismatch` or `BodyMismatch`. */
  readonly type: string
  /** Stable name of the kind of mismatch, such as `not-equal` or `missing`. */
  readonly kind: string
  /** The location, such as `header X-Id` or `$.items[0].id`. */
  readonly place: string
  readonly expected?: unknown
  readonly actual?: unknown
  /** Description of the difference in one sentence. */
  readonly mismatch: string
  readonly explanation?: string
}

/** A request that no interaction matches. Secrets are redacted. */
export interface UnmatchedRequest {
  /** Summary on one line. */
  readonly error: string
  /** True if an interaction has the method and the path of the request. */
  readonly hasTarget: boolean
  /** The request: method, path, query, headers, and body. */
  readonly request: object
  /** The closest interaction, or null if there is no similar one. */
  readonly closest: {
    readonly contract: string
    readonly interaction: Omit<ContractInteraction, 'contract'>
    readonly method: string
    readonly path: string
    readonly mismatches: readonly RequestMismatch[]
  } | null
}

/** Options of all functions that serve contracts as mocks. */
export interface ContractMockOptions {
  /**
   * The base URL of the API, such as `https://api.example.com/v1`. Only requests below it are compared, and its path is not
   * part of the paths in the contracts. By default, requests to all hosts are compared.
   */
  readonly baseUrl?: string | URL | undefined
  /** Serve only contracts of these consumers. */
  readonly consumer?: string | readonly string[] | undefined
  /** Serve only contracts of these providers. */
  readonly provider?: string | readonly string[] | undefined
  /**
   * The selected provider states. An interaction responds only if all its states are selected. By default, interactions
   * respond in any state.
   */
  readonly states?: readonly StateSelection[] | undefined
  /**
   * How to treat interactions of different contracts that respond differently to the same request in the same states:
   * `warn` prints a warning, `reject` throws an error, and `ignore` accepts them. If they are accepted, the first
   * contract in the list responds. Default: `warn`.
   */
  readonly conflicts?: 'warn' | 'reject' | 'ignore' | undefined
  /**
   * How to treat interactions that require plugins, because plugins are not available here: `reject` throws an error,
   * and `ignore` skips them with a warning. Default: `reject`.
   */
  readonly plugins?: 'reject' | 'ignore' | undefined
  /**
   * Maximum total size of the contracts in bytes. A contract uses memory of about ten times its size. Default: 67108864
   * (64 MiB).
   */
  readonly contractLimit?: number | undefined
  /** Seed for generated values, a non-negative integer. Random by default. */
  readonly seed?: number | undefined
  /** Returns the current time for generated dates and times. Default: `Date.now`. */
  readonly now?: (() => number | Date) | undefined
  /** Receives warnings. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined
}

/** Options for requests that no interaction matches. */
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
  /** The interactions that are served, in order. */
  readonly interactions: readonly ContractInteraction[]
  /** Interactions of different contracts that respond differently to the same request. */
  readonly conflicts: readonly ContractConflict[]
  /**
   * Selects provider states. They replace the states that were selected before. Without an argument, interactions respond in
   * any state.
   */
  setStates(states?: readonly StateSelection[]): void
  /** Selects the states from the options, and restarts the sequence of generated values. */
  reset(): void
}
