import { Buffer } from 'node:buffer'
import type { RequestContext } from '../generated/report.js'

/** A request on its way to the provider. What is assigned is sent. */
export interface MutableRequest {
  method: string
  /** Without the path of the transport. */
  path: string
  /** Several values are a list; null is a name without value. */
  query: Record<string, string | null | readonly (string | null)[]>
  /** Found under any spelling of their names. Several values are a list. */
  headers: Record<string, string | readonly string[] | undefined>
  /** Text, or bytes where it is no UTF-8. Its length is told to the provider when it is sent. */
  body: string | Uint8Array
}

/** Changes a request before it is sent, or gives another one. */
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
