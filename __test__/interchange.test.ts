// Contract files have a form that every Pact implementation reads in the same way.
import { readFileSync } from 'node:fs'
import { describe, expect, jest, test } from '@jest/globals'
import { Contract, generate, type HttpInteraction, type Matcher, match, Verifier } from 'contract'
import { contractFile, failureOf } from './support/contracts.ts'
import { exchange, post } from './support/exchange.ts'
import { withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

type Specification = 'V2' | 'V3' | 'V4'

/** The only interaction, as in the file. */
async function written(define: (interaction: HttpInteraction) => unknown, specification: Specification = 'V4') {
  const contract = new Contract('web', 'users', { specification })
  define(contract.uponReceiving('a request').withRequest('GET', '/'))
  return JSON.parse(readFileSync(await contract.writeFile(temporaryDirectory()), 'utf8')).interactions[0]
}

const asking = (headers: Record<string, string>) => (url: string) => fetch(url, { headers })

describe('a header that is a list', () => {
  const lists = (interaction: HttpInteraction) =>
    interaction
      .withHeader('Accept', 'text/html, application/json;q=0.8')
      .setHeader('cache-control', 'no-cache,no-store')
      .willRespondWith(200)
      .withHeader('Allow', [match.regex('GET', /[A-Z]+/), match.regex('HEAD', /[A-Z]+/)])
      .withHeader('Access-Control-Allow-Methods', match.like('GET, PUT'))
      .withHeader('Vary', ['Accept, Origin', 'Cookie'])
      .withHeader('Date', 'Sun, 06 Nov 1994 08:49:37 GMT')
      .withHeader('Content-Language', 'de, en')

  test('has separate values in V4, also if they are defined as one string', async () => {
    const { request, response } = await written(lists)

    expect(request.headers).toEqual({
      Accept: ['text/html', 'application/json;q=0.8'],
      'cache-control': ['no-cache', 'no-store'],
    })
    expect(response.headers).toEqual({
      Allow: ['GET', 'HEAD'],
      'Access-Control-Allow-Methods': ['GET', 'PUT'],
      Vary: ['Accept', 'Origin', 'Cookie'],
      Date: ['Sun, 06 Nov 1994 08:49:37 GMT'],
      'Content-Language': ['de, en'],
    })
    expect(response.matchingRules.header).toEqual({
      'Access-Control-Allow-Methods': { combine: 'AND', matchers: [{ match: 'type' }] },
      Allow: { combine: 'AND', matchers: [{ match: 'regex', regex: '[A-Z]+' }] },
    })
  })

  test.each(['V2', 'V3'] as const)('is one text in %s', async (specification) => {
    const { request, response } = await written(lists, specification)

    expect(request.headers.Accept).toBe('text/html, application/json;q=0.8')
    expect(request.headers['cache-control']).toBe('no-cache, no-store')
    expect(response.headers).toMatchObject({ Allow: 'GET, HEAD', Vary: 'Accept, Origin, Cookie' })
  })

  test('is compared value by value, with its parameters', async () => {
    const define = (interaction: HttpInteraction) =>
      interaction.withRequest('GET', '/').withHeader('Accept', 'text/html, application/json').willRespondWith(200)

    for (const value of ['text/html,application/json', 'text/html, application/json;q=0.8']) {
      expect((await exchange(define, asking({ Accept: value }))).differences).toEqual([])
    }
    for (const value of ['application/json, text/html', 'text/html', 'text/html, application/json, */*']) {
      expect((await exchange(define, asking({ Accept: value }))).differences).not.toEqual([])
    }
  })

  test('has a matcher for each value, not for the line', async () => {
    const define = (interaction: HttpInteraction) =>
      interaction
        .withRequest('GET', '/')
        .withHeader('Cache-Control', [match.regex('no-cache', /no-[a-z]+/), match.regex('no-store', /no-[a-z]+/)])
        .willRespondWith(200)
    const differences = async (value: string) =>
      (await exchange(define, asking({ 'Cache-Control': value }))).differences

    expect(await differences('no-cache,no-transform')).toEqual([])
    expect(await differences('no-cache, private')).toEqual(['HeaderMismatch Cache-Control'])

    const interaction = () => new Contract('web', 'users').uponReceiving('a request').withRequest('GET', '/')
    const line = match.regex('no-cache, no-store', /no-cache, no-.*/)
    expect(() => interaction().withHeader('Cache-Control', line)).toThrow(
      'Cache-Control is a list header: a matcher applies to each value, not to the whole line. Pass an array with a matcher for each value',
    )
    expect(() => interaction().withHeader('X-Line', line)).not.toThrow()
  })

  test('is split in defaults, too', async () => {
    const contract = new Contract('web', 'users').defaults({
      request: { headers: { Accept: 'text/html, text/plain' } },
    })
    contract.uponReceiving('a request').withRequest('GET', '/').willRespondWith(200)
    const { interactions } = JSON.parse(readFileSync(await contract.writeFile(temporaryDirectory()), 'utf8'))

    expect(interactions[0].request.headers).toEqual({ Accept: ['text/html', 'text/plain'] })
  })
})

describe('several values of another header', () => {
  const several = (interaction: HttpInteraction) => interaction.willRespondWith(200).withHeader('X-Kind', ['a', 'b'])

  test('are a list in V4, and one line in V2 and V3', async () => {
    expect((await written(several)).response.headers).toEqual({ 'X-Kind': ['a', 'b'] })
    for (const version of ['V2', 'V3'] as const) {
      expect((await written(several, version)).response.headers).toEqual({ 'X-Kind': 'a, b' })
    }
  })

  test.each([
    ['with a matcher for each', 'X-Kind', [match.regex('a', /[a-z]/), match.regex('b', /[a-z]/)]],
    ['with a matcher for one', 'X-Kind', ['a', match.regex('b', /[a-z]/)]],
    ['that cannot be joined', 'Set-Cookie', ['a=1', 'b=2']],
  ])('%s are refused before V4', async (_, name, values) => {
    const define = (interaction: HttpInteraction) =>
      interaction.willRespondWith(200).withHeader(name, values as string[])

    expect((await written(define)).response.headers).toEqual({ [name]: expect.any(Array) })
    for (const version of ['V2', 'V3'] as const) {
      await expect(written(define, version)).rejects.toThrow(
        `the values of the header "${name}" are written as one string, which is read as one value`,
      )
    }
  })

  test('satisfy a matcher for each value if a client has joined them', async () => {
    const define = (interaction: HttpInteraction) =>
      interaction
        .withRequest('GET', '/')
        .withHeader('X-Tag', match.regex('a1', /a[0-9]/))
        .withHeader('X-Tag', match.regex('a2', /a[0-9]/))
        .willRespondWith(200)

    expect((await exchange(define, asking({ 'X-Tag': 'a3, a4' }))).differences).toEqual([])
    expect((await exchange(define, asking({ 'X-Tag': 'a3, b4' }))).differences).toEqual(['HeaderMismatch X-Tag'])
  })
})

describe('the body null', () => {
  test('is a document in V4', async () => {
    const { response } = await written((interaction) => interaction.willRespondWith(200).withBody(null))

    expect(response.body).toEqual({ content: 'null', contentType: 'application/json', encoded: 'json' })
    expect(response.headers).toEqual({ 'Content-Type': ['application/json'] })
  })

  test('must be received, and follows its matcher', async () => {
    const exactly = (interaction: HttpInteraction) =>
      interaction.withRequest('POST', '/').withBody(null).willRespondWith(204)
    expect((await exchange(exactly, post('null', 'application/json'))).differences).toEqual([])
    expect((await exchange(exactly, post('', 'application/json'))).differences).toEqual(['BodyMismatch $'])

    const either = (interaction: HttpInteraction) =>
      interaction
        .withRequest('POST', '/')
        .withBody(match.nullable(match.int(1)))
        .willRespondWith(204)
    expect((await exchange(either, post('null', 'application/json'))).differences).toEqual([])
    expect((await exchange(either, post('7', 'application/json'))).differences).toEqual([])
    expect((await exchange(either, post('"7"', 'application/json'))).differences).toContain('BodyMismatch $')
  })

  test.each(['V2', 'V3'] as const)('is null in %s', async (specification) => {
    const { response } = await written((interaction) => interaction.willRespondWith(200).withBody(null), specification)

    expect(response.body).toBeNull()
    expect(response.headers).toEqual({ 'Content-Type': 'application/json' })
  })
})

test('values of provider states have a type', async () => {
  const { request, response } = await written((interaction) =>
    interaction
      .withRequest('GET', match.pathFromProviderState('/users/$' + '{id}', '/users/7'))
      .withHeader('X-Id', match.fromProviderState('$' + '{id}', 7 as unknown as string))
      .withQueryParameter('id', match.fromProviderState('$' + '{id}', '7'))
      .willRespondWith(200)
      .withBody({
        id: match.fromProviderState('$' + '{id}', 7),
        name: generate.providerState('$' + '{name}', { example: 'Ann' }),
        score: match.fromProviderState('$' + '{score}', 1.5),
        active: match.fromProviderState('$' + '{active}', true),
        raw: match.fromProviderState('$' + '{raw}', 7, { type: 'raw' }),
      }),
  )
  const types = (generators: Record<string, { dataType?: string }>) =>
    Object.fromEntries(Object.entries(generators).map(([place, { dataType }]) => [place, dataType]))

  expect(request.generators.path.dataType).toBe('STRING')
  expect(types(request.generators.header)).toEqual({ 'X-Id': 'STRING' })
  expect(types(request.generators.query)).toEqual({ id: 'STRING' })
  expect(types(response.generators.body)).toEqual({
    '$.id': 'INTEGER',
    '$.name': 'STRING',
    '$.score': 'DECIMAL',
    '$.active': 'BOOLEAN',
    '$.raw': 'RAW',
  })
})

describe('names that cannot be written in paths of other tools', () => {
  test('become wildcards if they have no siblings', async () => {
    const { response } = await written((interaction) =>
      interaction
        .willRespondWith(200)
        .withBody({ words: { "it's": match.like('c’est') }, plain: { '': match.int(1) } }),
    )

    expect(Object.keys(response.matchingRules.body)).toEqual(['$.plain.*', '$.words.*'])
  })

  test('can be read by this package, and one backslash by all tools', async () => {
    const body = { "it's": match.like('a'), 'a\\b': match.like('b'), '': match.int(1) }
    const { response } = await written((interaction) => interaction.willRespondWith(200).withBody(body))

    expect(Object.keys(response.matchingRules.body).sort()).toEqual(["$['']", "$['a\\b']", "$['it\\'s']"])
    const file = contractFile([{ description: 'odd names', request: { method: 'GET', path: '/' }, response }])
    const verify = (answer: object) =>
      withProvider(
        (_, answering) => answering.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer)),
        (url) => new Verifier('users').addSource(file).addTransport(url).verify(),
      )
    await verify({ "it's": 'x', 'a\\b': 'y', '': 2 })
    const { report } = await failureOf(verify({ "it's": 1, 'a\\b': 2, '': 'x' }))
    expect(report.contracts[0]?.interactions[0]?.mismatches).toHaveLength(3)
  })
})

