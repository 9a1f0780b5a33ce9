import type { JsonValue } from './json.js'

interface MismatchBase {
  /** The kind of difference, stable: `not-equal`, `missing`, `unexpected`, `keys`, `length`, `type`, `regex`, … */
  readonly kind: string
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

/** A request as a mock server received it: secrets blanked out, a long body cut. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, readonly string[]>>
  readonly headers?: Readonly<Record<string, readonly string[]>>
  readonly body?: JsonValue
}

/** What a mock server has to say against the consumer. */
export type ServerMismatch =
  | {
      readonly type: 'request-mismatch'
      readonly method: string
      readonly path: string
      /** The interaction that came closest. */
      readonly interaction: InteractionName
      readonly mismatches: readonly Mismatch[]
      readonly request: ReceivedRequest
    }
  | {
      readonly type: 'request-not-found'
      readonly method: string
      readonly path: string
      readonly request: ReceivedRequest
    }
  | {
      readonly type: 'missing-request'
      readonly method: string
      readonly path: string
      readonly interaction: InteractionName
    }
