// The messages of failed consumer tests.
import { describe, expect, test } from '@jest/globals'
import { Contract, type HttpInteraction, MismatchesError, match } from 'contract'
import { thrown } from './support/thrown.ts'

interface Case {
  readonly define: (interaction: HttpInteraction) => HttpInteraction
  readonly send: (url: string) => Promise<Response>
}

const json = { 'Content-Type': 'application/json' }
const post = (url: string, body: unknown, headers: Record<string, string> = json) =>
  fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })

const cases: Record<string, Case> = {
  method: {
    define: (interaction) => interaction.withRequest('PUT', '/orders/7'),
    send: (url) => fetch(`${url}/orders/7`),
  },
  path: {
    define: (interaction) =>
      interaction.withRequest('GET', '/orders/7').given('order 7 exists', { parameters: { id: 7 } }),
    send: (url) => fetch(`${url}/order/7`),
  },
  'path under a rule': {
    define: (interaction) => interaction.withRequest('GET', match.regex('/orders/7', /\/orders\/\d+/)),
    send: (url) => fetch(`${url}/orders/seven`),
  },
  query: {
    define: (interaction) =>
      interaction.withRequest('GET', '/orders').withQueryParameter('page', match.regex('1', /\d+/)),
    send: (url) => fetch(`${url}/orders?page=last&access_token=geheim`),
  },
  'a missing header': {
    define: (interaction) => interaction.withRequest('GET', '/orders').withHeader('X-Tenant', 'acme'),
    send: (url) => fetch(`${url}/orders`),
  },
  'a header and a secret': {
    define: (interaction) =>
      interaction.withRequest('GET', '/orders').withHeaders({ 'X-Tenant': 'acme', Authorization: 'Bearer abc' }),
    send: (url) =>
      fetch(`${url}/orders`, { headers: { 'X-Tenant': 'other', Authorization: 'Bearer xyz', Cookie: 'a=b' } }),
  },
  cookies: {
    define: (interaction) =>
      interaction
        .withRequest('GET', '/orders')
        .withCookie('session', 'abc')
        .withCookie('page', match.regex('7', /[0-9]+/)),
    send: (url) => fetch(`${url}/orders`, { headers: { Cookie: 'page=hush; theme=dark' } }),
  },
  'content type': {
    define: (interaction) => interaction.withRequest('POST', '/orders').withBody({ id: match.int(7) }),
    send: (url) => post(`${url}/orders`, '<order/>', { 'Content-Type': 'application/xml' }),
  },
  'values of a body': {
    define: (interaction) =>
      interaction.withRequest('POST', '/orders').withBody({
        id: match.int(7),
        total: match.float(9.5),
        customer: { name: match.str('Ann'), mail: match.regex('ann@example.com', /.+@.+/) },
        items: match.eachLike({ sku: match.str('A-1'), count: match.int(1) }),
        created: match.datetime('2026-07-01T12:00:00Z'),
      }),
    send: (url) =>
      post(`${url}/orders`, {
        id: '7',
        total: 9,
        customer: { name: null, mail: 'nobody' },
        items: [{ sku: 'B-2', count: 'many' }, { count: 2 }],
        created: 'yesterday',
        password: 'geheim',
      }),
  },
  'a body of text': {
    define: (interaction) =>
      interaction.withRequest('POST', '/notes').withBody('first line\nsecond line\n', { contentType: 'text/plain' }),
    send: (url) => post(`${url}/notes`, 'first line\nanother line\n', { 'Content-Type': 'text/plain' }),
  },
  'no body at all': {
    define: (interaction) => interaction.withRequest('POST', '/orders').withBody({ id: 7 }),
    send: (url) => fetch(`${url}/orders`, { method: 'POST' }),
  },
  'broken JSON': {
    define: (interaction) => interaction.withRequest('POST', '/orders').withBody({ id: 7 }),
    send: (url) => post(`${url}/orders`, '{"id": 7'),
  },
  'nothing like it': {
    define: (interaction) => interaction.withRequest('GET', '/orders/7'),
    send: (url) => fetch(`${url}/warehouse/shelves`),
  },
}

