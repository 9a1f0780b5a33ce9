import { Buffer } from 'node:buffer'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { bodyHandler, Contract, match } from 'contract'
import { arrival, type PlacedOrder, Warehouse } from './picking.ts'

const contracts = fileURLToPath(new URL('../contracts', `file://${__filename}`))
const orders = new Contract('warehouse', 'orders', { directory: contracts })

describe('the warehouse', () => {
  test('plans an order that was placed', async () => {
    const warehouse = new Warehouse()
    orders
      .uponReceiving('an order was placed', 'Async')
      .given('an order exists', { parameters: { id: 7 } })
      .withBody({
        id: match.int(7),
        lines: match.eachLike({ sku: match.regex('AB-123', /[A-Z]{2}-\d+/), quantity: match.int(2) }),
        placedAt: match.datetime('2024-05-01T10:30:00Z'),
      })
      .withMetadata({ topic: 'orders', key: match.regex('7', /\d+/) })

    await orders.verify((order: PlacedOrder, { topic }) => {
      expect(topic).toBe('orders')
      expect(warehouse.plan(order)).toEqual({ order: 7, items: ['2 × AB-123'], due: new Date('2024-05-02T10:30:00Z') })
    }, 'Async')

    expect(warehouse.lists).toHaveLength(1)
  })

  test('reads a label', async () => {
    const warehouse = new Warehouse()
    orders
      .uponReceiving('a label for a parcel', 'Async')
      .given('an order exists', { parameters: { id: 7, carrier: 'DHL' } })
      .withBinaryBody(Buffer.from('SL\x01\x00\x00\x00\x07\x03DHL', 'latin1'), 'application/x-shipping-label')
      .withMetadata({ topic: 'labels' })

    await orders.verify(
      bodyHandler((label: Uint8Array) => warehouse.addLabel(label)),
      'Async',
    )

    expect(warehouse.labels).toEqual([{ order: 7, carrier: 'DHL' }])
  })

  test('asks how long a delivery takes', async () => {
    orders
      .uponReceiving('a question for the time of a delivery', 'Sync')
      .withBody({ carrier: 'DHL' })
      .willRespondWith()
      .withBody({ days: match.int(2) })

    await orders.verify((question, _metadata, { responses }) => {
      expect(question).toEqual({ carrier: 'DHL' })
      const answer = responses[0]?.body as { days: number }
      expect(arrival(new Date('2024-05-02T00:00:00Z'), answer)).toEqual(new Date('2024-05-04T00:00:00Z'))
    }, 'Sync')
  })
})
