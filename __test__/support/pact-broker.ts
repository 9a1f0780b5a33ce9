import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A reply to requests with this method and path. The first match is used. */
export interface Reply {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body?: unknown
}

/** A received request. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly authorization: string | undefined
}

/** Responds like the Pact Broker, with absolute links. */
export async function pactBroker<T>(
  replies: readonly Reply[],
  test: (url: string, requests: readonly ReceivedRequest[]) => Promise<T>,
  home = 'http://127.0.0.1:9292',
): Promise<T> {
  const requests: ReceivedRequest[] = []
  let url = ''
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, body: await bodyOf(request), authorization: headers.authorization })
    const reply = replies.find((reply) => reply.method === method && reply.path === path)
    response.writeHead(reply?.status ?? 404, { 'content-type': 'application/hal+json;charset=utf-8' })
    response.end(
      JSON.stringify(reply?.body ?? { error: `nothing recorded for ${method} ${path}` }).replaceAll(home, url),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    return await test(url, requests)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const piece of request) text += piece
  return text === '' ? undefined : JSON.parse(text)
}
