import { once } from 'node:events'
import type { Server } from 'node:http'

/** Starts listening. Throws the operating system's error if the server cannot listen. */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

/** Closes the server and its connections. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  // HTTP/2 servers do not have this method. Their sessions end with the client's connections.
  server.closeAllConnections?.()
  await closed
}
