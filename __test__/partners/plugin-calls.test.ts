// The same plugin driven by @pact-foundation/pact-core and by this package, with the same interactions. Each call that
// the plugin receives is compared field by field. Differences are listed below with their reasons; an unlisted
// difference fails, and so does a listed one that no longer exists.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { Contract, Verifier } from 'contract'
import { withProvider } from '../support/provider.ts'
import { ask, type Call, installWords, partners, withWords } from './support/words.ts'

const TYPE = 'application/x-words'

type Installed = ReturnType<typeof installWords>

/** The plugin runs as long as the contracts exist. */
const contracts: Contract[] = []

async function written(plugin: Installed): Promise<string> {
  const directory = join(plugin.directory, 'ours')
  const contract = () => {
    const made = new Contract('web', 'shop', { directory, plugins: { directories: [plugin.directory] } })
    contracts.push(made)
    return made.usingPlugin({ plugin: 'words', version: '0.1.0' })
  }
  const http = contract()
  http
    .uponReceiving('some words')
    .withRequest('PUT', '/colour')
    .withPluginContents({ words: 'red green' }, TYPE)
    .willRespondWith(200)
    .withPluginContents({ words: 'blue', random: 'yes' }, TYPE)
  await http.serve(async ({ url }) => {
    const headers = { 'content-type': TYPE }
    const answer = await fetch(`${url}/colour`, { method: 'PUT', body: 'green red', headers })
    expect(answer.status).toBe(200)
  })
  const message = contract()
  message.uponReceiving('an event', 'Async').withPluginContents({ words: 'red', topic: 'colours' }, TYPE)
  await message.verify((contents) => expect(String(contents)).toBe('red'), 'Async')
  const transport = contract()
  const contents = { request: { words: 'red' }, response: [{ words: 'green' }] }
  transport.uponReceiving('a question', 'Sync').withPluginContents(contents, TYPE)
  await transport.serve({ transport: 'words' }, async ({ port }) => expect(await ask(port, 'red')).toBe('green'))
  return join(directory, 'web-shop.json')
}

/** A provider for both protocols during a verification. */
async function provided(verify: (http: number, words: number) => Promise<unknown>): Promise<void> {
  await withWords('green', (words) =>
    withProvider(
      (request, answer) => {
        request.resume()
        // The metadata of a message is in a header.
        const metadata = Buffer.from(JSON.stringify({ topic: 'colours' })).toString('base64')
        const isMessage = request.method === 'POST'
        answer.writeHead(200, { 'Content-Type': TYPE, ...(isMessage && { 'Pact-Message-Metadata': metadata }) })
        answer.end(isMessage ? 'red' : 'blue')
      },
      (url) => verify(Number(new URL(url).port), words),
    ),
  )
}

async function theirs(plugin: Installed): Promise<Call[]> {
  const directory = join(plugin.directory, 'theirs')
  const env = { ...process.env, PACT_PLUGIN_DIR: plugin.directory, PACT_DO_NOT_TRACK: 'true' }
  const run = (...args: (string | number)[]) =>
    promisify(execFile)(
      process.execPath,
      [join(__dirname, 'support', 'plugin-calls.cjs'), partners, ...args.map(String)],
      {
        env,
        timeout: 300_000,
      },
    )
  await run(directory)
  await provided((http, words) => run(join(directory, 'web-shop.json'), http, words))
  return plugin.calls()
}

async function ours(plugin: Installed): Promise<Call[]> {
  const file = await written(plugin)
  await provided((http, words) =>
    new Verifier('shop')
      .setPlugins({ directories: [plugin.directory] })
      .addSource(file)
      .addTransport({ port: http })
      .addTransport({ protocol: 'words', port: words })
      .messageHandler({ 'an event': () => ({ contents: 'red', contentType: TYPE, metadata: { topic: 'colours' } }) })
      .verify(),
  )
  return plugin.calls()
}

/** Replaces values that differ in each run with words. */
function steady(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/^[0-9a-f]{16}$/, '<key>')
      .replace(/(127\.0\.0\.1:|words-)\d+/g, '$1<port>')
      .replace(/^\d+\.\d+\.\d+$/, '<version>')
  if (Array.isArray(value)) return value.map(steady)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'port' && typeof member === 'number' && member > 0 ? '<port>' : steady(member),
    ]),
  )
}

