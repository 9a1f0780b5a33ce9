import { Buffer } from 'node:buffer'
import { ContractArgumentError } from './errors.js'
import type { JsonObject, JsonValue } from './json.js'
import { contentsOf, type Handed, type MessageContents, type MessageState } from './messages.js'
import { toJsonText } from './template.js'

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
  readonly contentType?: string
  readonly metadata?: Readonly<Record<string, unknown>>
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

/** Options of message handlers. */
export interface MessageHandlerOptions {
  /** How long a handler may take, in milliseconds. Default: 30 seconds. */
  readonly timeout?: number
}

/** As the core asks for a message. */
interface Question {
  readonly description: string
  readonly providerStates: readonly MessageState[]
  readonly request: Handed | null
  readonly metadata: Readonly<Record<string, JsonValue>>
  readonly answers: number
  readonly stateValues: JsonObject
}

const TRANSPORT = new Set(['url', 'protocol', 'scheme', 'host', 'port', 'path', 'app'])

/** @internal Whether an argument of `addTransport` is message handlers: it is a function, or has none of a transport's options. */
export function isMessageHandlers(value: unknown): value is MessageFunction | MessageMapping {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null || 'href' in value) return false
  const keys = Object.keys(value)
  return keys.length > 0 && !keys.some((key) => TRANSPORT.has(key))
}

/** @internal Handlers by description, and one for the rest. */
export class MessageHandlers {
  readonly #known = new Map<string, MessageFunction | MessageResult>()
  #fallback: MessageFunction | undefined
  #timeout: number | undefined

  /** A mapping adds to what is known, a function takes the rest. */
  add(handlers: MessageFunction | MessageMapping, { timeout }: MessageHandlerOptions = {}): void {
    if (timeout !== undefined) this.#timeout = milliseconds('messageHandler', timeout)
    if (typeof handlers === 'function') {
      this.#fallback = handlers
      return
    }
    if (typeof handlers !== 'object' || handlers === null) {
      throw refused('messageHandler: give a function, or functions by description')
    }
    for (const [description, handler] of Object.entries(handlers)) {
      if (handler === undefined) {
        throw refused(`messageHandler: the handler of ${JSON.stringify(description)} is undefined`)
      }
      this.#known.set(description, handler)
    }
  }

  /** What the core must know of them. */
  get options(): JsonObject {
    const timeout = this.#timeout === undefined ? {} : { timeout: this.#timeout }
    return { known: this.descriptions, fallback: this.#fallback !== undefined, ...timeout }
  }

  get descriptions(): string[] {
    return [...this.#known.keys()]
  }

  get timeout(): number | undefined {
    return this.#timeout
  }

  takes(description: string): boolean {
    return this.#known.has(description) || this.#fallback !== undefined
  }

  /** Answers the core: JSON text of a list of messages. */
  async answer(data: JsonObject): Promise<string> {
    const { description, providerStates, request, metadata, answers, stateValues } = data as unknown as Question
    const result = await this.produce({
      description,
      providerStates,
      ...(request === null ? {} : { request: contentsOf(request) }),
      metadata,
      stateValues,
    })
    return encodeResults(result, `the result for ${JSON.stringify(description)}`, answers > 1)
  }

  async produce(request: MessageRequest): Promise<unknown> {
    const handler = this.#known.get(request.description) ?? this.#fallback
    return typeof handler === 'function' ? await (handler as MessageFunction)(request) : handler
  }
}

/**
 * @internal What a handler returned, for the core: JSON text of a list. `several` says that it has to be a list of messages,
 * `what` begins the sentence about what is wrong with it.
 */
export function encodeResults(result: unknown, what: string, several: boolean): string {
  if (!several) return `[${encoded(result, what)}]`
  if (!Array.isArray(result)) {
    throw badResult(`${what}: the contract expects several responses; return a list with one entry for each`)
  }
  return `[${result.map((one, index) => encoded(one, `${what}, entry ${index}`)).join(',')}]`
}

function encoded(result: unknown, what: string): string {
  if (!isEnvelope(result, what)) return `{"contents":${contents(result, what)}}`
  const { contentType, metadata } = result
  if (contentType !== undefined && typeof contentType !== 'string') {
    throw badResult(`${what}: contentType must be a text, got ${typeof contentType}`)
  }
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    throw badResult(`${what}: metadata must be an object, got ${kindOf(metadata)}`)
  }
  const type = contentType === undefined ? '' : `,"contentType":${JSON.stringify(contentType)}`
  const beside = metadata === undefined ? '' : `,"metadata":${toJsonText(metadata, `${what}, metadata`)}`
  return `{"contents":${contents(result.contents, what)}${type}${beside}}`
}

function isEnvelope(result: unknown, what: string): result is MessageEnvelope {
  if (typeof result !== 'object' || result === null || Array.isArray(result) || ArrayBuffer.isView(result)) return false
  const keys = Object.keys(result)
  const only = keys.length > 0 && keys.every((key) => ['contents', 'contentType', 'metadata'].includes(key))
  if (only && !('contents' in result)) {
    throw badResult(
      `${what} is an envelope without contents (it has ${keys.join(' and ')}); return { contents, contentType?, metadata? }`,
    )
  }
  return only
}

function contents(value: unknown, what: string): string {
  if (value === undefined) {
    throw badResult(`${what} is undefined; return the contents of the message, or null where they are JSON null`)
  }
  if (typeof value === 'string') return `{"text":${JSON.stringify(value)}}`
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return `{"base64":"${bytes.toString('base64')}"}`
  }
  return `{"json":${toJsonText(value, what)}}`
}

function badResult(message: string): ContractArgumentError {
  return new ContractArgumentError('ERR_CONTRACT_MESSAGE_RESULT', message)
}

function refused(message: string): ContractArgumentError {
  return new ContractArgumentError('ERR_CONTRACT_OPTIONS', message)
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value
}

/** @internal A time that an option gives. */
export function milliseconds(call: string, value: number): number {
  if (!(value > 0)) throw refused(`${call}: ${value} is no time in milliseconds`)
  return Math.ceil(value)
}