describe('warnings about what other Pact implementations misread', () => {
  /** The process warnings while something is defined. */
  function warnings(define: (interaction: HttpInteraction) => unknown, specification: Specification = 'V4') {
    const emitted = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    try {
      define(new Contract('web', 'users', { specification }).uponReceiving('a request').withRequest('GET', '/'))
      return emitted.mock.calls.map(([text, type]) => [String(text), type])
    } finally {
      emitted.mockRestore()
    }
  }

  test('names in paths, with one warning', () => {
    const odd = (interaction: HttpInteraction) =>
      interaction
        .withBody({ "it's": match.int(1), b: 2 })
        .withBody({ "it's": match.int(1), b: 3, '': 4 })
        .withMatchingRules({ body: { "$['']": { match: 'type' } } })

    const found = warnings(odd)

    expect(found).toHaveLength(2)
    expect(found[0]).toEqual([
      expect.stringContaining(`"a request": other Pact implementations cannot read matchers`),
      'ContractWarning',
    ])
    expect(found[0]?.[0]).toContain("at $['it\\'s']")
    expect(found[1]?.[0]).toContain("at $['']")
  })

  test('names of query parameters and the body null, in versions that cannot express them', () => {
    const query = (interaction: HttpInteraction) => interaction.withQueryParameter('a[]', match.regex('1', /\d/))
    expect(warnings(query, 'V2')[0]?.[0]).toContain('"a[]"')
    expect(warnings(query, 'V3')).toEqual([])
    const nothing = (interaction: HttpInteraction) => interaction.willRespondWith(200).withBody(null)
    expect(warnings(nothing, 'V3')[0]?.[0]).toContain(
      'in V3 contracts, other Pact implementations read a null body as a missing body',
    )
    expect(warnings(nothing)).toEqual([])
  })

  test('a matcher for one of several values of a header', () => {
    const vary = (...values: readonly (string | Matcher<string>)[]) =>
      warnings((interaction) => interaction.willRespondWith(200).withHeader('Vary', values))
    expect(vary('Accept', match.regex('Origin', /[A-Z][a-z]+/))).toEqual([
      [expect.stringContaining('all values of the header "Vary" exactly'), 'ContractWarning'],
    ])
    const word = match.regex('Origin', /[A-Z][a-z]+/)
    expect([...vary(word, word), ...vary('Accept', 'Origin'), ...vary(word)]).toEqual([])
  })

  test('documents of which only the type is compared', () => {
    const of = (contentType: string, text: string, version?: Specification) =>
      warnings((i) => i.withBinaryBody(Buffer.from(text), { contentType, match: 'contentType' }), version)
    expect(of('application/json', '{}', 'V3')[0]?.[0]).toContain(
      'other Pact implementations compare application/json contents as documents',
    )
    expect(of('application/json', '{}')).toEqual([])
    expect(of('application/pdf', '%PDF-1.7')).toEqual([])
    const part = (contentType: string, text: string) =>
      warnings((interaction) => interaction.withMultipart([{ name: 'a', bytes: Buffer.from(text), contentType }]))
    expect(part('application/xml', '<?xml version="1.0"?><a/>')[0]?.[0]).toContain('application/xml')
    expect(part('application/pdf', '%PDF-1.7')).toEqual([])
  })

  test('and nothing else', () => {
    expect(
      warnings((interaction) => interaction.withBody({ a: match.int(1), "it's": 2, n: { '': match.int(1) } })),
    ).toEqual([])
  })
})

