import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { type MessageMapping, type MessageRequest, startMessageEndpoint, Verifier } from 'contract'
import { deliveryTime, type Order, orderPlaced, shippingLabel } from './events.ts'

const contracts = fileURLToPath(new URL('../contracts', `file://${__filename}`))

/** The order in the provider states of the contract. */
function orderOf({ providerStates }: MessageRequest): Order {
  const { id, carrier = 'DHL' } = (providerStates[0]?.parameters ?? {}) as { id: number; carrier?: string }
  return {
    id,
    carrier,
    customer: 'c-42',
    lines: [{ sku: 'AB-123', quantity: 2, price: 9.5 }],
    placedAt: new Date('2024-05-01T10:30:00Z'),
  }
}

const messages: MessageMapping = {
  'an order was placed': (request) => orderPlaced(orderOf(request)),
  'a label for a parcel': (request) => shippingLabel(orderOf(request)),
  'a question for the time of a delivery': ({ request }) => deliveryTime(request?.body as { carrier: string }),
}

// The events depend only on the parameters of the states, so no setup is required.
const verifier = () => new Verifier('orders').addSource(contracts).stateHandler(() => {})

test('the events of the orders service satisfy its contracts', async () => {
  const report = await verifier().messageHandler(messages).verify()

  expect(report.summary).toMatchObject({ total: 3, passed: 3, failed: 0 })
})

test('verifiers of other languages can ask for them over HTTP', async () => {
  const endpoint = await startMessageEndpoint(messages)
  try {
    const report = await verifier().addTransport({ protocol: 'message', url: endpoint.url }).verify()

    expect(report.summary).toMatchObject({ total: 3, passed: 3, failed: 0 })
  } finally {
    await endpoint.close()
  }
})
