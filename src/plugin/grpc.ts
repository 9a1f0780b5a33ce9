// Unary gRPC calls over HTTP/2 without TLS, as used between plugins and hosts on one machine.

import { Buffer } from 'node:buffer'
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Codec, type Messages, type Values } from './codec.js'

/** A call: the names of its messages and its implementation. */
export type Call = readonly [request: string, response: string, answer: (request: Values) => Values | Promise<Values>]
/** A service: its calls by name, and their messages. */
export interface Service {
  readonly messages: Messages
  readonly calls: Readonly<Record<string, Call>>
}

/** Maximum size of a request, in bytes. */
const MAX_REQUEST_SIZE = 256 << 20
const [OK, UNKNOWN, TOO_LARGE, UNIMPLEMENTED, UNAUTHENTICATED] = [0, 2, 8, 12, 16]

/** A gRPC server for services by full name. Callers must send its key. */
export class GrpcServer {
  readonly key = randomUUID()
  readonly #server: Http2Server
  readonly #sessions = new Set<ServerHttp2Session>()

  constructor(services: Readonly<Record<string, Service>>) {
    // Responses can be larger than 10 MB, the limit after which Node rejects all further calls of a connection.
    this.#server = createServer({ maxSessionMemory: Number.MAX_SAFE_INTEGER })
    this.#server.on('session', (session) => {
      this.#sessions.add(session)
      session.on('close', () => this.#sessions.delete(session))
    })
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => {})
      const [, service = '', call = ''] = String(headers[':path']).split('/')
      const known = services[service]
      if (!this.#admits(headers.authorization)) return fail(stream, UNAUTHENTICATED, 'the key is invalid')
      const found = known?.calls[call]
      if (known === undefined || found === undefined)
        return fail(stream, UNIMPLEMENTED, `unknown call ${service}/${call}`)
      void answer(stream, new Codec(known.messages), found)
    })
  }

  #admits(key: unknown): boolean {
    const [given, own] = [Buffer.from(String(key)), Buffer.from(this.key)]
    return given.length === own.length && timingSafeEqual(given, own)
  }

  /** Starts listening on a free port of 127.0.0.1 and returns the port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port))
    })
  }

  /** Stops the server and closes all connections. */
  close(): Promise<void> {
    for (const session of this.#sessions) session.destroy()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

async function answer(stream: ServerHttp2Stream, codec: Codec, [request, response, respond]: Call): Promise<void> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_REQUEST_SIZE)
      return fail(stream, TOO_LARGE, `the request exceeds the maximum of ${MAX_REQUEST_SIZE >> 20} MiB`)
    chunks.push(chunk)
  }
  let message: Buffer
  try {
    message = codec.encode(response, await respond(codec.decode(request, body(Buffer.concat(chunks)))))
  } catch (error) {
    return fail(stream, UNKNOWN, error instanceof Error ? error.message : String(error))
  }
  if (stream.destroyed) return
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(OK) }))
  stream.end(Buffer.concat([head, message]))
}

/** Returns the message after its 5-byte header: the compression flag and the length. */
function body(bytes: Buffer): Buffer {
  if (bytes.length < 5) throw new RangeError('the call has no message')
  if (bytes[0] !== 0) throw new RangeError('compressed messages are not supported')
  const length = bytes.readUInt32BE(1)
  if (bytes.length !== length + 5) throw new RangeError('the call does not have exactly one message')
  return bytes.subarray(5)
}

function fail(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.destroyed || stream.headersSent) return
  const text = encodeURIComponent(message)
  const head = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': String(status),
    'grpc-message': text,
  }
  stream.respond(head, { endStream: true })
}
