import type { JsonObject, JsonValue } from './json.js'
import { contentsOf, type Handed, type MessageContents, type MessageState } from './messages.js'

/** The request for a message, as message handlers receive it. */
export interface MessageRequest {
  /** The description of the interaction. */
  readonly description: string
  readonly providerStates: readonly MessageState[]
  /** The request of a synchronous message. */
  readonly request?: MessageContents
  /** The metadata in the contract; empty if the request came over HTTP. */
  readonly metadata: Readonly<Record<string, JsonValue>>
  /** The values that state handlers returned; empty if the request came over HTTP. */
  readonly stateValues: JsonObject
}

/** Contents with content type and metadata. */
export interface MessageEnvelope {
  /** A JSON value, a string that is sent literally, or bytes. */
  readonly contents: unknown
  /** Default: JSON for values, `application/octet-stream` for bytes, recognized for strings. */
  readonly contentType?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A message: a JSON value, a string that is sent literally, bytes, or an envelope around one of them. An object is an
 * envelope if it has `contents` and no members other than `contentType` and `metadata`.
 */
export type MessageResult = JsonValue | Uint8Array | MessageEnvelope | object

/** Builds the message with a description. If a synchronous message expects several responses, it returns a list. */
export type MessageFunction = (request: MessageRequest) => MessageResult | Promise<MessageResult>

/** Functions or fixed messages, by description. */
export type MessageMapping = Readonly<Record<string, MessageFunction | MessageResult>>

/** As the core asks for a message. */
export interface MessageQuestion {
  readonly description: string
  readonly providerStates: readonly MessageState[]
  readonly request: Handed | null
  readonly metadata: Readonly<Record<string, JsonValue>>
  readonly stateValues: JsonObject
}

/** @internal A question as handlers get it. */
export function messageRequest(question: MessageQuestion): MessageRequest {
  const { request, ...others } = question
  return request === null ? others : { ...others, request: contentsOf(request) }
}
