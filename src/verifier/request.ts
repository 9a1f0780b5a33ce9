import { Buffer } from 'node:buffer'
import type { RequestContext } from '../generated/report.js'

/** The request to the provider. Assigned values are sent. */
export interface MutableRequest {
  method: string
  /** The path, without the path of the transport. */
  path: string
  /** Query parameters. Several values are a list; null is a name without a value. */
  query: Record<string, string | null | readonly (string | null)[]>
  /** Headers. Names are case-insensitive; several values are a list. */
  headers: Record<string, string | readonly string[] | undefined>
  /** A string, or bytes if it is not UTF-8. Content-Length is set automatically. */
  body: string | Uint8Array
}

/** Changes a request before it is sent, or returns another one. */
export type RequestFilter = (
  request: MutableRequest,
  context: RequestContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a filter may return nothing
) => MutableRequest | undefined | void | Promise<MutableRequest | undefined | void>

export interface NativeRequest {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, readonly (string | null)[]>>
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly body: string | { readonly base64: string }
}

/** A request as filters know it. */
export function mutable({ method, path, query, headers, body }: NativeRequest): MutableRequest {
  return {
    method,
    path,
    query: singles(query),
    headers: anyCase(singles(headers)),
    body: typeof body === 'string' ? body : Buffer.from(body.base64, 'base64'),
  }
}

function singles<T>(lists: Readonly<Record<string, readonly T[]>>): Record<string, T | readonly T[]> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, values]) => [name, values.length === 1 ? (values[0] as T) : values]),
  )
}

/** Whoever sets `authorization` means the `Authorization` that is there. */
function anyCase<T>(headers: Record<string, T>): Record<string, T> {
  const known = (of: Record<string, T>, name: string | symbol) => {
    const plain = String(name).toLowerCase()
    return Object.keys(of).find((key) => key.toLowerCase() === plain) ?? name
  }
  return new Proxy(headers, {
    get: (of, name) => Reflect.get(of, known(of, name)),
    has: (of, name) => Reflect.has(of, known(of, name)),
    set: (of, name, value) => Reflect.set(of, known(of, name), value),
    deleteProperty: (of, name) => Reflect.deleteProperty(of, known(of, name)),
    getOwnPropertyDescriptor: (of, name) => Reflect.getOwnPropertyDescriptor(of, known(of, name)),
  })
}
