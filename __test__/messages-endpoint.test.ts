import { createServer, type RequestListener } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import {
  Contract,
  type MessageMapping,
  type MessageRequest,
  match,
  messageEndpoint,
  startMessageEndpoint,
  VerificationError,
  Verifier,
} from 'contract'
import { withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

async function verifier(url: string): Promise<Verifier> {
  const contract = new Contract('invoices', 'orders')
  contract
    .uponReceiving('an order was placed', 'Async')
    .given('an order exists', { parameters: { id: 7 } })
    .withBody({ id: match.int(7) })
    .withMetadata({ topic: 'orders', größe: match.str('groß') })
  contract.uponReceiving('a shipping label', 'Async').withBinaryBody(Uint8Array.of(1, 2, 0xff), 'application/x-label')
  contract
    .uponReceiving('a question', 'Sync')
    .withBinaryBody(Uint8Array.of(9, 0xff), 'application/x-question')
    .withMetadata({ replyTo: 'here' })
    .willRespondWith()
    .withBody('yes', 'text/plain')
  contract
    .uponReceiving('a question with two answers', 'Sync')
    .withBody({ a: 1 })
    .willRespondWith()
    .withBody({ eta: match.int(10) })
    .withMetadata({ part: 1 })
    .willRespondWith()
    .withBinaryBody(Uint8Array.of(0xff), 'application/x-label')
  return new Verifier('orders')
    .addSource(await contract.writeFile(temporaryDirectory()))
    .stateHandler(() => {})
    .addTransport({ protocol: 'message', url })
    .setColouredOutput(false)
}

async function failed(run: Promise<unknown>): Promise<VerificationError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(VerificationError)
  return error as VerificationError
}

const handlers = (asked: MessageRequest[] = []): MessageMapping => ({
  'an order was placed': (request) => {
    asked.push(request)
    return { contents: { id: 1 }, metadata: { topic: 'orders', größe: 'klein' } }
  },
  'a shipping label': { contents: Uint8Array.of(1, 2, 0xff), contentType: 'application/x-label' },
  'a question': (request) => {
    asked.push(request)
    return 'yes'
  },
  'a question with two answers': () => [
    { contents: { eta: 3 }, metadata: { part: 1 } },
    { contents: Uint8Array.of(0xff), contentType: 'application/x-label' },
  ],
})

const ask = (url: string, document: unknown, init: RequestInit = {}) =>
  fetch(url, { method: 'POST', body: JSON.stringify(document), ...init })

describe('a message endpoint', () => {
  test('serves a producer to a verifier over HTTP', async () => {
    const asked: MessageRequest[] = []
    await using endpoint = await startMessageEndpoint(handlers(asked))

    const report = await (await verifier(endpoint.url)).verify()

    expect(report.summary).toMatchObject({ total: 4, passed: 4 })
    expect(asked.map(({ description }) => description).sort()).toEqual(['a question', 'an order was placed'])
    const question = asked.find(({ description }) => description === 'a question')
    expect(question?.request).toMatchObject({ contentType: 'application/x-question', metadata: { replyTo: 'here' } })
    expect(question?.request?.body).toEqual(Buffer.of(9, 0xff))
    expect(asked.find(({ request }) => request === undefined)?.providerStates).toEqual([
      { name: 'an order exists', parameters: { id: 7 } },
    ])
  })

  test('responds in the Pact format', async () => {
    await using endpoint = await startMessageEndpoint(handlers())

    const response = await ask(`${endpoint.url}/_messages`, { description: 'an order was placed' })

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    const metadata = Buffer.from(response.headers.get('Pact-Message-Metadata') ?? '', 'base64').toString('utf8')
    expect(JSON.parse(metadata)).toEqual({ topic: 'orders', größe: 'klein' })
    expect(await response.text()).toBe('{"id":1}')
    const label = await ask(endpoint.url, { description: 'a shipping label' })
    expect(label.headers.get('Content-Type')).toBe('application/x-label')
    expect(label.headers.has('Pact-Message-Metadata')).toBe(false)
    expect([...new Uint8Array(await label.arrayBuffer())]).toEqual([1, 2, 0xff])
  })

  test.each<[string, unknown, RequestInit, number, string]>([
    ['an unknown description', { description: 'an order is placed' }, {}, 404, 'Did you mean "an order was placed"?'],
    ['a handler that fails', { description: 'broken' }, {}, 500, 'the message handler for "broken" failed: no ink'],
    ['a handler that never settles', { description: 'hanging' }, {}, 500, '"hanging" did not finish within 30 ms'],
    ['a result that is none', { description: 'nothing' }, {}, 500, 'the result for "nothing" is undefined'],
    ['no description', { name: 'x' }, {}, 400, 'with a "description" member'],
    ['a description that is not a string', { description: 1 }, {}, 400, 'must be a string'],
    ['a list', [], {}, 400, 'must be a JSON object'],
    ['not valid JSON', undefined, { body: '{' }, 400, 'not valid JSON'],
    ['another method', undefined, { method: 'PUT', body: 'x' }, 405, 'POST'],
    [
      'a request that is no message',
      { description: 'a question', request: [] },
      {},
      400,
      'the member "request" is not a valid message',
    ],
  ])('answers %s so that people know why', async (_, document, init, status, text) => {
    await using endpoint = await startMessageEndpoint(
      {
        ...handlers(),
        broken: () => Promise.reject(new Error('no ink')),
        hanging: () => new Promise(() => {}),
        nothing: (() => undefined) as never,
      },
      { timeout: 30 },
    )

    const response = await ask(endpoint.url, document, init)

    expect(response.status).toBe(status)
    expect(await response.text()).toContain(text)
  })

  test('runs in a custom server, including behind a body parser', async () => {
    const listener = messageEndpoint(handlers())
    const parsed: RequestListener = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      listener(Object.assign(request, { body: JSON.parse(Buffer.concat(chunks).toString('utf8')) }), response)
    }

    for (const own of [listener, parsed]) {
      await withProvider(own, async (url) => {
        const response = await ask(url, { description: 'an order was placed' })
        expect(await response.json()).toEqual({ id: 1 })
      })
    }
  })

  test('reports a port in use, and close can be called twice', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    const endpoint = await startMessageEndpoint(handlers())

    await expect(startMessageEndpoint(handlers(), { port: endpoint.port })).rejects.toThrow(String(endpoint.port))

    await endpoint.close()
    await endpoint.close()
    server.close()
  })
})

