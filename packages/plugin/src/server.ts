// Serves the plugin interface over gRPC on 127.0.0.1, because the plugin and the host run on the same machine.

import { Buffer } from 'node:buffer'
import { randomUUID, timingSafeEqual } from 'node:crypto'
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import { common, parse, Root, type Service, type Type } from 'protobufjs'
import firstInterface from '../../../crates/plugins/proto/plugin.proto'
import secondInterface from '../../../crates/plugins/proto/plugin_v2.proto'

/** A Protocol Buffers message as an object. The names of its members are those of the plugin interface. */
export type Message = Record<string, unknown>
/** The implementation of one method of the plugin interface. */
export type Call = (request: Message) => Message | Promise<Message>
/** The methods of both versions of the plugin interface, by name. */
export interface Calls {
  readonly first: Readonly<Record<string, Call>>
  readonly second: Readonly<Record<string, Call>>
}

/** Maximum size of a request, in bytes. */
const MAX_REQUEST_SIZE = 256 << 20

/**
 * A gRPC server for both versions of the plugin interface. Callers must send its key in the `authorization` header.
 */
export class PluginServer {
  readonly key = randomUUID()
  readonly #server = new Server({
    'grpc.max_receive_message_length': MAX_REQUEST_SIZE,
    'grpc.max_send_message_length': -1,
  })

  constructor({ first, second }: Calls) {
    const root = interfaces()
    this.#add(root.lookupService('io.pact.plugin.PactPlugin'), first)
    this.#add(root.lookupService('io.pact.plugin.v2.PactPlugin'), second)
  }

  #add(service: Service, calls: Readonly<Record<string, Call>>): void {
    const implementations = Object.entries(calls).map(([call, respond]) => [call, this.#unary(respond)] as const)
    this.#server.addService(definition(service, Object.keys(calls)), Object.fromEntries(implementations))
  }

  #unary(respond: Call) {
    return async (call: ServerUnaryCall<Message, Message>, callback: sendUnaryData<Message>): Promise<void> => {
      if (!this.#admits(call.metadata.get('authorization')[0]))
        return callback({ code: status.UNAUTHENTICATED, details: 'the key is invalid' })
      try {
        callback(null, await respond(call.request))
      } catch (error) {
        callback({ code: status.UNKNOWN, details: error instanceof Error ? error.message : String(error) })
      }
    }
  }

  #admits(key: unknown): boolean {
    const [received, expected] = [Buffer.from(String(key)), Buffer.from(this.key)]
    return received.length === expected.length && timingSafeEqual(received, expected)
  }

  /** Starts to listen on a free port of 127.0.0.1, and resolves with the port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      )
    })
  }

  /** Stops the server and closes all connections. */
  close(): void {
    this.#server.forceShutdown()
  }
}

/** Returns the definitions of both interface versions. Version 1 refers to messages of version 2. */
function interfaces(): Root {
  const root = new Root()
  for (const name of ['empty', 'struct', 'wrappers']) {
    root.addJSON(common.get(`google/protobuf/${name}.proto`)?.nested ?? {})
  }
  for (const source of [secondInterface, firstInterface]) parse(source, root)
  root.resolveAll()
  return root
}

function definition(service: Service, calls: readonly string[]): Record<string, MethodDefinition<Message, Message>> {
  const path = service.fullName.slice(1)
  const methods = calls.map((name) => {
    const { resolvedRequestType: request, resolvedResponseType: response } = service.lookup(name) as unknown as {
      readonly resolvedRequestType: Type
      readonly resolvedResponseType: Type
    }
    const method: MethodDefinition<Message, Message> = {
      path: `/${path}/${name}`,
      originalName: name,
      requestStream: false,
      responseStream: false,
      ...requestCodec(request),
      ...responseCodec(response),
    }
    return [name, method] as const
  })
  return Object.fromEntries(methods)
}

const write = (type: Type) => (message: Message) => Buffer.from(type.encode(type.fromObject(message)).finish())
const read = (type: Type) => (bytes: Buffer) =>
  type.toObject(type.decode(bytes), { longs: Number, arrays: true, objects: true }) as Message

const requestCodec = (type: Type) => ({ requestSerialize: write(type), requestDeserialize: read(type) })
const responseCodec = (type: Type) => ({ responseSerialize: write(type), responseDeserialize: read(type) })
