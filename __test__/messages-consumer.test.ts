import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, jest, test } from '@jest/globals'
import {
  bodyHandler,
  Contract,
  ContractArgumentError,
  type JsonValue,
  type Message,
  MessageError,
  MessageVerificationError,
  match,
} from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

interface Written {
  readonly interactions?: readonly Record<string, unknown>[]
  readonly messages?: readonly Record<string, unknown>[]
}

function fileIn(directory: string): Written {
  return JSON.parse(readFileSync(join(directory, 'invoices-orders.json'), 'utf8')) as Written
}

/** A contract with its own directory. */
function invoices(specification = 'V4'): { contract: Contract; directory: string } {
  const directory = temporaryDirectory()
  return { contract: new Contract('invoices', 'orders', { directory, specification }), directory }
}

function orderPlaced(contract: Contract, description = 'an order was placed') {
  return contract
    .uponReceiving(description, 'Async')
    .given('an order exists', { parameters: { id: 7 } })
    .withBody({ id: match.int(7), total: match.float(19) })
    .withMetadata({ topic: 'orders', partition: match.int(3) })
}

async function failed(run: Promise<unknown>): Promise<MessageVerificationError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(MessageVerificationError)
  return error as MessageVerificationError
}

describe('the consumer of asynchronous messages', () => {
  test('receives contents, metadata, and the message, and writes the file', async () => {
    const { contract, directory } = invoices()
    orderPlaced(contract).setKey('placed').addTextComment('from the queue').testName('invoices').setPending(true)
    const seen: unknown[] = []

    const failures = await contract.verify(
      (order: { id: number }, metadata, { raw, contentType, description, kind, key, providerStates, responses }) => {
        seen.push(order, metadata, Buffer.from(raw).toString('utf8'), contentType)
        seen.push({ description, kind, key, providerStates, responses })
      },
      'Async',
    )

    expect(failures).toEqual([])
    expect(seen).toEqual([
      { id: 7, total: 19 },
      { topic: 'orders', partition: 3 },
      '{"id":7,"total":19.0}',
      'application/json',
      {
        description: 'an order was placed',
        kind: 'Async',
        key: 'placed',
        providerStates: [{ name: 'an order exists', parameters: { id: 7 } }],
        responses: [],
      },
    ])
    expect(fileIn(directory).interactions).toEqual([
      {
        type: 'Asynchronous/Messages',
        description: 'an order was placed',
        key: 'placed',
        pending: true,
        comments: { testname: 'invoices', text: ['from the queue'] },
        providerStates: [{ name: 'an order exists', params: { id: 7 } }],
        contents: { content: { id: 7, total: 19 }, contentType: 'application/json', encoded: false },
        // Only the metadata of the test, without an added content type.
        metadata: { topic: 'orders', partition: 3 },
        matchingRules: {
          body: {
            '$.id': { combine: 'AND', matchers: [{ match: 'integer' }] },
            '$.total': { combine: 'AND', matchers: [{ match: 'decimal' }] },
          },
          metadata: { partition: { combine: 'AND', matchers: [{ match: 'integer' }] } },
        },
      },
    ])
  })

  test('receives text, bytes, null, and empty contents', async () => {
    const contract = new Contract('invoices', 'orders')
    const label = Uint8Array.of(1, 2, 0xff)
    contract.uponReceiving('text', 'Async').withBody('hello', 'text/plain')
    contract.uponReceiving('bytes', 'Async').withBinaryBody(label, 'application/x-label')
    contract.uponReceiving('readable bytes', 'Async').withBinaryBody(Buffer.from('abc'))
    contract.uponReceiving('xml', 'Async').withBody('<a/>', 'application/xml')
    contract.uponReceiving('null', 'Async').withBody(null)
    contract.uponReceiving('nothing', 'Async').withMetadata({ a: 1 })
    const bodies = new Map<string, unknown>()
    const types = new Map<string, unknown>()

    await contract.verify(
      (body, _metadata, { description, contentType, raw }) => {
        bodies.set(description, body)
        types.set(description, contentType)
        expect(raw).toBeInstanceOf(Uint8Array)
      },
      'Async',
      { allowEmpty: true },
    )

    expect(bodies.get('text')).toBe('hello')
    expect([...(bodies.get('bytes') as Uint8Array)]).toEqual([1, 2, 0xff])
    expect([...(bodies.get('readable bytes') as Uint8Array)]).toEqual([97, 98, 99])
    expect(bodies.get('xml')).toBe('<a/>')
    expect(bodies.get('null')).toBeNull()
    expect(bodies.get('nothing')).toBeUndefined()
    expect(types.get('bytes')).toBe('application/x-label')
    expect(types.get('nothing')).toBeUndefined()
  })

  test('receives generated values, which depend on the seed', async () => {
    const values = async (seed: number) => {
      const contract = new Contract('invoices', 'orders', { seed })
      contract
        .uponReceiving('an event', 'Async')
        .withBody({ id: 'x' })
        .withGenerators({ body: { '$.id': { type: 'Uuid' } } })
      let id: unknown
      await contract.verify((body: { id: string }) => {
        id = body.id
      }, 'Async')
      return id
    }

    expect(await values(1)).toMatch(/^[0-9a-f]{8}-/)
    expect(await values(1)).toBe(await values(1))
    expect(await values(1)).not.toBe(await values(2))
  })

  test('receives each message once, or all again with { all: true }', async () => {
    const { contract } = invoices()
    const seen: string[] = []
    const handler = (_: unknown, __: unknown, { description }: Message) => void seen.push(description)
    orderPlaced(contract, 'first')
    await contract.verify(handler, 'Async')
    orderPlaced(contract, 'second')
    await contract.verify(handler, 'Async')
    await contract.verify(handler, 'Async', { all: true })

    expect(seen).toEqual(['first', 'second', 'first', 'second'])
    await expect(contract.verify(handler, 'Async')).rejects.toMatchObject({ code: 'ERR_CONTRACT_NO_MESSAGES' })
  })

  test('reports each failed message with its cause, and writes the passed ones', async () => {
    const { contract, directory } = invoices()
    for (const description of ['a', 'b', 'c', 'd']) orderPlaced(contract, description)
    contract.uponReceiving('empty', 'Async')
    const own = new Error('the field "sku" is missing')
    const handle = async (_: unknown, __: unknown, { description }: Message) => {
      if (description === 'a') throw own
      if (description === 'b') return Promise.reject(42)
      if (description === 'c') await new Promise(() => {})
      return 'whatever'
    }

    const error = await failed(contract.verify(handle, 'Async', { timeout: 20 }))

    expect(error).toBeInstanceOf(AggregateError)
    expect(error.errors.map(({ code, description }) => [code, description])).toEqual([
      ['ERR_CONTRACT_MESSAGE_HANDLER', 'a'],
      ['ERR_CONTRACT_MESSAGE_HANDLER', 'b'],
      ['ERR_CONTRACT_MESSAGE_TIMEOUT', 'c'],
      ['ERR_CONTRACT_MESSAGE_EMPTY', 'empty'],
    ])
    expect(error.errors[0]).toBeInstanceOf(MessageError)
    expect(error.errors[0]?.cause).toBe(own)
    expect(error.errors[1]?.cause).toBe(42)
    expect(error.message).toMatchSnapshot()
    expect(fileIn(directory).interactions?.map(({ description }) => description)).toEqual(['d'])
  })

  test('returns failures with { raises: false }', async () => {
    const { contract, directory } = invoices()
    orderPlaced(contract)

    const failures = await contract.verify(() => Promise.reject(new TypeError('no')), 'Async', { raises: false })

    expect(failures).toHaveLength(1)
    expect(failures[0]?.message).toBe(
      '"an order was placed": the handler failed: TypeError: no [ERR_CONTRACT_MESSAGE_HANDLER]',
    )
    expect(readdirSync(directory)).toEqual([])
  })

  test('works with fake timers', async () => {
    jest.useFakeTimers()
    try {
      const contract = new Contract('invoices', 'orders')
      orderPlaced(contract)
      const error = await failed(contract.verify(() => new Promise(() => {}), 'Async', { timeout: 5 }))
      expect(error.errors[0]?.code).toBe('ERR_CONTRACT_MESSAGE_TIMEOUT')
    } finally {
      jest.useRealTimers()
    }
  })

  test('can be a function of the contents only', async () => {
    const contract = new Contract('invoices', 'orders')
    orderPlaced(contract)
    const calls: unknown[][] = []

    await contract.verify(
      bodyHandler((...call: [{ id: number }]) => void calls.push(call)),
      'Async',
    )

    expect(calls).toEqual([[{ id: 7, total: 19 }]])
  })

  test('metadata: null removes an entry; empty strings and the string null are stored', async () => {
    const contract = new Contract('invoices', 'orders')
    contract
      .uponReceiving('an event', 'Async')
      .withBody('x')
      .withMetadata({ gone: 'a', empty: '', nothing: 'null', json: '{"a": 1}', list: [1, 'a'], kept: 'a' })
      .withMetadata({ gone: null, __part: 'a', matched: '{"value": "b", "contract:matcher:type": "type"}' })
    let seen: unknown

    await contract.verify((_body, metadata) => {
      seen = metadata
    }, 'Async')

    const expected: Record<string, JsonValue> = {
      empty: '',
      nothing: null,
      json: '{"a": 1}',
      list: [1, 'a'],
      kept: 'a',
    }
    expect(seen).toEqual({ ...expected, __part: 'a', matched: 'b' })
  })
})

