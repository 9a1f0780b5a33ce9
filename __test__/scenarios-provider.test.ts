// Verification of contract files of each version, with one small scenario per case. Together with the
// suites below, these are the classes of behavior that Pact implementations are tested with:
//
// | Class                                             | Versions | Here, or where else                               |
// | ------------------------------------------------- | -------- | ------------------------------------------------- |
// | the request is sent as the file says              | V1–V4    | `the request`; verifier-requests                  |
// | status, headers, bodies of an answer              | V1–V4    | `the answer`                                      |
// | matching rules on the parts of an answer          | V2–V4    | `rules`; each rule: scenarios-rules, and at each  |
// |                                                   |          | place: crates/matching/tests/rules_and_parts.rs   |
// | generators in a request, values of states         | V3–V4    | `generators`; verifier-states                     |
// | provider states: none, one, several, parameters   | V1–V4    | `states`; verifier-states (URLs, teardown, errors)|
// | request filters, custom headers                   | all      | verifier-requests                                 |
// | pending, comments, keys                           | V4       | `V4`; verifier-choice (filters, pending runs)     |
// | messages and metadata, synchronous messages       | V3–V4    | `messages`; messages-provider                     |
// | messages over HTTP                                | V3–V4    | `messages`; messages-endpoint                     |
// | a consumer's requests, and the file of each       | V2–V4    | scenarios-consumer, which has its own table       |
// | sources: files, directories, URLs                 | all      | verifier-sources                                  |
// | results for a broker                              | all      | crates/broker, broker.test                        |
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type InteractionReport, type StateMapping, startMessageEndpoint, Verifier } from 'contract'
import { withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

type Json = Readonly<Record<string, unknown>>

/** The response of a provider; by default 200 without a body. */
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
}

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

function contractFile(version: string, interactions: readonly Json[], member: string): string {
  const path = join(temporaryDirectory(), 'contract.json')
  const metadata = { pactSpecification: { version } }
  const document = { consumer: { name: 'web' }, provider: { name: 'shop' }, [member]: interactions, metadata }
  writeFileSync(path, JSON.stringify(document))
  return path
}

/** The outcome of an interaction: empty if it passed, otherwise the kinds and places of its mismatches. */
function told(report: InteractionReport | undefined): readonly string[] {
  if (report?.status === 'passed') return []
  const error = report?.error === undefined || report.error === null ? [] : [report.error.code]
  return [...(report?.mismatches ?? []).map(({ type, place }) => `${type} ${place}`), ...error]
}

/** The outcomes of the interactions of the only source. */
function all(verifier: Verifier): (readonly string[])[] {
  return (verifier.results?.contracts[0]?.interactions ?? []).map(told)
}

interface Verified {
  /** The requests that the provider received. */
  readonly seen: Seen | undefined
  readonly told: readonly string[]
}

/** Verifies interactions of one file in order, with a provider that sends these responses. */
async function verified(
  version: string,
  exchanges: readonly (readonly [Json, Answer])[],
  states: StateMapping = {},
): Promise<readonly Verified[]> {
  const interactions = exchanges.map(([one], at) => ({ ...one, description: `exchange ${at}` }))
  const verifier = new Verifier('shop').addSource(contractFile(version, interactions, 'interactions'))
  if (Object.keys(states).length > 0) verifier.stateHandler(states)
  const seen: Seen[] = []
  await withProvider(
    async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = '', url = '', headers } = request
      const answer = exchanges[seen.length]?.[1] ?? {}
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(answer.status ?? 200, answer.headers as Record<string, string>).end(answer.body)
    },
    (url) =>
      verifier
        .addTransport(url)
        .verify()
        .catch(() => {}),
  )
  return all(verifier).map((told, at) => ({ seen: seen[at], told }))
}

/** The same for rows of a table, in one run for all of them: the test of each row checks its outcome. */
function inOneRun<Row>(
  version: string,
  rows: readonly Row[],
  exchange: (row: Row) => readonly [Json, Answer],
  states?: StateMapping,
): (row: Row) => Verified {
  let found: readonly Verified[] = []
  beforeAll(async () => {
    found = await verified(version, rows.map(exchange), states)
  })
  return (row) => found[rows.indexOf(row)] as Verified
}

