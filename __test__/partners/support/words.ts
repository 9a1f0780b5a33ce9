import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory } from '../../support/temporary.ts'

export const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '..', '.tmp', 'partners')
const protos = join(__dirname, '..', '..', '..', 'crates', 'plugins', 'proto')

/** A call that the plugin received. */
export interface Call {
  readonly call: string
  readonly request: unknown
  /** Names of the metadata of the call. */
  readonly metadata: readonly string[]
  /** Whether the call had a deadline. */
  readonly deadline: boolean
}

/** The `words` plugin on @grpc/grpc-js in its own directory, and the calls that it recorded. */
export function installWords(interfaceVersion: number) {
  const directory = temporaryDirectory()
  const folder = join(directory, 'words')
  mkdirSync(folder)
  const program = join(__dirname, 'grpc-plugin.cjs')
  const words = [process.execPath, program, partners, protos, String(interfaceVersion)]
  writeFileSync(join(folder, 'start'), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')}\n`)
  chmodSync(join(folder, 'start'), 0o755)
  const manifest = {
    manifestVersion: 1,
    pluginInterfaceVersion: interfaceVersion,
    name: 'words',
    version: '0.1.0',
    executableType: 'exec',
    entryPoint: 'start',
  }
  writeFileSync(join(folder, 'pact-plugin.json'), JSON.stringify(manifest))
  return {
    directory,
    calls: () => {
      const lines = readFileSync(join(folder, 'calls.jsonl'), 'utf8').trim().split('\n')
      return lines.map((line) => JSON.parse(line) as Call)
    },
  }
}

/** Sends a request over the plugin's protocol. */
export function ask(port: number, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${words}\n`))
    socket.once('data', (data) => resolve(String(data).trim()))
    socket.once('error', reject)
  })
}

/** A provider that speaks the plugin's protocol and always sends the same words. */
export async function withWords(answer: string, test: (port: number) => Promise<unknown>): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.end(`${answer}\n`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await test((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}
