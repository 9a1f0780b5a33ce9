import { Buffer } from 'node:buffer'

export interface Order {
  readonly id: number
  readonly customer: string
  readonly lines: readonly { readonly sku: string; readonly quantity: number; readonly price: number }[]
  readonly placedAt: Date
  readonly carrier: string
}

/** An event of the service, independent of the transport. */
export interface OutgoingEvent {
  readonly contents: object | Uint8Array
  readonly contentType: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Creates the event for a placed order. */
export function orderPlaced(order: Order): OutgoingEvent {
  const { id, customer, lines, placedAt } = order
  return {
    contents: {
      id,
      customer,
      lines,
      total: lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0),
      placedAt: placedAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    },
    contentType: 'application/json',
    metadata: { topic: 'orders', key: String(id) },
  }
}

/** Creates the parcel label: `SL`, a version, the order number, and the carrier's name with its length. */
export function shippingLabel({ id, carrier }: Order): OutgoingEvent {
  const name = Buffer.from(carrier, 'latin1')
  const label = Buffer.alloc(8 + name.length)
  label.write('SL', 0, 'latin1')
  label.writeUInt8(1, 2)
  label.writeUInt32BE(id, 3)
  label.writeUInt8(name.length, 7)
  name.copy(label, 8)
  return { contents: label, contentType: 'application/x-shipping-label', metadata: { topic: 'labels' } }
}

/** The delivery time of a carrier, in days. */
export function deliveryTime(question: { readonly carrier: string }): {
  readonly carrier: string
  readonly days: number
} {
  return { carrier: question.carrier, days: question.carrier === 'DHL' ? 2 : 4 }
}
