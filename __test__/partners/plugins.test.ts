// Plugins between implementations: one of this package driven by @pact-foundation/pact, and one on @grpc/grpc-js driven
// by this package.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packPlugin } from '@contract-testing/plugin'
import { describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError, Verifier } from 'contract'
import { withProvider } from '../support/provider.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { ask, installWords, partners, withWords } from './support/words.ts'

const script = (name: string) => join(__dirname, 'support', name)
const TYPE = 'application/x-pairs'

const put = (url: string, body: string, type: string) =>
  fetch(`${url}/colour`, { method: 'PUT', body, headers: { 'content-type': type } })

test('@pact-foundation/pact drives a plugin of @contract-testing/plugin, and the files are equivalent', async () => {
  const place = temporaryDirectory()
  packPlugin({
    name: 'pairs',
    version: '1.0.0',
    entry: join(__dirname, '..', 'support', 'pairs-plugin.mjs'),
    directory: place,
  })
  const theirs = join(place, 'theirs')
  const env = { ...process.env, PACT_PLUGIN_DIR: place, PACT_DO_NOT_TRACK: 'true' }
  execFileSync(process.execPath, [script('plugin-write.cjs'), partners, theirs, 'pairs', TYPE], {
    env,
    timeout: 300_000,
  })
  const ours = join(place, 'ours')
  const contract = new Contract('web', 'shop', { directory: ours, plugins: { directories: [place] } })
  const contents = { colour: 'red', size: '{number}' }
  contract
    .uponReceiving('a change of colour')
    .usingPlugin({ plugin: 'pairs', version: '1.0.0' })
    .withRequest('PUT', '/colour')
    .withPluginContents(contents, TYPE)
    .willRespondWith(200)
    .withPluginContents(contents, TYPE)
  await contract.serve(({ url }) => put(url, 'colour=red\nsize=12\n', TYPE))
  const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'web-shop.json'), 'utf8'))
  const [their, our] = [read(theirs), read(ours)]
  expect(our.metadata.plugins).toEqual(their.metadata.plugins)
  const [{ request, response, ...rest }, other] = [our.interactions[0], their.interactions[0]]
  // The other tool writes text of unknown types as base64, whatever the plugin's hint; both read both forms.
  const plain = ({ content, encoded, ...more }: { content: string; encoded: unknown; contentTypeHint?: string }) => ({
    ...more,
    content: Buffer.from(content, encoded === 'base64' ? 'base64' : 'utf8').toString('utf8'),
  })
  expect(plain(request.body)).toEqual(plain(other.request.body))
  expect(plain(response.body)).toEqual(plain(other.response.body))
  expect(request.matchingRules).toEqual(other.request.matchingRules)
  expect(rest.interactionMarkup).toEqual(other.interactionMarkup)
  // Both parts store data: the other tool overwrites the data of the first part with that of the second.
  const kept = { pairs: { colour: 'red', size: '7' } }
  expect(rest.pluginConfiguration).toEqual({ pairs: { request: kept, response: kept } })
  expect(other.pluginConfiguration).toEqual({ pairs: kept })

  for (const folder of [theirs, ours]) {
    for (const [size, passes] of [
      ['99', true],
      ['many', false],
    ] as const) {
      await withProvider(
        (request, answer) => {
          request.resume()
          answer.writeHead(200, { 'Content-Type': TYPE }).end(`colour=red\nsize=${size}\n`)
        },
        async (url) => {
          const verifier = new Verifier('shop')
            .setPlugins({ directories: [place] })
            .addSource(folder)
            .addTransport(url)
          const verified = verifier.verify().then(
            () => true,
            () => false,
          )
          expect([folder, size, await verified]).toEqual([folder, size, passes])
        },
      )
    }
  }
})

describe.each([1, 2])('a plugin on @grpc/grpc-js, version %i of the interface', (interfaceVersion) => {
  const define = (plugin: ReturnType<typeof installWords>) => {
    const directory = join(plugin.directory, 'files')
    const contract = new Contract('web', 'shop', { directory, plugins: { directories: [plugin.directory] } })
    return { contract: contract.usingPlugin({ plugin: 'words' }), file: join(directory, 'web-shop.json') }
  }

  test('creates and compares contents', async () => {
    const plugin = installWords(interfaceVersion)
    const { contract, file } = define(plugin)
    const some = () =>
      contract
        .uponReceiving('some words')
        .withRequest('PUT', '/colour')
        .withPluginContents({ words: 'red green' }, 'application/x-words')
        .willRespondWith(204)
    some()
    await contract.serve(({ url }) => put(url, 'green red blue', 'application/x-words'))
    const { interactions } = JSON.parse(readFileSync(file, 'utf8'))
    expect(interactions[0].pluginConfiguration).toEqual({ words: { request: { count: 3, words: 'red green' } } })
    some()
    const failed = contract.serve(({ url }) => put(url, 'green blue', 'application/x-words'))
    await expect(failed).rejects.toThrow(MismatchesError)
    await expect(failed).rejects.toThrow('the word red is missing')
    expect(plugin.calls().filter(({ call }) => call === 'compareContents')).toHaveLength(2)
  })

  test('acts as provider and as consumer over its protocol', async () => {
    const plugin = installWords(interfaceVersion)
    const { contract, file } = define(plugin)
    const question = (words: string) =>
      contract
        .uponReceiving(`the question ${words}`, 'Sync')
        .withPluginContents({ request: { words }, response: [{ words: 'green' }] }, 'application/x-words')
    question('red')
    await contract.serve({ transport: 'words' }, async ({ port }) => expect(await ask(port, 'red')).toBe('green'))
    question('blue')
    const failed = contract.serve({ transport: 'words' }, ({ port }) => ask(port, 'yellow'))
    await expect(failed).rejects.toThrow('nobody expected yellow')
    const verify = (port: number) =>
      new Verifier('shop')
        .setPlugins({ directories: [plugin.directory] })
        .addSource(file)
        .addTransport({ protocol: 'words', port })
        .verify()
    await withWords('green', async (port) => expect((await verify(port)).summary.passed).toBe(1))
    await withWords('grey', (port) => expect(verify(port)).rejects.toThrow('grey came, not green'))
    const calls = plugin.calls().map(({ call }) => call)
    for (const call of [
      'startMockServer',
      'shutdownMockServer',
      'prepareInteractionForVerification',
      'verifyInteraction',
    ])
      expect(calls.filter((one) => one === call)).toHaveLength(2)
  })
})
