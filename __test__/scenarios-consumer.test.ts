// Everything that a consumer test can define, the behavior of the mock server, and the file of each version: one
// small scenario per case. The classes, and the tests that cover them:
//
// | Class                                                  | Here, or where else                                     |
// | ------------------------------------------------------ | ------------------------------------------------------- |
// | one interaction, several, unexpected, never requested  | `requests`; consumer, server                            |
// | method, path, query, headers, cookies                  | `requests`; builder, interchange, server-wire           |
// | bodies: JSON, text, XML, forms, bytes                  | `bodies`; bodies (multipart, files, GraphQL, generated) |
// | matchers of each kind, on each part                    | scenarios-rules, match, rules_and_parts.rs              |
// | generators of each kind, on each part                  | `generators`; generate, crates/generators               |
// | states, comments, keys, pending, references, metadata  | `the file`; builder                                     |
// | defaults, matching rules and generators as documents   | builder                                                 |
// | asynchronous and synchronous messages                  | `messages`; messages-consumer                           |
// | the file: merging, overwriting, versions, several kinds| `the file`; files, files-shared, interchange            |
// | the provider's side of all of it                       | scenarios-provider, which has its own table             |
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Contract, generate, type HttpInteraction, match } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const versions = ['V2', 'V3', 'V4'] as const
type Version = (typeof versions)[number]
type Define = (interaction: HttpInteraction) => unknown
type Json = Readonly<Record<string, unknown>>

/** Defines one interaction and sends requests in order. Returns their results and the file. */
async function consumed(version: Version, define: Define, ...requests: readonly (readonly [string, RequestInit?])[]) {
  const directory = temporaryDirectory()
  const contract = new Contract('web', 'shop', { specification: version, directory })
  define(contract.uponReceiving('an exchange'))
  const answers: { readonly status: number; readonly headers: Headers; readonly text: string }[] = []
  const outcomes = await contract.serve({ raises: false }, async (server) => {
    for (const [path, init] of requests) {
      const response = await fetch(`${server.url}${path}`, init)
      answers.push({ status: response.status, headers: response.headers, text: await response.text() })
    }
    return server.requests.map(({ outcome, mismatches }) =>
      outcome === 'mismatched' ? mismatches.map(({ type, place }) => `${type} ${place}`) : outcome,
    )
  })
  const written = () => JSON.parse(readFileSync(join(directory, 'web-shop.json'), 'utf8'))
  return { answers, outcomes, written }
}

