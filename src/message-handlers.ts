import type { JsonObject, JsonValue } from './json.js'
import { contentsOf, type MessageContents, type MessageState, type NativeContents } from './messages.js'

/** What a message handler receives to create a message. */
export interface MessageRequest {
  /** The description of the message interaction, such as `an order was placed`. */
  readonly description: string
  readonly providerStates: readonly MessageState[]
  /** The consumer's request, for a synchronous message. Absent for an asynchronous message. */
  readonly request?: MessageContents
  /** The message's metadata in the contract. Empty if the verifier requested the message over HTTP. */
  readonly metadata: Readonly<Record<string, JsonValue>>
  /** The values that state handlers returned. Empty if the verifier requested the message over HTTP. */
  readonly stateValues: JsonObject
}

/** The contents of a message, with their content type and metadata. */
export interface MessageEnvelope {
  /** The contents: a JSON value, a string that is sent unchanged, or bytes. */
  readonly contents: unknown
  /**
   * The content type. Default: `application/json` for JSON values, `application/octet-stream` for bytes, and the type
   * detected from the contents for strings.
   */
  readonly contentType?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A message: a JSON value, a string that is sent unchanged, bytes, or an envelope that contains one of these. An object
 * is an envelope if it has the `contents` member and no other members except `contentType` and `metadata`.
 */
export type MessageResult = JsonValue | Uint8Array | MessageEnvelope | object

/**
 * A function that creates a message. For a synchronous message with several responses, it returns an array of messages.
 */
export type MessageFunction = (request: MessageRequest) => MessageResult | Promise<MessageResult>

/** Message handlers by description. A handler is a function or a fixed message. */
export type MessageMapping = Readonly<Record<string, MessageFunction | MessageResult>>

/** A request for a message, in the form in which the core passes it. */
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
