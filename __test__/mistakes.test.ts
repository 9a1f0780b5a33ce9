// Common mistakes that compile. Each is reported.
import { spawnSync } from 'node:child_process'
import { expect, jest, test } from '@jest/globals'
import * as contract from 'contract'
import { Contract, type ContractError, generate, type MismatchesError, match, serveAll, Verifier } from 'contract'
import { withoutCode } from './support/without-code.ts'

const rejection = (call: () => unknown) =>
  Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (error: Error) => error,
    )
const refusal = (call: () => unknown) =>
  rejection(call).then((error) => error && withoutCode(error.message, (error as ContractError).code))

test('rejects a matcher in a string', async () => {
  const text = /^a matcher cannot be part of a string\. Use match\.regex/
  expect(await refusal(() => `/users/${match.int(7)}`)).toMatch(text)
  expect(await refusal(() => `/users/${generate.uuid()}`)).toMatch(text)
  expect(await refusal(() => '/users/'.concat(match.int(7) as unknown as string))).toMatch(text)
})

test('a matcher in JSON text is matcher JSON, which headers understand', () => {
  const json = JSON.stringify(match.regex('a1', /[a-z]\d/))
  expect(JSON.parse(json)).toEqual({ 'contract:matcher:type': 'regex', regex: '[a-z][0-9]', value: 'a1' })
  const defined = new Contract('web', 'orders')
  defined.uponReceiving('a request').withRequest('GET', '/').withHeader('X-Trace', json).willRespondWith(200)
  expect(defined.interactions()).toMatchObject([
    { request: { headers: { 'X-Trace': ['a1'] }, matchingRules: { header: { 'X-Trace': {} } } } },
  ])
})

test('rejects a matcher as method', async () => {
  const interaction = new Contract('web', 'orders').uponReceiving('a request')
  const method = match.regex('GET', /GET|HEAD/) as unknown as string
  expect(await refusal(() => interaction.withRequest(method, '/orders'))).toBe(
    'withRequest: method must be a string, received a matcher',
  )
})

test('error stacks start with the name of the error', () => {
  for (const [name, made] of Object.entries(contract)) {
    if (!name.endsWith('Error') || name === 'MessageVerificationError') continue
    const report = { code: 'ERR_CONTRACT_X', text: 'a text', failures: [] }
    const args = name === 'VariantsError' ? [report] : ['ERR_CONTRACT_X', 'a text', 'more', {}]
    const error = new (made as new (...args: unknown[]) => Error)(...args)
    expect([error.name, error.stack?.split(/[:\n]/)[0]]).toEqual([name, name])
  }
})

test('with several servers, the error names the contract', async () => {
  const [users, orders] = ['users', 'orders'].map((provider) => new Contract('web', provider))
  for (const each of [users, orders]) each?.uponReceiving('all').withRequest('GET', '/').willRespondWith(200)
  const test = () =>
    serveAll([users, orders] as Contract[], async ({ url }) => {
      await fetch(url)
    })
  const error = (await rejection(test)) as MismatchesError
  expect(error.message).toMatch(/^web → orders: 1 missing request/)
  // The test did send a request.
  expect(error.message).not.toContain('is an await missing')
})

test('rejects an object with a URL as message handlers', async () => {
  const verifier = new Verifier('orders')
  const add = (transport: object) => refusal(() => verifier.addTransport(transport as { url: string }))
  const rest = 'Options: url, protocol, scheme, host, port, path, app. Register message handlers with messageHandler'
  expect(await add({ uri: 'http://127.0.0.1:8080' })).toBe(
    `addTransport: unknown option "uri". Did you mean url? ${rest}`,
  )
  expect(await add({ baseAddress: 'https://example.com' })).toBe(`addTransport: unknown option "baseAddress". ${rest}`)
  expect(await add({ 'a link': () => 'http://127.0.0.1:8080' })).toBeUndefined()
})

const written = {
  consumer: { name: 'web' },
  provider: { name: 'orders' },
  interactions: [{ description: 'all', request: { method: 'GET', path: '/' }, response: { status: 200 } }],
  metadata: { pactSpecification: { version: '3.0.0' } },
}

test('accepts a contract as a source', async () => {
  const app = () => new Response('')
  const verifier = new Verifier('orders').addSource(written).addTransport({ app })
  expect((await verifier.verify()).summary.passed).toBe(1)
})

test('reports unknown consumers and lists the existing ones', async () => {
  const verifier = new Verifier('orders').addSource(written).addTransport('http://127.0.0.1:1')
  expect(await refusal(() => verifier.filterConsumers('wep', 'app').verify())).toBe(
    'no contract with the consumer "wep" or "app". Consumers with contracts: "web"',
  )
})

