import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Line, Store, StoredOrder } from './store.ts'

/** The HTTP interface of the orders service. */
export function ordersService(store: Store): Server {
  return createServer((request, response) => {
    handle(store, request, response).catch((error) =>
      send(response, 500, { error: { code: 'INTERNAL', message: String(error) } }),
    )
  })
}

async function handle(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://service')
  const id = /^\/orders\/(\d+)$/.exec(url.pathname)?.[1]
  if (!request.headers.authorization?.startsWith('Bearer '))
    return send(response, 401, problem('UNAUTHORIZED', 'Who are you?'))
  if (request.method === 'GET' && id !== undefined) return getOrder(store, Number(id), response)
  if (request.method === 'GET' && url.pathname === '/orders') return listOrders(store, url.searchParams, response)
  if (request.method === 'POST' && url.pathname === '/orders') return placeOrder(store, await bodyOf(request), response)
  send(response, 404, problem('NOT_FOUND', 'There is nothing here'))
}

function getOrder(store: Store, id: number, response: ServerResponse): void {
  const order = store.find(id)
  if (order === undefined) {
    send(response, 404, problem('ORDER_NOT_FOUND', `There is no order ${id}`))
    return
  }
  send(response, 200, {
    id: order.id,
    status: order.status,
    placedAt: order.placedAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    customer: { id: order.customer, name: store.customerName(order.customer) ?? '' },
    lines: order.lines,
    total: totalOf(order),
  })
}

function listOrders(store: Store, query: URLSearchParams, response: ServerResponse): void {
  const limit = Number(query.get('limit') ?? 50)
  const all = store.of(query.get('customer') ?? '', query.get('status') ?? 'open')
  const page = all.filter(({ id }) => id > Number(query.get('after') ?? 0)).slice(0, limit)
  const last = page.at(-1)
  query.set('after', String(last?.id))
  send(response, 200, {
    orders: page.map((order) => ({ id: order.id, status: order.status, total: totalOf(order) })),
    next: page.length < all.length ? `/orders?${query}` : null,
  })
}

function placeOrder(store: Store, body: { customer: string; lines: Line[] }, response: ServerResponse): void {
  if (store.customerName(body.customer) === undefined) {
    send(response, 422, problem('UNKNOWN_CUSTOMER', `There is no customer ${body.customer}`))
    return
  }
  const order = store.add({ customer: body.customer, lines: body.lines, status: 'open', placedAt: new Date() })
  send(response, 201, { id: order.id }, { Location: `/orders/${order.id}` })
}

function totalOf({ lines }: StoredOrder): number {
  return lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0)
}

function problem(code: string, message: string) {
  return { error: { code, message } }
}

async function bodyOf(request: IncomingMessage): Promise<{ customer: string; lines: Line[] }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
