import { describe, expect, test } from '@jest/globals'
import { Contract, ContractArgumentError, example, type HttpInteraction, type Matcher, match, xml } from 'contract'
import { exchange, postJson } from './support/exchange.ts'

/** Returns whether a request passes if its body contains this value in place of the matcher. */
async function accepts(matcher: unknown, value: unknown): Promise<boolean> {
  const { differences } = await exchange(
    (interaction: HttpInteraction) =>
      interaction.withRequest('POST', '/').withBody({ value: matcher }).willRespondWith(204),
    postJson({ value }),
  )
  return differences.length === 0
}

/** Returns the rules and generators in the file by path. */
async function written(matcher: unknown) {
  const { written } = await exchange(
    (interaction) => interaction.withRequest('GET', '/').willRespondWith(200).withBody({ value: matcher }),
    (url) => fetch(url),
  )
  return { ...written.response.matchingRules?.body, generators: written.response.generators?.body }
}

const rules = (...matchers: object[]) => ({ combine: 'AND', matchers })

test('supports matchers of other libraries', async () => {
  class OrderNumber {
    readonly #example: number
    constructor(example: number) {
      this.#example = example
    }
    toIntegrationJson() {
      return { 'pact:matcher:type': 'integer', value: this.#example }
    }
  }
  expect(await written(new OrderNumber(7))).toEqual({ '$.value': rules({ match: 'integer' }), generators: undefined })
  expect(await accepts([new OrderNumber(7)], [8])).toBe(true)
  const throws = { toIntegrationJson: () => Object.assign({}, { value: undefined }) }
  expect(() => example({ a: throws })).toThrow('at $.a.value: undefined is not a JSON value')
})

describe('combinations', () => {
  test.each<[string, Matcher<unknown>, unknown[], unknown[]]>([
    ['any of matchers', match.any(match.str('a'), match.int(1)), [2, 'b'], [true, null, 1.5]],
    ['any of texts and null', match.any('red', 'a.b', null), ['red', 'a.b', null], ['green', 'axb', 1]],
    ['all', match.all(match.str('abc'), match.includes('b'), match.regex('abc', /[a-z]+/)), ['xby'], ['xy', 'XbY', 1]],
    ['nullable', match.nullable({ id: match.int(1) }), [null, { id: 2 }], [{ id: 'x' }, 'x', {}]],
    ['nullable text', match.nullable('abc'), [null, 'x'], [1]],
    ['nullable list', match.nullable(match.eachLike({ id: match.int(1) })), [null, [{ id: 2 }]], [[], [{ id: 'x' }]]],
    [
      'a combination inside one of its kind',
      match.any(match.nullable(match.int(1)), match.bool(true)),
      [1, null, false],
      ['x'],
    ],
  ])('%s', async (_, matcher, good, bad) => {
    for (const value of good) expect([value, await accepts(matcher, value)]).toEqual([value, true])
    for (const value of bad) expect([value, await accepts(matcher, value)]).toEqual([value, false])
  })

  test('are written as OR and AND', async () => {
    expect(await written(match.nullable(match.int()))).toEqual({
      '$.value': { combine: 'OR', matchers: [{ match: 'integer' }, { match: 'null' }] },
      generators: { '$.value': { type: 'RandomInt' } },
    })
    expect(await written(match.all(match.str('1.0.0'), match.semver('1.0.0')))).toEqual({
      '$.value': rules({ match: 'type' }, { match: 'semver' }),
      generators: undefined,
    })
  })
})

describe('lists and maps', () => {
  test.each<[string, Matcher<unknown>, unknown[], unknown[]]>([
    ['emptyArray', match.emptyArray(), [[]], [[1], {}, null]],
    ['emptyArray in a type matcher', match.like({ a: match.emptyArray() }), [{ a: [] }], [{ a: [1] }]],
    ['eachLike', match.eachLike(1), [[1], [1, 2]], [[], ['a'], 1]],
    [
      'eachLike with sizes',
      match.eachLike(1, { min: 2, max: 3 }),
      [
        [1, 2],
        [1, 2, 3],
      ],
      [[1], [1, 2, 3, 4]],
    ],
    ['eachLike that may be empty', match.eachLike(1, { allowEmpty: true }), [[], [1]], [['a']]],
    ['atLeastOneLike', match.atLeastOneLike(1, 2), [[1]], [[]]],
    ['atLeastLike', match.atLeastLike(1, 2), [[1, 2]], [[1]]],
    ['atMostLike', match.atMostLike(1, 2), [[], [1, 2]], [[1, 2, 3]]],
    ['constrainedArrayLike', match.constrainedArrayLike(1, 1, 2), [[1], [1, 2]], [[], [1, 2, 3]]],
    [
      'arrayContaining',
      match.arrayContaining([{ id: match.int(1) }, 'x']),
      [['x', 1, { id: 9 }]],
      [['x'], [{ id: 'a' }, 'x']],
    ],
    ['arrayContaining as arguments', match.arrayContaining(match.int(1), 'x'), [['x', 7]], [['x', 'y']]],
    [
      'eachKeyLike',
      match.eachKeyLike('a', { n: match.int(1), s: 'x' }),
      [{ a: { n: 2, s: 'y' } }, { b: { n: 3, s: '' }, c: { n: 4, s: 'z' } }],
      [{ b: { n: 'x', s: '' } }, { b: 1 }],
    ],
    ['eachKeyLike by a matcher', match.eachKeyLike('a', match.int(1)), [{ b: 7 }], [{ b: 'x' }]],
    ['json', match.json('1.0'), [], [1, 2, '1.0']],
    ['eachKeyMatches', match.eachKeyMatches({ a1: 'x' }, match.regex('a1', /[a-z]\d/)), [{ b2: 'x' }], [{ bb: 'x' }]],
    [
      'eachValueMatches',
      match.eachValueMatches({ a: 'x' }, match.regex('x', /[a-z]/)),
      [{ b: 'y', c: 'z' }],
      [{ a: 'xx' }],
    ],
    ['equal below like', match.like({ a: match.equal(1), b: 1 }), [{ a: 1, b: 2 }], [{ a: 2, b: 1 }]],
    ['notEmpty', match.notEmpty(['x']), [['y']], [[], null]],
  ])('%s', async (_, matcher, good, bad) => {
    for (const value of good) expect([value, await accepts(matcher, value)]).toEqual([value, true])
    for (const value of bad) expect([value, await accepts(matcher, value)]).toEqual([value, false])
  })
})

describe('limits the size of examples', () => {
  const body = (template: unknown) =>
    new Contract('web', 'users').uponReceiving('x').withRequest('GET', '/').withBody(template)
  const thousand = { min: 1_000 }
  test.each<[string, () => unknown]>([
    ['a list', () => match.eachLike('x', { min: 1e9 })],
    ['at least', () => match.atLeastLike('x', 1e9)],
    ['at most', () => match.atMostLike('x', 1e9, 1e9)],
    ['between', () => match.constrainedArrayLike('x', 1, 1e9, 1e9)],
    ['examples', () => match.eachLike('x', { examples: 1e9 })],
    ['lists in lists', () => body(match.eachLike(match.eachLike(match.eachLike('x', thousand), thousand), thousand))],
    ['large items', () => body(match.eachLike('x'.repeat(100_000), thousand))],
    ['generated items', () => body(match.eachLike(match.str(undefined, { size: 1_000_000 }), thousand))],
    ['matcher JSON', () => body({ 'contract:matcher:type': 'type', min: 1e9, value: [1] })],
    ['elements', () => xml.element('a').each({ min: 1e9 })],
    [
      'elements in elements',
      () => {
        const inner = xml.element('b', xml.element('c').each(thousand)).each(thousand)
        return body(xml.element('a', xml.element('d', inner).each(thousand)))
      },
    ],
  ])('%s', (_, make) => {
    expect(make).toThrow(ContractArgumentError)
    expect(make).toThrow(/bytes|MiB/)
    expect(example(match.eachLike('x', { min: 2 }))).toEqual(['x', 'x'])
  })

  test('the limit can be raised', () => {
    const list = match.eachLike('x'.repeat(99_997), { min: 50, exampleLimit: 5_000_000 })
    expect(example(list)).toHaveLength(50)
    expect(example(match.eachLike(match.eachLike(1, { examples: 3 }), { min: 2 }))).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ])
  })
})