test('a document of which only the type is compared has its type in the header in V4', async () => {
  const define = (interaction: HttpInteraction) =>
    interaction
      .withRequest('POST', '/')
      .withBinaryBody(Buffer.from('{"a":1}'), { contentType: 'application/json', match: 'contentType' })
  const { written, differences } = await exchange(define, post('{"b":2}', 'application/json'))

  expect(differences).toEqual([])
  expect(written.request.headers).toEqual({ 'Content-Type': ['application/json'] })
  expect(written.request.body).toEqual({
    content: 'eyJhIjoxfQ==',
    contentType: '*/*',
    contentTypeHint: 'BINARY',
    encoded: 'base64',
  })
  expect((await exchange(define, post('<b/>', 'application/json'))).differences).toEqual(['BodyMismatch $'])
})

describe('a matcher on a path', () => {
  const send = (path: string) => (url: string) => fetch(`${url}${path}`)
  const differences = async (pattern: RegExp, path: string) =>
    (
      await exchange(
        (interaction) => interaction.withRequest('GET', match.regex('/files/a b', pattern)).willRespondWith(200),
        send(path),
      )
    ).differences

  test('is compared with the path as sent, and decoded if that does not match', async () => {
    expect(await differences(/\/files\/a( |%20)b/, '/files/a%20b')).toEqual([])
    expect(await differences(/\/files\/[a-zé ]+/, '/files/caf%C3%A9 ')).toEqual([])
    expect(await differences(/\/files\/[a-z ]+/, '/files/caf%C3%A9')).not.toEqual([])
  })

  test('never decodes a slash', async () => {
    expect(await differences(/\/files\/[a-z ]+\/?[a-z ]*/, '/files/a%2Fb')).not.toEqual([])
    expect(await differences(/\/files\/([a-z ]|%2F)+/, '/files/a%2Fb')).toEqual([])
  })
})
