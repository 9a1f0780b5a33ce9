import type { JsonObject, JsonValue } from './json.js'
import { contentsOf, type MessageContents, type MessageState, type NativeContents } from './messages.js'

/** The request for a message, as message handlers receive it. */
export interface MessageRequest {
  /** The description of the interaction. */
  readonly description: string
  readonly providerStates: readonly MessageState[]
  /** The request of a synchronous message. */
  readonly request?: MessageContents
  /** The metadata in the contract; empty if the request was received over HTTP. */
  readonly metadata: Readonly<Record<string, JsonValue>>
  /** The values returned by state handlers; empty if the request was received over HTTP. */
  readonly stateValues: JsonObject
}

/** The contents of a message with content type and metadata. */
export interface MessageEnvelope {
  /** A JSON value, a string that is sent literally, or bytes. */
  readonly contents: unknown
  /** Default: `application/json` for values, `application/octet-stream` for bytes, detected for strings. */
  readonly contentType?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A message: a JSON value, a string that is sent literally, bytes, or an envelope around one of them. An object is an
 * envelope if it has `contents` and no members other than `contentType` and `metadata`.
 */
export type MessageResult = JsonValue | Uint8Array | MessageEnvelope | object

/** Creates the message for a description. If a synchronous message expects several responses, it returns an array. */
export type MessageFunction = (request: MessageRequest) => MessageResult | Promise<MessageResult>

/** Functions or fixed messages, by description. */
export type MessageMapping = Readonly<Record<string, MessageFunction | MessageResult>>

/** A request for a message, in the form of the core. */
export interface NativeMessageRequest {
  readonly description: string
  readonly providerStates: readonly MessageState[]
  readonly request: NativeContents | null
  readonly metadata: Readonly<Record<string, JsonValue>>
  readonly stateValues: JsonObject
}

/** @internal Converts a request of the core to the form that handlers receive. */
export function messageRequest(native: NativeMessageRequest): MessageRequest {
  const { request, ...others } = native
  return request === null ? others : { ...others, request: contentsOf(request) }
}