test('the mismatch of an integer for match.float suggests match.number', async () => {
  const { text } = await exchange(
    (interaction) =>
      interaction
        .withRequest('POST', '/')
        .withBody({ price: match.float(1.5) })
        .willRespondWith(204),
    postJson({ price: 2 }),
  )
  expect(text).toContain('to be a decimal number (the number rule accepts integers and decimals)')
  expect(await accepts(match.number(1.5), 2)).toBe(true)
})

test('accepts the date and time formats of JavaScript and Java', async () => {
  const moments = ['2024-02-29T13:45:00Z', '2024-02-29T13:45:00.123Z', '2024-02-29T13:45:00.123456789+02:00']
  for (const value of [JSON.parse(JSON.stringify(new Date())), ...moments]) {
    for (const matcher of [match.datetime(), match.datetime('2024-05-01T10:30:00Z'), match.datetime(new Date())]) {
      expect([value, await accepts(matcher, value)]).toEqual([value, true])
    }
  }
  for (const value of ['2024-02-29', '2024-02-29T13:45:00', 'yesterday', 0]) {
    expect([value, await accepts(match.datetime(), value)]).toEqual([value, false])
  }
  expect(await accepts(match.datetime('2024-05-01T10:30:00'), '2024-02-29T13:45:00.5')).toBe(true)
  expect(await accepts(match.time(), '13:45:00.123456')).toBe(true)
  const strict = match.datetime('2024-05-01T10:30:00Z', { format: "yyyy-MM-dd'T'HH:mm:ssXXX" })
  expect(await accepts(strict, '2024-02-29T13:45:00.123Z')).toBe(false)
  // Written in every version, and supported by every tool.
  const { written } = await exchange(
    (interaction) => interaction.withRequest('GET', '/').willRespondWith(200).withBody({ at: match.datetime() }),
    (url) => fetch(url),
    { specification: 'V2' },
  )
  expect(Object.keys(written.response.matchingRules['$.body.at'])).toContain('regex')
})

