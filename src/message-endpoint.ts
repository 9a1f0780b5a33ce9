import './disposable.js'
import { Buffer } from 'node:buffer'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seen } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import { Functions } from './functions.js'
import type { MessageHandlerOptions } from './generated/options.js'
import { close, listen } from './listen.js'
import { thrownText } from './message-error.js'
import type { MessageFunction, MessageMapping } from './message-handlers.js'
import type { NativeMessageEndpoint, NativeResponse } from './native/binding.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { http } from './on-demand.js'

/** Where an endpoint listens, and how long handlers may take. */
export interface MessageEndpointOptions extends MessageHandlerOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** The port. Default: a free one. */
  readonly port?: number | undefined
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
  options: MessageEndpointOptions = {},
): Promise<MessageEndpoint> {
  // What is no object of options is for the core to refuse.
  const { host = '127.0.0.1', port = 0, others } = seen(() => splitOff(options)) ?? { others: options }
  const listener = messageEndpoint(handlers, others)
  const server = http().createServer(listener)
  await listening(server, host, port)
  const bound = (server.address() as AddressInfo).port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () => close(server),
    [Symbol.asyncDispose]: () => close(server),
  }
}

function splitOff({ host, port, ...others }: MessageEndpointOptions) {
  return { host, port, others }
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  try {
    if (typeof port !== 'number' || typeof host !== 'string' || host === '') throw new Error('host or port is none')
    await listen(server, host, port)
  } catch (cause) {
    const problem = `there is no listening at ${shown(host)}, port ${shown(port)}: ${thrownText(cause)}`
    throw new ContractArgumentError('ERR_CONTRACT_ADDRESS', `startMessageEndpoint: ${problem}`, {
      operation: 'startMessageEndpoint',
      cause,
    })
  }
}

/** An argument in a sentence. */
function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : `a ${typeof value}`
}

/**
 * The same as a request listener, for a server of your own: `createServer(messageEndpoint(handlers))`, or
 * `app.post('/_messages', messageEndpoint(handlers))` in Express.
 */
export function messageEndpoint(
  handlers: MessageFunction | MessageMapping,
  options: MessageHandlerOptions = {},
): MessageListener {
  const functions = new Functions()
  const endpoint = functions.hand({ handlers, options }, (text) => unwrap(native.createMessageEndpoint(text)))
  return (request, response) => {
    answer(endpoint, functions, request).then(
      ({ status, headers, body }) => {
        response.writeHead(status, { ...headers, 'Content-Length': body.length })
        response.end(body)
      },
      // The request broke off: nobody waits for an answer.
      () => {},
    )
  }
}

async function answer(
  endpoint: NativeMessageEndpoint,
  functions: Functions,
  request: EndpointRequest,
): Promise<NativeResponse> {
  const body = await bodyOf(request, endpoint.largestRequest)
  const done = functions.listen()
  try {
    const { method = '', headers } = request
    return unwrap(await endpoint.answer(method, headers.accept ?? null, body, functions.core))
  } finally {
    done()
  }
}

/** The body, or the beginning of one that is too large. */
async function bodyOf(request: EndpointRequest, largest: number): Promise<Uint8Array> {
  // A body parser in front has read it already.
  const { body } = request
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'object' && body !== null) return Buffer.from(JSON.stringify(body))
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > largest) break
  }
  return Buffer.concat(chunks)
}