/** Replaces parts that differ between runs and Node versions. */
function steady(text: string, url: string): string {
  return text
    .replaceAll(url, 'URL')
    .replaceAll(url.replace('http://', ''), 'HOST')
    .split('\n')
    .filter((line) => !/^ +(accept|accept-language|accept-encoding|connection|sec-fetch-mode|user-agent): /.test(line))
    .join('\n')
}

describe('the error reports', () => {
  test.each(Object.entries(cases))('%s', async (_, { define, send }) => {
    const contract = new Contract('web', 'orders')
    define(contract.uponReceiving('an expected request')).willRespondWith(200)
    let [url, answer] = ['', '']

    const error = (await thrown(
      contract.serve(async (server) => {
        url = server.url
        const response = await send(url)
        expect(response.status).toBe(500)
        expect(response.headers.get('x-contract')).toMatch(/^(Request-Mismatch|Unexpected-Request)$/)
        answer = ((await response.json()) as { error: string }).error
      }),
    )) as MismatchesError

    expect(error).toBeInstanceOf(MismatchesError)
    expect(steady(`${error.message}\n--- the answer ---\n${answer}`, url)).toMatchSnapshot()
    // Neither in the message nor in the data.
    expect(JSON.stringify(error) + error.message + error.logs + answer).not.toMatch(/geheim|xyz/)
  })

  test('several mismatches in order', async () => {
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('all orders').withRequest('GET', '/orders').willRespondWith(200)
    contract.uponReceiving('order 7').given('order 7 exists').withRequest('GET', '/orders/7').willRespondWith(200)
    contract.uponReceiving('polling').withRequest('GET', '/state').willRespondWith(200).times(3)
    let url = ''

    const error = (await thrown(
      contract.serve(async (server) => {
        url = server.url
        for (const path of ['/order', '/state', '/orders?x=1', '/orders?x=1']) await fetch(url + path)
      }),
    )) as MismatchesError

    expect(steady(error.message, url)).toMatchSnapshot()
  })

  test('that no request was received', async () => {
    const contract = new Contract('web', 'orders')
    contract.uponReceiving('all orders').withRequest('GET', '/orders').willRespondWith(200)
    const error = await thrown(contract.serve(() => {}))
    expect((error as Error).message.replace(/ at \S+:\d+:\d+/, ' at FILE')).toMatchSnapshot()
  })

  test('expected and received in colors', async () => {
    const contract = new Contract('web', 'orders')
    contract
      .uponReceiving('an order')
      .withRequest('POST', '/orders')
      .withBody({ id: match.int(7) })
      .willRespondWith(200)
    const error = (await thrown(contract.serve(({ url }) => post(`${url}/orders`, { id: 'x' })))) as MismatchesError
    const colored = error.format({ color: true }).split('\n')
    expect(colored.filter((line) => /example|received {2}/.test(line))).toMatchSnapshot()
  })
})

test('the response contains the same as data', async () => {
  const contract = new Contract('web', 'orders')
  contract.uponReceiving('order 7').withRequest('GET', '/orders/7').willRespondWith(200)
  contract
    .uponReceiving('all orders')
    .withRequest('GET', '/orders')
    .withHeader('Accept', 'text/csv')
    .willRespondWith(200)
  const server = await contract.serve({ raises: false })

  const response = await fetch(`${server.url}/orders`)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('x-contract')).toBe('Request-Mismatch')
  expect(await response.json()).toMatchObject({
    error: expect.stringContaining('GET /orders does not match "all orders": Expected header'),
    request: { method: 'GET', path: '/orders', headers: { host: `127.0.0.1:${server.port}` } },
    closest: {
      interaction: { index: 1, description: 'all orders' },
      mismatches: [
        { type: 'HeaderMismatch', key: 'Accept', expected: 'text/csv', actual: '*/*', kind: expect.any(String) },
      ],
    },
    candidates: [{ interaction: { description: 'all orders' }, mismatches: 1 }],
    expected: ['GET /orders/7: order 7', 'GET /orders: all orders'],
  })
  const unknown = await fetch(`${server.url}/a/b/c`)
  expect(unknown.headers.get('x-contract')).toBe('Unexpected-Request')
  expect(await unknown.json()).toMatchObject({ closest: null, candidates: [] })
  await server.stop()
})
