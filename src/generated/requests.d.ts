// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Part } from '../interaction.js'
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch, ReceivedRequest } from '../mismatch.js'

/** A difference between an expected and a received value. Secrets are redacted, and long values are truncated. */
export interface Finding {
  /** Part of the request, response, or message in which the difference occurred. */
  readonly type: string
  /** Stable name of the kind of mismatch: `not-equal`, `missing`, `unexpected`, `keys`, `length`, `type`, `regex`, … */
  readonly kind: string
  /**
   * Location of the difference, such as `status`, `header X-Id`, `query parameter page[1]`, `$.items[0].id` in a
   * body, or `metadata topic`. Other fields contain the parts of this location.
   */
  readonly place: string
  /** Name of the query parameter. */
  readonly parameter?: string
  /** Name of the header or metadata entry. */
  readonly key?: string
  /** Index of the value if a header or parameter has several values. Starts at 0. */
  readonly index?: number
  /** Path expression in the body, or in a metadata entry that is an object or an array: `$.items[0].id`. */
  readonly path?: string
  /** The same path as a JSON pointer: `/items/0/id`. */
  readonly pointer?: string
  /** The expected value. */
  readonly expected?: JsonValue
  /** The received value. */
  readonly actual?: JsonValue
  /** The matching rule that failed, as written in contract files. Missing if the values were compared for equality. */
  readonly rule?: JsonValue
  /** Description of the difference in one sentence. */
  readonly mismatch: string
  /** Additional information, such as a diff, the closest candidate, or advice. */
  readonly explanation?: string
}

/** Identifies an interaction of a mock server. */
export interface ServedInteractionName {
  /** Index among the interactions of the server. */
  readonly index: number
  /** The description. */
  readonly description: string
  /** The provider states, if any. */
  readonly states?: readonly { readonly name: string; readonly parameters?: JsonObject }[]
  /** The key of the interaction, if it has one. */
  readonly key?: string
}

/** The interaction that is closest to a request. */
export interface ClosestInteraction {
  /** The closest interaction. */
  readonly interaction: ServedInteractionName
  /** The expected method. */
  readonly method: string
  /** The expected path. */
  readonly path: string
  /** Mismatches between the interaction and the request. */
  readonly mismatches: readonly Mismatch[]
  /** Number of additional mismatches. */
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
      /** Number of additional mismatches. */
      readonly omitted?: number
      /** The received request. */
      readonly request: ReceivedRequest
      /** Number of times this request was received. */
      readonly count: number
    }
  | {
      /** An unexpected request. */
      readonly type: 'request-not-found'
      /** The received method. */
      readonly method: string
      /** The received path. */
      readonly path: string
      /** The received request. */
      readonly request: ReceivedRequest
      /** The closest interaction. Missing if no interaction is similar. */
      readonly closest?: ClosestInteraction
      /** Reason if the request could not be compared, for example because its body exceeds the limit. */
      readonly reason?: string
      /** Number of times this request was received. */
      readonly count: number
    }
  | {
      /** A request that was rejected before it could be compared, for example because its head exceeds the limit. */
      readonly type: 'request-refused'
      /** Status of the response. Missing if no response was sent. */
      readonly status?: number
      /** Stable name of the reason, such as `head-too-large`. */
      readonly code: string
      /** The reason, and what to do about it. */
      readonly reason: string
      /** Number of times such a request was rejected. */
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
      /** Maximum number of requests. Missing if there is no maximum. */
      readonly max: number | null
      /** Number of received requests. */
      readonly actual: number
    }
  | {
      /** A mismatch that the mock server of a plugin reported. */
      readonly type: 'plugin-mismatch'
      /** Name of the plugin. */
      readonly plugin: string
      /** Name of the transport. */
      readonly transport: string
      /** The name that the plugin uses for the request. */
      readonly path?: string
      /** Error message of the plugin. */
      readonly error?: string
      /** Mismatches that the plugin found. */
      readonly mismatches: readonly Mismatch[]
    }

/** A received request and its outcome. Unlike messages and errors, it contains secrets. */
export interface JournalEntry {
  /** Time at which the last byte was received, in milliseconds since 1970-01-01 UTC. */
  readonly at: number
  readonly method: string
  /** The path without the query string. */
  readonly path: string
  /** Decoded query parameters with their values in order. A parameter without a value has the value `null`. */
  readonly query: Readonly<Record<string, readonly (string | null)[]>>
  /** Headers with their values in order. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  /**
   * The body as text, or as base64 for binary content. Long bodies are truncated, and bodies of old requests are
   * removed.
   */
  readonly body: string | { readonly base64: string }
  /** Size of the complete body in bytes. */
  readonly bodyLength: number
  /**
   * The outcome: `matched`, `mismatched`, `not-found` if no interaction has this method and path, or `preflight` if
   * the server responded to a CORS preflight request.
   */
  readonly outcome: 'matched' | 'mismatched' | 'not-found' | 'preflight'
  /**
   * The description of the interaction that provided the response, or of the closest interaction. `null` if there is
   * neither.
   */
  readonly interaction: string | null
  readonly mismatches: readonly Mismatch[]
  /** JSON pointers to body fields that the contract does not define. */
  readonly unexpectedFields: readonly string[]
}
