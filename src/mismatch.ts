import type { Finding, ServedInteractionName } from './generated/requests.js'
import type { JsonValue } from './json.js'

/** A difference in a part of that type, with what tells the place there. */
type Difference<
  Type extends string,
  Known extends keyof Finding = never,
  Possible extends keyof Finding = never,
> = Omit<Finding, 'type' | 'parameter' | 'key' | 'index' | 'path' | 'pointer'> & { readonly type: Type } & Required<
    Pick<Finding, Known>
  > &
  Pick<Finding, Possible>

/** One difference between what a contract expects and what arrived. */
export type Mismatch =
  | Difference<'MethodMismatch' | 'PathMismatch' | 'StatusMismatch' | 'BodyTypeMismatch'>
  | Difference<'QueryMismatch', 'parameter', 'index'>
  | Difference<'HeaderMismatch', 'key', 'index'>
  | Difference<'MetadataMismatch', 'key', 'path' | 'pointer'>
  | Difference<'BodyMismatch', 'path' | 'pointer'>

/** Names an interaction. */
export type InteractionName = Omit<ServedInteractionName, 'index'>

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

export type { ClosestInteraction, ServedInteractionName, ServerMismatch } from './generated/requests.js'