/** The values that differ: `path: theirs / ours`; list indexes are not part of the path. */
function differences(their: unknown, our: unknown, path: string): string[] {
  const isTree = (value: unknown) => typeof value === 'object' && value !== null
  if (!isTree(their) || !isTree(our) || Array.isArray(their) !== Array.isArray(our)) {
    const told = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value))
    return JSON.stringify(their) === JSON.stringify(our) ? [] : [`${path}: ${told(their)} / ${told(our)}`]
  }
  const [one, other] = [their as Record<string, unknown>, our as Record<string, unknown>]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
  const below = (name: string) => [path, Array.isArray(their) ? '' : name].filter(Boolean).join('.')
  return names.flatMap((name) => differences(one[name], other[name], below(name)))
}

/** Removes the name of the gRPC library, and the order of the catalogue and the capabilities, which is not defined. */
function sorted(call: Call): unknown {
  const metadata = call.metadata.filter((name) => name !== 'user-agent').join()
  const request = steady({ ...(call.request as object), metadata }) as Record<string, unknown>
  // In the other tool, the test run identifier depends on the thread.
  const { testRunId, ...context } = (request.testContext ?? {}) as Record<string, unknown>
  request.testContext = Object.keys(context).length === 0 ? undefined : context
  for (const name of ['catalogue', 'hostCapabilities']) {
    const list = request[name]
    if (Array.isArray(list)) {
      const entries = list.map((entry) =>
        typeof entry === 'string' ? [entry, {}] : [`${entry.type ?? 0}/${entry.key}`, entry.values ?? {}],
      )
      request[name] = Object.fromEntries(entries)
    }
  }
  return request
}

/** All differences by call: `call path: theirs / ours`, each once. Contracts in calls are compared as documents. */
function compared(their: Call[], our: Call[]): string[] {
  const names = [...new Set([...their, ...our].map(({ call }) => call))].sort()
  const all = names.flatMap((name) => {
    const of = (calls: Call[]) => calls.filter(({ call }) => call === name)
    const [theirCalls, ourCalls] = [of(their), of(our)]
    const counts = theirCalls.length === ourCalls.length ? [] : [`calls: ${theirCalls.length} / ${ourCalls.length}`]
    const each = theirCalls
      .slice(0, ourCalls.length)
      .flatMap((call, at) => differences(sorted(call), sorted(ourCalls[at] as Call), ''))
    return [...counts, ...each].map((one) => (one.startsWith('pact.') ? `contract ${one.slice(5)}` : `${name} ${one}`))
  })
  return [...new Set(all)]
}

