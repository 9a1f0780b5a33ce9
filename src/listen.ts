import { once } from 'node:events'
import type { Server } from 'node:http'

/** Listens there; throws what the system has against it. */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

/** Ends its connections and waits for its end. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  // Servers of HTTP/2 have no such thing; their sessions end with the client's connections.
  server.closeAllConnections?.()
  await closed
}
