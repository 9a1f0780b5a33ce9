/** The parts of the event that the warehouse uses. */
export interface PlacedOrder {
  readonly id: number
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[]
  readonly placedAt: string
}

/** An item to take from the shelves. */
export interface PickingList {
  readonly order: number
  readonly items: readonly string[]
  readonly due: Date
}

export interface Label {
  readonly order: number
  readonly carrier: string
}

/** The part of the warehouse that handles orders. */
export class Warehouse {
  readonly lists: PickingList[] = []
  readonly labels: Label[] = []

  /** Schedules an order for the day after it was placed. */
  plan({ id, lines, placedAt }: PlacedOrder): PickingList {
    if (lines.length === 0) throw new Error(`The order ${id} has no items to pick`)
    const due = new Date(placedAt)
    if (Number.isNaN(due.getTime())) throw new Error(`The order ${id} has an invalid time: ${placedAt}`)
    due.setUTCDate(due.getUTCDate() + 1)
    const list = { order: id, items: lines.map(({ sku, quantity }) => `${quantity} × ${sku}`), due }
    this.lists.push(list)
    return list
  }

  /** Stores a label for the printer. */
  addLabel(bytes: Uint8Array): Label {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
    if (text(0, 2) !== 'SL' || view.getUint8(2) !== 1) throw new Error('The label does not have version 1')
    const label = { order: view.getUint32(3), carrier: text(8, 8 + view.getUint8(7)) }
    this.labels.push(label)
    return label
  }
}

/** Returns the day on which a parcel arrives, from the response of the orders service. */
export function arrival(sent: Date, { days }: { readonly days: number }): Date {
  const day = new Date(sent)
  day.setUTCDate(day.getUTCDate() + days)
  return day
}