const versions = ['1.0.0', '1.1.0', '2.0.0', '3.0.0', '4.0']
const isV4 = (version: string) => version === '4.0'
const json = { 'Content-Type': 'application/json' }

/** A body in the form of the version. */
function body(version: string, content: unknown, contentType = 'application/json', encoded: boolean | string = false) {
  return isV4(version) ? { content, contentType, encoded } : content
}

/** One interaction in the form of the version. */
function interaction(version: string, request: Json, response: Json = { status: 200 }, more: Json = {}): Json {
  return {
    ...(isV4(version) && { type: 'Synchronous/HTTP' }),
    description: 'an exchange',
    request: { method: 'GET', path: '/', ...request },
    response,
    ...more,
  }
}

/** A rule in the form of the version; `place` is a category, `name` what it is about. */
function rule(version: string, place: string, name: string, ...matchers: readonly Json[]): Json {
  if (version === '2.0.0') return { [`$.${place === 'header' ? 'headers' : place}${name}`]: matchers[0] }
  const list = { combine: 'AND', matchers }
  return {
    [place]: place === 'path' || place === 'status' ? list : { [place === 'body' ? `$${name}` : name.slice(1)]: list },
  }
}

describe.each(versions)('the request, V%s', (version) => {
  const query = (text: string, values: Json) => (version < '3' ? text : values)

  const rows: readonly [string, Json, Partial<Seen>][] = [
    ['its method, in any case', { method: 'post' }, { method: 'POST' }],
    ['its path, encoded', { path: '/a b/ü' }, { url: '/a%20b/%C3%BC' }],
    ['its path, encoded already', { path: '/a%20b' }, { url: '/a%20b' }],
    ['its query', { query: query('a=1&b=2', { a: ['1'], b: ['2'] }) }, { url: '/?a=1&b=2' }],
    ['a name several times', { query: query('a=1&a=2', { a: ['1', '2'] }) }, { url: '/?a=1&a=2' }],
    [
      'signs in its query',
      { query: query('q=a%26b%20c', { q: ['a&b c'] }) },
      { url: version < '3' ? '/?q=a%26b%20c' : '/?q=a%26b+c' },
    ],
    [
      'its headers',
      { headers: { 'X-Kind': 'a', Accept: 'text/plain, text/html' } },
      { headers: expect.objectContaining({ 'x-kind': 'a', accept: 'text/plain, text/html' }) as never },
    ],
    [
      'a JSON body',
      { method: 'POST', headers: json, body: body(version, { a: [1, null, 'x'] }) },
      { body: '{"a":[1,null,"x"]}', headers: expect.objectContaining({ 'content-type': 'application/json' }) as never },
    ],
    [
      'a text body',
      { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: body(version, 'hello', 'text/plain') },
      { body: 'hello' },
    ],
    [
      'an XML body',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/xml' },
        body: body(version, '<a>1</a>', 'application/xml'),
      },
      { body: '<a>1</a>' },
    ],
    [
      'a form',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: body(version, 'a=1&b=x+y', 'application/x-www-form-urlencoded'),
      },
      { body: 'a=1&b=x+y' },
    ],
    [
      'bytes',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: body(version, 'AQID', 'application/octet-stream', 'base64'),
      },
      { body: '\u0001\u0002\u0003' },
    ],
    ['no body', { method: 'POST' }, { body: '' }],
  ]
  const run = inOneRun(version, rows, ([, request]) => [interaction(version, request), {}])

  test.each(rows.map((row) => [row[0], row] as const))('%s', (_, row) => {
    const { seen, told } = run(row)
    expect(told).toEqual([])
    expect(seen).toEqual(expect.objectContaining(row[2]))
  })
})

