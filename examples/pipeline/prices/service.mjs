import { createServer } from 'node:http'

/** The service. Prices are in cents, by article. */
export function pricesService(prices) {
  return createServer((request, response) => {
    const article = /^\/prices\/([^/]+)$/.exec(request.url)?.[1]
    const cents = article && prices.get(decodeURIComponent(article))
    response.writeHead(cents === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(cents === undefined ? { error: 'no such article' } : { cents }))
  })
}
