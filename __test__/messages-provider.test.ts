import { describe, expect, test } from '@jest/globals'
import {
  Contract,
  ContractArgumentError,
  type MessageMapping,
  type MessageRequest,
  type MessageResult,
  match,
  VerificationError,
  type VerificationReport,
  Verifier,
} from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

type Define = (contract: Contract) => void

const orderPlaced: Define = (contract) =>
  contract
    .uponReceiving('an order was placed', 'Async')
    .given('an order exists', { parameters: { id: 7 } })
    .withBody({ id: match.int(7), total: match.number(19.5) })
    .withMetadata({ topic: 'orders', partition: match.int(3) })

const label: Define = (contract) =>
  contract.uponReceiving('a shipping label', 'Async').withBinaryBody(Uint8Array.of(1, 2, 0xff), 'application/x-label')

const price: Define = (contract) =>
  contract
    .uponReceiving('a question for a price', 'Sync')
    .withBody({ isbn: '978' })
    .withMetadata({ replyTo: 'prices' })
    .willRespondWith()
    .withBody({ price: match.number(12.5) })

const twoAnswers: Define = (contract) =>
  contract
    .uponReceiving('a question with two answers', 'Sync')
    .withBody('how far?', 'text/plain')
    .willRespondWith()
    .withBody({ eta: match.int(10) })
    .willRespondWith()
    .withBody({ arrived: true })

/** A verifier of a file with these messages. */
async function verifier(...define: Define[]): Promise<Verifier> {
  return (await stateless(...define)).stateHandler(() => {})
}

async function stateless(...define: Define[]): Promise<Verifier> {
  const contract = new Contract('invoices', 'orders')
  for (const one of define) one(contract)
  return new Verifier('orders').addSource(await contract.writeFile(temporaryDirectory()))
}

async function failed(run: Promise<unknown>): Promise<VerificationError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(VerificationError)
  return error as VerificationError
}

const outcomes = (report: VerificationReport) =>
  report.contracts
    .flatMap(({ interactions }) => interactions)
    .map(({ description, status }) => `${description}: ${status}`)

const placed = { contents: { id: 1, total: 3, more: true }, metadata: { topic: 'orders', partition: 9, more: 1 } }