describe('a foreign endpoint', () => {
  const answering =
    (status: number, headers: Record<string, string>, body: string): RequestListener =>
    (request, response) => {
      request.resume()
      response.writeHead(status, headers)
      response.end(body)
    }
  const header = (name: string, value: string) => ({ 'Content-Type': 'application/json', [name]: value })
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')

  test.each<[string, RequestListener, string]>([
    [
      '404',
      answering(404, {}, 'no such message'),
      'returned status 404 for the message "an order was placed": no such message',
    ],
    ['500', answering(500, {}, ''), 'returned status 500 for the message "an order was placed": no body'],
    [
      'base64 that is none',
      answering(200, header('Pact-Message-Metadata', '%%%'), '{"id":1}'),
      'does not contain a base64-encoded JSON object',
    ],
    [
      'JSON that is none',
      answering(200, header('Pact-Message-Metadata', base64('{"a"')), '{"id":1}'),
      'is valid base64, but does not contain a JSON object',
    ],
    [
      'metadata that are none',
      answering(200, header('Contract-Message-Metadata', base64('[1]')), '{"id":1}'),
      'contains a base64-encoded JSON array instead of an object',
    ],
    [
      'nothing',
      answering(200, header('Pact-Message-Metadata', base64('{"topic":"orders","größe":"a"}')), ''),
      'Expected body',
    ],
  ])('that answers %s fails the message', async (_, listener, text) => {
    const error = await withProvider(listener, async (url) =>
      failed((await verifier(url)).filter('an order was placed').verify()),
    )

    expect(error.report.summary).toMatchObject({ total: 1, failed: 1 })
    expect(error.message).toContain(text)
  })

  test('can use the Contract-Message-Metadata header', async () => {
    const metadata = base64('{"topic":"orders","größe":"a"}')
    const listener = answering(200, header('Contract-Message-Metadata', metadata), '{"id":1}')

    const report = await withProvider(listener, async (url) =>
      (await verifier(url)).filter('an order was placed').verify(),
    )

    expect(report.success).toBe(true)
  })

  test('that returns one response instead of two fails with instructions', async () => {
    const listener = answering(200, header('Pact-Message-Metadata', base64('{"part":1}')), '{"eta":1}')

    const error = await withProvider(listener, async (url) =>
      failed((await verifier(url)).filter('two answers').verify()),
    )

    expect(error.message).toContain('the contract expects 2 responses, but the endpoint returned only one')
    expect(error.message).toContain('Use message handlers')
  })

  test('that is not running fails each message', async () => {
    const error = await failed((await verifier('http://127.0.0.1:9')).verify())

    expect(error.report.summary).toMatchObject({ total: 4, failed: 4 })
  })
})
