// Behavior of published plugins that differs from plugins written with `@contract-testing/plugin`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { packPlugin } from '@contract-testing/plugin'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError, VerificationError, Verifier } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const directories = [temporaryDirectory()]
const version = '0.1.0-beta.1'
beforeAll(() => {
  const entry = join(__dirname, 'support', 'matt-plugin.mjs')
  const [directory = ''] = directories
  packPlugin({ name: 'matt', version, entry, directory })
  packPlugin({ name: 'matt-once', version, entry, directory, args: ['once'] })
  packPlugin({ name: 'matt-late', version, entry, directory })
  packPlugin({ name: 'matt-hangs', version, entry, directory, args: ['hangs'] })
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

describe('a verification by a plugin with a pre-release version', () => {
  async function written(plugin = 'matt'): Promise<string> {
    const { contract, file } = define(plugin)
    await contract.serve({ transport: 'matt' }, ({ port }) => ask(port, 'hello'))
    return file
  }

  async function verified(file: string, answer: string) {
    const provider = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end(answer))
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    const { port } = provider.address() as AddressInfo
    try {
      return await new Verifier('matt')
        .setPlugins({ directories })
        .addSource(file)
        .addTransport({ protocol: 'matt', scheme: 'tcp', port })
        .verify()
    } finally {
      provider.close()
    }
  }

  test('passes, and the report has the lines that the plugin printed', async () => {
    const report = await verified(await written(), 'MATTworldMATT')
    expect(report.contracts[0]?.interactions[0]).toMatchObject({
      status: 'passed',
      output: ['matt: sent MATThelloMATT'],
    })
  })

  test('fails with expected and actual value, the output of the plugin, and FAILED', async () => {
    const error = await failure(async () => verified(await written(), 'MATTmoonMATT'))
    expect(error).toBeInstanceOf(VerificationError)
    const { message } = error as Error
    expect(message).toContain('the frames differ')
    expect(message).toMatch(/expected {2}MATTworldMATT\n\s+actual {4}MATTmoonMATT/)
    expect(message).toMatch(/Plugin output:\n\s+matt: sent MATThelloMATT/)
    // The other lines of the plugin's text follow the first one; line ends are not replaced by symbols.
    expect(message).toMatch(/the frames differ\n/)
    expect(message).toMatch(/^ +in the second line$/m)
    expect(message).not.toContain('␊')
  })
})

describe('installations that cannot be used', () => {
  function installed(manifest: object, files: readonly string[] = []) {
    const home = temporaryDirectory()
    const folder = join(home, 'odd')
    mkdirSync(folder)
    const usual = {
      pluginInterfaceVersion: 1,
      name: 'odd',
      version: '1.0.0',
      executableType: 'exec',
      entryPoint: 'odd',
    }
    writeFileSync(join(folder, 'pact-plugin.json'), JSON.stringify({ ...usual, ...manifest }))
    for (const file of files) writeFileSync(join(folder, file), '')
    return { home, folder }
  }

  test.each([
    ['a Lua plugin', { executableType: 'lua', entryPoint: 'main.lua' }, ['main.lua'], /Lua plugins are not supported/],
    [
      'a compressed program',
      {},
      ['odd-linux-x86_64.gz'],
      /odd does not exist, but .*odd-linux-x86_64\.gz does. Decompress it/,
    ],
    ['no program', {}, [], /its entry point .*odd does not exist( \[ERR_CONTRACT_PLUGIN\])?$/m],
  ] as const)('%s', (_, manifest, files, problem) => {
    const { home, folder } = installed(manifest, files)
    const contract = new Contract('web', 'odd', { plugins: { directories: [home] } })
    expect(() => contract.usingPlugin({ plugin: 'odd' })).toThrow(problem)
    const command = join(__dirname, '..', 'bin', 'contract.js')
    const target = join(temporaryDirectory(), 'plugins')
    const done = spawnSync(process.execPath, [command, 'plugin', 'install', folder, '--directory', target], {
      encoding: 'utf8',
    })
    expect(done.status).toBe(1)
    expect(done.stderr).toMatch(problem)
    expect(existsSync(join(target, 'odd-1.0.0'))).toBe(false)
  })
})

test('serve without a transport suggests the transport of the plugin', async () => {
  const { contract } = define('matt')
  const error = await failure(() => contract.serve(() => {}))
  expect(String(error)).toMatch(
    /"a greeting" .*is a synchronous message. To serve it with a plugin, add .*transport: "matt"/,
  )
})

test('address is host and port', async () => {
  const { contract } = define('matt')
  await contract.serve({ transport: 'matt' }, async ({ address, port, url }) => {
    expect(address).toBe(`127.0.0.1:${port}`)
    expect(url).toBe(`matt://${address}`)
    await ask(port, 'hello')
  })
})

test('schemes other than http require the transport of a plugin', async () => {
  expect(() => new Verifier('matt').addTransport({ scheme: 'tcp', port: 80 })).toThrow('only http and https')
  const contract = {
    consumer: { name: 'web' },
    provider: { name: 'matt' },
    interactions: [{ description: 'x', transport: 'matt' }],
  }
  const file = join(temporaryDirectory(), 'web-matt.json')
  const interaction = { type: 'Synchronous/HTTP', ...contract.interactions[0], request: {}, response: {} }
  const metadata = { pactSpecification: { version: '4.0' } }
  writeFileSync(file, JSON.stringify({ ...contract, interactions: [interaction], metadata }))
  const verifier = new Verifier('matt').addSource(file).addTransport({ protocol: 'matt', scheme: 'tcp', port: 80 })
  expect(String(await failure(() => verifier.verify()))).toContain(
    'has the scheme tcp, but no plugin of this contract provides this transport',
  )
})

test('a plugin starts with the log level of the core, and at least WARN', () => {
  // In a separate process, because the log belongs to the process, and another test file may have turned it on.
  const script = `
    import { connect } from 'node:net'
    import { Contract } from 'contract'
    const plugins = { directories: ${JSON.stringify(directories)} }
    const contract = new Contract('web', 'matt', { plugins }).usingPlugin({ plugin: 'matt' })
    const contents = { request: { body: 'hello' }, response: { body: 'world' } }
    contract.uponReceiving('a greeting', 'Sync').withPluginContents(contents, 'application/matt')
    const server = await contract.serve({ transport: 'matt' })
    await new Promise((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write('MATThelloMATT'))
      socket.once('data', () => resolve(socket.end()))
    })
    console.log(server.logs)
    await server.stop()`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(__dirname, '..'),
    encoding: 'utf8',
  })
  expect(stdout).toContain('log level WARN')
})
