import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { Contract, match } from 'contract'
import { OrderNotFound, OrdersClient } from './orders-client.ts'

const contracts = fileURLToPath(new URL('../contracts', `file://${__filename}`))
const orders = new Contract('web', 'orders', { directory: contracts })

const clientOf = (url: string) => new OrdersClient(url, 'let-me-in')
const authorized = { Accept: 'application/json', Authorization: match.regex('Bearer let-me-in', /Bearer \S+/) }

describe('the orders client', () => {
  test('gets an order', async () => {
    orders
      .uponReceiving('a request for an order')
      .given('an order exists', { parameters: { id: 7, customer: 'c-42' } })
      .withRequest('GET', '/orders/7')
      .withHeaders(authorized)
      .willRespondWith(200)
      .withBody({
        id: match.int(7),
        status: match.regex('open', /open|shipped|cancelled/),
        placedAt: match.datetime('2024-05-01T10:30:00Z'),
        customer: { id: match.str('c-42'), name: match.str('Alice') },
        lines: match.eachLike({
          sku: match.regex('AB-123', /[A-Z]{2}-\d+/),
          quantity: match.int(2),
          price: match.number(9.5),
        }),
      })

    const order = await orders.serve(({ url }) => clientOf(url).order(7))

    expect(order).toMatchObject({ id: 7, status: 'open', customer: { name: 'Alice' } })
    expect(order.lines).toHaveLength(1)
  })

  test('reports an order that does not exist', async () => {
    orders
      .uponReceiving('a request for an order that does not exist')
      .given('no order exists', { parameters: { id: 8 } })
      .withRequest('GET', '/orders/8')
      .withHeaders(authorized)
      .willRespondWith(404)
      .withBody({ error: { code: 'ORDER_NOT_FOUND', message: match.like('There is no order 8') } })

    await orders.serve(({ url }) => expect(clientOf(url).order(8)).rejects.toThrow(OrderNotFound))
  })

  test("lists a customer's open orders", async () => {
    orders
      .uponReceiving("a request for a customer's open orders")
      .given('a customer has open orders', { parameters: { customer: 'c-42', count: 3 } })
      .withRequest('GET', '/orders')
      .withQueryParameters({ customer: 'c-42', status: 'open', limit: match.int(2) })
      .withHeaders(authorized)
      .willRespondWith(200)
      .withBody({
        orders: match.eachLike(
          { id: match.int(1), status: 'open', total: match.number(19.0) },
          { min: 1, max: 2, examples: 2 },
        ),
        next: match.regex('/orders?customer=c-42&status=open&limit=2&after=2', /\/orders\?.*after=\d+/),
      })

    const page = await orders.serve(({ url }) => clientOf(url).openOrders('c-42', 2))

    expect(page.orders.map(({ status }) => status)).toEqual(['open', 'open'])
    expect(page.next).toContain('after=2')
  })

  test('places an order', async () => {
    orders
      .uponReceiving('a request to place an order')
      .given('a customer may order', { parameters: { customer: 'c-42' } })
      .withRequest('POST', '/orders')
      .withHeaders(authorized)
      .withBody({
        customer: match.str('c-42'),
        lines: match.eachLike({ sku: 'AB-123', quantity: match.int(1), price: match.number(9.5) }),
      })
      .willRespondWith(201)
      .withHeader('Location', match.regex('/orders/9', /\/orders\/\d+/))
      .withBody({ id: match.int(9) })

    const placed = await orders.serve(({ url }) => {
      return clientOf(url).place('c-42', [{ sku: 'AB-123', quantity: 1, price: 9.5 }])
    })

    expect(placed).toEqual({ id: 9, location: '/orders/9' })
  })
})
