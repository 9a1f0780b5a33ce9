// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch, ReceivedRequest } from '../mismatch.js'

/**
 * A difference between an expected and a received value: place, message, and values, without secrets and limited in
 * size.
 */
export interface Finding {
  /** The part of the request, response, or message. */
  readonly type: string
  /** The stable kind of mismatch: `not-equal`, `missing`, `unexpected`, `keys`, `length`, `type`, `regex`, … */
  readonly kind: string
  /**
   * The place, in the same form for all types: `status`, `header X-Id`, `query parameter page[1]`, `$.items[0].id`
   * in a body, `metadata topic`. Other fields contain its parts.
   */
  readonly place: string
  /** The name of a query parameter. */
  readonly parameter?: string
  /** The name of a header or metadata entry. */
  readonly key?: string
  /** The index, if there are several values. */
  readonly index?: number
  /** The path expression in the body, or in a metadata entry that is an object or a list: `$.items[0].id`. */
  readonly path?: string
  /** The same as a JSON pointer: `/items/0/id`. */
  readonly pointer?: string
  /** The expected value. */
  readonly expected?: JsonValue
  /** The received value. */
  readonly actual?: JsonValue
  /** The matching rule that failed, in the form of contract files; absent for plain equality. */
  readonly rule?: JsonValue
  /** The difference in one line. */
  readonly mismatch: string
  /** Further explanation: a diff, the nearest candidate, what to do. */
  readonly explanation?: string
}

/** Identifies an interaction of a mock server. */
export interface ServedInteractionName {
  /** Its index among the interactions of the server. */
  readonly index: number
  /** The description. */
  readonly description: string
  /** The provider states, if any. */
  readonly states?: readonly { readonly name: string; readonly parameters?: JsonObject }[]
  /** The key, if it has one. */
  readonly key?: string
}

/** The interaction closest to a request. */
export interface ClosestInteraction {
  /** The interaction. */
  readonly interaction: ServedInteractionName
  /** The expected method. */
  readonly method: string
  /** The expected path. */
  readonly path: string
  /** The mismatches. */
  readonly mismatches: readonly Mismatch[]
  /** Number of further mismatches. */
  readonly omitted?: number
}

/** A mismatch found by a mock server. */
export type ServerMismatch =
  | {
      /** An expected request that differs. */
      readonly type: 'request-mismatch'
      /** The expected method. */
      readonly method: string
      /** The expected path. */
      readonly path: string
      /** The closest interaction. */
      readonly interaction: ServedInteractionName
      /** The mismatches. */
      readonly mismatches: readonly Mismatch[]
      /** Number of further mismatches. */
      readonly omitted?: number
      /** The request as received. */
      readonly request: ReceivedRequest
      /** Number of times it was received. */
      readonly count: number
    }
  | {
      /** An unexpected request. */
      readonly type: 'request-not-found'
      /** The request as received. */
      readonly method: string
      /** The request as received. */
      readonly path: string
      /** The request as received. */
      readonly request: ReceivedRequest
      /** The closest interaction, if one is close. */
      readonly closest?: ClosestInteraction
      /** Why it could not be compared, for example because its body exceeds the limit. */
      readonly reason?: string
      /** Number of times it was received. */
      readonly count: number
    }
  | {
      /** A request that was rejected before it could be compared, for example because its head exceeds the limit. */
      readonly type: 'request-refused'
      /** The status of the response; absent if there was none. */
      readonly status?: number
      /** A stable name for the reason, such as `head-too-large`. */
      readonly code: string
      /** Why, and what to do. */
      readonly reason: string
      /** Number of times. */
      readonly count: number
    }
  | {
      /** A missing request: an interaction that was never requested. */
      readonly type: 'missing-request'
      /** The expected method. */
      readonly method: string
      /** The expected path. */
      readonly path: string
      /** The interaction. */
      readonly interaction: ServedInteractionName
      /** The expected request. */
      readonly request: ReceivedRequest
    }
  | {
      /** An interaction that was requested too often, or not often enough. */
      readonly type: 'times-mismatch'
      /** The expected method. */
      readonly method: string
      /** The expected path. */
      readonly path: string
      /** The interaction. */
      readonly interaction: ServedInteractionName
      /** Minimum number of requests. */
      readonly min: number
      /** Maximum number of requests; absent if unlimited. */
      readonly max: number | null
      /** Number of received requests. */
      readonly actual: number
    }
  | {
      /** A mismatch reported by the mock server of a plugin. */
      readonly type: 'plugin-mismatch'
      /** The plugin. */
      readonly plugin: string
      /** The protocol. */
      readonly transport: string
      /** The request, as the protocol names it. */
      readonly path?: string
      /** What went wrong. */
      readonly error?: string
      /** The mismatches. */
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
   * The outcome. `not-found` means that no interaction has this method and path. `preflight` means that the server
   * answered a preflight request of a browser.
   */
  readonly outcome: 'matched' | 'mismatched' | 'not-found' | 'preflight'
  /** The description of the interaction that provided the response, or of the closest interaction. */
  readonly interaction: string | null
  readonly mismatches: readonly Mismatch[]
  /** JSON pointers to body fields that the contract does not define. */
  readonly unexpectedFields: readonly string[]
}
