import { Buffer } from 'node:buffer'
import type { Queue } from '../queue.ts'
import type { Warehouse } from './picking.ts'

/** Passes the messages of the queue to the warehouse. */
export function subscribe(queue: Queue, warehouse: Warehouse): void {
  queue.subscribe(async ({ topic, payload }) => {
    if (topic === 'orders') warehouse.plan(JSON.parse(Buffer.from(payload).toString('utf8')))
    if (topic === 'labels') warehouse.addLabel(payload)
  })
}
