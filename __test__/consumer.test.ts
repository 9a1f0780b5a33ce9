import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError, type MockServer, MockServerError, match } from 'contract'
import { transform } from 'esbuild'
import { temporaryDirectory } from './support/temporary.ts'

const json = { 'Content-Type': 'application/json' }

function fileOf(directory: string, name = 'web-users.json') {
  return JSON.parse(readFileSync(join(directory, name), 'utf8'))
}

async function thrown(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('a consumer test', () => {
  test('receives the defined response and writes the contract file', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    contract
      .uponReceiving('a request for user 123')
      .given('user exists', { parameters: { id: 123 } })
      .withRequest('GET', '/users/123')
      .withHeader('Accept', 'application/json')
      .withQueryParameter('fields', 'id')
      .withQueryParameter('fields', 'name')
      .willRespondWith(200)
      .withHeaders({ 'X-Version': '3' })
      .withBody({ id: match.int(123), name: match.str('Alice'), rating: match.float(5), tags: match.eachLike('new') })

    const user = await contract.serve(async ({ url }) => {
      const response = await fetch(`${url}/users/123?fields=id&fields=name`, {
        headers: { Accept: 'application/json' },
      })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('x-version')).toBe('3')
      return response.json()
    })

    expect(user).toEqual({ id: 123, name: 'Alice', rating: 5, tags: ['new'] })
    const file = fileOf(directory)
    expect(file.metadata.pactSpecification).toEqual({ version: '4.0' })
    expect(file.interactions).toHaveLength(1)
    expect(file.interactions[0]).toMatchObject({
      type: 'Synchronous/HTTP',
      description: 'a request for user 123',
      providerStates: [{ name: 'user exists', params: { id: 123 } }],
      request: { method: 'GET', path: '/users/123', query: { fields: ['id', 'name'] } },
      response: {
        status: 200,
        body: { content: { id: 123, name: 'Alice', rating: 5, tags: ['new'] }, contentType: 'application/json' },
        matchingRules: {
          body: {
            '$.id': { combine: 'AND', matchers: [{ match: 'integer' }] },
            '$.rating': { combine: 'AND', matchers: [{ match: 'decimal' }] },
            '$.tags': { combine: 'AND', matchers: [{ match: 'type', min: 1 }] },
          },
        },
      },
    })
    expect(readFileSync(join(directory, 'web-users.json'), 'utf8')).toContain('"rating": 5.0')
  })

  test('can send another value in place of a matcher', async () => {
    const contract = new Contract('web', 'users')
    contract
      .uponReceiving('a request to add a user')
      .withRequest('POST', '/users')
      .withBody({ name: match.str('Alice'), born: match.datetime('2000-01-01T00:00:00Z') })
      .willRespondWith(201)

    const status = await contract.serve(async ({ url }) => {
      const body = JSON.stringify({ name: 'Bob', born: '1999-12-31T23:59:59+14:00', more: 'is ignored' })
      return (await fetch(`${url}/users`, { method: 'POST', headers: json, body })).status
    })

    expect(status).toBe(201)
  })

  test('fails with the mismatches if a request does not match', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    contract
      .uponReceiving('a request to add a user')
      .withRequest('POST', '/users')
      .withBody({ name: match.str('Alice'), age: match.int(30) })
      .willRespondWith(201)
    let answer: unknown

    const error = await thrown(
      contract.serve(async ({ url }) => {
        const body = JSON.stringify({ name: 'Bob', age: 'thirty' })
        const response = await fetch(`${url}/users`, { method: 'POST', headers: json, body })
        expect(response.status).toBe(500)
        answer = await response.json()
      }),
    )

    expect(answer).toMatchObject({
      closest: {
        interaction: { description: 'a request to add a user' },
        mismatches: [{ type: 'BodyMismatch', path: '$.age', pointer: '/age', rule: { match: 'integer' } }],
      },
    })
    expect(error).toBeInstanceOf(MismatchesError)
    const { message, mismatches } = error as MismatchesError
    expect(message).toContain('a request to add a user')
    expect(message).toContain("Expected 'thirty' (String) to be an integer")
    expect(mismatches).toHaveLength(1)
    expect(mismatches[0]).toMatchObject({ type: 'request-mismatch', method: 'POST', path: '/users' })
    expect(() => fileOf(directory)).toThrow('ENOENT')
  })

  test('fails if a request is unexpected', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(200)

    const error = await thrown(
      contract.serve(async ({ url }) => {
        await fetch(`${url}/users`)
        expect((await fetch(`${url}/user`)).status).toBe(500)
      }),
    )

    expect((error as MismatchesError).mismatches).toMatchObject([
      { type: 'request-not-found', method: 'GET', path: '/user' },
    ])
  })

  test('fails if a request is missing', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(200)

    const error = await thrown(contract.serve(() => {}))

    expect((error as MismatchesError).mismatches).toMatchObject([
      { type: 'missing-request', path: '/users', interaction: { description: 'a request for users' } },
    ])
    expect((error as Error).message).toContain('a request for users')
  })

  test('has its own error as the cause of the mismatch error', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(200)
    const own = new Error('expected 200')

    const error = await thrown(
      contract.serve(async ({ url }) => {
        await fetch(`${url}/persons`)
        throw own
      }),
    )

    expect(error).toBeInstanceOf(MismatchesError)
    expect((error as MismatchesError).cause).toBe(own)
  })

  test('throws its own error if it only caused missing requests', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(200)
    const own = new Error('before any request')

    expect(await thrown(contract.serve(() => Promise.reject(own)))).toBe(own)
    expect(() => fileOf(directory)).toThrow('ENOENT')
  })

  test('serves each interaction once, so that a failed test does not affect the next', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    contract.uponReceiving('a failing one').withRequest('GET', '/a').willRespondWith(200)
    await thrown(contract.serve(() => {}))
    contract.uponReceiving('a passing one').withRequest('GET', '/b').willRespondWith(200)

    await contract.serve(({ url }) => fetch(`${url}/b`))

    expect(fileOf(directory).interactions.map((i: { description: string }) => i.description)).toEqual(['a passing one'])
  })

  test('serve returns a server that stops at the end of the scope', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(204)
    let url = ''

    {
      await using server = await contract.serve()
      url = server.url
      expect(String(server)).toBe(url)
      expect(server.matched).toBe(false)
      expect((await fetch(server.resolve('/users'))).status).toBe(204)
      expect(server.matched).toBe(true)
      expect(server.requests).toMatchObject([{ method: 'GET', path: '/users', outcome: 'matched' }])
    }

    await expect(fetch(`${url}/users`)).rejects.toThrow('fetch failed')
  })

  test('throws mismatches at the end of the scope', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(204)

    const error = await thrown(
      (async () => {
        await using _server = await contract.serve()
      })(),
    )

    expect(error).toBeInstanceOf(MismatchesError)
  })

  test('throws a SuppressedError if the scope throws as well', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(204)
    const own = new Error('the test says no')
    // As compiled by TypeScript, because the transform of this file does not support SuppressedError on older engines.
    const source = 'async (serve, error) => { await using server = await serve(); throw error }'
    const { code } = await transform(source, { loader: 'ts', target: 'es2022' })
    const scope = runInThisContext(code) as (serve: () => Promise<MockServer>, error: Error) => Promise<never>

    const error = (await thrown(scope(() => contract.serve(), own))) as SuppressedError

    expect(error.name).toBe('SuppressedError')
    expect(error.error).toBeInstanceOf(MismatchesError)
    expect(error.suppressed).toBe(own)
  })

  test('does not throw with { raises: false }', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a request for users').withRequest('GET', '/users').willRespondWith(204)

    const server = await contract.serve({ raises: false })
    await server.stop()

    expect(server.mismatches).toHaveLength(1)
  })

  test('reports a port that is in use', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('one').withRequest('GET', '/1').willRespondWith(204)
    const error = await contract.serve(async ({ url, port }) => {
      await fetch(`${url}/1`)
      const other = new Contract('web', 'users')
      other.uponReceiving('two').withRequest('GET', '/2').willRespondWith(204)
      return thrown(other.serve({ port }))
    })

    expect(error).toBeInstanceOf(MockServerError)
    expect(error).toMatchObject({ code: 'ERR_CONTRACT_ADDRESS_IN_USE' })
    expect((error as Error).message).toMatch(/127\.0\.0\.1 port \d+: the port is in use/)
  })
})