test('reports an invalid regular expression in one line', async () => {
  expect(await refusal(() => new Verifier('orders').filter('('))).toBe(
    'filter: the description filter is invalid: "(" is not a valid regular expression: unclosed group',
  )
})

test('rejects options in place of names', async () => {
  const made = { consumer: 'web', provider: 'orders' } as unknown as string
  const text = 'name must be a string, received an object; pass the names before the options'
  expect(await refusal(() => new Verifier(made))).toBe(`Verifier: the provider ${text}`)
  expect(await refusal(() => new Contract(made, made))).toBe(`the consumer ${text}`)
  expect(await refusal(() => new Verifier(undefined as unknown as string))).toBe(
    'Verifier: the provider name must be a string, received nothing',
  )
})

test('describes differences of GraphQL documents', async () => {
  const defined = new Contract('web', 'orders')
  defined
    .uponReceiving('a query')
    .withRequest('POST', '/graphql')
    .withGraphQL({ query: 'query { order { id } }' })
    .willRespondWith(200)
  const body = JSON.stringify({ query: '{ order { name } }' })
  const headers = { 'Content-Type': 'application/json' }
  const error = await rejection(() =>
    defined.serve(({ url }) => fetch(`${url}/graphql`, { method: 'POST', headers, body })),
  )
  expect(error?.message).toContain(
    "body $.query: Expected '{ order { name } }' to be the GraphQL document of the example, ignoring whitespace, commas, and comments",
  )
  expect(error?.message).not.toContain('(?:')
})

test('warns about rules and generators at paths without a value', () => {
  const emitted = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  try {
    const interaction = new Contract('web', 'orders').uponReceiving('a request').withRequest('POST', '/')
    interaction
      .withBody({ lines: [{ sku: 'a' }] })
      .withMatchingRules({ body: { '$.lines[*].sku': { match: 'type' }, '$.lines[*].sko': { match: 'type' } } })
      .withGenerators({ body: { '$.id': { type: 'RandomInt' }, '$.lines[0].sku': { type: 'RandomString' } } })
    expect(emitted.mock.calls).toEqual([
      [
        '"a request": the matching rule at $.lines[*].sko has no effect: the body has no value at this path',
        'ContractWarning',
      ],
      ['"a request": the generator at $.id has no effect: the body has no value at this path', 'ContractWarning'],
    ])
  } finally {
    emitted.mockRestore()
  }
})

/** Runs code in a process and returns its standard error. */
function atTheEnd(code: string): string {
  const script = `const { Contract, match } = require(${JSON.stringify(require.resolve('contract'))})\n${code}`
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stderr
}

test('prints interactions that were never served at the end of the process', () => {
  const printed = atTheEnd(`
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('a request for order 7').withRequest('GET', '/orders/7').willRespondWith(200)`)

  expect(printed).toMatch(
    /^contract: 1 interaction of web → orders was never served, so the contract file does not contain it: "a request for order 7".*\n$/,
  )
})

test('does not print interactions that were served, written, or read', () => {
  const printed = atTheEnd(`
    const define = (provider) => {
      const contract = new Contract('web', provider)
      contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
      return contract
    }
    define('read').interactions()
    define('written').writeFile(require('node:fs').mkdtempSync(require('node:os').tmpdir() + '/contract-'))
      .then(() => define('served').serve(({ url }) => fetch(url)))`)

  expect(printed).toBe('')
})

test('warns about undefined responses and nested arrays', () => {
  const printed = atTheEnd(`
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('a ping').withRequest('GET', '/ping')
    contract.uponReceiving('all').withRequest('GET', '/').willRespondWith(200).withBody(match.eachLike([{ id: 7 }]))
    contract.serve(async ({ url }) => { await fetch(url + '/ping'); await fetch(url) })`)

  expect(printed).toMatch(/^contract: "a ping".* has no response, so it expects status 200 .* willRespondWith\(200\)$/m)
  expect(printed).toMatch(
    /^contract: match\.eachLike\(\[\{ id \}\]\) describes an array of arrays.* write match\.eachLike\(\{ id \}\)/m,
  )
  expect(printed.trim().split('\n')).toHaveLength(2)
})

test('warns about serve without await', () => {
  const printed = atTheEnd(`
    globalThis.__vitest_worker__ = { current: { name: 'first', timeout: 5000 } }
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('all').withRequest('GET', '/').willRespondWith(200)
    contract.serve(async ({ url }) => { await fetch(url) })
    globalThis.__vitest_worker__ = { current: { name: 'second', timeout: 5000 } }`)

  expect(printed).toMatch(
    /The function passed to serve at .* finished after its test had ended, .* Add await or return before the call/,
  )
})
