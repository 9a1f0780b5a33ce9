// Serves applications of this process during a verification.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReadableStream } from 'node:stream/web'
import type { App, FetchHandler, RunningApp } from './app.js'
import { tryRead } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import { close, listen } from './listen.js'
import { http, net, stream } from './on-demand.js'

/** Starts all applications. If one fails to start, stops the others and throws. */
export async function startApps(apps: readonly App[]): Promise<readonly RunningApp[]> {
  const running: RunningApp[] = []
  try {
    for (const app of apps) running.push(await startApp(app))
  } catch (error) {
    await stopApps(running)
    throw error
  }
  return running
}

/** Stops all applications, even if one of them fails to stop. */
export async function stopApps(apps: readonly RunningApp[]): Promise<void> {
  await Promise.allSettled(apps.map((app) => app.close()))
}

/** Returns the application, or throws if the value is not one. */
export function checkedApp(app: unknown): App {
  if (tryRead(() => serverFactory(app)) !== undefined) return app as App
  throw new ContractArgumentError(
    'ERR_CONTRACT_OPTIONS',
    'addTransport: "app" must be a listener (request, response), a server, an Express, Koa, Fastify, Nest, or Hono app, ' +
      `or an object with fetch(request); received ${app === null ? 'null' : typeof app}`,
  )
}

/** A server that several verifications use at the same time. */
interface SharedServer {
  /** Number of verifications that currently use the server. */
  users: number
  readonly listening: Promise<unknown>
}

const shared = new WeakMap<Server, SharedServer>()

/**
 * Starts an application on a free port of 127.0.0.1. A server that is already listening is used at its own address. If
 * several verifications use the same server at the same time, the last of them closes it.
 */
async function startApp(app: App): Promise<RunningApp> {
  const errors: unknown[] = []
  const server = await (serverFactory(app) as ServerFactory)((error) => errors.push(error))
  const known = shared.get(server)
  if (known === undefined && server.address() !== null) return { url: urlOf(server), errors, close: async () => {} }
  const use = known ?? { users: 0, listening: started(server) }
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
  // The server must not keep the process alive. A running verification does so through its own promise.
  server.on('connection', (socket) => socket.unref())
  await listen(server, '127.0.0.1', 0)
  server.unref()
}

/** Creates a server for an application. Passes errors that the application's listener throws to `onError`. */
type ServerFactory = (onError: (error: unknown) => void) => Server | Promise<Server>

/** Returns a function that creates a server for an application, or `undefined` if the value is not an application. */
function serverFactory(app: unknown): ServerFactory | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: the compiler cannot follow how the shapes are distinguished
  const shape = app as any
  const has = (name: string) => typeof shape?.[name] === 'function'
  const withFetch = (fetch: FetchHandler): ServerFactory => {
    return (onError) => createSafeServer(fetchListener(fetch), onError)
  }
  if (typeof app === 'function') {
    // Apps of Express and Connect are functions with `use`. Other functions are distinguished by their parameter count.
    if (has('use') || app.length >= 2) return (onError) => createSafeServer(shape, onError)
    return withFetch(has('fetch') ? (request) => shape.fetch(request) : shape)
  }
  if (typeof app !== 'object' || app === null) return undefined
  if (has('routing') && has('ready')) {
    return async (onError) => {
      await shape.ready()
      return createSafeServer(shape.routing, onError)
    }
  }
  if (has('getHttpServer') && has('init')) {
    return async () => {
      await shape.init()
      return shape.getHttpServer()
    }
  }
  if (has('callback')) return (onError) => createSafeServer(shape.callback(), onError)
  if (has('fetch')) return withFetch((request) => shape.fetch(request))
  return has('listen') && has('address') && has('close') ? () => shape : undefined
}

/** Creates a server that responds with status 500 if its request listener throws. */
function createSafeServer(
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

function fetchListener(handler: FetchHandler) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const response = await handler(requestOf(incoming))
    if (typeof response?.status !== 'number' || typeof response.headers?.forEach !== 'function') {
      throw new TypeError(
        'the application did not return a Response. A function with one parameter receives a Request and must return a Response; ' +
          'a function with two parameters receives the request and the response of node:http',
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
  // The Fetch API does not allow a body for these methods.
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