const get = (path: string, headers: Record<string, string> = {}) => [path, { headers }] as const
const post = (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
  ['/', { method: 'POST', headers: { 'Content-Type': type }, body }] as const

describe.each(versions)('requests, %s', (version) => {
  const asked: Define = (interaction) => interaction.withRequest('GET', '/a').willRespondWith(200)

  test.each<[string, Define, readonly [string, RequestInit?], unknown]>([
    ['the one that is expected', asked, get('/a'), 'matched'],
    ['another path', asked, get('/b'), 'not-found'],
    ['a slash more', asked, get('/a/'), 'not-found'],
    ['another method', asked, ['/a', { method: 'PUT' }], 'not-found'],
    ['a query that nobody expects', asked, get('/a?x=1'), ['QueryMismatch query parameter x']],
    ['headers that nobody expects', asked, get('/a', { 'X-More': '1' }), 'matched'],
    ['a body that nobody expects', asked, ['/a', { method: 'GET' }], 'matched'],
    ['a path that is encoded', (i) => i.withRequest('GET', '/a b'), get('/a%20b'), 'matched'],
    ['a path by its form', (i) => i.withRequest('GET', match.regex('/1', /\/\d+/)), get('/42'), 'matched'],
    ['a path of another form', (i) => i.withRequest('GET', match.regex('/1', /\/\d+/)), get('/x'), 'not-found'],
    ['a query', (i) => i.withRequest('GET', '/').withQueryParameter('q', 'x'), get('/?q=x'), 'matched'],
    [
      'a query without its parameter',
      (i) => i.withRequest('GET', '/').withQueryParameter('q', 'x'),
      get('/'),
      ['QueryMismatch query parameter q'],
    ],
    [
      'a query with another value',
      (i) => i.withRequest('GET', '/').withQueryParameter('q', 'x'),
      get('/?q=y'),
      ['QueryMismatch query parameter q'],
    ],
    [
      'a query in another order',
      (i) => i.withRequest('GET', '/').withQueryParameters({ a: '1', b: '2' }),
      get('/?b=2&a=1'),
      'matched',
    ],
    [
      'several values in another order',
      (i) => i.withRequest('GET', '/').withQueryParameter('a', ['1', '2']),
      get('/?a=2&a=1'),
      ['QueryMismatch query parameter a[0]', 'QueryMismatch query parameter a[1]'],
    ],
    [
      'a parameter by its form',
      (i) => i.withRequest('GET', '/').withQueryParameter('q', match.regex('1', /\d+/)),
      get('/?q=77'),
      'matched',
    ],
    [
      'a header in another case',
      (i) => i.withRequest('GET', '/').withHeader('X-Kind', 'a'),
      get('/', { 'x-kind': 'a' }),
      'matched',
    ],
    [
      'a header with another value',
      (i) => i.withRequest('GET', '/').withHeader('X-Kind', 'a'),
      get('/', { 'X-Kind': 'A' }),
      ['HeaderMismatch header X-Kind'],
    ],
    [
      'a header that lacks',
      (i) => i.withRequest('GET', '/').withHeader('X-Kind', 'a'),
      get('/'),
      ['HeaderMismatch header X-Kind'],
    ],
    [
      'a header by its form',
      (i) => i.withRequest('GET', '/').withHeader('X-Kind', match.regex('a', /[ab]+/)),
      get('/', { 'X-Kind': 'abba' }),
      'matched',
    ],
    [
      'a list with other blanks',
      (i) => i.withRequest('GET', '/').withHeader('Accept', 'a/b, c/d'),
      get('/', { Accept: 'a/b,c/d' }),
      'matched',
    ],
  ])('%s', async (_, define, request, expected) => {
    const { outcomes, answers } = await consumed(version, define, request)
    expect(outcomes).toEqual([expected])
    expect(answers[0]?.status).toBe(expected === 'matched' ? 200 : 500)
  })
})

describe.each(versions)('bodies, %s', (version) => {
  const with_: (body: unknown) => Define = (body) => (i) => i.withRequest('POST', '/').withBody(body as Json)

  test.each<[string, Define, readonly [string, RequestInit?], unknown]>([
    ['the same JSON', with_({ a: 1, b: [true, null] }), post('{"b":[true,null],"a":1}'), 'matched'],
    ['another value', with_({ a: 1 }), post('{"a":2}'), ['BodyMismatch $.a']],
    ['a member more', with_({ a: 1 }), post('{"a":1,"b":2}'), 'matched'],
    ['a member less', with_({ a: 1, b: 2 }), post('{"a":1}'), ['BodyMismatch $']],
    ['an item more', with_({ a: [1] }), post('{"a":[1,2]}'), ['BodyMismatch $.a']],
    ['null in place of a value', with_({ a: 1 }), post('{"a":null}'), ['BodyMismatch $.a']],
    ['a text in place of a number', with_({ a: 1 }), post('{"a":"1"}'), ['BodyMismatch $.a']],
    ['a list in place of an object', with_({ a: {} }), post('{"a":[]}'), ['BodyMismatch $.a']],
    ['no JSON', with_({ a: 1 }), post('{'), ['BodyMismatch $']],
    [
      'another type',
      with_({ a: 1 }),
      post('a', 'text/plain'),
      ['HeaderMismatch header Content-Type', 'BodyTypeMismatch body'],
    ],
    ['by kind', with_({ a: match.like({ b: 'x' }) }), post('{"a":{"b":"y"}}'), 'matched'],
    ['by kind, another one', with_({ a: match.like({ b: 'x' }) }), post('{"a":{"b":1}}'), ['BodyMismatch $.a.b']],
    ['a list by its item', with_(match.eachLike({ b: 1 })), post('[{"b":5},{"b":6}]'), 'matched'],
    ['a list without items', with_(match.eachLike({ b: 1 })), post('[]'), ['BodyMismatch $']],
    ['text', (i) => i.withRequest('POST', '/').withTextBody('tea'), post('tea', 'text/plain'), 'matched'],
    [
      'another text',
      (i) => i.withRequest('POST', '/').withTextBody('tea'),
      post('mate', 'text/plain'),
      ['BodyMismatch $'],
    ],
    [
      'XML in another form',
      (i) => i.withRequest('POST', '/').withBody('<a b="1"><c/></a>', 'application/xml'),
      post('<a  b="1">\n<c></c></a>', 'application/xml'),
      'matched',
    ],
    [
      'XML with another attribute',
      (i) => i.withRequest('POST', '/').withBody('<a b="1"/>', 'application/xml'),
      post('<a b="2"/>', 'application/xml'),
      ["BodyMismatch $.a['@b']"],
    ],
    [
      'a form in another order',
      (i) => i.withRequest('POST', '/').withFormBody({ a: '1', b: '2' }),
      post('b=2&a=1', 'application/x-www-form-urlencoded'),
      'matched',
    ],
    [
      'the same bytes',
      (i) => i.withRequest('POST', '/').withBinaryBody(Uint8Array.of(0, 255), 'application/x-own'),
      post(Uint8Array.of(0, 255), 'application/x-own'),
      'matched',
    ],
    [
      'other bytes',
      (i) => i.withRequest('POST', '/').withBinaryBody(Uint8Array.of(0, 255), 'application/x-own'),
      post(Uint8Array.of(0, 254), 'application/x-own'),
      ['BodyMismatch $'],
    ],
  ])('%s', async (_, define, request, expected) => {
    const { outcomes } = await consumed(version, define, request)
    expect(outcomes).toEqual([expected])
  })
})

describe.each(versions.slice(1))('generators, %s', (version) => {
  test('generate status, headers, and body of each response', async () => {
    const { answers } = await consumed(
      version,
      (i) =>
        i
          .withRequest('GET', '/')
          .willRespondWith(200)
          .withHeader('X-Id', match.uuid())
          .withBody({ id: match.uuid(), n: generate.int({ min: 5, max: 5 }), at: generate.datetime() }),
      get('/'),
      get('/'),
    )
    const [first, second] = answers.map(({ text, headers }) => ({ ...JSON.parse(text), header: headers.get('X-Id') }))
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      n: 5,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      header: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect([second?.id, second?.header]).not.toEqual([first?.id, first?.header])
  })
})

describe('the file', () => {
  const everything: Define = (i) =>
    i
      .given('a product')
      .withRequest('POST', '/products')
      .withQueryParameter('q', ['a', 'b'])
      .withHeader('X-Kind', 'a')
      .withBody({ id: match.int(7), name: match.regex('tea', /[a-z]+/) })
      .willRespondWith(201)
      .withHeader('Location', match.regex('/products/7', /\/products\/\d+/))
      .withBody({ id: match.int(7) })
  const request = [
    '/products?q=a&q=b',
    { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Kind': 'a' }, body: '{"id":8,"name":"mate"}' },
  ] as const
  const only = (matcher: Json) => ({ combine: 'AND', matchers: [matcher] })

  test.each<[Version, Json]>([
    [
      'V2',
      {
        providerState: 'a product',
        request: {
          method: 'POST',
          path: '/products',
          query: 'q=a&q=b',
          headers: { 'Content-Type': 'application/json', 'X-Kind': 'a' },
          body: { id: 7, name: 'tea' },
          matchingRules: { '$.body.id': { match: 'integer' }, '$.body.name': { match: 'regex', regex: '[a-z]+' } },
        },
        response: {
          status: 201,
          headers: { 'Content-Type': 'application/json', Location: '/products/7' },
          body: { id: 7 },
          matchingRules: {
            '$.body.id': { match: 'integer' },
            '$.headers.Location': { match: 'regex', regex: '/products/[0-9]+' },
          },
        },
      },
    ],
    [
      'V3',
      {
        providerStates: [{ name: 'a product' }],
        request: {
          query: { q: ['a', 'b'] },
          headers: { 'X-Kind': 'a' },
          body: { id: 7, name: 'tea' },
          matchingRules: {
            body: { '$.id': only({ match: 'integer' }), '$.name': only({ match: 'regex', regex: '[a-z]+' }) },
          },
        },
        response: { matchingRules: { header: { Location: only({ match: 'regex', regex: '/products/[0-9]+' }) } } },
      },
    ],
    [
      'V4',
      {
        type: 'Synchronous/HTTP',
        pending: false,
        providerStates: [{ name: 'a product' }],
        request: {
          query: { q: ['a', 'b'] },
          headers: { 'X-Kind': ['a'] },
          body: { content: { id: 7, name: 'tea' }, contentType: 'application/json', encoded: false },
          matchingRules: { body: { '$.id': only({ match: 'integer' }) } },
        },
        response: { body: { content: { id: 7 } } },
      },
    ],
  ])('of %s says all that was defined', async (version, expected) => {
    const { outcomes, written } = await consumed(version, everything, request)
    expect(outcomes).toEqual(['matched'])
    const { interactions, metadata, consumer, provider } = written()
    expect(interactions).toHaveLength(1)
    expect(interactions[0]).toMatchObject({ description: 'an exchange', ...expected })
    expect([consumer.name, provider.name]).toEqual(['web', 'shop'])
    expect(metadata.pactSpecification.version).toMatch(new RegExp(`^${version.slice(1)}\\.0`))
  })

  test('of V4 contains keys, pending, comments, references, and the test name', async () => {
    const { written } = await consumed(
      'V4',
      (i) =>
        i
          .withRequest('GET', '/')
          .willRespondWith(200)
          .setKey('k-1')
          .setPending(true)
          .setComment('kind', { a: 1 })
          .addTextComment('a word')
          .addReference('ticket', 'id', 7)
          .testName('a test'),
      get('/'),
    )
    expect(written().interactions[0]).toMatchObject({
      key: 'k-1',
      pending: true,
      comments: { kind: { a: 1 }, text: ['a word'], testname: 'a test', references: { ticket: { id: 7 } } },
    })
  })

  test.each(versions)('of %s has none of what failed, and all of what passed', async (version) => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'shop', { specification: version, directory })
    for (const path of ['/a', '/b']) contract.uponReceiving(path).withRequest('GET', path).willRespondWith(200)
    await contract.serve({ raises: false }, async ({ url }) => void (await fetch(`${url}/a`)))
    const { interactions } = JSON.parse(readFileSync(join(directory, 'web-shop.json'), 'utf8'))
    expect(interactions.map(({ description }: { description: string }) => description)).toEqual(['/a'])
  })

  test.each(versions)('of %s has interactions of several tests, each once', async (version) => {
    const directory = temporaryDirectory()
    for (const path of ['/b', '/a', '/b']) {
      const contract = new Contract('web', 'shop', { specification: version, directory })
      contract.uponReceiving(path).given('a state').withRequest('GET', path).willRespondWith(200)
      await contract.serve(async ({ url }) => void (await fetch(url + path)))
    }
    const { interactions } = JSON.parse(readFileSync(join(directory, 'web-shop.json'), 'utf8'))
    expect(interactions.map(({ description }: { description: string }) => description)).toEqual(['/a', '/b'])
  })
})

