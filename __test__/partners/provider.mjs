// `node provider.mjs FILE [rude]`: a provider, and the other implementation's verifier, which verifies it with a
// contract file. Prints the states that were set up; exits with 1 if the provider does not satisfy the contract. A
// separate process, because the other implementation's modules cannot be loaded in Jest.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const installed = createRequire(join(here, '..', '..', '.tmp', 'partners', 'package.json'))
const { Verifier } = installed('@pact-foundation/pact')
const support = (name) => readFileSync(join(here, '..', 'support', name))
const [file, manners] = process.argv.slice(2)
const isRude = manners === 'rude'

/** A provider without any code for contracts. */
const provider = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  answer(request, Buffer.concat(chunks), response)
})
let users = new Map()

function answer(request, body, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://provider')
  const send = (status, value, type = 'application/json; charset=utf-8') => {
    response.writeHead(status, { 'Content-Type': type, 'X-Request-Id': '0a1b2c3d', Vary: 'Accept, Origin' })
    response.end(typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value))
  }
  const id = Number(/^\/users\/(\d+)$/.exec(pathname)?.[1])
  switch (`${request.method} ${Number.isNaN(id) ? pathname : '/users/ID'}`) {
    case 'GET /users/ID':
      if (!users.has(id)) return send(404, { error: 'unknown' })
      return send(200, isRude ? { id: String(id) } : user(id))
    case 'GET /users':
      if (searchParams.getAll('tag').join() !== 'a,b c') return send(400, { error: request.url })
      return send(200, { users: [...users.keys()].map(user), total: users.size, next: null })
    case 'POST /users': {
      const { name } = JSON.parse(body.toString())
      return send(typeof name === 'string' ? 201 : 422, { id: 9, name })
    }
    case 'PUT /note':
      return send(body.toString() === 'buy milk' ? 204 : 400, '')
    case 'GET /note':
      return send(200, 'remember the milk', 'text/plain')
    case 'GET /page':
      return send(200, support('page.pdf'), 'application/pdf')
    case 'PUT /image':
      return send(body.equals(support('pixels.png')) ? 204 : 400, '')
    case 'DELETE /users/ID':
      response.writeHead(204).end()
      return
    default:
      return send(404, { error: pathname })
  }
}

function user(id) {
  return {
    id,
    name: users.get(id),
    rating: 4.5,
    active: true,
    tags: ['new', 'vip'],
    born: '1990-02-28',
    seen: '2026-07-01T12:00:00Z',
    key: '5b8a3a0e-7d0c-4a51-9a5b-0f6a2b1c3d4e',
    more: { than: 'needed' },
  }
}

const states = []
const stateHandlers = {
  'user exists': async ({ id = 7, name = 'Ann' } = {}) => {
    states.push(`user exists ${id}`)
    users = new Map([[id, name]])
  },
  'there are no users': async () => {
    states.push('there are no users')
    users = new Map()
  },
}

provider.listen(0, '127.0.0.1', async () => {
  const providerBaseUrl = `http://127.0.0.1:${provider.address().port}`
  try {
    await new Verifier({
      provider: 'users',
      providerBaseUrl,
      pactUrls: [file],
      logLevel: 'error',
      stateHandlers,
    }).verifyProvider()
    process.stdout.write(`\n${JSON.stringify(states)}`)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } finally {
    provider.close()
    provider.closeAllConnections()
  }
})
