import { tryRead } from './encoded.js'

/** A Fetch API request handler, for example the `fetch` method of a Hono app. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/**
 * An application in this process: a `node:http` listener or server, an Express, Koa, Fastify, Nest, or Hono app, or any
 * object with a `fetch` method.
 */
export type App =
  // biome-ignore lint/suspicious/noExplicitAny: frameworks define their own request types
  | ((request: any, response: any, ...more: any[]) => unknown)
  | FetchHandler
  | AppServer
  | { readonly fetch: (request: Request) => Response | Promise<Response> }
  // biome-ignore lint/suspicious/noExplicitAny: frameworks define their own request types
  | { callback(): (request: any, response: any) => unknown }
  // biome-ignore lint/suspicious/noExplicitAny: frameworks define their own request types
  | { ready(): PromiseLike<unknown>; readonly routing: (request: any, response: any) => void }
  | { init(): Promise<unknown>; getHttpServer(): unknown }

/**
 * An application that can be passed without a wrapper object: a server, or an Express, Koa, Fastify, Nest, or Hono app.
 * A function is treated as a message handler, so wrap a request listener: `{ app: (request, response) => … }`.
 */
export type AppObject =
  | AppServer
  // biome-ignore lint/suspicious/noExplicitAny: frameworks define their own request types
  | (((request: any, response: any, ...more: any[]) => unknown) & { use(...args: never[]): unknown })
  // biome-ignore lint/suspicious/noExplicitAny: frameworks define their own request types
  | { callback(): (request: any, response: any) => unknown; use(...args: never[]): unknown }
  // biome-ignore lint/suspicious/noExplicitAny: frameworks define their own request types
  | { ready(): PromiseLike<unknown>; readonly routing: (request: any, response: any) => void }
  | { init(): Promise<unknown>; getHttpServer(): unknown }
  | { readonly fetch: (request: Request) => Response | Promise<Response>; use(...args: never[]): unknown }

/**
 * Returns whether the value has the members of an application. Two members are required for each type of application,
 * because a single name could also be the description of a message.
 */
export function isAppObject(value: unknown): value is AppObject {
  // biome-ignore lint/suspicious/noExplicitAny: it may be anything
  const has = (name: string) => typeof (value as any)[name] === 'function'
  const shapes = () => {
    if (typeof value === 'function') return has('use')
    if (typeof value !== 'object' || value === null) return false
    const pairs = [
      ['listen', 'close', 'address'],
      ['routing', 'ready'],
      ['getHttpServer', 'init'],
      ['callback', 'use'],
      ['fetch', 'use'],
    ]
    return pairs.some((names) => names.every(has))
  }
  return tryRead(shapes) === true
}

/** A server of `node:http` or `node:https`. */
interface AppServer {
  listen(...args: never[]): unknown
  address(): unknown
  close(...args: never[]): unknown
}

/** A listening application. */
export interface RunningApp {
  /** The base URL of the application, without a trailing slash. */
  readonly url: string
  /** Errors that the application threw while it handled requests. */
  readonly errors: readonly unknown[]
  close(): Promise<void>
}