describe.each(['V3', 'V4'] as const)('messages, %s', (version) => {
  test('are passed to the handler with contents and metadata, and written', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'shop', { specification: version, directory })
    contract
      .uponReceiving('an order', 'Async')
      .given('a shop', { parameters: { city: 'Rome' } })
      .withBody({ id: match.int(7) })
      .withMetadata({ topic: 'orders' })
    const taken: unknown[] = []
    await contract.verify((contents, metadata) => void taken.push(contents, metadata.topic), 'Async')
    expect(taken).toEqual([{ id: 7 }, 'orders'])
    const file = JSON.parse(readFileSync(join(directory, 'web-shop.json'), 'utf8'))
    const [message] = version === 'V3' ? file.messages : file.interactions
    expect(message).toMatchObject({
      description: 'an order',
      providerStates: [{ name: 'a shop', params: { city: 'Rome' } }],
      contents: version === 'V3' ? { id: 7 } : { content: { id: 7 }, contentType: 'application/json' },
      [version === 'V3' ? 'metaData' : 'metadata']: { topic: 'orders' },
    })
  })

  test('are not written if the handler throws', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'shop', { specification: version, directory })
    for (const id of [1, 2]) contract.uponReceiving(`order ${id}`, 'Async').withBody({ id })
    const refuse = ({ id }: { id: number }) => {
      if (id === 1) throw new Error('no')
    }
    const failed = await contract.verify(refuse, 'Async', { raises: false })
    expect(failed).toHaveLength(1)
    const file = JSON.parse(readFileSync(join(directory, 'web-shop.json'), 'utf8'))
    const messages = version === 'V3' ? file.messages : file.interactions
    expect(messages.map(({ description }: { description: string }) => description)).toEqual(['order 2'])
  })
})

