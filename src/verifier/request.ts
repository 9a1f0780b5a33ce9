import { Buffer } from 'node:buffer'
import type { RequestContext } from '../generated/report.js'

/** The request that will be sent to the provider. You can assign new values to its members. */
export interface MutableRequest {
  method: string
  /** The path, relative to the transport's base URL. */
  path: string
  /**
   * Query parameters by name. A repeated parameter has an array of values. `null` means that the parameter has no value
   * (`?name`).
   */
  query: Record<string, string | null | readonly (string | null)[]>
  /** Headers by case-insensitive name. A repeated header has an array of values. */
  headers: Record<string, string | readonly string[] | undefined>
  /** The body: a string, or bytes if it is not valid UTF-8. `Content-Length` is updated automatically. */
  body: string | Uint8Array
}

/** A function that changes a request before it is sent, or returns another request to send instead. */
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

/** Converts a request from the core to the format that filters receive. */
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

/** Makes header names case-insensitive, so that setting `authorization` replaces an existing `Authorization`. */
function anyCase<T>(headers: Record<string, T>): Record<string, T> {
  const existing = (target: Record<string, T>, name: string | symbol) => {
    const plain = String(name).toLowerCase()
    return Object.keys(target).find((key) => key.toLowerCase() === plain) ?? name
  }
  return new Proxy(headers, {
    get: (target, name) => Reflect.get(target, existing(target, name)),
    has: (target, name) => Reflect.has(target, existing(target, name)),
    set: (target, name, value) => Reflect.set(target, existing(target, name), value),
    deleteProperty: (target, name) => Reflect.deleteProperty(target, existing(target, name)),
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(target, existing(target, name)),
  })
}