describe.each(versions)('the answer, V%s', (version) => {
  const jsonBody = { status: 200, headers: json, body: body(version, { id: 1, name: 'tea' }) }
  const text = (value: unknown) => JSON.stringify(value)

  const rows: readonly [string, Json, Answer, readonly string[]][] = [
    ['another status', { status: 200 }, { status: 404 }, ['StatusMismatch status']],
    ['a header that is there', { status: 200, headers: { 'X-A': '1' } }, { headers: { 'X-A': '1' } }, []],
    ['a header in another case', { status: 200, headers: { 'x-a': '1' } }, { headers: { 'X-A': '1' } }, []],
    ['a header beside it', { status: 200, headers: { 'X-A': '1' } }, { headers: { 'X-A': '1', 'X-B': '2' } }, []],
    ['a header that lacks', { status: 200, headers: { 'X-A': '1' } }, {}, ['HeaderMismatch header X-A']],
    [
      'a header with another value',
      { status: 200, headers: { 'X-A': '1' } },
      { headers: { 'X-A': '2' } },
      ['HeaderMismatch header X-A'],
    ],
    ['a list in another form', { status: 200, headers: { Allow: 'GET, PUT' } }, { headers: { Allow: 'GET,PUT' } }, []],
    [
      'a list in another order',
      { status: 200, headers: { Allow: 'GET, PUT' } },
      { headers: { Allow: 'PUT, GET' } },
      ['HeaderMismatch header Allow[0]', 'HeaderMismatch header Allow[1]'],
    ],
    [
      'a charset where none is named',
      { status: 200, headers: json },
      { headers: { 'Content-Type': 'application/json; charset=utf-8' } },
      [],
    ],
    ['no body where none is asked for', { status: 200 }, {}, []],
    ['any body where none is asked for', { status: 200 }, { headers: json, body: '{}' }, []],
    ['the same JSON', jsonBody, { headers: json, body: text({ name: 'tea', id: 1 }) }, []],
    ['more members', jsonBody, { headers: json, body: text({ id: 1, name: 'tea', more: true }) }, []],
    ['a member less', jsonBody, { headers: json, body: text({ id: 1 }) }, ['BodyMismatch $']],
    ['another value', jsonBody, { headers: json, body: text({ id: 2, name: 'tea' }) }, ['BodyMismatch $.id']],
    ['another kind', jsonBody, { headers: json, body: text({ id: '1', name: 'tea' }) }, ['BodyMismatch $.id']],
    ['null for a value', jsonBody, { headers: json, body: text({ id: null, name: 'tea' }) }, ['BodyMismatch $.id']],
    ['a list where an object is asked for', jsonBody, { headers: json, body: '[]' }, ['BodyMismatch $']],
    ['no JSON', jsonBody, { headers: json, body: '{' }, ['BodyMismatch $']],
    ['no body', jsonBody, { headers: json }, ['BodyMismatch $']],
    [
      'another type',
      jsonBody,
      { headers: { 'Content-Type': 'text/html' }, body: '<p>' },
      ['HeaderMismatch header Content-Type', 'BodyTypeMismatch body'],
    ],
    [
      'a list with one more',
      { status: 200, headers: json, body: body(version, [1, 2]) },
      { headers: json, body: '[1,2,3]' },
      ['BodyMismatch $'],
    ],
    [
      'a list in another order of items',
      { status: 200, headers: json, body: body(version, [1, 2]) },
      { headers: json, body: '[2,1]' },
      ['BodyMismatch $[0]', 'BodyMismatch $[1]'],
    ],
    [
      'the same text',
      { status: 200, headers: { 'Content-Type': 'text/plain' }, body: body(version, 'tea', 'text/plain') },
      { headers: { 'Content-Type': 'text/plain' }, body: 'tea' },
      [],
    ],
    [
      'another text',
      { status: 200, headers: { 'Content-Type': 'text/plain' }, body: body(version, 'tea', 'text/plain') },
      { headers: { 'Content-Type': 'text/plain' }, body: 'mate' },
      ['BodyMismatch $'],
    ],
    [
      'XML with other blanks and more children',
      {
        status: 200,
        headers: { 'Content-Type': 'application/xml' },
        body: body(version, '<a b="1"><c>x</c></a>', 'application/xml'),
      },
      { headers: { 'Content-Type': 'application/xml' }, body: '<a b="1" d="2">\n  <c>x</c>\n  <e/>\n</a>' },
      [],
    ],
    [
      'XML with another text',
      {
        status: 200,
        headers: { 'Content-Type': 'application/xml' },
        body: body(version, '<a>1</a>', 'application/xml'),
      },
      { headers: { 'Content-Type': 'application/xml' }, body: '<a>2</a>' },
      ["BodyMismatch $.a['#text']"],
    ],
    [
      'a form in another order',
      {
        status: 200,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: body(version, 'a=1&b=2', 'application/x-www-form-urlencoded'),
      },
      { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'b=2&a=1' },
      [],
    ],
    [
      'the same bytes',
      {
        status: 200,
        headers: { 'Content-Type': 'image/gif' },
        body: body(version, 'R0lGODdh', 'image/gif', 'base64'),
      },
      { headers: { 'Content-Type': 'image/gif' }, body: Buffer.from('GIF87a') },
      [],
    ],
    [
      'other bytes',
      {
        status: 200,
        headers: { 'Content-Type': 'image/gif' },
        body: body(version, 'R0lGODdh', 'image/gif', 'base64'),
      },
      { headers: { 'Content-Type': 'image/gif' }, body: Buffer.from('GIF89a') },
      ['BodyMismatch $'],
    ],
  ]
  const run = inOneRun(version, rows, ([, response, answer]) => [interaction(version, {}, response), answer])

  test.each(rows.map((row) => [row[0], row] as const))('%s', (_, row) => {
    expect(run(row).told).toEqual(row[3])
  })
})

