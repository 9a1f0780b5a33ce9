// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch, ReceivedRequest } from '../mismatch.js'

/**
 * One difference between what a contract expects and what arrived: its place, its sentence, and the values, without secrets
 * and bounded in size.
 */
export interface Finding {
  /** The part of the request, the answer or the message. */
  readonly type: string
  /** The kind of difference, stable: `not-equal`, `missing`, `unexpected`, `keys`, `length`, `type`, `regex`, … */
  readonly kind: string
  /**
   * Where, in one way for all types: `status`, `header X-Id`, `query parameter page[1]`, `$.items[0].id` in a body,
   * `metadata topic`. Other members have its parts.
   */
  readonly place: string
  /** The name of a query parameter. */
  readonly parameter?: string
  /** The name of a header or of a metadata entry. */
  readonly key?: string
  /** Which of several values. */
  readonly index?: number
  /**
   * Where in the body, or in a metadata entry's value if that is an object or a list, as a path expression:
   * `$.items[0].id`.
   */
  readonly path?: string
  /** The same as a JSON pointer: `/items/0/id`. */
  readonly pointer?: string
  /** What the contract expects there. */
  readonly expected?: JsonValue
  /** What arrived there. */
  readonly actual?: JsonValue
  /** The matching rule that failed, as contract files write it; absent when plain equality was asked for. */
  readonly rule?: JsonValue
  /** The difference in one line. */
  readonly mismatch: string
  /** More to read: a diff, the nearest candidate, what to do. */
  readonly explanation?: string
}

/** Names an interaction of a server. */
export interface ServedInteractionName {
  /** Its place among the interactions of the server. */
  readonly index: number
  /** In words. */
  readonly description: string
  /** The provider states that it needs; absent when it needs none. */
  readonly states?: readonly { readonly name: string; readonly parameters?: JsonObject }[]
  /** Its key, if it has one. */
  readonly key?: string
}

/** The interaction that a request comes closest to. */
export interface ClosestInteraction {
  /** Which. */
  readonly interaction: ServedInteractionName
  /** The expected method. */
  readonly method: string
  /** The expected path. */
  readonly path: string
  /** What differs. */
  readonly mismatches: readonly Mismatch[]
  /** Differences beyond these, if there are any. */
  readonly omitted?: number
}

/** What a mock server has to say against the consumer. */
export type ServerMismatch =
  | {
      /** A request that is expected, but not like this. */
      readonly type: 'request-mismatch'
      /** The expected method. */
      readonly method: string
      /** The expected path. */
      readonly path: string
      /** The interaction that comes closest. */
      readonly interaction: ServedInteractionName
      /** What differs. */
      readonly mismatches: readonly Mismatch[]
      /** Differences beyond these, if there are any. */
      readonly omitted?: number
      /** As received. */
      readonly request: ReceivedRequest
      /** How often it came. */
      readonly count: number
    }
  | {
      /** A request that no interaction expects. */
      readonly type: 'request-not-found'
      /** As received. */
      readonly method: string
      /** As received. */
      readonly path: string
      /** As received. */
      readonly request: ReceivedRequest
      /** The interaction that comes closest, when one is close. */
      readonly closest?: ClosestInteraction
      /** Why it could not be compared at all, such as a body beyond the limit. */
      readonly reason?: string
      /** How often it came. */
      readonly count: number
    }
  | {
      /** A request that was refused before it could be compared, such as one with a head beyond the limit. */
      readonly type: 'request-refused'
      /** With which status; absent when there was no answer. */
      readonly status?: number
      /** A stable name for the reason, such as `head-too-large`. */
      readonly code: string
      /** Why, and what to do. */
      readonly reason: string
      /** How often. */
      readonly count: number
    }
  | {
      /** An interaction that was never requested. */
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
      /** How often it may be requested. */
      readonly min: number
      /** The most; nothing stands for no bound. */
      readonly max: number | null
      /** How often it was. */
      readonly actual: number
    }
  | {
      /** What the mock server of a plugin found wrong. */
      readonly type: 'plugin-mismatch'
      /** The plugin. */
      readonly plugin: string
      /** The protocol. */
      readonly transport: string
      /** What was asked for, in the words of the protocol. */
      readonly path?: string
      /** What went wrong. */
      readonly error?: string
      /** What differs. */
      readonly mismatches: readonly Mismatch[]
    }

/** A request that came, as it came, and what became of it. Unlike texts and errors it holds secrets. */
export interface JournalEntry {
  /** When its last byte had come, in milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** Without query. */
  readonly path: string
  /** Names, decoded, with their values in order; `null` is a name without value. */
  readonly query: Readonly<Record<string, readonly (string | null)[]>>
  /** Names with their values in order. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** Text, or base64 of what is no text. The beginning of a long one; of old requests nothing. */
  readonly body: string | { readonly base64: string }
  /** Bytes of the whole body. */
  readonly bodyLength: number
  /** `not-found`: no interaction has its method and path. `preflight`: a browser asked for permission, and got it. */
  readonly outcome: 'matched' | 'mismatched' | 'not-found' | 'preflight'
  /** The description of the interaction that answered, or that came closest. */
  readonly interaction: string | null
  readonly mismatches: readonly Mismatch[]
  /** JSON pointers to the fields of the body that the contract does not name. */
  readonly unexpectedFields: readonly string[]
}