describe('a producer of messages', () => {
  test('is called by description, or else by the function for all', async () => {
    const asked: MessageRequest[] = []
    const verification = (await verifier(orderPlaced, label, price))
      .messageHandler({
        'an order was placed': async (request) => {
          asked.push(request)
          return placed
        },
        'a shipping label': { contents: Uint8Array.of(1, 2, 0xff), contentType: 'application/x-label' },
      })
      .messageHandler((request) => {
        asked.push(request)
        return { price: 3 }
      })

    const report = await verification.verify()

    expect(outcomes(report)).toEqual([
      'a question for a price: passed',
      'a shipping label: passed',
      'an order was placed: passed',
    ])
    expect(asked).toMatchObject([
      {
        description: 'a question for a price',
        providerStates: [],
        request: { body: { isbn: '978' }, contentType: 'application/json', metadata: { replyTo: 'prices' } },
      },
      {
        description: 'an order was placed',
        providerStates: [{ name: 'an order exists', parameters: { id: 7 } }],
        metadata: { topic: 'orders', partition: 3 },
      },
    ])
    expect(asked[1]).not.toHaveProperty('request')
  })

  test('receives the values of the state handlers', async () => {
    const contract = new Contract('invoices', 'orders')
    contract
      .uponReceiving('a question', 'Sync')
      .given('an order exists')
      .withBody({ id: 1 })
      .withGenerators({ body: { '$.id': { type: 'ProviderState', expression: 'id' } } })
      .willRespondWith()
      .withBody({ found: true })
    let asked: MessageRequest | undefined

    await new Verifier('orders')
      .addSource(await contract.writeFile(temporaryDirectory()))
      .stateHandler({ 'an order exists': () => ({ id: 42 }) })
      .addTransport({
        'a question': (request: MessageRequest) => {
          asked = request
          return { found: true }
        },
      })
      .verify()

    expect(asked).toMatchObject({ stateValues: { id: 42 }, request: { body: { id: 42 } } })
  })

  test.each<[string, MessageResult, string[]]>([
    [
      'other contents',
      { contents: { id: 'x', total: 1 }, metadata: placed.metadata },
      ["Expected 'x' (String) to be an integer"],
    ],
    [
      'no metadata',
      { id: 1, total: 1 },
      ["Expected message metadata 'topic'", "Expected message metadata 'partition'"],
    ],
    [
      'other metadata',
      { ...placed, metadata: { topic: 'bills', partition: 1.5 } },
      ["'topic' to have value 'orders' but was 'bills'", 'to be an integer'],
    ],
    [
      'another type',
      { ...placed, contents: '<order/>', contentType: 'application/xml' },
      ["'application/json'", "'application/xml'"],
    ],
    [
      'a type that is only built on the expected one',
      { ...placed, contentType: 'application/vnd.order+json' },
      ['application/vnd.order+json'],
    ],
    ['empty contents', { contents: '', metadata: placed.metadata }, ['Expected body']],
    ['null', { contents: null, metadata: placed.metadata }, ['null']],
  ])('fails with %s', async (_, result, texts) => {
    const error = await failed((await verifier(orderPlaced)).messageHandler(() => result).verify())

    expect(error.report.summary).toMatchObject({ total: 1, failed: 1 })
    for (const text of texts) expect(error.message).toContain(text)
  })

  test.each<[string, MessageResult]>([
    ['a text of JSON', { contents: '{"id":1,"total":2}', metadata: placed.metadata }],
    [
      'bytes of JSON',
      {
        contents: Buffer.from('{"id":1,"total":2}'),
        contentType: 'application/json; charset=utf-8',
        metadata: placed.metadata,
      },
    ],
  ])('passes with %s', async (_, result) => {
    await (await verifier(orderPlaced)).messageHandler(() => result).verify()
  })

  test('reports both types if bytes have no content type', async () => {
    const error = await failed((await verifier(label)).messageHandler(() => Uint8Array.of(1, 2, 0xff)).verify())

    expect(error.message).toContain("'application/x-label'")
    expect(error.message).toContain("'application/octet-stream'")
  })

  test('returns several responses as a list', async () => {
    const answers = [{ eta: 4 }, { arrived: true }]
    const report = await (await verifier(twoAnswers)).messageHandler(() => answers).verify()
    expect(report.success).toBe(true)

    const wrong = await failed(
      (await verifier(twoAnswers)).messageHandler(() => [{ eta: 4 }, { arrived: false }]).verify(),
    )
    expect(wrong.message).toContain('in message 2 of 2')

    const short = await failed((await verifier(twoAnswers)).messageHandler(() => [{ eta: 4 }]).verify())
    expect(short.message).toContain('expected 2 messages, but received 1 message')

    const single = await failed((await verifier(twoAnswers)).messageHandler(() => ({ eta: 4 })).verify())
    expect(single.message).toContain('return an array with one entry per response')
  })
})

describe('handlers that fail affect only their own message', () => {
  const own = new Error('the template is gone')
  const hanging = () => new Promise<MessageResult>(() => {})

  test.each<[string, MessageMapping[string], { code: string; text: string; cause?: unknown }]>([
    [
      'throws',
      () => {
        throw own
      },
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'failed: the template is gone', cause: own },
    ],
    [
      'rejects',
      () => Promise.reject(own),
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'failed: the template is gone', cause: own },
    ],
    [
      'rejects with no Error',
      () => Promise.reject('no more'),
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'failed: no more', cause: 'no more' },
    ],
    ['never settles', hanging, { code: 'ERR_CONTRACT_MESSAGE_TIMEOUT', text: 'did not finish within 50 ms' }],
    [
      'returns nothing',
      (() => undefined) as never,
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'failed: the result for "an order was placed" is undefined' },
    ],
    [
      'returns no JSON',
      () => new Date(0),
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'a Date is not a JSON value' },
    ],
    [
      'returns an envelope without contents',
      () => ({ metadata: {} }),
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'has no contents, only metadata' },
    ],
    [
      'returns metadata that are none',
      () => ({ contents: 1, metadata: [1] }),
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'metadata must be an object, received an array' },
    ],
    [
      'returns a type that is none',
      () => ({ contents: 1, contentType: 'so so' }),
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: '"so so" is not a valid content type' },
    ],
    [
      'returns a type that is not a string',
      () => ({ contents: 1, contentType: 7 }),
      { code: 'ERR_CONTRACT_MESSAGE_HANDLER', text: 'contentType must be a string, received a number' },
    ],
  ])('one that %s', async (_, handler, { code, text, cause }) => {
    const verification = (await verifier(orderPlaced, price)).messageHandler(
      { 'an order was placed': handler, 'a question for a price': { price: 1 } },
      { timeout: 50 },
    )

    const error = await failed(verification.verify())

    expect(outcomes(error.report)).toEqual(['a question for a price: passed', 'an order was placed: failed'])
    const reported = error.report.contracts[0]?.interactions[1]?.error
    expect(reported).toMatchObject({ code, message: expect.stringContaining(text) })
    expect(reported?.message).toContain('"an order was placed"')
    if (cause !== undefined) {
      expect(error.cause).toBe(cause)
      expect((reported as { cause?: unknown }).cause).toBe(cause)
    }
  })

  test('reports a missing handler with similar names', async () => {
    const verification = (await verifier(orderPlaced)).messageHandler({
      'an order is placed': {},
      'an invoice was sent': {},
    })

    const error = await failed(verification.verify())

    expect(error.message).toContain('no message handler for "an order was placed". Did you mean "an order is placed"?')
  })
})

