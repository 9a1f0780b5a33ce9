// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Part } from '../interaction.js'
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch, ReceivedRequest } from '../mismatch.js'

/** A difference between an expected and a received value. Secrets are redacted, and long values are truncated. */
export interface Finding {
  /** Part of the request, response, or message that contains the difference. */
  readonly type: string
  /**
   * Stable name of the kind of mismatch, such as `not-equal`, `missing`, `unexpected`, `keys`, `length`, `type`, or
   * `regex`.
   */
  readonly kind: string
  /**
   * Location of the difference, such as `status`, `header X-Id`, `query parameter page[1]`, `$.items[0].id` in a
   * body, or `metadata topic`. `parameter`, `key`, `index`, and `path` contain its components.
   */
  readonly place: string
  /** Name of the query parameter. Missing for mismatches outside of the query. */
  readonly parameter?: string
  /** Name of the header or metadata entry. Missing for mismatches in other parts. */
  readonly key?: string
  /** Index of the value, starting at 0, if the header or query parameter has multiple values. Missing otherwise. */
  readonly index?: number
  /**
   * Path expression, such as `$.items[0].id`, in the body or in a metadata entry that is an object or an array.
   * Missing for mismatches in other parts.
   */
  readonly path?: string
  /** The value of `path` as a JSON pointer, such as `/items/0/id`. Missing if `path` is missing. */
  readonly pointer?: string
  /** The expected value. Missing if the mismatch does not concern a single value. */
  readonly expected?: JsonValue
  /** The received value. Missing if no value was received, or if the mismatch does not concern a single value. */
  readonly actual?: JsonValue
  /**
   * The matching rule that failed, in the format of contract files. Missing if the values were compared for
   * equality.
   */
  readonly rule?: JsonValue
  /** Description of the difference in one sentence. */
  readonly mismatch: string
  /** Additional information, such as a diff, the closest array item, or advice. Missing if there is none. */
  readonly explanation?: string
}

/** Identifies an interaction of a mock server. */
export interface ServedInteractionName {
  /** Index of the interaction in the list of those that the server serves. Starts at 0. */
  readonly index: number
  /** Description of the interaction. */
  readonly description: string
  /** Provider states of the interaction. Missing if it has none. */
  readonly states?: readonly { readonly name: string; readonly parameters?: JsonObject }[]
  /** Key of the interaction in the contract. Missing if it has none. */
  readonly key?: string
}

/** The interaction that is most similar to an unexpected request. */
export interface ClosestInteraction {
  /** Description and provider states of the interaction. */
  readonly interaction: ServedInteractionName
  /** The expected method. */
  readonly method: string
  /** The expected path. */
  readonly path: string
  /** Mismatches between the interaction and the request. */
  readonly mismatches: readonly Mismatch[]
  /** Number of mismatches that are not listed in `mismatches`. */
  readonly omitted?: number
}

/** A mismatch found by a mock server. */
export type ServerMismatch =
  | {
      /** A request that has the method and path of an interaction, but does not match it. */
      readonly type: 'request-mismatch'
      /** The expected method. */
      readonly method: string
      /** The expected path. */
      readonly path: string
      /** The interaction that the request does not match. */
      readonly interaction: ServedInteractionName
      /** Mismatches between the interaction and the request. */
      readonly mismatches: readonly Mismatch[]
      /** Number of mismatches that are not listed in `mismatches`. */
      readonly omitted?: number
      /** The received request. */
      readonly request: ReceivedRequest
      /** Number of times that this request was received. */
      readonly count: number
    }
  | {
      /** A request that no interaction expects. */
      readonly type: 'request-not-found'
      /** The received method. */
      readonly method: string
      /** The received path. */
      readonly path: string
      /** The received request. */
      readonly request: ReceivedRequest
      /** The closest interaction. Missing if no interaction is similar to the request. */
      readonly closest?: ClosestInteraction
      /**
       * Reason why the request could not be compared, for example because its body exceeds the limit. Missing if it
       * was compared.
       */
      readonly reason?: string
      /** Number of times that this request was received. */
      readonly count: number
    }
  | {
      /** A request that was rejected before it could be compared, for example because its head exceeds the limit. */
      readonly type: 'request-refused'
      /** Status of the response, such as 431. Missing if no response was sent. */
      readonly status?: number
      /** Stable name of the reason, such as `head-too-large`. */
      readonly code: string
      /** The reason in one or two sentences, with advice. */
      readonly reason: string
      /** Number of times that such a request was rejected. */
      readonly count: number
    }
  | {
      /** An interaction that was never requested. */
      readonly type: 'missing-request'
      /** The expected method. */
      readonly method: string
      /** The expected path. */
      readonly path: string
      /** The interaction that was not requested. */
      readonly interaction: ServedInteractionName
      /** The expected request. */
      readonly request: ReceivedRequest
    }
  | {
      /** An interaction that was requested too often or not often enough. */
      readonly type: 'times-mismatch'
      /** The expected method. */
      readonly method: string
      /** The expected path. */
      readonly path: string
      /** The interaction that was requested the wrong number of times. */
      readonly interaction: ServedInteractionName
      /** Minimum number of requests. */
      readonly min: number
      /** Maximum number of requests. Missing if the number is unlimited. */
      readonly max: number | null
      /** Number of requests that were received. */
      readonly actual: number
    }
  | {
      /** A mismatch that the mock server of a plugin found. */
      readonly type: 'plugin-mismatch'
      /** Name of the plugin. */
      readonly plugin: string
      /** Name of the plugin's transport, such as `grpc`. */
      readonly transport: string
      /** Name that the plugin uses for the request, such as the path of a gRPC method. */
      readonly path?: string
      /** Error message of the plugin. Missing if the plugin reported only mismatches. */
      readonly error?: string
      /** Mismatches that the plugin found. */
      readonly mismatches: readonly Mismatch[]
    }

/** A request that a mock server received, and its outcome. Secrets are not redacted, unlike in messages and errors. */
export interface JournalEntry {
  /** Time at which the last byte was received, in milliseconds since 1970-01-01 UTC. */
  readonly at: number
  readonly method: string
  /** The path without the query string. */
  readonly path: string
  /**
   * Decoded query parameters as an object of arrays. The values of a parameter are in the order of the request. A
   * parameter without `=` has the value `null`.
   */
  readonly query: Readonly<Record<string, readonly (string | null)[]>>
  /** Headers as an object of arrays. The values of a header are in the order of the request. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  /**
   * The body: a string if it is UTF-8 text, otherwise `{ base64 }`. Long bodies are truncated, and the bodies of old
   * requests are removed.
   */
  readonly body: string | { readonly base64: string }
  /** Size of the received body in bytes, before truncation. */
  readonly bodyLength: number
  /**
   * The outcome: `matched`, `mismatched` if an interaction has this method and path but differs, `not-found` if no
   * interaction has this method and path, or `preflight` if the server responded to a CORS preflight request.
   */
  readonly outcome: 'matched' | 'mismatched' | 'not-found' | 'preflight'
  /** Description of the interaction that matched, or else of the closest interaction. `null` if there is neither. */
  readonly interaction: string | null
  readonly mismatches: readonly Mismatch[]
  /** JSON pointers to fields of the body that the contract does not define, such as `/customer/name`. */
  readonly unexpectedFields: readonly string[]
}
