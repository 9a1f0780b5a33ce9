// Two hundred interactions of many kinds, and a provider that satisfies some of them. The same in every run.

type Json = Record<string, unknown>

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** An expected response, and responses that a provider might send. */
interface Family {
  readonly name: string
  readonly response: Json
  readonly answers: readonly Answer[]
}

const json = { 'Content-Type': 'application/json' }
const rule = (match: string, more: Json = {}) => ({ combine: 'AND', matchers: [{ match, ...more }] })

function expecting(content: unknown, rules: Record<string, Json> = {}): Json {
  return {
    status: 200,
    headers: { 'Content-Type': ['application/json'] },
    body: { content, contentType: 'application/json', encoded: false },
    ...(Object.keys(rules).length > 0 && { matchingRules: { body: rules } }),
  }
}

const answer = (body: unknown, more: Answer = {}): Answer => ({ headers: json, body: JSON.stringify(body), ...more })

/** A field `a` with an example and a rule, and values to replace it. */
function field(name: string, example: unknown, rules: Record<string, Json>, values: readonly unknown[]): Family {
  const answers = values.map((a) => answer({ a }))
  return {
    name,
    response: expecting({ a: example }, rules),
    answers: [...answers, answer({}), answer({ b: 1 }), answer([]), answer({ a: example, more: true })],
  }
}

const anything = [1, 2, -7, 1.5, 'x', 'abc', '', true, false, null, [], [1], {}, { b: 1 }]

const families: readonly Family[] = [
  field('a number as it is', 1, {}, anything),
  field('a text as it is', 'abc', {}, anything),
  field('null as it is', null, {}, anything),
  field('an object as it is', { b: 1 }, {}, anything),
  field('a list as it is', [1], {}, [...anything, [1, 2], [2]]),
  field('the type of a number', 1, { '$.a': rule('type') }, anything),
  field('the type of a text', 'abc', { '$.a': rule('type') }, anything),
  field('the type of a truth', true, { '$.a': rule('type') }, anything),
  field(
    'an integer',
    1,
    { '$.a': rule('integer') },
    anything.filter((value) => typeof value !== 'string'),
  ),
  field(
    'a decimal',
    1.5,
    { '$.a': rule('decimal') },
    anything.filter((value) => typeof value !== 'string'),
  ),
  field('a regular expression', 'abc', { '$.a': rule('regex', { regex: '^[a-z]{3}$' }) }, [...anything, 'abcd', 'xyz']),
  field('a date', '2024-01-02', { '$.a': rule('date', { format: 'yyyy-MM-dd' }) }, [
    '2024-01-02',
    '2024-13-02',
    '2.1.2024',
    'x',
    null,
  ]),
  field('a text that holds', 'abc', { '$.a': rule('include', { value: 'b' }) }, [...anything, 'b', 'cab']),
  field('a list of numbers', [1], { '$.a': rule('type', { min: 1 }), '$.a[*]': rule('type') }, [
    [],
    [1],
    [1, 2, 3],
    ['x'],
    [1, 'x'],
    'x',
    null,
  ]),
  field('a list of bounded length', [1], { '$.a': rule('type', { min: 1, max: 2 }) }, [
    [],
    [1],
    [1, 2],
    [1, 2, 3],
    null,
  ]),
  field('a list of objects', [{ b: 1 }], { '$.a': rule('type', { min: 1 }), '$.a[*].b': rule('integer') }, [
    [{ b: 1 }],
    [{ b: 2 }, { b: 3 }],
    [{ b: 'x' }],
    [{}],
    [],
    null,
  ]),
  {
    name: 'a status',
    response: { status: 201 },
    answers: [200, 201, 204, 400, 404, 500].map((status) => ({ status })),
  },
  {
    name: 'a header',
    response: { status: 200, headers: { 'X-Kind': ['a, b'] } },
    answers: ['a, b', 'a,b', 'b, a', 'a', '']
      .map((value) => ({ headers: { 'X-Kind': value } }))
      .concat({ headers: {} as never }),
  },
  {
    name: 'a header by a regular expression',
    response: {
      status: 200,
      headers: { 'X-Id': ['7'] },
      matchingRules: { header: { 'X-Id': rule('regex', { regex: '\\d+' }) } },
    },
    answers: [{ headers: { 'X-Id': '7' } }, { headers: { 'x-id': '4711' } }, { headers: { 'X-Id': 'x' } }, {}],
  },
  {
    name: 'a content type',
    response: expecting({ a: 1 }),
    answers: [
      answer({ a: 1 }),
      answer({ a: 1 }, { headers: { 'Content-Type': 'application/json;charset=utf-8' } }),
      answer({ a: 1 }, { headers: { 'Content-Type': 'text/plain' } }),
      { headers: json, body: '{"a": 1' },
      { headers: json, body: '' },
    ],
  },
  {
    name: 'a text',
    response: {
      status: 200,
      headers: { 'Content-Type': ['text/plain'] },
      body: { content: 'hello', contentType: 'text/plain', encoded: false },
    },
    answers: ['hello', 'Hello', '', 'hello '].map((body) => ({ headers: { 'Content-Type': 'text/plain' }, body })),
  },
  {
    name: 'XML',
    response: {
      status: 200,
      headers: { 'Content-Type': ['application/xml'] },
      body: { content: '<a><b c="1">x</b></a>', contentType: 'application/xml', encoded: false },
    },
    answers: [
      '<a><b c="1">x</b></a>',
      '<?xml version="1.0"?>\n<a><b c="1">x</b></a>',
      '<a><b c="2">x</b></a>',
      '<a><b c="1">y</b></a>',
      '<a><d/></a>',
      '<a>',
    ].map((body) => ({ headers: { 'Content-Type': 'application/xml' }, body })),
  },
  {
    name: 'no body',
    response: { status: 204 },
    answers: [{ status: 204 }, { status: 200, body: 'x' }],
  },
]

/** The contract, and the response for each path. */
export function mixed(count: number) {
  const all = families.flatMap(({ name, response, answers }) => answers.map((given) => ({ name, response, given })))
  // Takes cases at regular distances, so that all families are included.
  const step = all.length / count
  const chosen = Array.from({ length: count }, (_, i) => all[Math.floor(i * step)]).filter((one) => one !== undefined)
  if (all.length < count) throw new Error(`there are only ${all.length} cases`)
  const path = (i: number) => `/cases/${i}`
  return {
    contract: {
      consumer: { name: 'web' },
      provider: { name: 'users' },
      interactions: chosen.map(({ name, response, given }, i) => ({
        type: 'Synchronous/HTTP',
        description: `${i}: ${name}, given ${given.status ?? ''} ${JSON.stringify(given.headers === json ? given.body : given)}`,
        request: { method: 'GET', path: path(i) },
        response,
      })),
      metadata: { pactSpecification: { version: '4.0' } },
    },
    answers: new Map(chosen.map(({ given }, i) => [path(i), given])),
  }
}
