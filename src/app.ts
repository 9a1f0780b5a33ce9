import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReadableStream } from 'node:stream/web'
import { seen } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import { close, listen } from './listen.js'
import { http, net, stream } from './on-demand.js'

/** Answers a request as defined by the Fetch API, for example the `fetch` of a Hono app. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/**
 * An application in this process: a `node:http` listener or server, an app of Express, Koa, Fastify, Nest or Hono, or
 * any object with a `fetch` method.
 */
export type App =
  // biome-ignore lint/suspicious/noExplicitAny: frameworks have request types of their own
  | ((request: any, response: any, ...more: any[]) => unknown)
  | FetchHandler
  | AppServer
  | { readonly fetch: (request: Request) => Response | Promise<Response> }
  // biome-ignore lint/suspicious/noExplicitAny: frameworks have request types of their own
  | { callback(): (request: any, response: any) => unknown }
  // biome-ignore lint/suspicious/noExplicitAny: frameworks have request types of their own
  | { ready(): PromiseLike<unknown>; readonly routing: (request: any, response: any) => void }
  | { init(): Promise<unknown>; getHttpServer(): unknown }

/**
 * An application that is told from message handlers by its members: a server, or an app of Express, Koa, Fastify, Nest or Hono.
 * A plain function is a message handler; wrap it: `{ app: (request, response) => … }`.
 */
export type AppObject =
  | AppServer
  // biome-ignore lint/suspicious/noExplicitAny: frameworks have request types of their own
  | (((request: any, response: any, ...more: any[]) => unknown) & { use(...args: never[]): unknown })
  // biome-ignore lint/suspicious/noExplicitAny: frameworks have request types of their own
  | { callback(): (request: any, response: any) => unknown; use(...args: never[]): unknown }
  // biome-ignore lint/suspicious/noExplicitAny: frameworks have request types of their own
  | { ready(): PromiseLike<unknown>; readonly routing: (request: any, response: any) => void }
  | { init(): Promise<unknown>; getHttpServer(): unknown }
  | { readonly fetch: (request: Request) => Response | Promise<Response>; use(...args: never[]): unknown }

/** Whether it is an application by its members. Descriptions of messages can have these names, too, but hardly as a pair. */
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
  return seen(shapes) === true
}

/** A server of `node:http` or `node:https`. */
interface AppServer {
  listen(...args: never[]): unknown
  address(): unknown
  close(...args: never[]): unknown
}

/** An application that listens. */
export interface RunningApp {
  /** Its base URL, without a slash at the end. */
  readonly url: string
  /** What it threw while it answered. */
  readonly errors: readonly unknown[]
  close(): Promise<void>
}

/** What can be an application; of anything else the reason why not is thrown. */
export function checkedApp(app: unknown): App {
  if (seen(() => serving(app)) !== undefined) return app as App
  throw new ContractArgumentError(
    'ERR_CONTRACT_OPTIONS',
    'addTransport: app must be a listener (request, response), a server, an app of Express, Koa, Fastify, Nest or Hono, ' +
      `or something with fetch(request); got ${app === null ? 'null' : typeof app}`,
  )
}

/** How many verifications use a server that one of them let listen. */
interface Shared {
  users: number
  readonly listening: Promise<unknown>
}

const shared = new WeakMap<Server, Shared>()

/**
 * Lets an application listen on a free port of 127.0.0.1. A server that listens already is left as it is; one that several
 * verifications use at a time is closed after the last of them.
 */
export async function startApp(app: App): Promise<RunningApp> {
  const errors: unknown[] = []
  const server = await (serving(app) as Serve)((error) => errors.push(error))
  const own = shared.get(server)
  if (own === undefined && server.address() !== null) return { url: urlOf(server), errors, close: async () => {} }
  const use = own ?? { users: 0, listening: started(server) }
  shared.set(server, use)
  use.users += 1
  const end = async () => {
    use.users -= 1
    if (use.users > 0) return
    shared.delete(server)
    await close(server)
  }
  try {
    await use.listening
  } catch (error) {
    shared.delete(server)
    throw error
  }
  return { url: urlOf(server), errors, close: end }
}

async function started(server: Server): Promise<void> {
  // A run that is given up must not keep the process alive; one under way does so by its own promise.
  server.on('connection', (socket) => socket.unref())
  await listen(server, '127.0.0.1', 0)
  server.unref()
}

/** Makes the server of an application; what a listener throws goes to the function. */
type Serve = (onError: (error: unknown) => void) => Server | Promise<Server>

/** How an application is served, told by what it has; nothing when it is none. */
function serving(app: unknown): Serve | undefined {
  // The compiler cannot follow what tells the shapes apart.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const shape = app as any
  const has = (name: string) => typeof shape?.[name] === 'function'
  const fetched = (fetch: FetchHandler): Serve => {
    return (onError) => created(fetching(fetch), onError)
  }
  if (typeof app === 'function') {
    // Frameworks whose app is a function (Express, Connect) have `use`; of others the number of parameters tells.
    if (has('use') || app.length >= 2) return (onError) => created(shape, onError)
    return fetched(has('fetch') ? (request) => shape.fetch(request) : shape)
  }
  if (typeof app !== 'object' || app === null) return undefined
  if (has('routing') && has('ready')) {
    return async (onError) => {
      await shape.ready()
      return created(shape.routing, onError)
    }
  }
  if (has('getHttpServer') && has('init')) {
    return async () => {
      await shape.init()
      return shape.getHttpServer()
    }
  }
  if (has('callback')) return (onError) => created(shape.callback(), onError)
  if (has('fetch')) return fetched((request) => shape.fetch(request))
  return has('listen') && has('address') && has('close') ? () => shape : undefined
}

/** A listener that throws fails its request and not the process. */
function created(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  onError: (error: unknown) => void,
): Server {
  const safe: RequestListener = async (request, response) => {
    try {
      await listener(request, response)
    } catch (error) {
      onError(error)
      if (response.headersSent) response.destroy()
      else
        response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`the application threw: ${error}`)
    }
  }
  return http().createServer(safe)
}

function fetching(handler: FetchHandler) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const response = await handler(requestOf(incoming))
    if (typeof response?.status !== 'number' || typeof response.headers?.forEach !== 'function') {
      throw new TypeError(
        'it gave no Response; an app that is a function of one parameter is called with a Request, ' +
          'and one of two with request and response as in node:http',
      )
    }
    response.headers.forEach((value, name) => {
      if (name !== 'set-cookie') outgoing.setHeader(name, value)
    })
    const cookies = response.headers.getSetCookie()
    if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
    outgoing.writeHead(response.status)
    if (response.body === null || incoming.method === 'HEAD') outgoing.end()
    else await stream().promises.pipeline(stream().Readable.fromWeb(response.body as ReadableStream), outgoing)
  }
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', rawHeaders, url = '/' } = incoming
  const headers = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  const target = new URL(`http://${incoming.headers.host ?? 'localhost'}${url}`)
  // The Fetch API knows no body of these.
  if (method === 'GET' || method === 'HEAD') return new Request(target, { method, headers })
  const body = stream().Readable.toWeb(incoming)
  return new Request(target, { method, headers, body, duplex: 'half' } as unknown as RequestInit)
}

function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  const scheme = 'setSecureContext' in server ? 'https' : 'http'
  const wildcard = address === '::' || address === '0.0.0.0'
  const host = wildcard ? '127.0.0.1' : net().isIP(address) === 6 ? `[${address}]` : address
  return `${scheme}://${host}:${port}`
}
