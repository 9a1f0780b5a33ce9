import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Runs a provider on a free port during a test. */
export async function withProvider<T>(listener: RequestListener, test: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** A provider that answers every request with this. */
export function answering(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (request, response) => {
    request.resume()
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}
