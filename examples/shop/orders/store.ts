export interface Line {
  readonly sku: string
  readonly quantity: number
  readonly price: number
}

export interface StoredOrder {
  readonly id: number
  readonly customer: string
  readonly status: 'open' | 'shipped' | 'cancelled'
  readonly placedAt: Date
  readonly lines: readonly Line[]
}

/** Orders and customers in memory. */
export class Store {
  readonly #orders = new Map<number, StoredOrder>()
  readonly #customers = new Map<string, string>()

  clear(): void {
    this.#orders.clear()
    this.#customers.clear()
  }

  addCustomer(id: string, name: string): void {
    this.#customers.set(id, name)
  }

  customerName(id: string): string | undefined {
    return this.#customers.get(id)
  }

  add(order: Omit<StoredOrder, 'id'> & { readonly id?: number }): StoredOrder {
    const id = order.id ?? Math.max(0, ...this.#orders.keys()) + 1
    const stored = { ...order, id }
    this.#orders.set(id, stored)
    return stored
  }

  find(id: number): StoredOrder | undefined {
    return this.#orders.get(id)
  }

  of(customer: string, status: string): StoredOrder[] {
    return [...this.#orders.values()].filter((order) => order.customer === customer && order.status === status)
  }
}
