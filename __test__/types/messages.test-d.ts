import { createServer } from 'node:http'
import {
  bodyHandler,
  Contract,
  type EndpointRequest,
  type JsonValue,
  type Message,
  type MessageError,
  type MessageRequest,
  type MessageState,
  match,
  messageEndpoint,
  startMessageEndpoint,
  Verifier,
} from 'contract'
import { expectTypeOf } from 'expect-type'

interface OrderPlaced {
  readonly id: number
  readonly total: number
}

const contract = new Contract('invoices', 'orders')
const event = contract.uponReceiving('an event', 'Async')
const question = contract.uponReceiving('a question', 'Sync')

// An asynchronous message has one part and no response.
event
  .given('s')
  .withBody<OrderPlaced>({ id: match.int(7), total: 1 })
  .withMetadata({ topic: 'orders', at: match.int(1) })
event.withBody('x', { part: 'request' }).withMetadata({ gone: null }, { part: 'Request' })
// @ts-expect-error it has no response
event.willRespondWith()
// @ts-expect-error no response whose body can be set
event.withBody('x', { part: 'response' })
// @ts-expect-error no response whose body can be set
event.withBinaryBody(null, 'text/plain', 'Response')
// @ts-expect-error no response whose metadata can be set
event.withMetadata({ a: 1 }, { part: 'response' })
// @ts-expect-error no response whose rules can be set
event.withMatchingRules({}, { part: 'response' })
// @ts-expect-error no response whose generators can be set
event.withGenerators({}, { part: 'response' })
// @ts-expect-error it has no headers
event.withHeader('a', 'b')
// @ts-expect-error metadata cannot be a function
event.withMetadata({ a: () => 1 })
// @ts-expect-error an HTTP interaction has no metadata
contract.uponReceiving('a request').withMetadata({ a: 1 })

// A synchronous message has a request and responses, without status.
question.withBody({ a: 1 }).willRespondWith().withBody({ b: 1 }).willRespondWith().withBody('c', { part: 'response' })
// @ts-expect-error a message has no status
question.willRespondWith(200)

// The handler declares the type of its parameter.
contract.verify((order: OrderPlaced, metadata, message) => {
  expectTypeOf(metadata).toEqualTypeOf<Readonly<Record<string, JsonValue>>>()
  expectTypeOf(message).toEqualTypeOf<Message<OrderPlaced>>()
  expectTypeOf(message.raw).toEqualTypeOf<Uint8Array>()
  expectTypeOf(message.kind).toEqualTypeOf<'Async' | 'Sync'>()
  return order.id
}, 'Async')
contract.verify((body) => expectTypeOf(body).toBeUnknown(), 'Sync', { checkResponse: false, timeout: 1, raises: false })
contract.verify(
  bodyHandler((order: OrderPlaced) => order.id),
  'Async',
)
expectTypeOf(contract.verify(() => {}, 'Async')).toEqualTypeOf<Promise<readonly MessageError[]>>()
// @ts-expect-error HTTP interactions are for serve
contract.verify(() => {}, 'HTTP')
// @ts-expect-error the kind is required
contract.verify(() => {})

// Message handlers return typed values, bytes, strings, and envelopes.
const placed: OrderPlaced = { id: 7, total: 1 }
new Verifier('orders')
  .messageHandler({
    a: (request) => {
      expectTypeOf(request).toEqualTypeOf<MessageRequest>()
      expectTypeOf(request.providerStates).toEqualTypeOf<readonly MessageState[]>()
      return placed
    },
    b: async () => Uint8Array.of(1),
    c: () => ({ contents: placed, contentType: 'application/json', metadata: { topic: 'orders' } }),
    d: placed,
    e: () => [placed, 'text', null],
  })
  .messageHandler(({ description }) => description, { timeout: 100 })
  .addTransport({ f: ({ request }) => request?.body ?? null })
  .addTransport(() => 'x')
new Verifier('orders', { messageHandler: { a: () => placed } })
// @ts-expect-error a handler must return a value
new Verifier('orders').messageHandler(() => {})

// The endpoint works with Node servers.
createServer(messageEndpoint({ a: () => placed }))
expectTypeOf(messageEndpoint).parameter(0).toEqualTypeOf<Parameters<Verifier['messageHandler']>[0]>()
expectTypeOf<Parameters<ReturnType<typeof messageEndpoint>>[0]>().toEqualTypeOf<EndpointRequest>()
expectTypeOf(startMessageEndpoint).returns.resolves.toExtend<AsyncDisposable>()
