// Plugins that behave as published ones do, where these differ from plugins written with `contract/plugin`.
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError } from 'contract'
import { packPlugin } from 'contract/plugin'
import { temporaryDirectory } from './support/temporary.ts'

const directories = [temporaryDirectory()]
const version = '0.1.0-beta.1'
beforeAll(() => {
  const entry = join(__dirname, 'support', 'matt-plugin.mjs')
  const [directory = ''] = directories
  packPlugin({ name: 'matt', version, entry, directory })
  packPlugin({ name: 'matt-once', version, entry, directory, args: ['once'] })
  packPlugin({ name: 'matt-unimplemented', version, entry, directory, args: ['unimplemented'] })
})

function define(plugin: string) {
  const directory = temporaryDirectory()
  const contract = new Contract('web', 'matt', { directory, plugins: { directories } }).usingPlugin({ plugin })
  contract
    .uponReceiving('a greeting', 'Sync')
    .withPluginContents({ request: { body: 'hello' }, response: { body: 'world' } }, 'application/matt')
  return { contract, file: join(directory, 'web-matt.json') }
}

function ask(port: number, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`MATT${words}MATT`))
    socket.once('data', (data) => resolve(String(data)))
    socket.once('error', reject)
  })
}

const failure = (run: () => unknown): Promise<unknown> =>
  (async () => run())().then(
    () => 'it passed',
    (error: unknown) => error,
  )

describe.each(['matt', 'matt-once'])('%s, whose mock server reports mismatches before it is stopped', (plugin) => {
  test('a wrong request fails the test, and nothing is written', async () => {
    const { contract, file } = define(plugin)
    const error = await failure(() =>
      contract.serve({ transport: 'matt' }, async ({ port }) => {
        expect(await ask(port, 'goodbye')).toBe('unexpected')
      }),
    )
    expect(error).toBeInstanceOf(MismatchesError)
    expect((error as Error).message).toContain('expected "MATThelloMATT" but received "MATTgoodbyeMATT"')
    expect((error as MismatchesError).mismatches).toHaveLength(1)
    expect(existsSync(file)).toBe(false)
  })

  test('a correct request passes: verify() on the running server, stop(), and the file', async () => {
    const { contract, file } = define(plugin)
    const server = await contract.serve({ transport: 'matt' })
    expect(await ask(server.port, 'hello')).toBe('MATTworldMATT')
    server.verify()
    expect(server.matched).toBe(true)
    await server.stop()
    expect(JSON.parse(readFileSync(file, 'utf8')).metadata.plugins[0]).toMatchObject({ name: plugin, version })
  })

  test('stop() still reports what verify() reported', async () => {
    const { contract, file } = define(plugin)
    const server = await contract.serve({ transport: 'matt' })
    await ask(server.port, 'goodbye')
    expect(await failure(() => server.verify())).toBeInstanceOf(MismatchesError)
    expect(server.matched).toBe(false)
    await ask(server.port, 'hello')
    const error = await failure(() => server.stop())
    expect((error as MismatchesError).mismatches).toHaveLength(1)
    expect((error as Error).message).toContain('received "MATTgoodbyeMATT"')
    expect(existsSync(file)).toBe(false)
  })
})

test('a plugin without GetMockServerResults can be verified and stopped', async () => {
  const { contract, file } = define('matt-unimplemented')
  const server = await contract.serve({ transport: 'matt' })
  await ask(server.port, 'hello')
  server.verify()
  await server.stop()
  expect(existsSync(file)).toBe(true)
})
