import { Buffer } from 'node:buffer'
import type { JsonObject, JsonValue } from './json.js'

/** The kinds of messages: from the provider to the consumer, or there and back. */
export type MessageKind = 'Async' | 'Sync'

/** What a message holds and what travels beside it. */
export interface MessageContents<T = unknown> {
  /** JSON parsed, text as it is, other types as bytes; `undefined` when there are no contents. */
  readonly body: T
  /** The contents as they would go over the wire. */
  readonly raw: Uint8Array
  /** The content type, when it is known. */
  readonly contentType?: string
  /** What the consumer named beside the contents, as values. */
  readonly metadata: Readonly<Record<string, JsonValue>>
}

/** A state of the provider, as handlers are told of it. */
export interface MessageState {
  readonly name: string
  readonly parameters: JsonObject
}

/** A message of a contract, its generators applied, as the consumer's handler gets it. */
export interface Message<T = unknown> extends MessageContents<T> {
  readonly description: string
  readonly kind: MessageKind
  /** The key of the interaction, if it has one. */
  readonly key?: string
  readonly providerStates: readonly MessageState[]
  /** The responses that a synchronous message defines, their generators applied; none for an asynchronous one. */
  readonly responses: readonly MessageContents[]
}

/** As the core hands contents over. */
export interface Handed {
  readonly form: 'none' | 'json' | 'text' | 'bytes'
  readonly raw: string | { readonly base64: string }
  readonly contentType: string | null
  readonly metadata: Readonly<Record<string, JsonValue>>
}

/**
 * Makes a handler of a function that takes the contents only: metadata and message stay away from its further parameters.
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