const [first, second, both] = [[1], [2], [1, 2]]
/** Behavior of the other tool, of this package, and the reason, in one or both versions of the interface. */
const deviations: readonly (readonly [versions: readonly number[], difference: string, why: string])[] = [
  [both, 'initPlugin implementation: "plugin-driver-rust" / "contract"', 'each says its own name'],
  [
    both,
    'initPlugin calls: 4 / 1',
    'a plugin runs once as long as somebody uses it; the other starts it for each contract and each verification',
  ],
  [both, 'updateCatalogue calls: 4 / 1', 'the same'],
  [
    both,
    'configureInteraction metadata: "authorization" / "authorization,pact-call-chain-id,pact-deadline-ms"',
    'a plugin may ask its host for something while it makes contents, too',
  ],
  [
    both,
    'compareContents pluginConfiguration.interactionConfiguration.words: "blue" / "red green"',
    'what the plugin kept for the request; the other has written that of the response over it',
  ],
  [
    both,
    'generateContent pluginConfiguration.interactionConfiguration: absent / {"count":3,"words":"blue"}',
    'the other sends nothing of what the plugin kept, though plugins look their schemas up in it',
  ],
  [both, 'generateContent pluginConfiguration.pactConfiguration: absent / {"schema":"first"}', 'the same'],
  [both, 'generateContent testMode: absent / 1', 'the other leaves "unknown" there'],
  [both, 'generateContent contentFor: absent / 1', 'the other says "request" of a response'],
  [
    both,
    'generateContent generators.$.values.min: 0 / 1',
    'the other takes bounds from a plugin for decimals, and its defaults instead',
  ],
  [both, 'generateContent generators.$.values.max: 10 / 9', 'the same'],
  [
    second,
    'compareContents testContext: absent / {"providerState":{}}',
    'values of states also under their name, as "config" has them',
  ],
  [
    second,
    'prepareInteractionForVerification testContext: absent / {"providerState":{}}',
    'the other sends it with contents only',
  ],
  [second, 'verifyInteraction testContext: absent / {"providerState":{}}', 'the same'],
  [
    second,
    'startMockServer interactions.pluginConfiguration.pactConfiguration: absent / {"schema":"first"}',
    'what is kept for the whole contract; the other leaves it out',
  ],
  [
    second,
    'prepareInteractionForVerification interactionContents.pluginConfiguration.pactConfiguration: absent / {"schema":"first"}',
    'the same',
  ],
  [
    second,
    'verifyInteraction interactionContents.pluginConfiguration.pactConfiguration: absent / {"schema":"first"}',
    'the same',
  ],
  // The contract as text exists in the first version only.
  [first, 'contract metadata.pactRust: {"ffi":"<version>","models":"<version>"} / absent', 'who wrote it'],
  [
    first,
    'contract metadata.pactRust: {"ffi":"<version>","mockserver":"<version>","models":"<version>"} / absent',
    'the same',
  ],
  [first, 'contract metadata.contract: absent / {"version":"<version>"}', 'the same'],
  [
    first,
    'contract interactions.key: absent / "<key>"',
    'the mock server gets keys, too: a plugin can name an interaction by them',
  ],
  [
    first,
    'contract interactions.pluginConfiguration.words.count: 3 / absent',
    'both parts are kept, under their names',
  ],
  [first, 'contract interactions.pluginConfiguration.words.words: "blue" / absent', 'the same'],
  [
    first,
    'contract interactions.pluginConfiguration.words.request: absent / {"count":3,"words":"red green"}',
    'the same',
  ],
  [first, 'contract interactions.pluginConfiguration.words.response: absent / {"count":3,"words":"blue"}', 'the same'],
  [first, 'contract interactions.response.generators.body.$.min: 0 / 1', 'the bounds that the plugin gave, as above'],
  [first, 'contract interactions.response.generators.body.$.max: 10 / 9', 'the same'],
  [
    first,
    'contract interactions.request.headers.content-type: ["application/x-words"] / absent',
    'names of headers as people write them',
  ],
  [first, 'contract interactions.request.headers.Content-Type: absent / ["application/x-words"]', 'the same'],
  [first, 'contract interactions.response.headers.content-type: ["application/x-words"] / absent', 'the same'],
  [first, 'contract interactions.response.headers.Content-Type: absent / ["application/x-words"]', 'the same'],
  [first, 'contract interactions.request.body.contentTypeHint: "DEFAULT" / absent', 'absent is the default'],
  [first, 'contract interactions.response.body.contentTypeHint: "DEFAULT" / absent', 'the same'],
  [first, 'contract interactions.contents.contentTypeHint: "DEFAULT" / absent', 'the same'],
  [first, 'contract interactions.request.contents.contentTypeHint: "DEFAULT" / absent', 'the same'],
  [first, 'contract interactions.response.contents.contentTypeHint: "DEFAULT" / absent', 'the same'],
]

const onlySecond = ['configureInteraction', 'compareContents', 'prepareInteractionForVerification', 'verifyInteraction']
const isNamed = (request: unknown) =>
  typeof (request as { testContext?: { testRunId?: unknown } }).testContext?.testRunId === 'string'

describe.each([1, 2])('the calls of both hosts, version %i of the interface', (interfaceVersion) => {
  test('are equal except for the listed differences', async () => {
    const their = await theirs(installWords(interfaceVersion))
    const our = await ours(installWords(interfaceVersion))
    const listed = deviations.filter(([versions]) => versions.includes(interfaceVersion))
    expect(compared(their, our).sort()).toEqual(listed.map(([, difference]) => difference).sort())
    // All calls of this package that can name the test run do so.
    const withContext = ['generateContent', 'startMockServer', ...(interfaceVersion === 2 ? onlySecond : [])]
    const without = our.filter(({ call, request }) => withContext.includes(call) && !isNamed(request))
    expect(without).toEqual([])
    // All calls of this package have a deadline.
    expect(our.filter(({ deadline }) => !deadline)).toEqual([])
  })
})
