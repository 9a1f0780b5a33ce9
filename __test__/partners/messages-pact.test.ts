// Messages and @pact-foundation/pact: each verifies what the other has written, in versions 3 and 4.
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import {
  Contract,
  type MessageMapping,
  match,
  startMessageEndpoint,
  VerificationError,
  type VerificationReport,
  Verifier,
} from 'contract'
import { temporaryDirectory } from '../support/temporary.ts'

/** The directory with the installed package. */
const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')
const script = (name: string) => join(__dirname, 'support', name)

const verdicts = (report: VerificationReport) =>
  Object.fromEntries(
    report.contracts.flatMap(({ interactions }) =>
      interactions.map(({ description, status }) => [description, status]),
    ),
  )

describe('message contracts of @pact-foundation/pact', () => {
  const directory = temporaryDirectory()
  execFileSync(process.execPath, [script('messages-write.cjs'), partners, directory], {
    stdio: 'pipe',
    timeout: 300_000,
  })

  const placed = {
    contents: { id: 9, customer: 'c-1', tags: ['a', 'b'], placedAt: '2025-05-06T07:08:09' },
    metadata: { topic: 'orders', key: '9' },
  }
  const producer: MessageMapping = {
    'an order was placed': placed,
    'a label': { contents: Uint8Array.of(1, 2, 255), contentType: 'application/x-label' },
    'a note': 'hello',
    'a question': ({ request }) => {
      expect(request?.body).toEqual({ carrier: 'DHL' })
      return { days: 1 }
    },
  }
  const verifier = (consumer: string) =>
    new Verifier('orders')
      .addSource(directory)
      .filterConsumers(consumer)
      .stateHandler({ 'an order exists': () => {} })

  const of = {
    'invoices-v3': { 'a label': 'passed', 'a note': 'passed', 'an order was placed': 'passed' },
    'invoices-v4': { 'a label': 'passed', 'a question': 'passed', 'an order was placed': 'passed' },
  }
  const consumers = Object.keys(of) as (keyof typeof of)[]

  test.each(consumers)('%s passes a producer that honours it', async (consumer) => {
    expect(verdicts(await verifier(consumer).messageHandler(producer).verify())).toEqual(of[consumer])
  })

  test.each(consumers)('%s passes it over HTTP, too', async (consumer) => {
    await using endpoint = await startMessageEndpoint(producer)

    const report = await verifier(consumer).addTransport({ protocol: 'message', url: endpoint.url }).verify()

    expect(verdicts(report)).toEqual(of[consumer])
  })

  test.each(
    consumers.flatMap(
      (consumer) =>
        [
          [consumer, 'contents', { ...placed, contents: { ...placed.contents, placedAt: 'now' } }, '$.placedAt'],
          [consumer, 'metadata', { ...placed, metadata: { topic: 'orders', key: 'nine' } }, 'key'],
          [
            consumer,
            'another type',
            { ...placed, contents: 'id=9', contentType: 'application/x-www-form-urlencoded' },
            'application/json',
          ],
        ] as const,
    ),
  )('%s fails a producer with wrong %s', async (consumer, _, wrong, text) => {
    const run = verifier(consumer)
      .messageHandler({ ...producer, 'an order was placed': wrong })
      .verify()

    const error = (await run.catch((error: unknown) => error)) as VerificationError

    expect(error).toBeInstanceOf(VerificationError)
    expect(verdicts(error.report)).toEqual({ ...of[consumer], 'an order was placed': 'failed' })
    expect(error.message).toContain(text)
  })
})

describe('message contracts of this package, verified by @pact-foundation/pact', () => {
  const order = { id: match.int(7) }

  async function file(specification: string): Promise<string> {
    const contract = new Contract(`shop-${specification}`, 'orders', { directory: temporaryDirectory(), specification })
    contract
      .uponReceiving('an order was placed', 'Async')
      .given('an order exists', { parameters: { id: 7 } })
      .withBody({ ...order, total: match.number(1.5) })
      .withMetadata({ topic: 'orders', partition: match.int(3) })
    contract.uponReceiving('an order was cancelled', 'Async').withBody(order).withMetadata({ topic: 'orders' })
    contract.uponReceiving('an order was sent', 'Async').withBody(order).withMetadata({ topic: 'orders' })
    if (specification === 'V4') {
      contract
        .uponReceiving('a question', 'Sync')
        .withBody({ carrier: 'DHL' })
        .willRespondWith()
        .withBody({ days: match.int(2) })
      await contract.verify(() => {}, 'Sync')
    }
    await contract.verify(() => {}, 'Async')
    return contract.writeFile()
  }

  /** In a separate process, while this one may serve the endpoint. */
  async function verdictsOf(...args: string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(process.execPath, [script('messages-verify.cjs'), partners, ...args])
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  }

  test.each(['V3', 'V4'])('%s, handlers in its process', async (specification) => {
    expect(await verdictsOf(await file(specification))).toEqual({
      'an order was placed': 'passed',
      'an order was cancelled': 'failed',
      'an order was sent': 'failed',
      ...(specification === 'V4' ? { 'a question': 'passed' } : {}),
    })
  })

  test.each(['V3', 'V4'])('%s, our endpoint', async (specification) => {
    const directory = temporaryDirectory()
    const contract = new Contract('shop', 'orders', { directory, specification })
    contract
      .uponReceiving('an order was placed', 'Async')
      .given('an order exists', { parameters: { id: 7 } })
      .withBody(order)
      .withMetadata({ topic: 'orders' })
    contract.uponReceiving('a label', 'Async').withBinaryBody(Uint8Array.of(1, 2, 255), 'application/x-label')
    contract.uponReceiving('another label', 'Async').withBinaryBody(Uint8Array.of(1), 'application/x-label')
    contract.uponReceiving('broken', 'Async').withBody({ a: match.int(1) })
    contract.uponReceiving('forgotten', 'Async').withBody({ a: match.int(1) })
    await contract.verify(() => {}, 'Async')
    expect(readFileSync(join(directory, 'shop-orders.json'), 'utf8')).toContain('"a label"')
    await using endpoint = await startMessageEndpoint({
      'an order was placed': ({ providerStates }) => ({
        contents: { id: providerStates[0]?.parameters.id },
        metadata: { topic: 'orders' },
      }),
      'a label': { contents: Uint8Array.of(1, 2, 255), contentType: 'application/x-label' },
      'another label': { contents: Uint8Array.of(2), contentType: 'application/x-label' },
      broken: () => Promise.reject(new Error('no ink')),
    })

    expect(await verdictsOf(join(directory, 'shop-orders.json'), String(endpoint.port))).toEqual({
      'an order was placed': 'passed',
      'a label': 'passed',
      'another label': 'failed',
      broken: 'failed',
      forgotten: 'failed',
    })
  })
})