describe('texts', () => {
  test.each<[keyof typeof match, string[], string[]]>([
    ['email', ['a@b.co', "o'neil+x@mail.example.com"], ['a@b', 'a b@c.de', '@b.co']],
    ['ipv4Address', ['0.0.0.0', '255.255.255.255'], ['256.0.0.1', '1.2.3', '01.2.3.4']],
    [
      'ipv6Address',
      ['::', '::1', '2001:db8::8:800:200c:417a', '::ffff:1.2.3.4', 'fe80::'],
      [':', '1::2::3', '12345::', '1:2:3:4:5:6:7:8:9'],
    ],
    ['iso8601Date', ['2024-12-31'], ['2024-13-01', '2024-1-1']],
    [
      'iso8601DateTime',
      ['2024-01-01T00:00:00Z', '2024-01-01T23:59:59.5+14:00'],
      ['2024-01-01 00:00:00Z', '2024-01-01T24:00:00Z'],
    ],
    ['iso8601DateTimeWithMillis', ['2024-01-01T00:00:00.000Z'], ['2024-01-01T00:00:00Z']],
    ['iso8601Time', ['23:59:59', 'T10:00:00.5Z'], ['24:00:00', '1:00:00']],
    ['rfc1123Timestamp', ['Mon, 31 Oct 2016 15:21:41 -0400'], ['Mon, 31 October 2016 15:21:41 GMT']],
    ['hexadecimal', ['DEADbeef0'], ['0x1', '']],
  ])('%s', async (name, good, bad) => {
    const make = match[name] as (example?: string) => Matcher<string>
    for (const value of good) expect([value, await accepts(make(), value)]).toEqual([value, true])
    for (const value of bad) expect([value, await accepts(make(), value)]).toEqual([value, false])
    expect(() => make(bad[0])).toThrow('the example does not satisfy the matcher')
  })

  test('url matches the path on any host', async () => {
    const orders = match.url({ path: ['orders', match.regex('7', /\d+/)], base: 'https://example.com' })
    expect(example(orders)).toBe('https://example.com/orders/7')
    expect(await accepts(orders, 'http://127.0.0.1:8080/orders/12')).toBe(true)
    expect(await accepts(orders, 'https://example.com/orders/x')).toBe(false)
    const { text } = await exchange(
      (interaction) => interaction.withRequest('GET', '/').willRespondWith(200).withBody({ next: orders }),
      async (url) => {
        const response = await fetch(url)
        expect(((await response.clone().json()) as { next: string }).next).toBe(`${url}/orders/7`)
        return response
      },
    )
    expect(text).not.toContain('example.com')
  })

  test('contentType detects the type of the text', async () => {
    const pdf = match.contentType('application/pdf', Buffer.from('%PDF-1.4\n').toString('base64'))
    expect(await accepts(pdf, Buffer.from('%PDF-1.7\nabc').toString('base64'))).toBe(true)
    expect(await accepts(pdf, Buffer.from('GIF89a').toString('base64'))).toBe(false)
  })
})

