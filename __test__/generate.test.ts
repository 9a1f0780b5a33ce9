import { describe, expect, test } from '@jest/globals'
import { example, type Generator, generate, type HttpInteraction, match } from 'contract'
import { exchange, postJson } from './support/exchange.ts'

const respond = (value: unknown) => (interaction: HttpInteraction) =>
  interaction.withRequest('GET', '/').willRespondWith(200).withBody({ value })

describe('a generator creates a new value each time, with an example and a type rule', () => {
  test.each<[string, Generator<unknown>, RegExp, object]>([
    ['int', generate.int({ min: 100, max: 199 }), /^1\d\d$/, { type: 'RandomInt', min: 100, max: 199 }],
    ['float', generate.float(4), /^\d+\.\d+$/, { type: 'RandomDecimal', digits: 4 }],
    ['hex', generate.hex(6), /^"[0-9A-F]{6}"$/, { type: 'RandomHexadecimal', digits: 6 }],
    ['str', generate.str({ size: 5 }), /^"\w{5}"$/, { type: 'RandomString', size: 5 }],
    ['regex', generate.regex(/ab\d{3}/), /^"ab\d{3}"$/, { type: 'Regex', regex: 'ab[0-9]{3}' }],
    [
      'uuid',
      generate.uuid(),
      /^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/,
      { type: 'Uuid', format: 'lower-case-hyphenated' },
    ],
    [
      'uuid without hyphens',
      generate.uuid({ format: 'simple' }),
      /^"[0-9a-f]{32}"$/,
      { type: 'Uuid', format: 'simple' },
    ],
    ['date', generate.date('%d.%m.%Y'), /^"\d\d\.\d\d\.\d{4}"$/, { type: 'Date', format: 'dd.MM.yyyy' }],
    [
      'date by expression',
      generate.date({ expression: 'today + 1 day' }),
      /^"\d{4}-\d\d-\d\d"$/,
      { type: 'Date', format: 'yyyy-MM-dd', expression: 'today + 1 day' },
    ],
    ['time', generate.time(), /^"\d\d:\d\d:\d\d"$/, { type: 'Time', format: 'HH:mm:ss' }],
    [
      'datetime',
      generate.datetime({ format: '%Y-%m-%dT%H:%M:%S%z' }),
      /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}"$/,
      { type: 'DateTime' },
    ],
    ['boolean', generate.boolean(), /^(true|false)$/, { type: 'RandomBoolean' }],
  ])('%s', async (_, generator, form, file) => {
    const { text, written } = await exchange(respond(generator), (url) => fetch(url))
    expect(JSON.stringify(JSON.parse(text).value)).toMatch(form)
    expect(written.response.generators.body['$.value']).toMatchObject(file)
    expect(written.response.matchingRules.body['$.value'].matchers).toEqual([{ match: 'type' }])
    expect(JSON.stringify(written.response.body.content.value)).toMatch(form)
  })

  test('creates different values', async () => {
    const values = new Set<string>()
    for (let i = 0; i < 3; i += 1) {
      values.add((await exchange(respond(generate.uuid()), (url) => fetch(url))).text)
    }
    expect(values.size).toBe(3)
  })
})

test('a generator can be used wherever a matcher can', async () => {
  const { written, headers, differences } = await exchange(
    (interaction) =>
      interaction
        .withRequest('POST', match.fromProviderState('/users/${id}', '/users/7'))
        .withQueryParameter('limit', generate.int({ min: 1, max: 5 }))
        .withHeader('X-Request', generate.uuid())
        .withBody({ at: generate.datetime(), id: generate.providerState('${id}', { example: 7, type: 'integer' }) })
        .willRespondWith(200)
        .withHeader('X-Answer', generate.hex(8)),
    (url) =>
      fetch(`${url}/users/7?limit=3`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Request': 'any text' },
        body: JSON.stringify({ at: 'any', id: 7 }),
      }),
  )
  expect(differences).toEqual([])
  expect(headers.get('x-answer')).toMatch(/^[0-9A-F]{8}$/)
  expect(written.request.generators).toMatchObject({
    path: { type: 'ProviderState' },
    query: { limit: { type: 'RandomInt', min: 1, max: 5 } },
    header: { 'X-Request': { type: 'Uuid' } },
    body: { '$.id': { type: 'ProviderState', expression: '${id}', dataType: 'INTEGER' } },
  })
  // The consumer must send its example.
  expect(written.request.matchingRules.body['$.id']).toBeUndefined()
})

test('a matcher accepts a generator', async () => {
  const { written } = await exchange(
    respond([
      match.str('Alice', { generator: generate.providerState('${name}') }),
      match.like(7, { generator: generate.int({ min: 5, max: 9 }) }),
      match.like<string>(undefined, { generator: generate.regex('a{3}') }),
    ]),
    (url) => fetch(url),
  )
  expect(written.response.body.content.value).toEqual(['Alice', 7, 'aaa'])
  expect(written.response.generators.body).toEqual({
    '$.value[0]': { type: 'ProviderState', expression: '${name}', dataType: 'STRING' },
    '$.value[1]': { type: 'RandomInt', min: 5, max: 9 },
    '$.value[2]': { type: 'Regex', regex: 'a{3}' },
  })
})

test('mockServerUrl contains the URL of the mock server', async () => {
  const next = generate.mockServerUrl({ example: 'http://example.com/users/7', regex: /.*(\/users\/\d+)$/ })
  const { text } = await exchange(respond(next), async (url) => {
    const response = await fetch(url)
    expect(((await response.clone().json()) as { value: string }).value).toBe(`${url}/users/7`)
    return response
  })
  expect(text).not.toContain('example.com')
  const request = (interaction: HttpInteraction) =>
    interaction.withRequest('POST', '/').withBody({ next }).willRespondWith(204)
  expect((await exchange(request, postJson({ next: 'http://example.com/users/7' }))).differences).toEqual([])
})

test('examples are the same in every run', () => {
  expect(example([generate.uuid(), generate.int(), generate.date()])).toEqual(
    example([generate.uuid(), generate.int(), generate.date()]),
  )
})