test('the size limit of generated values can be set for a contract, a server, and messages', async () => {
  const body = { text: generate.str({ size: 2000 }) }
  const small = new Contract('web', 'shop', { generatedSize: 1000 })
  const over =
    'the generated values exceed 1000 bytes in total; generate fewer or smaller values, or raise the limit generatedSize'
  expect(() => small.uponReceiving('a').withRequest('GET', '/').willRespondWith(200).withBody(body)).toThrow(over)

  const large = new Contract('web', 'shop', { generatedSize: 3000 })
  const define = (description: string) =>
    large.uponReceiving(description).withRequest('GET', '/').willRespondWith(200).withBody(body)
  define('as the contract says')
  const lengthOf = async (url: string) => JSON.parse(await (await fetch(url)).text()).text.length
  expect(await large.serve(({ url }) => lengthOf(url))).toBe(2000)
  define('as the server says')
  await large.serve({ limits: { generatedSize: 1000 } }, async (server) => {
    await lengthOf(server.url)
    expect(server.logs).toContain(over)
  })

  large.uponReceiving('a message', 'Async').withBody(body)
  const [failure] = await large.verify(() => {}, 'Async', { generatedSize: 1000, raises: false })
  expect(failure?.message).toContain(over)
  await large.verify(({ text }: { text: string }) => expect(text).toHaveLength(2000), 'Async', { all: true })
})

