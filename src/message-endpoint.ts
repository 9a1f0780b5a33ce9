import './disposable.js'
import type { MessageHandlerOptions } from './generated/options.js'
import { deferred } from './load-deferred.js'
import type { MessageFunction, MessageMapping } from './message-handlers.js'

/** Options for a message endpoint. */
export interface MessageEndpointOptions extends MessageHandlerOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** Port to listen on. Default: a free port. */
  readonly port?: number | undefined
}

/** A running message endpoint. `await using` closes it at the end of the block. */
export interface MessageEndpoint extends AsyncDisposable {
  /** The URL to pass to verifiers as the transport `message`. The endpoint ignores the path of a request. */
  readonly url: string
  readonly port: number
  /** Stops listening and closes open connections. */
  close(): Promise<void>
}

/** The members of Node's `IncomingMessage` that the endpoint uses. */
export interface EndpointRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined
  readonly headers: { readonly accept?: string | undefined }
  /** The request body, if a body parser such as `express.json()` has already read it. */
  readonly body?: unknown
  resume(): unknown
}

/** The members of Node's `ServerResponse` that the endpoint uses. */
export interface EndpointResponse {
  writeHead(status: number, headers: Record<string, string | number>): unknown
  end(body: string | Uint8Array): unknown
}

/** A request listener for `node:http`. Its type does not depend on `@types/node`. */
export type MessageListener = (request: EndpointRequest, response: EndpointResponse) => void

/**
 * Starts a server that provides messages over HTTP for verifiers in any language. Verifiers send a POST request with the
 * description and the provider states. The response body is the message, and the `Pact-Message-Metadata` header contains its
 * metadata. The status is 404 if the message is unknown, and 500 if the handler throws.
 *
 * @example
 * const endpoint = await startMessageEndpoint({ 'an order was placed': () => orderPlaced(sampleOrder) })
 * // … run a verifier against endpoint.url …
 * await endpoint.close()
 */
export async function startMessageEndpoint(
  handlers: MessageFunction | MessageMapping,
  options: MessageEndpointOptions = {},
): Promise<MessageEndpoint> {
  return await deferred().startMessageEndpoint(handlers, options)
}

/**
 * Returns the endpoint as a request listener for your own server: `createServer(messageEndpoint(handlers))`, or
 * `app.post('/_messages', messageEndpoint(handlers))` in Express.
 */
export function messageEndpoint(
  handlers: MessageFunction | MessageMapping,
  options: MessageHandlerOptions = {},
): MessageListener {
  return deferred().messageEndpoint(handlers, options)
}