describe('messages are verified like HTTP interactions', () => {
  test('states are set up and torn down around each', async () => {
    const calls: string[] = []
    const verification = (await stateless(orderPlaced))
      .stateHandler((state, action) => void calls.push(`${action} ${state}`), { teardown: true })
      .messageHandler(() => {
        calls.push('message')
        return placed
      })

    await verification.verify()

    expect(calls).toEqual(['setup an order exists', 'message', 'teardown an order exists'])
  })

  test('filters select by kind and description', async () => {
    const both = async () => (await verifier(orderPlaced, price)).messageHandler(() => ({ price: 1 }))

    expect(outcomes(await (await both()).filter({ kind: 'Sync' }).verify())).toEqual(['a question for a price: passed'])
    expect(outcomes(await (await both()).filter('price').verify())).toEqual(['a question for a price: passed'])
  })

  test('a pending one does not fail the run', async () => {
    const verification = await verifier((contract) => {
      contract.uponReceiving('an event', 'Async').withBody({ a: 1 }).setPending(true)
    })

    const report = await verification.messageHandler(() => ({ a: 2 })).verify()

    expect(outcomes(report)).toEqual(['an event: pending'])
  })

  test('the report is readable', async () => {
    const verification = (await verifier(orderPlaced, label))
      .setColouredOutput(false)
      .messageHandler(() => ({ contents: { id: 'x', total: 1 }, metadata: { topic: 'bills', partition: 1 } }))

    const error = await failed(verification.verify())

    const text = error.message
      .replace(/^ {2}\S*invoices-orders\.json$/m, '  invoices-orders.json')
      .replace(/[0-9a-f]{16}/g, '<fingerprint>')
      .replace(/\d+(\.\d+)? (ms|s)\b/g, '<time>')
    expect(text).toMatchSnapshot()
  })
})

describe('reports invalid handlers', () => {
  test.each([
    ['no handlers', () => new Verifier('orders').messageHandler(null as never)],
    ['an undefined handler', () => new Verifier('orders').messageHandler({ a: undefined as never })],
    ['a time that is none', () => new Verifier('orders').messageHandler({}, { timeout: -1 })],
  ])('%s', (_, call) => {
    expect(call).toThrow(ContractArgumentError)
    expect(call).toThrow(/^messageHandler: /)
  })

  test('handlers and an endpoint', async () => {
    const endpoint = { protocol: 'message', url: 'http://127.0.0.1:9' }
    const handled = (await verifier(orderPlaced)).messageHandler(() => placed)
    expect(() => handled.addTransport(endpoint)).toThrow(
      'messages can come from message handlers or from the transport "message", not from both',
    )
    const reached = (await verifier(orderPlaced)).addTransport(endpoint)
    expect(() => reached.messageHandler(() => placed)).toThrow(
      'messages can come from message handlers or from the transport "message", not from both',
    )

    // The rejected handlers have no effect.
    expect((await handled.verify()).success).toBe(true)
  })

  test('no handlers', async () => {
    const error = await failed((await verifier(orderPlaced)).addTransport('http://127.0.0.1:9').verify())

    expect(error.message).toContain('but no message handlers are configured')
  })
})
