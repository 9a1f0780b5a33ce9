import type { Finding, ServedInteractionName } from './generated/requests.js'
import type { JsonValue } from './json.js'

/** A mismatch of one type, with those members that locate it. */
type MismatchOf<
  Type extends string,
  Known extends keyof Finding = never,
  Possible extends keyof Finding = never,
> = Omit<Finding, 'type' | 'parameter' | 'key' | 'index' | 'path' | 'pointer'> & { readonly type: Type } & Required<
    Pick<Finding, Known>
  > &
  Pick<Finding, Possible>

/** A difference between an expected and a received value. */
export type Mismatch =
  | MismatchOf<'MethodMismatch' | 'PathMismatch' | 'StatusMismatch' | 'BodyTypeMismatch'>
  | MismatchOf<'QueryMismatch', 'parameter', 'index'>
  | MismatchOf<'HeaderMismatch', 'key', 'index'>
  | MismatchOf<'MetadataMismatch', 'key', 'path' | 'pointer'>
  | MismatchOf<'BodyMismatch', 'path' | 'pointer'>

/** The description, provider states, and key of an interaction. */
export type InteractionName = Omit<ServedInteractionName, 'index'>

/** A request in a report. Secrets are redacted, and long bodies are truncated. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  /** The query string, without the question mark. Absent if the request has no query. */
  readonly query?: string
  /** The headers by name. Several values of a header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** The body: parsed JSON, a string for other text, or base64 for binary data. Absent if the body is empty. */
  readonly body?: JsonValue
  readonly bodyEncoding?: 'base64'
  /** Size of the complete body, in bytes. */
  readonly bodyLength?: number
}

export type { ClosestInteraction, ServedInteractionName, ServerMismatch } from './generated/requests.js'
