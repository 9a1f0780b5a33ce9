import { expect, test } from '@jest/globals'
import { publishOrder } from './orders/publisher.ts'
import { Queue } from './queue.ts'
import { Warehouse } from './warehouse/picking.ts'
import { subscribe } from './warehouse/subscriber.ts'

test('an order goes through the queue', async () => {
  const queue = new Queue()
  const warehouse = new Warehouse()
  subscribe(queue, warehouse)

  await publishOrder(queue, {
    id: 11,
    customer: 'c-42',
    lines: [{ sku: 'CD-1', quantity: 3, price: 2 }],
    placedAt: new Date('2024-05-01T10:30:00Z'),
    carrier: 'UPS',
  })

  expect(warehouse.lists.map(({ items }) => items)).toEqual([['3 × CD-1']])
  expect(warehouse.labels).toEqual([{ order: 11, carrier: 'UPS' }])
})
