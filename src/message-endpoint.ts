/// <reference lib="esnext.disposable" preserve="true" />
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ContractArgumentError } from './errors.js'
import type { JsonObject, JsonValue } from './json.js'
import { thrownText } from './message-error.js'
import {
  encodeResults,
  type MessageFunction,
  type MessageHandlerOptions,
  MessageHandlers,
  type MessageMapping,
  type MessageRequest,
} from './message-handlers.js'
import { contentsOf, type Handed, type MessageState, rawOf } from './messages.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { http } from './on-demand.js'
import { settle } from './timeout.js'

/** Where an endpoint listens, and how long handlers may take. */
export interface MessageEndpointOptions extends MessageHandlerOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** The port. Default: a free one. */
  readonly port?: number
}

/** A running message endpoint. With `await using` it is closed at the end of the scope. */
export interface MessageEndpoint extends AsyncDisposable {
  /** The URL that verifiers are given, under the transport `message`. It answers on every path. */
  readonly url: string
  readonly port: number
  /** Stops listening and ends what is open. */
  close(): Promise<void>
}

/** What a listener needs of a request: Node's `IncomingMessage`, or that of a framework on top of it. */
export interface EndpointRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined
  readonly headers: { readonly accept?: string | undefined }
  /** What a body parser in front has read. */
  readonly body?: unknown
  resume(): unknown
}

/** What a listener needs of a response: Node's `ServerResponse`. */
export interface EndpointResponse {
  writeHead(status: number, headers: Record<string, string | number>): unknown
  end(body: string | Uint8Array): unknown
}

/** A request listener of Node's `http`, without its types, which not every project has installed. */
export type MessageListener = (request: EndpointRequest, response: EndpointResponse) => void

/** The media type of several messages in one answer; sent only to who asks for it. */
const LIST = 'application/vnd.contract.messages+json'
const TIMEOUT = 30_000
const LARGEST_REQUEST = 16 * 1024 * 1024

/** An answer that is no message. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * Serves the messages of a producer over HTTP, in the form that verifiers of all languages know: they POST the description
 * and the provider states, the answer's body is the contents, and the header `Pact-Message-Metadata` holds the metadata.
 * What is not there is answered with 404, a handler that fails with 500.
 *
 * @example
 * const endpoint = await startMessageEndpoint({ 'an order was placed': () => orderPlaced(sampleOrder) })
 * // … let a verifier run against endpoint.url …
 * await endpoint.close()
 */
export async function startMessageEndpoint(
  handlers: MessageFunction | MessageMapping,
  { host = '127.0.0.1', port = 0, ...options }: MessageEndpointOptions = {},
): Promise<MessageEndpoint> {
  const server = http().createServer(messageEndpoint(handlers, options))
  server.listen(port, host)
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  const close = () => closed(server)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * The same as a request listener, for a server of your own: `createServer(messageEndpoint(handlers))`, or
 * `app.post('/_messages', messageEndpoint(handlers))` in Express.
 */
export function messageEndpoint(
  handlers: MessageFunction | MessageMapping,
  options: MessageHandlerOptions = {},
): MessageListener {
  const known = new MessageHandlers()
  known.add(handlers, options)
  return (request, response) => {
    answer(known, request, response).catch((error: unknown) => refuse(response, error))
  }
}

async function answer(handlers: MessageHandlers, request: EndpointRequest, response: EndpointResponse): Promise<void> {
  if (request.method !== 'POST') {
    request.resume()
    throw new Refusal(405, `messages are asked for with POST, not with ${request.method}`)
  }
  const question = questionOf(await documentOf(request))
  const what = `the message handler for ${JSON.stringify(question.description)}`
  if (!handlers.takes(question.description)) {
    const hint = native.suggestHandler(question.description, handlers.descriptions)
    throw new Refusal(404, `there is no message handler for ${JSON.stringify(question.description)}${hint}`)
  }
  const timeout = handlers.timeout ?? TIMEOUT
  const made = await settle(() => handlers.produce(question), timeout)
  if ('timedOut' in made) throw new Refusal(500, `${what} did not settle within ${timeout} ms`)
  if ('cause' in made) throw new Refusal(500, `${what} failed: ${thrownText(made.cause)}`)
  const asList = request.headers.accept?.includes(LIST) ?? false
  const results = encodeResults(made.value, `the result for ${JSON.stringify(question.description)}`, asList)
  if (asList) send(response, 200, unwrap<string>(native.messageList(results)), { 'Content-Type': LIST })
  else sendMessage(response, JSON.parse(unwrap<string>(native.firstMessage(results))) as Handed)
}

function sendMessage(response: EndpointResponse, message: Handed): void {
  const metadata = Buffer.from(JSON.stringify(message.metadata), 'utf8').toString('base64')
  send(response, 200, rawOf(message), {
    ...(message.contentType === null ? {} : { 'Content-Type': message.contentType }),
    ...(Object.keys(message.metadata).length === 0 ? {} : { 'Pact-Message-Metadata': metadata }),
  })
}

function questionOf(document: JsonValue): MessageRequest {
  if (typeof document !== 'object' || document === null || !('description' in document)) {
    throw new Refusal(400, 'the request must be a JSON object with the description of the message')
  }
  const { description, providerStates, request } = document as JsonObject
  if (typeof description !== 'string') throw new Refusal(400, 'the description of the message must be a text')
  const handed = request === undefined ? undefined : unwrap<string>(native.readMessage(JSON.stringify(request)))
  return {
    description,
    providerStates: Array.isArray(providerStates) ? providerStates.map(stateOf) : [],
    ...(handed === undefined ? {} : { request: contentsOf(JSON.parse(handed) as Handed) }),
    metadata: {},
    stateValues: {},
  }
}

function stateOf(state: JsonObject): MessageState {
  return { name: String(state.name ?? ''), parameters: (state.params ?? {}) as JsonObject }
}

async function documentOf(request: EndpointRequest): Promise<JsonValue> {
  // A body parser in front has read it already.
  if (typeof request.body === 'object' && request.body !== null && !Buffer.isBuffer(request.body)) {
    return request.body as JsonValue
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST_REQUEST) throw new Refusal(413, `the request is larger than ${LARGEST_REQUEST} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonValue
  } catch (error) {
    throw new Refusal(400, `the request is no JSON: ${thrownText(error)}`)
  }
}

function refuse(response: EndpointResponse, error: unknown): void {
  // Arguments are what handlers returned: an error of ours that says so, without its name.
  const text = error instanceof ContractArgumentError ? error.message : thrownText(error)
  send(response, error instanceof Refusal ? error.status : 500, text, { 'Content-Type': 'text/plain; charset=utf-8' })
}

function send(
  response: EndpointResponse,
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string>,
): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
