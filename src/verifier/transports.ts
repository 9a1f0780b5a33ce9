import { type App, checkApp, type RunningApp, startApp } from '../app.js'
import type { AppTransport, TransportOptions } from './options.js'
import { refused } from './refused.js'
import { isUrl } from './states.js'

/** A transport as the core takes it. */
export interface Transport {
  readonly name: string
  readonly url: string
}

/** An application that listens while a verification runs; `path` stands before the paths of requests. */
export interface AppToStart {
  readonly app: App
  readonly name: string
  readonly path: string
}

/** An application that listens. */
export type ListeningApp = RunningApp & Transport

export function isApp(transport: string | URL | TransportOptions | AppTransport): transport is AppTransport {
  return typeof transport === 'object' && transport !== null && 'app' in transport
}

export function appOf({ app, protocol = 'http', path = '', ...others }: AppTransport): AppToStart {
  const other = Object.keys(others)[0]
  if (other) throw refused('addTransport', `an app listens where there is a free port; ${other} says something else`)
  checkApp(app)
  return { app, name: protocol, path: prefix(path) }
}

export function transportOf(transport: string | URL | TransportOptions): Transport {
  if (typeof transport === 'string' || isUrl(transport)) return { name: 'http', url: String(transport) }
  const { url, protocol = 'http', scheme = 'http', host = '127.0.0.1', port, path = '', ...others } = transport
  const other = Object.keys(others)[0]
  if (other) {
    throw refused(
      'addTransport',
      `there is no option ${JSON.stringify(other)}; options are url, or protocol, scheme, host, port and path, or app`,
    )
  }
  if (url === undefined) {
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65536)) {
      throw refused('addTransport', `${port} is no port`)
    }
    const address = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
    return { name: protocol, url: `${scheme}://${address}${port === undefined ? '' : `:${port}`}${prefix(path)}` }
  }
  for (const part of ['scheme', 'host', 'port', 'path'] as const) {
    if (transport[part] !== undefined) {
      throw refused('addTransport', `url already says what ${part} says; give one of them`)
    }
  }
  return { name: protocol, url: String(url) }
}

function prefix(path: string): string {
  return path === '' || path.startsWith('/') ? path : `/${path}`
}

/** Starts them all, or none. */
export async function startApps(apps: readonly AppToStart[]): Promise<readonly ListeningApp[]> {
  const running: ListeningApp[] = []
  try {
    for (const { app, name, path } of apps) {
      const started = await startApp(app)
      running.push({ ...started, name, url: `${started.url}${path}` })
    }
  } catch (error) {
    await stopApps(running)
    throw error
  }
  return running
}

/** Even if one does not close, the others do. */
export async function stopApps(apps: readonly ListeningApp[]): Promise<void> {
  await Promise.allSettled(apps.map((app) => app.close()))
}
