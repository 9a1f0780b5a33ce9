import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Contract, type HttpInteraction, match } from 'contract'
import { exchange } from './support/exchange.ts'
import { temporaryDirectory } from './support/temporary.ts'

/** Returns the only interaction of a contract. */
function defined(define: (contract: Contract) => unknown) {
  const contract = new Contract('web', 'users')
  define(contract)
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the document
  return contract.interactions()[0] as any
}

const one = (define: (interaction: HttpInteraction) => unknown) =>
  defined((contract) => define(contract.uponReceiving('a request')))

describe('request and response as objects', () => {
  test('are equivalent to calls', () => {
    const calls = one((interaction) =>
      interaction
        .withRequest('PUT', match.regex('/users/7', /\/users\/\d+/))
        .withQueryParameter('dry', 'true')
        .withHeader('Accept', 'application/json')
        .withBody({ name: match.str('Alice') })
        .willRespondWith(match.status('success', 200))
        .withHeader('X-Version', match.int(3))
        .withBody({ id: 7 }),
    )
    const objects = one((interaction) =>
      interaction
        .withRequest({
          method: 'PUT',
          path: match.regex('/users/7', /\/users\/\d+/),
          query: { dry: 'true' },
          headers: { Accept: 'application/json' },
          body: { name: match.str('Alice') },
        })
        .willRespondWith({
          status: match.status('success', 200),
          headers: { 'X-Version': match.int(3) },
          body: { id: 7 },
        }),
    )
    expect(objects).toEqual(calls)
    expect(calls.response.matchingRules.status).toEqual({
      combine: 'AND',
      matchers: [{ match: 'statusCode', status: 'success' }],
    })
  })

  test('have their own defaults', () => {
    const { request, response } = one((interaction) => interaction.withRequest({}).willRespondWith({}))
    expect(request).toEqual({ method: 'GET', path: '/' })
    expect(response).toEqual({ status: 200 })
  })

  test('define a whole interaction', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users')
    contract.interaction({
      description: 'a request for user 123',
      states: ['the service is up', { name: 'user exists', parameters: { id: 123 } }],
      request: {
        path: '/users/123',
        query: [
          ['a', '1'],
          ['a', '2'],
        ],
      },
      response: { body: { id: match.int(123) } },
      comments: { ticket: 'T-1' },
      key: 'user-123',
      pending: true,
      testName: 'shows a user',
    })
    await contract.serve(({ url }) => fetch(`${url}/users/123?a=1&a=2`))
    await contract.writeFile(directory)
    expect(JSON.parse(readFileSync(join(directory, 'web-users.json'), 'utf8')).interactions).toMatchObject([
      {
        description: 'a request for user 123',
        key: 'user-123',
        pending: true,
        comments: { testname: 'shows a user', ticket: 'T-1' },
        providerStates: [{ name: 'the service is up' }, { name: 'user exists', params: { id: 123 } }],
        request: { method: 'GET', path: '/users/123', query: { a: ['1', '2'] } },
        response: { status: 200, body: { content: { id: 123 } } },
      },
    ])
  })
})