describe('the consumer of synchronous messages', () => {
  function price(contract: Contract) {
    return contract
      .uponReceiving('a question for a price', 'Sync')
      .withBody({ isbn: match.str('978') })
      .withMetadata({ replyTo: 'prices' })
      .willRespondWith()
      .withBody({ price: match.number(12.5) })
      .withMetadata({ currency: 'EUR' })
  }

  test('receives the request and the defined responses', async () => {
    const { contract, directory } = invoices()
    price(contract).willRespondWith().withBody('done', 'text/plain')
    let seen: Message | undefined

    await contract.verify((_body, _metadata, message) => {
      seen = message
    }, 'Sync')

    expect(seen).toMatchObject({ kind: 'Sync', body: { isbn: '978' }, metadata: { replyTo: 'prices' } })
    expect(seen?.responses).toMatchObject([
      { body: { price: 12.5 }, contentType: 'application/json', metadata: { currency: 'EUR' } },
      { body: 'done', contentType: 'text/plain' },
    ])
    expect(fileIn(directory).interactions).toMatchObject([
      {
        type: 'Synchronous/Messages',
        request: { contents: { content: { isbn: '978' } }, metadata: { replyTo: 'prices' } },
        response: [
          { contents: { content: { price: 12.5 } }, metadata: { currency: 'EUR' } },
          { contents: { content: 'done', contentType: 'text/plain' } },
        ],
      },
    ])
  })

  test.each([
    ['nothing', undefined],
    ['the response', { contents: { price: 3.25 }, metadata: { currency: 'EUR', more: 1 } }],
    ['a text of JSON', { contents: '{"price": 3.25}', metadata: { currency: 'EUR' } }],
  ])('may return %s', async (_, value) => {
    const contract = new Contract('invoices', 'orders')
    price(contract)

    expect(await contract.verify(() => value, 'Sync')).toEqual([])
  })

  test('fails if it returns another response', async () => {
    const { contract, directory } = invoices()
    price(contract)

    const error = await failed(contract.verify(async () => ({ contents: { price: '3' } }), 'Sync'))

    expect(error.errors[0]).toMatchObject({
      code: 'ERR_CONTRACT_MESSAGE_RESPONSE',
      mismatches: [
        { type: 'BodyMismatch', path: '$.price' },
        { type: 'MetadataMismatch', key: 'currency', kind: 'missing' },
      ],
    })
    expect(error.message).toMatchSnapshot()
    expect(readdirSync(directory)).toEqual([])
  })

  test('can return anything with { checkResponse: false }', async () => {
    const contract = new Contract('invoices', 'orders')
    price(contract)

    expect(await contract.verify(() => 'other', 'Sync', { checkResponse: false })).toEqual([])
  })

  test.each([
    ['a list', [{ contents: { price: 1.5 }, metadata: { currency: 'EUR' } }, 'done'], undefined],
    ['no list', { price: 1 }, 'the contract has multiple responses; return an array with one entry per response'],
    ['a short list', ['done'], 'expected 2 messages, but received 1 message'],
    [
      'a wrong second one',
      [{ contents: { price: 1.5 }, metadata: { currency: 'EUR' } }, 'over'],
      "Expected body 'done' to match 'over'",
    ],
    ['an envelope without contents', [{ metadata: {} }, 'done'], 'has no contents, only metadata'],
    ['something that is no JSON', [new Map(), 'done'], 'a Map is not a JSON value'],
  ])('with several responses returns %s', async (_, value, problem) => {
    const contract = new Contract('invoices', 'orders')
    price(contract).willRespondWith().withBody('done', 'text/plain')

    const failures = await contract.verify(() => value, 'Sync', { raises: false })

    expect(failures.map(({ message }) => message)).toEqual(
      problem === undefined ? [] : [expect.stringContaining(problem)],
    )
  })
})