describe.each(versions.slice(2))('rules, V%s', (version) => {
  const like = { match: 'type' }
  const word = { match: 'regex', regex: '[a-z]+' }
  const at = (place: string, name: string, ...matchers: Json[]) => rule(version, place, name, ...matchers)
  const items = { status: 200, headers: json, body: body(version, { items: [{ id: 1 }] }) }

  const rows: readonly [string, Json, Answer, readonly string[]][] = [
    [
      'a header by its form',
      { status: 200, headers: { 'X-A': 'x' }, matchingRules: at('header', '.X-A', word) },
      { headers: { 'X-A': 'abc' } },
      [],
    ],
    [
      'a header of another form',
      { status: 200, headers: { 'X-A': 'x' }, matchingRules: at('header', '.X-A', word) },
      { headers: { 'X-A': '123' } },
      ['HeaderMismatch header X-A'],
    ],
    [
      'a member by its kind',
      { ...items, matchingRules: at('body', '.items[0].id', like) },
      { headers: json, body: '{"items":[{"id":99}]}' },
      [],
    ],
    [
      'a member of another kind',
      { ...items, matchingRules: at('body', '.items[0].id', like) },
      { headers: json, body: '{"items":[{"id":"99"}]}' },
      ['BodyMismatch $.items[0].id'],
    ],
    [
      'everything below by its kind',
      { ...items, matchingRules: at('body', '', like) },
      { headers: json, body: '{"items":[{"id":7},{"id":8}]}' },
      [],
    ],
    [
      'everything below, and one item of another kind',
      { ...items, matchingRules: at('body', '', like) },
      { headers: json, body: '{"items":[{"id":7},{"id":null}]}' },
      ['BodyMismatch $.items[1].id'],
    ],
    [
      'so many items',
      { ...items, matchingRules: at('body', '.items', { match: 'type', min: 1 }) },
      { headers: json, body: '{"items":[{"id":7},{"id":8},{"id":9}]}' },
      [],
    ],
    [
      'too few items',
      { ...items, matchingRules: at('body', '.items', { match: 'type', min: 1 }) },
      { headers: json, body: '{"items":[]}' },
      ['BodyMismatch $.items'],
    ],
    [
      'too many items',
      { ...items, matchingRules: at('body', '.items', { match: 'type', max: 1 }) },
      { headers: json, body: '{"items":[{"id":7},{"id":8}]}' },
      ['BodyMismatch $.items'],
    ],
    [
      'a member of each item',
      {
        ...items,
        matchingRules: {
          ...at('body', '.items', like),
          ...(version === '2.0.0' ? at('body', '.items[*].id', like) : {}),
        },
      },
      { headers: json, body: '{"items":[{"id":7},{"id":8}]}' },
      [],
    ],
    [
      'a member that the example lacks',
      { ...items, matchingRules: at('body', '', like) },
      { headers: json, body: '{"items":[{"id":7,"more":"x"}],"more":1}' },
      [],
    ],
    [
      'a text as a whole',
      {
        status: 200,
        headers: { 'Content-Type': 'text/plain' },
        body: body(version, 'tea', 'text/plain'),
        matchingRules: at('body', '', word),
      },
      { headers: { 'Content-Type': 'text/plain' }, body: 'mate' },
      [],
    ],
  ]
  const run = inOneRun(version, rows, ([, response, answer]) => [interaction(version, {}, response), answer])

  test.each(rows.map((row) => [row[0], row] as const))('%s', (_, row) => {
    expect(run(row).told).toEqual(row[3])
  })
})

