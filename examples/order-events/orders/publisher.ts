import { Buffer } from 'node:buffer'
import type { Queue } from '../queue.ts'
import { type Order, type OutgoingEvent, orderPlaced, shippingLabel } from './events.ts'

/** Writes the events of the service to the queue. */
export async function publishOrder(queue: Queue, order: Order): Promise<void> {
  for (const event of [orderPlaced(order), shippingLabel(order)]) await publish(queue, event)
}

async function publish(queue: Queue, { contents, contentType, metadata }: OutgoingEvent): Promise<void> {
  const { topic = '', ...others } = metadata
  const payload = contents instanceof Uint8Array ? contents : Buffer.from(JSON.stringify(contents), 'utf8')
  await queue.publish({ topic, headers: { ...others, 'content-type': contentType }, payload })
}
