import { Buffer } from 'node:buffer'
import type { JsonObject, JsonValue } from './json.js'

/** The kind of a message: `Async` (from the provider to the consumer) or `Sync` (a request and its responses). */
export type MessageKind = 'Async' | 'Sync'

/** The contents and metadata of a message. */
export interface MessageContents<T = unknown> {
  /**
   * The contents: parsed JSON, a string for other text, or bytes for other types. `undefined` if the message has none.
   */
  readonly body: T
  /** The contents as the bytes that would be sent. */
  readonly raw: Uint8Array
  /** The content type. Absent if it is unknown. */
  readonly contentType?: string
  /** The metadata of the message. */
  readonly metadata: Readonly<Record<string, JsonValue>>
}

/** A provider state of a message. */
export interface MessageState {
  readonly name: string
  readonly parameters: JsonObject
}

/** A message that `Contract.verify` passes to the consumer's handler. Generated values are already inserted. */
export interface Message<T = unknown> extends MessageContents<T> {
  readonly description: string
  readonly kind: MessageKind
  /** The key of the interaction. Absent if it has none. */
  readonly key?: string
  readonly providerStates: readonly MessageState[]
  /** The responses to a synchronous message, with generated values. Empty for an asynchronous message. */
  readonly responses: readonly MessageContents[]
}

/** The contents of a message, in the form in which the core passes them. */
export interface NativeContents {
  readonly form: 'none' | 'json' | 'text' | 'bytes'
  readonly raw: string | { readonly base64: string }
  readonly contentType: string | null
  readonly metadata: Readonly<Record<string, JsonValue>>
}

/**
 * Returns a message handler that calls a function with the contents only, without the metadata and the message.
 *
 * @example
 * await contract.verify(bodyHandler(placeOrder), 'Async')
 */
export function bodyHandler<T, R>(handle: (body: T) => R): (body: T) => R {
  return (body) => handle(body)
}

/** @internal */
export function contentsOf(contents: NativeContents): MessageContents {
  const raw = rawOf(contents)
  return {
    body: bodyOf(contents, raw),
    raw,
    ...(contents.contentType === null ? {} : { contentType: contents.contentType }),
    metadata: contents.metadata,
  }
}

/** @internal Returns the bytes of the contents. */
export function rawOf({ raw }: NativeContents): Uint8Array {
  return typeof raw === 'string' ? Buffer.from(raw, 'utf8') : Buffer.from(raw.base64, 'base64')
}

function bodyOf({ form, raw }: NativeContents, bytes: Uint8Array): unknown {
  switch (form) {
    case 'none':
      return undefined
    case 'json':
      return JSON.parse(raw as string)
    case 'text':
      return raw
    default:
      return bytes
  }
}