describe.each(['3.0.0', '4.0'])('several rules, V%s', (version) => {
  const either = (...matchers: Json[]) => ({ body: { '$.a': { combine: 'OR', matchers } } })
  const both = (...matchers: Json[]) => ({ body: { '$.a': { combine: 'AND', matchers } } })
  const [integer, nothing, digits] = [{ match: 'integer' }, { match: 'null' }, { match: 'regex', regex: '1\\d' }]

  const rows: readonly [string, Json, string, boolean][] = [
    ['the one', either(integer, nothing), '{"a":5}', true],
    ['the other', either(integer, nothing), '{"a":null}', true],
    ['neither', either(integer, nothing), '{"a":"x"}', false],
    ['both', both(integer, digits), '{"a":15}', true],
    ['one of both', both(integer, digits), '{"a":25}', false],
  ]
  const run = inOneRun(version, rows, ([, matchingRules, text]) => {
    const response = { status: 200, headers: json, body: body(version, { a: 10 }), matchingRules }
    return [interaction(version, {}, response), { headers: json, body: text }]
  })

  test.each(rows.map((row) => [row[0], row] as const))('%s', (_, row) => {
    expect(run(row).told.length === 0).toBe(row[3])
  })
})

describe.each(['3.0.0', '4.0'])('generators, V%s', (version) => {
  const fromState = (expression: string) => ({ type: 'ProviderState', expression, dataType: 'STRING' })
  const given = { providerStates: [{ name: 'a product', params: { kind: 'tea' } }] }
  // Written separately, because it is not a template string of JavaScript.
  const of = (name: string) => ['$', '{', name, '}'].join('')

  const rows: readonly [string, Json, Json, (seen: Seen) => unknown, unknown][] = [
    ['path', { path: '/0' }, { path: fromState(`/p/${of('id')}`) }, ({ url }) => url, '/p/42'],
    ['query', { query: { q: ['0'] } }, { query: { q: fromState(of('id')) } }, ({ url }) => url, '/?q=42'],
    [
      'header',
      { headers: { 'X-A': '0' } },
      { header: { 'X-A': fromState(of('id')) } },
      ({ headers }) => headers['x-a'],
      '42',
    ],
    ['a parameter of the state', { path: '/0' }, { path: fromState(`/${of('kind')}`) }, ({ url }) => url, '/tea'],
    [
      'body',
      { method: 'POST', headers: json, body: body(version, { id: 'x' }) },
      { body: { '$.id': fromState(of('id')) } },
      ({ body }) => JSON.parse(body),
      { id: '42' },
    ],
    [
      'a value made by a generator',
      { method: 'POST', headers: json, body: body(version, { id: 'x', n: 0 }) },
      { body: { '$.id': { type: 'Uuid' }, '$.n': { type: 'RandomInt', min: 5, max: 5 } } },
      ({ body }) => JSON.parse(body),
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), n: 5 },
    ],
  ]
  const exchange = ([, request, generators]: (typeof rows)[number]) =>
    [interaction(version, { ...request, generators }, { status: 200 }, given), {}] as const
  const run = inOneRun(version, rows, exchange, { 'a product': () => ({ id: 42 }) })

  test.each(rows.map((row) => [row[0], row] as const))('%s', (_, row) => {
    const { seen, told } = run(row)
    expect(told).toEqual([])
    expect(row[3](seen as Seen)).toEqual(row[4])
  })
})

