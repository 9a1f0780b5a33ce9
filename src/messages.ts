import { Buffer } from 'node:buffer'
import type { JsonObject, JsonValue } from './json.js'

/** Kinds of messages: asynchronous (provider to consumer) and synchronous (request and response). */
export type MessageKind = 'Async' | 'Sync'

/** The contents and metadata of a message. */
export interface MessageContents<T = unknown> {
  /** Parsed JSON, a string for text, bytes for other types; `undefined` without contents. */
  readonly body: T
  /** The contents as bytes, as they would be sent. */
  readonly raw: Uint8Array
  /** The content type, if known. */
  readonly contentType?: string
  /** The metadata of the message. */
  readonly metadata: Readonly<Record<string, JsonValue>>
}

/** A provider state of a message. */
export interface MessageState {
  readonly name: string
  readonly parameters: JsonObject
}

/** A message of a contract as the consumer's handler receives it. Generated values are filled in. */
export interface Message<T = unknown> extends MessageContents<T> {
  readonly description: string
  readonly kind: MessageKind
  /** The key of the interaction, if it has one. */
  readonly key?: string
  readonly providerStates: readonly MessageState[]
  /** The responses of a synchronous message, with generated values; empty for an asynchronous message. */
  readonly responses: readonly MessageContents[]
}

/** The form in which the core passes contents. */
export interface Handed {
  readonly form: 'none' | 'json' | 'text' | 'bytes'
  readonly raw: string | { readonly base64: string }
  readonly contentType: string | null
  readonly metadata: Readonly<Record<string, JsonValue>>
}

/**
 * Wraps a function that takes only the contents, so that it does not receive metadata and message as further arguments.
 *
 * @example
 * await contract.verify(bodyHandler(placeOrder), 'Async')
 */
export function bodyHandler<T, R>(handle: (body: T) => R): (body: T) => R {
  return (body) => handle(body)
}

/** @internal */
export function contentsOf(handed: Handed): MessageContents {
  const raw = rawOf(handed)
  return {
    body: bodyOf(handed, raw),
    raw,
    ...(handed.contentType === null ? {} : { contentType: handed.contentType }),
    metadata: handed.metadata,
  }
}

/** @internal The bytes of contents. */
export function rawOf({ raw }: Handed): Uint8Array {
  return typeof raw === 'string' ? Buffer.from(raw, 'utf8') : Buffer.from(raw.base64, 'base64')
}

function bodyOf({ form, raw }: Handed, bytes: Uint8Array): unknown {
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