test('generates a value of millions of characters', () => {
  const contract = new Contract('web', 'shop')
  const body = { text: match.str(undefined, { size: 2_000_000 }) }
  contract.uponReceiving('a').withRequest('GET', '/').willRespondWith(200).withBody(body)
  expect(JSON.stringify(contract.interactions()).length).toBeGreaterThan(2_000_000)
  expect(() =>
    contract
      .uponReceiving('b')
      .withRequest('GET', '/')
      .withBody({ text: match.str(undefined, { size: 70_000_000 }) }),
  ).toThrow('raise the limit generatedSize')
})

test('compiles hundreds of interactions off the event loop', async () => {
  const contract = new Contract('web', 'shop')
  const count = 300
  for (let n = 0; n < count; n += 1) contract.uponReceiving(`n ${n}`).withRequest('GET', `/${n}`).willRespondWith(200)
  const starting = contract.serve({ raises: false })
  contract.uponReceiving('later').withRequest('GET', '/later').willRespondWith(204)
  await expect(contract.serve(({ url }) => fetch(`${url}/later`).then(({ status }) => status))).resolves.toBe(204)
  const server = await starting
  expect((await fetch(`${server.url}/later`)).status).toBe(500)
  expect((await fetch(`${server.url}/${count - 1}`)).status).toBe(200)
  await server.stop()
  expect(server.mismatches.filter(({ type }) => type === 'missing-request')).toHaveLength(count - 1)
})

test('reports an invalid interaction among hundreds, and retires all of them', async () => {
  const contract = new Contract('web', 'shop')
  for (let n = 0; n < 300; n += 1) contract.uponReceiving('the same').withRequest('GET', `/${n}`).willRespondWith(200)
  await expect(contract.serve(() => {})).rejects.toMatchObject({
    code: 'ERR_CONTRACT_DUPLICATE',
    message: expect.stringContaining('299 interactions are invalid'),
  })
  contract.uponReceiving('another').withRequest('GET', '/').willRespondWith(200)
  await contract.serve(async ({ url }) => void (await fetch(url)))
})