describe('dates', () => {
  test('are created from Date and Temporal values', () => {
    const temporal = (tag: string, text: string) => ({ [Symbol.toStringTag]: tag, toString: () => text })
    const at = new Date('2024-02-29T13:45:00.123Z')
    expect(example(match.datetime(at))).toBe('2024-02-29T13:45:00.123Z')
    expect(example(match.date(at, { format: '%d.%m.%Y' }))).toBe('29.02.2024')
    expect(example(match.date(temporal('Temporal.PlainDate', '2024-02-29')))).toBe('2024-02-29')
    expect(example(match.date(temporal('Temporal.PlainDate', '2024-02-29'), { format: 'dd.MM.yyyy' }))).toBe(
      '29.02.2024',
    )
    expect(example(match.time(temporal('Temporal.PlainTime', '13:45:00'), { format: 'HH.mm' }))).toBe('13.45')
    expect(example(match.datetime(temporal('Temporal.PlainDateTime', '2024-02-29T13:45:00')))).toBe(
      '2024-02-29T13:45:00',
    )
    expect(
      example(match.datetime(temporal('Temporal.ZonedDateTime', '2024-02-29T13:45:00+01:00[Europe/Berlin]'))),
    ).toBe('2024-02-29T13:45:00+01:00')
    expect(() => match.date({} as Date)).toThrow(
      'match.date: example must be a string, a Date, or a Temporal value, received an object',
    )
  })
})

describe('values of a provider state', () => {
  test('must match exactly, unless loose is true', async () => {
    expect(await accepts(match.fromProviderState('${id}', 7), 7)).toBe(true)
    expect(await accepts(match.fromProviderState('${id}', 7), 8)).toBe(false)
    expect(await accepts(match.fromProviderState('${id}', 7, { loose: true }), 8)).toBe(true)
  })

  test("are compared by type in the provider's response", async () => {
    expect(await written(match.fromProviderState('${id}', 7))).toEqual({
      '$.value': rules({ match: 'type' }),
      generators: { '$.value': { type: 'ProviderState', expression: '${id}', dataType: 'INTEGER' } },
    })
  })

  test('can be part of paths', async () => {
    const define = (interaction: HttpInteraction) =>
      interaction.withRequest('GET', match.pathFromProviderState('/users/${id}', '/users/7')).willRespondWith(204)
    const { written, differences } = await exchange(define, (url) => fetch(`${url}/users/7`))
    expect(differences).toEqual([])
    expect(written.request).toEqual({
      method: 'GET',
      path: '/users/7',
      generators: { path: { type: 'ProviderState', expression: '/users/${id}', dataType: 'STRING' } },
    })
    expect((await exchange(define, (url) => fetch(`${url}/users/8`))).differences).toEqual([
      'request-not-found',
      'missing-request',
    ])
  })
})

test('status classes accept all codes of the class', async () => {
  const { written, status } = await exchange(
    (interaction) => interaction.withRequest('GET', '/').willRespondWith(match.status([200, 204], 204)),
    (url) => fetch(url),
  )
  expect(status).toBe(204)
  expect(written.response.matchingRules.status).toEqual(rules({ match: 'statusCode', status: [200, 204] }))
  expect(example(match.status('clientError'))).toBe(400)
})

test('example returns the example value', () => {
  expect(
    example({
      id: match.int(7),
      name: match.nullable(match.str('Alice')),
      tags: match.eachLike({ n: match.float(1) }, { min: 2 }),
      some: match.arrayContaining(['x', match.int(1)]),
      when: match.date(),
    }),
  ).toEqual({ id: 7, name: 'Alice', tags: [{ n: 1 }, { n: 1 }], some: ['x', 1], when: '2000-02-01' })
  expect(() => example({ a: undefined })).toThrow('example: at $.a: undefined is not a JSON value')
})

test('rejects a regular expression that is too large', () => {
  const contract = new Contract('web', 'users')
  const huge = contract.uponReceiving('huge').withRequest('GET', '/')
  const refused = (pattern: string) => () => huge.withHeader('X', match.regex('a', pattern))

  expect(refused('(a|b)+'.repeat(1 << 18))).toThrow(/has 1572864 bytes, but the maximum is 131072/)
  expect(refused('(?=a)'.repeat(4000))).toThrow(/has 20000 bytes, but the maximum is 16384/)
  expect(refused('\\w{100000}')).toThrow(/the compiled pattern exceeds 16 MiB/)
  expect(refused(`${'('.repeat(1000)}a${')'.repeat(1000)}`)).toThrow(/nest/)
  expect(refused('[a-z]+')).not.toThrow()
})