describe('states', () => {
  test.each<[string, string, Json, readonly (readonly [string, Json])[]]>([
    ['1.0.0', 'by the old name', { provider_state: 'a' }, [['a', {}]]],
    ['1.1.0', 'one', { providerState: 'a' }, [['a', {}]]],
    ['2.0.0', 'one', { providerState: 'a' }, [['a', {}]]],
    ['2.0.0', 'null is none', { providerState: null }, []],
    ['3.0.0', 'one, as before', { providerState: 'a' }, [['a', {}]]],
    ['3.0.0', 'with parameters', { providerStates: [{ name: 'a', params: { id: 1 } }] }, [['a', { id: 1 }]]],
    [
      '3.0.0',
      'several, in order',
      { providerStates: [{ name: 'b' }, { name: 'a' }] },
      [
        ['b', {}],
        ['a', {}],
      ],
    ],
    [
      '4.0',
      'the same with other parameters',
      {
        providerStates: [
          { name: 'a', params: { id: 1 } },
          { name: 'a', params: { id: 2 } },
        ],
      },
      [
        ['a', { id: 1 }],
        ['a', { id: 2 }],
      ],
    ],
    ['4.0', 'none', {}, []],
  ])('V%s, %s', async (version, _, more, expected) => {
    const called: unknown[] = []
    const handler = (name: string) => ({
      setup: (parameters: object) => void called.push([name, { ...parameters }]),
      teardown: () => {},
    })
    const states = { a: handler('a'), b: handler('b') }
    const [only] = await verified(version, [[interaction(version, {}, { status: 200 }, more), {}]], states)
    expect(only?.told).toEqual([])
    expect(called).toEqual(expected)
  })
})

describe('V4', () => {
  test('a pending interaction fails, and does not fail the run', async () => {
    const pending = interaction('4.0', {}, { status: 200 }, { pending: true })
    const verifier = new Verifier('shop').addSource(contractFile('4.0', [pending], 'interactions'))
    await withProvider(
      (_, response) => void response.writeHead(500).end(),
      (url) => verifier.addTransport(url).verify(),
    )
    expect(verifier.results?.contracts[0]?.interactions[0]?.status).toBe('pending')
  })

  test.each<[string, Json]>([
    ['success', { status: 'success' }],
    ['a list of codes', { status: [200, 201] }],
  ])('a status by %s', async (_, status) => {
    const matchingRules = { status: { combine: 'AND', matchers: [{ match: 'statusCode', ...status }] } }
    const asked = interaction('4.0', {}, { status: 200, matchingRules })
    const found = await verified('4.0', [
      [asked, { status: 201 }],
      [asked, { status: 301 }],
    ])
    expect(found.map(({ told }) => told)).toEqual([[], ['StatusMismatch status']])
  })

  test('comments, keys and markup change nothing', async () => {
    const more = {
      key: 'abc',
      comments: { text: ['a word'], testname: 'a test', references: { ticket: { id: 7 } } },
      interactionMarkup: { markup: '# Tea', markupType: 'COMMON_MARK' },
      transport: 'http',
    }
    const [only] = await verified('4.0', [[interaction('4.0', {}, { status: 200 }, more), {}]])
    expect(only?.told).toEqual([])
  })
})

/** Messages of a file, and the messages that their producer returns. */
interface Produced {
  readonly contents?: unknown
  readonly contentType?: string
  readonly metadata?: Json
}

const messageRows: readonly [string, Json, Produced, readonly string[]][] = [
  ['the same contents', { contents: { id: 1 } }, { contents: { id: 1 } }, []],
  ['more members', { contents: { id: 1 } }, { contents: { id: 1, more: 2 } }, []],
  ['other contents', { contents: { id: 1 } }, { contents: { id: 2 } }, ['BodyMismatch $.id']],
  [
    'contents by a rule',
    { contents: { id: 1 }, matchingRules: { body: { '$.id': { combine: 'AND', matchers: [{ match: 'integer' }] } } } },
    { contents: { id: 2 } },
    [],
  ],
  [
    'metadata that is named',
    { contents: {}, metadata: { topic: 'a' } },
    { contents: {}, metadata: { topic: 'a' } },
    [],
  ],
  [
    'metadata beside it',
    { contents: {}, metadata: { topic: 'a' } },
    { contents: {}, metadata: { topic: 'a', more: 1 } },
    [],
  ],
  [
    'metadata that lacks',
    { contents: {}, metadata: { topic: 'a' } },
    { contents: {} },
    ['MetadataMismatch metadata topic'],
  ],
  [
    'other metadata',
    { contents: {}, metadata: { topic: 'a' } },
    { contents: {}, metadata: { topic: 'b' } },
    ['MetadataMismatch metadata topic'],
  ],
  [
    'metadata by a rule',
    {
      contents: {},
      metadata: { topic: 'a-1' },
      matchingRules: { metadata: { topic: { combine: 'AND', matchers: [{ match: 'regex', regex: '[a-z]-\\d' }] } } },
    },
    { contents: {}, metadata: { topic: 'b-2' } },
    [],
  ],
  [
    'text',
    { contents: 'tea', metadata: { contentType: 'text/plain' } },
    { contents: 'tea', contentType: 'text/plain' },
    [],
  ],
  [
    'another text',
    { contents: 'tea', metadata: { contentType: 'text/plain' } },
    { contents: 'mate', contentType: 'text/plain' },
    ['BodyMismatch $'],
  ],
]