describe('the file', () => {
  test('contains HTTP interactions and both kinds of messages', async () => {
    const { contract, directory } = invoices()
    orderPlaced(contract)
    contract.uponReceiving('a question', 'Sync').withBody({ a: 1 }).willRespondWith().withBody({ b: 1 })
    contract.uponReceiving('a request').withRequest('GET', '/orders').willRespondWith(200)

    await contract.serve(async ({ url }) => void (await fetch(`${url}/orders`)))
    expect(fileIn(directory).interactions).toHaveLength(1)
    await contract.verify(() => {}, 'Sync')
    await contract.verify(() => {}, 'Async')

    expect(
      fileIn(directory)
        .interactions?.map(({ type }) => type)
        .sort(),
    ).toEqual(['Asynchronous/Messages', 'Synchronous/HTTP', 'Synchronous/Messages'])
  })

  test('is a V3 message file with V3', async () => {
    const { contract, directory } = invoices('V3')
    orderPlaced(contract)
    contract.uponReceiving('a label', 'Async').withBinaryBody(Uint8Array.of(1, 0xff), 'application/x-label')

    await contract.verify(() => {}, 'Async')

    const { interactions, messages } = fileIn(directory)
    expect(interactions).toBeUndefined()
    expect(messages).toMatchObject([
      { contents: 'Af8=', metaData: { contentType: 'application/x-label' } },
      {
        description: 'an order was placed',
        providerStates: [{ name: 'an order exists', params: { id: 7 } }],
        contents: { id: 7, total: 19 },
        metaData: { topic: 'orders', partition: 3, contentType: 'application/json' },
      },
    ])
  })

  test.each([
    ['HTTP and messages in V3', 'V3', 'Async'],
    ['synchronous messages in V3', 'V3', 'Sync'],
    ['messages in V2', 'V2', 'Async'],
  ] as const)('does not hold %s, and says what to do', async (what, specification, kind) => {
    const { contract } = invoices(specification)
    if (what.startsWith('HTTP')) {
      contract.uponReceiving('a request').withRequest('GET', '/orders').willRespondWith(200)
      await contract.serve(async ({ url }) => void (await fetch(`${url}/orders`)))
    }
    const define = async () => {
      contract.uponReceiving('an event', kind as 'Async').withBody('x')
      await contract.verify(() => {}, kind)
    }

    const error = await define().catch((error: Error) => error)

    expect(String(error)).toContain(specification)
    expect(String(error)).toContain('V4')
  })
})

