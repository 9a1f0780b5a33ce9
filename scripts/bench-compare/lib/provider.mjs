// A trivial provider. Options: { wrong: boolean, elements: number }
import http from 'node:http'
import { bodyOfSize, elements, tenMatchers } from './data.mjs'
import { example } from './template.mjs'

const options = JSON.parse(process.argv[2] ?? '{}')
const wrongFields = options.wrong ? { id: 'not a number', status: 'broken', active: 'yes' } : {}
const big = options.elements
  ? JSON.stringify({ items: elements(options.elements) })
  : options.bytes
    ? JSON.stringify(bodyOfSize(options.bytes))
    : ''

const server = http.createServer((req, res) => {
  req.resume()
  req.on('end', () => {
    const id = Number(req.url.split('/').pop())
    const body = req.url.startsWith('/big') ? big : JSON.stringify({ ...example(tenMatchers(id)), ...wrongFields })
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    res.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.on('disconnect', () => process.exit(0))
// Stops after at most ten minutes, so that it does not outlive the benchmark.
setTimeout(() => process.exit(0), 600_000).unref()
setInterval(() => {
  if (process.ppid === 1) process.exit(0)
}, 1000).unref()
