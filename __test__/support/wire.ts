import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { MockServer } from 'contract'

/** A bare TCP connection to a server. */
export async function socketTo(server: MockServer): Promise<Socket> {
  const socket = connect(server.port, server.host)
  await once(socket, 'connect')
  return socket
}

/** Returns everything received until the server closes the connection. */
export async function rest(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  // Not `once`, which an error would reject.
  if (!socket.closed) await new Promise((resolve) => socket.on('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

/** Sends bytes and returns everything received until the server closes the connection. */
export async function exchange(server: MockServer, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = await socketTo(server)
  const all = rest(socket)
  for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
  return all
}

/** The status of a response. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}

/** Waits until a condition is true; throws after a timeout. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 4000
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited in vain for ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