describe('invalid calls throw immediately', () => {
  const message = () => new Contract('invoices', 'orders').uponReceiving('an event', 'Async')

  test.each([
    ['a response body', () => message().withBody('x', { part: 'response' as 'request' })],
    ['a response content', () => message().withBinaryBody(null, { part: 'Response' as 'Request' })],
    ['response metadata', () => message().withMetadata({ a: 1 }, { part: 'response' as 'request' })],
    ['response rules', () => message().withMatchingRules({}, { part: 'response' as 'request' })],
    [
      'a metadata example that its matcher refuses',
      () =>
        message()
          .withMatchingRules({ metadata: { a: { matchers: [{ match: 'regex', regex: '\\d' }] } } })
          .withMetadata({ a: 'b' }),
    ],
    ['willRespondWith', () => (message() as unknown as { willRespondWith(): void }).willRespondWith()],
    [
      'metadata on HTTP',
      () => (new Contract('a', 'b').uponReceiving('x') as never as ReturnType<typeof message>).withMetadata({ a: 1 }),
    ],
    [
      'a status of a synchronous message',
      () => new Contract('a', 'b').uponReceiving('x', 'Sync').willRespondWith(...([200] as never as [])),
    ],
  ])('%s', (_, call) => {
    let thrown: unknown
    try {
      call()
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ContractArgumentError)
    expect((thrown as Error).message).toMatchSnapshot()
  })

  test.each([
    ['HTTP', () => {}, {}],
    ['Async', 'no function', {}],
    ['Async', () => {}, { timeout: 0 }],
    ['Async', () => {}, {}],
  ])('verify(%s) with what makes no sense', async (kind, handler, options) => {
    const contract = new Contract('invoices', 'orders')

    const error = await contract.verify(handler as () => void, kind as 'Async', options).catch((error: Error) => error)

    expect(error).toBeInstanceOf(ContractArgumentError)
    expect((error as Error).message).toMatchSnapshot()
  })
})
