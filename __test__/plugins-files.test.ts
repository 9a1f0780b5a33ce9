// Plugin data in contract files, compared with `fixtures/plugins`. `CONTRACT_WRITE_FIXTURES=1` writes the fixtures;
// review the diff. Files do not contain the interface version of a plugin.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative } from 'node:path'
import { packPlugin } from '@contract-testing/plugin'
import { afterAll, describe, expect, test } from '@jest/globals'
import { Contract } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const fixtures = join(__dirname, '..', 'fixtures', 'plugins')
const entry = join(__dirname, 'support', 'pairs-plugin.mjs')
const TYPE = 'application/x-pairs'

/** Keeps contracts alive, because their plugins stop with them. */
const contracts: Contract[] = []
afterAll(() => void contracts.splice(0))

/** The parts of a file that plugins write. */
function sections(file: string): string {
  const { interactions, metadata } = JSON.parse(readFileSync(file, 'utf8'))
  return `${JSON.stringify({ interactions, metadata: { plugins: metadata.plugins } }, null, 2)}\n`
}

function golden(name: string, found: string): void {
  const file = join(fixtures, `${name}.json`)
  if (process.env.CONTRACT_WRITE_FIXTURES === '1') {
    mkdirSync(fixtures, { recursive: true })
    writeFileSync(file, found)
  }
  expect(found).toBe(readFileSync(file, 'utf8'))
}

describe.each([1, 2] as const)('files with contents of a plugin, version %i of the interface', (interfaceVersion) => {
  const plugins = temporaryDirectory()
  packPlugin({ name: 'pairs', version: '1.0.0', entry, directory: plugins, interfaceVersion })

  function define() {
    const directory = temporaryDirectory()
    // A relative path works although plugins are started in another directory.
    const directories = [relative(process.cwd(), plugins)]
    const contract = new Contract('web', 'shop', { directory, plugins: { directories } })
    contracts.push(contract)
    contract.usingPlugin({ plugin: 'pairs', version: '1.0.0' })
    return { contract, file: join(directory, 'web-shop.json') }
  }

  test('both parts over HTTP', async () => {
    const { contract, file } = define()
    contract
      .uponReceiving('a change of colour')
      .given('a car', { parameters: { id: 7 } })
      .withRequest('PUT', '/colour')
      .withPluginContents({ colour: 'red', size: '{number}' }, TYPE)
      .willRespondWith(200)
      .withPluginContents({ count: '{number}' }, TYPE)
    await contract.serve(({ url }) =>
      fetch(`${url}/colour`, { method: 'PUT', body: 'colour=red\nsize=12\n', headers: { 'content-type': TYPE } }),
    )
    golden('http', sections(file))
  })

  test('a message', async () => {
    const { contract, file } = define()
    contract.uponReceiving('an event', 'Async').withPluginContents({ topic: 'orders', id: '{number}' }, TYPE)
    await contract.verify(() => {}, 'Async')
    golden('async-message', sections(file))
  })

  test('a message with two responses, one of them bytes', async () => {
    const { contract, file } = define()
    const both = { request: { ask: 'all' }, response: [{ one: '{number}' }, { bytes: 'AAEC/w==' }] }
    contract.uponReceiving('a question', 'Sync').withPluginContents(both, TYPE)
    await contract.verify(
      () => [
        { contents: 'one=1\n', contentType: TYPE },
        { contents: Buffer.from('AAEC/w==', 'base64'), contentType: TYPE },
      ],
      'Sync',
    )
    golden('sync-message', sections(file))
  })

  test('a message over a protocol of the plugin', async () => {
    const { contract, file } = define()
    contract.uponReceiving('the colour', 'Sync').withPluginContents({ colour: 'red' }, TYPE)
    await contract.serve({ transport: 'pairs' }, ({ port }) => asked(port))
    golden('transport', sections(file))
  })
})

function asked(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('colour\n'))
    socket.once('data', () => resolve(void socket.end()))
    socket.once('error', reject)
  })
}
