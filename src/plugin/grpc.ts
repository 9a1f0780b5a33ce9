// gRPC for unary calls over HTTP/2 without TLS, as plugins and their hosts speak it on one machine.

import { Buffer } from 'node:buffer'
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Codec, type Messages, type Values } from './codec.js'

/** A call: the names of its messages, and what answers it. */
export type Call = readonly [request: string, response: string, answer: (request: Values) => Values | Promise<Values>]
/** The calls of a service by name, and the messages that they speak. */
export interface Service {
  readonly messages: Messages
  readonly calls: Readonly<Record<string, Call>>
}

/** Largest request that is read, in bytes. */
const LARGEST = 256 << 20
const [OK, UNKNOWN, TOO_LARGE, UNIMPLEMENTED, UNAUTHENTICATED] = [0, 2, 8, 12, 16]

/** A server of services by their full names, which only those may call who know its key. */
export class GrpcServer {
  readonly key = randomUUID()
  readonly #server: Http2Server
  readonly #sessions = new Set<ServerHttp2Session>()

  constructor(services: Readonly<Record<string, Service>>) {
    // Answers may be larger than the 10 MB that Node gives a connection before it refuses all further calls.
    this.#server = createServer({ maxSessionMemory: Number.MAX_SAFE_INTEGER })
    this.#server.on('session', (session) => {
      this.#sessions.add(session)
      session.on('close', () => this.#sessions.delete(session))
    })
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => {})
      const [, service = '', call = ''] = String(headers[':path']).split('/')
      const known = services[service]
      if (!this.#admits(headers.authorization))
        return fail(stream, UNAUTHENTICATED, 'the key of this plugin is another')
      const found = known?.calls[call]
      if (known === undefined || found === undefined)
        return fail(stream, UNIMPLEMENTED, `there is no ${service}/${call}`)
      void answer(stream, new Codec(known.messages), found)
    })
  }

  #admits(key: unknown): boolean {
    const [given, own] = [Buffer.from(String(key)), Buffer.from(this.key)]
    return given.length === own.length && timingSafeEqual(given, own)
  }

  /** Listens on a free port of 127.0.0.1 and gives it. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port))
    })
  }

  /** Ends all connections. */
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
    if (size > LARGEST) return fail(stream, TOO_LARGE, `requests of more than ${LARGEST >> 20} MiB are not read`)
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

/** A message behind its head: whether it is compressed, which nobody asked for, and its length. */
function body(bytes: Buffer): Buffer {
  if (bytes.length < 5) throw new RangeError('the call has no message')
  if (bytes[0] !== 0) throw new RangeError('compressed messages are not read')
  const length = bytes.readUInt32BE(1)
  if (bytes.length !== length + 5) throw new RangeError('the call has more or less than one message')
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
