// Implements the functions of `message-endpoint.ts`.
import { Buffer } from 'node:buffer'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tryRead } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import { Functions } from './functions.js'
import type { MessageHandlerOptions } from './generated/options.js'
import { close, listen } from './listen.js'
import type { EndpointRequest, MessageEndpoint, MessageEndpointOptions, MessageListener } from './message-endpoint.js'
import { thrownText } from './message-error.js'
import type { MessageFunction, MessageMapping } from './message-handlers.js'
import type { NativeMessageEndpoint, NativeResponse } from './native/binding.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { http } from './on-demand.js'

/** Starts a server that provides messages over HTTP. */
export async function startMessageEndpoint(
  handlers: MessageFunction | MessageMapping,
  options: MessageEndpointOptions,
): Promise<MessageEndpoint> {
  // The core rejects options that are not an object.
  const {
    host = '127.0.0.1',
    port = 0,
    handlerOptions,
  } = tryRead(() => splitOptions(options)) ?? {
    handlerOptions: options,
  }
  const listener = messageEndpoint(handlers, handlerOptions)
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

function splitOptions({ host, port, ...handlerOptions }: MessageEndpointOptions) {
  return { host, port, handlerOptions }
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  try {
    if (typeof port !== 'number' || typeof host !== 'string' || host === '') throw new Error('invalid host or port')
    await listen(server, host, port)
  } catch (cause) {
    const problem = `could not listen on host ${display(host)}, port ${display(port)}: ${thrownText(cause)}`
    throw new ContractArgumentError('ERR_CONTRACT_ADDRESS', `startMessageEndpoint: ${problem}`, {
      operation: 'startMessageEndpoint',
      cause,
    })
  }
}

/** Formats an option for an error message. */
function display(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : `a ${typeof value}`
}

/** Returns a message endpoint as a request listener. */
export function messageEndpoint(
  handlers: MessageFunction | MessageMapping,
  options: MessageHandlerOptions,
): MessageListener {
  const functions = new Functions()
  const endpoint = functions.pass({ handlers, options }, (text) => unwrap(native.createMessageEndpoint(text)))
  return (request, response) => {
    answer(endpoint, functions, request).then(
      ({ status, headers, body }) => {
        response.writeHead(status, { ...headers, 'Content-Length': body.length })
        response.end(body)
      },
      // The request was aborted, so no response is needed.
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

/**
 * Returns the request body. If it is larger than `largest` bytes, returns only its beginning, with one byte more than
 * that.
 */
async function bodyOf(request: EndpointRequest, largest: number): Promise<Uint8Array> {
  // A body parser may have read it already.
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
