export interface OrderLine {
  readonly sku: string
  readonly quantity: number
  readonly price: number
}

export interface Order {
  readonly id: number
  readonly status: 'open' | 'shipped' | 'cancelled'
  readonly placedAt: string
  readonly customer: { readonly id: string; readonly name: string }
  readonly lines: readonly OrderLine[]
}

export interface OrderPage {
  readonly orders: readonly { readonly id: number; readonly status: Order['status']; readonly total: number }[]
  readonly next: string | null
}

/** Thrown if an order does not exist. */
export class OrderNotFound extends Error {
  constructor(id: number) {
    super(`There is no order ${id}`)
  }
}

/** The client of the orders service. */
export class OrdersClient {
  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string) {
    this.#url = url
    this.#token = token
  }

  async order(id: number): Promise<Order> {
    const response = await this.#fetch(`/orders/${id}`)
    if (response.status === 404) throw new OrderNotFound(id)
    return (await expectOk(response)) as Order
  }

  async openOrders(customer: string, limit: number): Promise<OrderPage> {
    const query = new URLSearchParams({ customer, status: 'open', limit: String(limit) })
    return (await expectOk(await this.#fetch(`/orders?${query}`))) as OrderPage
  }

  async place(
    customer: string,
    lines: readonly OrderLine[],
  ): Promise<{ readonly id: number; readonly location: string }> {
    const response = await this.#fetch('/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ customer, lines }),
    })
    const { id } = (await expectOk(response)) as { id: number }
    return { id, location: response.headers.get('Location') ?? '' }
  }

  #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Accept: 'application/json', Authorization: `Bearer ${this.#token}`, ...init.headers }
    return fetch(this.#url + path, { ...init, headers })
  }
}

async function expectOk(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`The orders service returned status ${response.status}: ${await response.text()}`)
  return response.json()
}