describe.each(['3.0.0', '4.0'])('messages, V%s', (version) => {
  const inVersion = (description: string, message: Json): Json => {
    if (!isV4(version)) return { description, ...message }
    const { contents, ...rest } = message as { contents: unknown; metadata?: { contentType?: string } }
    const contentType = rest.metadata?.contentType ?? 'application/json'
    return {
      type: 'Asynchronous/Messages',
      description,
      contents: { content: contents, contentType, encoded: false },
      ...rest,
    }
  }
  const source = (...messages: readonly Json[]) =>
    contractFile(version, messages, isV4(version) ? 'interactions' : 'messages')
  const ofRows = () =>
    new Verifier('shop').addSource(source(...messageRows.map(([name, message]) => inVersion(name, message))))
  const handlers = Object.fromEntries(messageRows.map(([name, , produced]) => [name, () => produced]))

  describe('in this process', () => {
    const verifier = ofRows().messageHandler(handlers)
    beforeAll(() => verifier.verify().catch(() => {}))

    test.each(messageRows.map(([name, , , expected], at) => [name, at, expected] as const))('%s', (_, at, expected) => {
      expect(all(verifier)[at]).toEqual(expected)
    })
  })

  describe('over HTTP', () => {
    const verifier = ofRows()
    beforeAll(async () => {
      const endpoint = await startMessageEndpoint(handlers)
      await verifier
        .addTransport({ url: endpoint.url, protocol: 'message' })
        .verify()
        .catch(() => {})
      await endpoint.close()
    })

    test.each(messageRows.map(([name, , , expected], at) => [name, at, expected] as const))('%s', (_, at, expected) => {
      expect(all(verifier)[at]).toEqual(expected)
    })
  })

  test('a state is set up before', async () => {
    const called: unknown[] = []
    const states = { providerStates: [{ name: 'a shop', params: { city: 'Rome' } }] }
    await new Verifier('shop')
      .addSource(source(inVersion('a message', { contents: { id: 1 }, ...states })))
      .stateHandler({ 'a shop': (action, parameters) => void called.push([action, { ...parameters }]) })
      .messageHandler({ 'a message': () => ({ contents: { id: called.length } }) })
      .verify()
    expect(called).toEqual([['setup', { city: 'Rome' }]])
  })
})

describe('synchronous messages', () => {
  const part = (content: unknown, metadata: Json = {}) => ({
    contents: { content, contentType: 'application/json', encoded: false },
    metadata,
  })
  const asked = (response: readonly Json[]): Json => ({
    type: 'Synchronous/Messages',
    description: 'a question',
    request: part({ of: 'tea' }, { replyTo: 'prices' }),
    response,
  })

  test.each<[string, readonly Json[], unknown, readonly string[]]>([
    ['the response', [part({ price: 2 })], { price: 2 }, []],
    ['another response', [part({ price: 2 })], { price: 3 }, ['BodyMismatch $.price']],
    ['several responses', [part({ n: 1 }), part({ n: 2 })], [{ n: 1 }, { n: 2 }], []],
    ['one of several differs', [part({ n: 1 }), part({ n: 2 })], [{ n: 1 }, { n: 3 }], ['BodyMismatch $.n']],
  ])('%s', async (_, response, produced, expected) => {
    let request: unknown
    const verifier = new Verifier('shop')
      .addSource(contractFile('4.0', [asked(response)], 'interactions'))
      .messageHandler({
        'a question': (question) => {
          request = question.request
          return produced as object
        },
      })
    await verifier.verify().catch(() => {})
    expect(all(verifier)).toEqual([expected])
    expect(request).toMatchObject({ body: { of: 'tea' }, metadata: { replyTo: 'prices' } })
  })
})
