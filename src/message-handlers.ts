import type { JsonObject, JsonValue } from './json.js'
import { contentsOf, type Handed, type MessageContents, type MessageState } from './messages.js'

/** What a producer is asked for. */
export interface MessageRequest {
  /** The description of the interaction: it names the message. */
  readonly description: string
  readonly providerStates: readonly MessageState[]
  /** What the consumer sends; of synchronous messages only. */
  readonly request?: MessageContents
  /** The metadata that the consumer names; empty when the request came over HTTP. */
  readonly metadata: Readonly<Record<string, JsonValue>>
  /** What the state handlers returned; empty when the request came over HTTP. */
  readonly stateValues: JsonObject
}

/** Contents with what travels beside them. */
export interface MessageEnvelope {
  /** JSON, text as it is, or bytes. */
  readonly contents: unknown
  /** Default: JSON for values, `application/octet-stream` for bytes, for text what it looks like. */
  readonly contentType?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A message as its producer makes it: a value that JSON can hold, a text that is sent as it is, bytes, or an envelope around
 * one of them. An object is an envelope when it has `contents` and nothing but `contentType` and `metadata` beside it.
 */
export type MessageResult = JsonValue | Uint8Array | MessageEnvelope | object

/**
 * Makes the message that a description names. Of a synchronous message for which the contract expects several responses, a
 * list of them.
 */
export type MessageFunction = (request: MessageRequest) => MessageResult | Promise<MessageResult>

/** Functions, or messages as they are, by description. */
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