describe('headers and query parameters', () => {
  test('can be mappings, pairs, web classes and matcher JSON; order and values are kept', () => {
    const { request } = one((interaction) =>
      interaction
        .withRequest('GET', '/')
        .withHeaders(new Headers({ 'X-A': '1' }))
        .withHeaders([
          ['X-B', '2'],
          ['x-b', '3'],
        ])
        .withHeaders({ 'X-C': ['4', match.regex('5', /\d/)] })
        .withHeader('X-D', '{"value": ["6", "7"], "contract:matcher:type": "regex", "regex": "[0-9]"}')
        .setHeader('X-E', '{"value": "literal"}')
        .setHeaders({ 'X-F': '8', 'X-A': 'replaced' })
        .withQueryParameters(new URLSearchParams('b=1&a=2&b=3'))
        .withQueryParameters({ c: match.int(4), d: true, e: ['5', '6'] })
        .withQueryParameter('f', null),
    )
    expect(request.headers).toEqual({
      'x-a': ['replaced'],
      'X-B': ['2', '3'],
      'X-C': ['4', '5'],
      'X-D': ['6', '7'],
      'X-E': ['{"value": "literal"}'],
      'X-F': ['8'],
    })
    expect(request.query).toEqual({ b: ['1', '3'], a: ['2'], c: ['4'], d: ['true'], e: ['5', '6'], f: [null] })
    expect(Object.keys(request.matchingRules.header).sort()).toEqual(['X-C[1]', 'X-D'])
    expect(Object.keys(request.matchingRules.query)).toEqual(['c'])
  })

  test('cookies match in any position', async () => {
    const define = (interaction: HttpInteraction) =>
      interaction
        .withRequest('GET', '/')
        .withCookie('session', match.regex('abc', /[a-z]+/))
        .withCookie('theme', 'dark')
        .willRespondWith(200)
        .withCookie('seen', 'yes')
    const get = (cookie: string) => (url: string) => fetch(url, { headers: { Cookie: cookie } })
    const { headers, differences } = await exchange(define, get('theme=dark; other=1; session=xyz'))
    expect(differences).toEqual([])
    expect(headers.getSetCookie()).toEqual(['seen=yes'])
    expect((await exchange(define, get('theme=light; session=xyz'))).differences).toEqual(['HeaderMismatch Cookie'])
  })

  test('a bearer token matches any token', async () => {
    const define = (interaction: HttpInteraction) =>
      interaction.withRequest('GET', '/').withBearerToken('secret').willRespondWith(200)
    const get = (value: string) => (url: string) => fetch(url, { headers: { Authorization: value } })
    expect((await exchange(define, get('Bearer eyJhbGciOi.J9~'))).differences).toEqual([])
    expect((await exchange(define, get('Basic eyJhbGciOi'))).differences).toEqual(['HeaderMismatch Authorization'])
  })
})

describe('defaults of a contract', () => {
  test('apply to the interactions that follow, unless these override them', () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('before').withRequest('GET', '/')
    contract.defaults({
      request: {
        method: 'POST',
        headers: { Accept: 'application/json', 'X-Tenant': match.str('a') },
        query: { v: '1' },
      },
      response: { status: 201, headers: { 'X-Version': '3' } },
    })
    contract.interaction({
      description: 'takes them',
      request: { path: '/a' },
      response: {},
    })
    contract
      .uponReceiving('replaces them')
      .withRequest('GET', '/b')
      .withHeader('accept', 'text/plain')
      .withQueryParameter('v', '2')
      .willRespondWith(200)
    expect(contract.interactions()).toMatchObject([
      { description: 'before', request: { method: 'GET', path: '/' } },
      {
        description: 'takes them',
        request: {
          method: 'POST',
          path: '/a',
          query: { v: ['1'] },
          headers: { Accept: ['application/json'], 'X-Tenant': ['a'] },
          matchingRules: { header: { 'X-Tenant': { matchers: [{ match: 'type' }] } } },
        },
        response: { status: 201, headers: { 'X-Version': ['3'] } },
      },
      {
        description: 'replaces them',
        request: { method: 'GET', query: { v: ['2'] }, headers: { accept: ['text/plain'], 'X-Tenant': ['a'] } },
        response: { status: 200 },
      },
    ])
  })
})

describe('matching rules', () => {
  test('can be matchers, single rules and the form of the file', () => {
    const { request } = one((interaction) =>
      interaction
        .withRequest('GET', '/users/7')
        .withHeader('X-A', '1')
        .withBody({ id: 7, tags: ['a'], name: 'x', at: '1' })
        .withMatchingRules({
          path: match.regex('/users/7', /\/users\/\d+/),
          header: { 'X-A': { match: 'regex', regex: '[0-9]+' } },
          body: {
            '$.id': match.int(7),
            '$.tags': { match: 'type', min: 1 },
            '$.name': { combine: 'OR', matchers: [{ match: 'type' }, { match: 'null' }] },
            '$.at': match.any(match.str('1'), null),
          },
        }),
    )
    expect(request.matchingRules).toEqual({
      path: { combine: 'AND', matchers: [{ match: 'regex', regex: '/users/[0-9]+' }] },
      header: { 'X-A': { combine: 'AND', matchers: [{ match: 'regex', regex: '[0-9]+' }] } },
      body: {
        '$.id': { combine: 'AND', matchers: [{ match: 'integer' }] },
        '$.tags': { combine: 'AND', matchers: [{ match: 'type', min: 1 }] },
        '$.name': { combine: 'OR', matchers: [{ match: 'type' }, { match: 'null' }] },
        '$.at': { combine: 'OR', matchers: [{ match: 'type' }, { match: 'null' }] },
      },
    })
  })
})

