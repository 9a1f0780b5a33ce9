import type { JsonObject, JsonValue } from './json.js'
import { contentsOf, type MessageContents, type MessageState, type NativeContents } from './messages.js'

/** The request for a message that a message handler receives. */
export interface MessageRequest {
  /** The description of the interaction. */
  readonly description: string
  readonly providerStates: readonly MessageState[]
  /** The request of a synchronous message. */
  readonly request?: MessageContents
  /** The metadata in the contract. Empty if the request was received over HTTP. */
  readonly metadata: Readonly<Record<string, JsonValue>>
  /** The values that state handlers returned. Empty if the request was received over HTTP. */
  readonly stateValues: JsonObject
}

/** The contents of a message with content type and metadata. */
export interface MessageEnvelope {
  /** A JSON value, a string to send unchanged, or bytes. */
  readonly contents: unknown
  /**
   * The content type. Default: `application/json` for JSON values, `application/octet-stream` for bytes, or the type detected
   * from a string.
   */
  readonly contentType?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A message: a JSON value, a string to send unchanged, bytes, or an envelope with one of them. An object is an envelope if
 * it has the member `contents` and no other members except `contentType` and `metadata`.
 */
export type MessageResult = JsonValue | Uint8Array | MessageEnvelope | object

/** A function that creates a message. For a synchronous message with several responses, it returns an array. */
export type MessageFunction = (request: MessageRequest) => MessageResult | Promise<MessageResult>

/** Maps descriptions to functions or fixed messages. */
export type MessageMapping = Readonly<Record<string, MessageFunction | MessageResult>>

/** A request for a message, in the core's format. */
export interface NativeMessageRequest {
  readonly description: string
  readonly providerStates: readonly MessageState[]
  readonly request: NativeContents | null
  readonly metadata: Readonly<Record<string, JsonValue>>
  readonly stateValues: JsonObject
}

/** @internal Converts a request from the core to the format that handlers receive. */
export function messageRequest(native: NativeMessageRequest): MessageRequest {
  const { request, ...rest } = native
  return request === null ? rest : { ...rest, request: contentsOf(request) }
}
