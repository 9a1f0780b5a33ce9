import type { JsonValue } from './json.js'

interface MismatchBase {
  /** The kind of difference, stable: `not-equal`, `missing`, `unexpected`, `keys`, `length`, `type`, `regex`, … */
  readonly kind: string
  /**
   * Where, in one way for all types: `status`, `header X-Id`, `query parameter page[1]`, `$.items[0].id` in a body, `metadata topic`.
   * The members of the types below have its parts.
   */
  readonly place: string
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

/** One difference between what a contract expects and what arrived. */
export type Mismatch =
  | (MismatchBase & { readonly type: 'MethodMismatch' | 'PathMismatch' | 'StatusMismatch' | 'BodyTypeMismatch' })
  | (MismatchBase & {
      readonly type: 'QueryMismatch'
      /** The name of the query parameter. */
      readonly parameter: string
      /** Which of several values. */
      readonly index?: number
    })
  | (MismatchBase & {
      readonly type: 'HeaderMismatch'
      /** The name of the header. */
      readonly key: string
      /** Which of several values. */
      readonly index?: number
    })
  | (MismatchBase & {
      readonly type: 'MetadataMismatch'
      /** The name of the metadata entry. */
      readonly key: string
      /** Where in its value, if that is an object or a list: `$.items[0].id`. */
      readonly path?: string
      /** The same as a JSON pointer: `/items/0/id`. */
      readonly pointer?: string
    })
  | (MismatchBase & {
      readonly type: 'BodyMismatch'
      /** Where in the body, as a path expression: `$.items[0].id`. */
      readonly path: string
      /** Where in the body, as a JSON pointer: `/items/0/id`. */
      readonly pointer: string
    })

/** Names an interaction. */
export interface InteractionName {
  readonly description: string
  readonly states: readonly { readonly name: string; readonly parameters?: Readonly<Record<string, JsonValue>> }[]
  readonly key?: string
}

/** A request as a report shows it: secrets blanked out, a long body cut. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  /** As it stands in the URL, without `?`. */
  readonly query?: string
  /** Several values of a header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** A JSON document as such, other text as text, what is no text in base64. */
  readonly body?: JsonValue
  readonly bodyEncoding?: 'base64'
  /** Bytes of the whole body. */
  readonly bodyLength?: number
}

/** The interaction that a request comes closest to. */
export interface ClosestInteraction {
  readonly interaction: ServedInteractionName
  /** The expected method. */
  readonly method: string
  /** The expected path. */
  readonly path: string
  readonly mismatches: readonly Mismatch[]
  /** Differences beyond these, if there are any. */
  readonly omitted?: number
}

/** Names an interaction of a server. */
export interface ServedInteractionName extends InteractionName {
  /** Its place among the interactions of the server. */
  readonly index: number
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
      /** The interaction that came closest. */
      readonly interaction: ServedInteractionName
      readonly mismatches: readonly Mismatch[]
      /** Differences beyond these, if there are any. */
      readonly omitted?: number
      readonly request: ReceivedRequest
      /** How often it came. */
      readonly count: number
    }
  | {
      /** A request that no interaction expects. */
      readonly type: 'request-not-found'
      readonly method: string
      readonly path: string
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
      readonly method: string
      readonly path: string
      readonly interaction: ServedInteractionName
      /** The expected request. */
      readonly request: ReceivedRequest
    }
  | {
      /** An interaction that was requested too often, or not often enough. */
      readonly type: 'times-mismatch'
      readonly method: string
      readonly path: string
      readonly interaction: ServedInteractionName
      /** How often it may be requested. */
      readonly min: number
      /** Nothing stands for no bound. */
      readonly max: number | null
      /** How often it was. */
      readonly actual: number
    }
  | {
      /** What the mock server of a plugin found wrong. */
      readonly type: 'plugin-mismatch'
      readonly plugin: string
      /** The protocol. */
      readonly transport: string
      /** What was asked for, in the words of the protocol. */
      readonly path?: string
      /** What went wrong. */
      readonly error?: string
      readonly mismatches: readonly Mismatch[]
    }