describe('annotations', () => {
  test('comments, references, key, pending and test name', () => {
    const interaction = one((interaction) =>
      interaction
        .withRequest('GET', '/')
        .setComment('text', 'first')
        .addTextComment('second')
        .setComment('nothing', null)
        .addReference('jira', 'T-1', 'https://example.com/T-1')
        .setKey('a-key')
        .pending()
        .testName('a test'),
    )
    expect(interaction).toMatchObject({
      key: 'a-key',
      pending: true,
      comments: {
        text: ['first', 'second'],
        nothing: null,
        references: { jira: { 'T-1': 'https://example.com/T-1' } },
        testname: 'a test',
      },
    })
  })

  test('interactions are listed by kind', () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('http').withRequest('GET', '/')
    contract.uponReceiving('async', 'Async').withBody({ a: 1 })
    contract.uponReceiving('sync', 'Sync').withBody({ a: 1 })
    const names = (...kind: Parameters<Contract['interactions']>) =>
      contract.interactions(...kind).map((interaction) => (interaction as { description: string }).description)
    expect(names()).toEqual(['http', 'async', 'sync'])
    expect([names('HTTP'), names('Async'), names('Sync'), names('All')]).toEqual([
      ['http'],
      ['async'],
      ['sync'],
      ['http', 'async', 'sync'],
    ])
  })
})

describe('versions of the specification', () => {
  const written = async (specification: string, define: (interaction: HttpInteraction) => HttpInteraction) => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory, specification })
    define(contract.uponReceiving('a request').withRequest('GET', '/'))
      .willRespondWith(200)
      .withBody({ a: match.int(1) })
    await contract.serve(({ url }) => fetch(url))
    return JSON.parse(readFileSync(join(directory, 'web-users.json'), 'utf8'))
  }

  test('V2, V3 and V4 are written, in any spelling', async () => {
    const state = (interaction: HttpInteraction) => interaction.given('a state')
    const [v2, v3, v4] = [await written('v2', state), await written('3.0.0', state), await written('V4', state)]
    expect(v2.interactions[0]).toMatchObject({
      providerState: 'a state',
      response: { matchingRules: { '$.body.a': { match: 'integer' } } },
    })
    expect(v3.interactions[0]).toMatchObject({ providerStates: [{ name: 'a state' }], response: { body: { a: 1 } } })
    expect(v4.interactions[0]).toMatchObject({ type: 'Synchronous/HTTP' })
    expect([v2, v3, v4].map((file) => file.metadata.pactSpecification.version)).toEqual(['2.0.0', '3.0.0', '4.0'])
  })

  test.each([
    ['V3', 'a comment', (i: HttpInteraction) => i.setComment('a', 1)],
    ['V3', 'pending', (i: HttpInteraction) => i.setPending(true)],
    ['V2', 'parameters of a state', (i: HttpInteraction) => i.givenWith('a state', { id: 1 })],
    ['V2', 'several states', (i: HttpInteraction) => i.given('a').given('b')],
    [
      'V2',
      'several rules at one place',
      (i: HttpInteraction) => i.withHeader('a', match.all(match.str('1'), match.regex('1', /\d/))),
    ],
  ])('%s cannot say: %s', async (version, _, define) => {
    await expect(written(version, define)).rejects.toThrowErrorMatchingSnapshot()
  })
})
