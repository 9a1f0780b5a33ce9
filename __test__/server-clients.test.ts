// Real clients: HTTPS, HTTP/2, CORS preflight requests, forms, images, and documents.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestHttps } from 'node:https'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError, match } from 'contract'
import { Agent, request as requestUndici } from 'undici'
import { temporaryDirectory } from './support/temporary.ts'
import { thrown } from './support/thrown.ts'
import { exchange, statusOf, until } from './support/wire.ts'

const support = (name: string) => readFileSync(join(__dirname, 'support', name))

function oneUser(): Contract {
  const contract = new Contract('web', 'users')
  contract
    .uponReceiving('a user')
    .withRequest('GET', '/user')
    .willRespondWith(200)
    .withBody({ id: match.int(7) })
  return contract
}

/** A GET over HTTP/2. */
async function getHttp2(url: string, path: string, options: { ca?: string } = {}): Promise<[number, string]> {
  const session = connectHttp2(url, options)
  try {
    const stream = session.request({ ':path': path })
    const [headers] = await once(stream, 'response')
    let body = ''
    for await (const chunk of stream) body += chunk
    return [headers[':status'], body]
  } finally {
    session.close()
  }
}

describe('https', () => {
  test('with a generated certificate, for node:https', async () => {
    await oneUser().serve({ transport: 'https', host: 'localhost' }, async ({ url, transport, caCertificate }) => {
      expect([url.slice(0, 18), transport]).toEqual(['https://localhost:', 'https'])
      const request = requestHttps(`${url}/user`, { ca: caCertificate }).end()
      const [response] = await once(request, 'response')
      expect(response.statusCode).toBe(200)
      response.resume()
    })
  })

  test('over HTTP/1.1 and HTTP/2, as negotiated with undici and node:http2', async () => {
    await oneUser().serve({ transport: 'https' }, async ({ url, caCertificate }) => {
      for (const allowH2 of [false, true]) {
        const dispatcher = new Agent({ allowH2, connect: { ca: caCertificate } })
        const { statusCode, body } = await requestUndici(`${url}/user`, { dispatcher })
        expect([statusCode, await body.json()]).toEqual([200, { id: 7 }])
        await dispatcher.close()
      }
      expect(await getHttp2(url, '/user', { ca: caCertificate ?? '' })).toEqual([200, '{"id":7}'])
    })
  })

  test('with a custom certificate', async () => {
    const tls = { cert: support('tls-cert.pem'), key: support('tls-key.pem').toString() }
    await oneUser().serve({ tls }, async ({ url, caCertificate }) => {
      expect(caCertificate).toBeUndefined()
      const dispatcher = new Agent({ connect: { ca: tls.cert.toString() } })
      expect((await requestUndici(`${url}/user`, { dispatcher })).statusCode).toBe(200)
      await dispatcher.destroy()
    })
  })

  test.each([
    [{ cert: 'no PEM', key: 'no PEM' }, 'the PEM contains no certificate'],
    [{ cert: support('tls-cert.pem'), key: 'no PEM' }, 'the key is not a private key in PEM format'],
  ])('refuses a certificate that is none', async (tls, message) => {
    const error = await thrown(oneUser().serve({ tls }))
    expect(error).toMatchObject({ name: 'MockServerError', code: 'ERR_CONTRACT_TLS' })
    expect((error as Error).message).toContain(message)
  })

  test('reports a client that does not trust the certificate', async () => {
    const error = await thrown(oneUser().serve({ transport: 'https' }, ({ url }) => requestUndici(`${url}/user`)))
    // No request was received; the error of the client explains why.
    expect((error as NodeJS.ErrnoException).code).toMatch(/CERT|SELF_SIGNED|SIGNATURE/)

    const server = await oneUser().serve({ transport: 'https', raises: false })
    await thrown(requestUndici(`${server.url}/user`))
    // The client detects the problem first and reports it to the server.
    await until(() => server.logs.includes('WARN'))
    await server.stop()
    expect(server.logs).toMatch(/WARN {2}A TLS handshake failed \(.+\)\. Does the client use https:\/\/ and trust/)
  })

  test('responds to a client that sends plain HTTP', async () => {
    const error = (await thrown(
      oneUser().serve({ transport: 'https' }, async (server) => {
        const answer = await exchange(server, 'GET /user HTTP/1.1\r\nHost: x\r\n\r\n')
        expect(statusOf(answer)).toBe(400)
        expect(answer).toContain("this port serves HTTPS. Use the server's https:// URL")
      }),
    )) as Error
    expect(error).toBeInstanceOf(MismatchesError)
    expect(error.message).toContain('A client used plain HTTP, but this server requires TLS. Use its https:// URL.')
  })
})

test('plain HTTP/2 with prior knowledge', async () => {
  await oneUser().serve(async (server) => {
    expect(await getHttp2(server.url, '/user')).toEqual([200, '{"id":7}'])
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/user', outcome: 'matched' }])
  })
})

test('many requests on one HTTP/2 connection at once', async () => {
  const contract = oneUser()
  await contract.serve(async (server) => {
    const session = connectHttp2(server.url)
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const stream = session.request({ ':path': '/user' })
        const [headers] = await once(stream, 'response')
        stream.resume()
        return headers[':status']
      }),
    )
    session.close()
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(server.requests).toHaveLength(100)
  })
})

describe('keep-alive', () => {
  const twice = 'GET /user HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2)

  test('is the default', async () => {
    await oneUser().serve(async (server) => {
      const answer = await exchange(server, `${twice}GET /user HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
    })
  })

  test('can be turned off: each response closes its connection', async () => {
    await oneUser().serve({ keepAlive: false }, async (server) => {
      const answer = await exchange(server, twice)
      expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1)
      expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    })
  })
})

describe('CORS', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { Origin: 'http://page', 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'x-a' },
  }

  test('answers preflight requests and allows reading responses', async () => {
    await oneUser().serve(async (server) => {
      const asked = await fetch(`${server.url}/user`, preflight)
      expect(asked.status).toBe(204)
      expect(asked.headers.get('access-control-allow-origin')).toBe('http://page')
      expect(asked.headers.get('access-control-allow-headers')).toBe('x-a')
      expect(asked.headers.get('access-control-allow-methods')).toContain('PUT')
      const answer = await fetch(`${server.url}/user`, { headers: { Origin: 'http://page' } })
      expect(answer.headers.get('access-control-allow-origin')).toBe('http://page')
      expect(server.requests.map(({ outcome }) => outcome)).toEqual(['preflight', 'matched'])
    })
  })

  test('can be turned off', async () => {
    const server = await oneUser().serve({ cors: false, raises: false })
    const asked = await fetch(`${server.url}/user`, preflight)
    expect(asked.status).toBe(500)
    expect(asked.headers.get('access-control-allow-origin')).toBeNull()
    await server.stop()
    expect(server.mismatches).toMatchObject([{ type: 'request-not-found', method: 'OPTIONS' }, {}])
  })

  test('does not apply to contracts that define CORS headers', async () => {
    const contract = new Contract('web', 'users')
    contract
      .uponReceiving('a user')
      .withRequest('GET', '/user')
      .willRespondWith(200)
      .withHeader('Access-Control-Allow-Origin', 'http://only')
    await contract.serve(async ({ url }) => {
      const { headers } = await fetch(`${url}/user`, { headers: { Origin: 'http://page' } })
      expect(headers.get('access-control-allow-origin')).toBe('http://only')
    })
  })
})

describe('forms', () => {
  /** Encodes a body as a client would, as bytes with a content type. */
  async function encoded(form: FormData) {
    const response = new Response(form)
    return { type: response.headers.get('content-type') ?? '', bytes: new Uint8Array(await response.arrayBuffer()) }
  }

  function upload(order: unknown, image: Uint8Array): FormData {
    const form = new FormData()
    form.set('order', new Blob([JSON.stringify(order)], { type: 'application/json' }))
    form.set('image', new Blob([image as Uint8Array<ArrayBuffer>], { type: 'image/png' }), 'pixels.png')
    return form
  }

  test('are compared by part, regardless of the boundary', async () => {
    const contract = new Contract('web', 'files')
    const { type, bytes } = await encoded(upload({ id: 7 }, support('pixels.png')))
    contract.uponReceiving('an upload').withRequest('POST', '/files').withBinaryBody(bytes, type).willRespondWith(201)

    const send =
      (order: unknown) =>
      async ({ url }: { url: string }) =>
        (await fetch(`${url}/files`, { method: 'POST', body: upload(order, support('pixels.png')) })).status

    expect(await contract.serve(send({ id: 7 }))).toBe(201)
    const error = (await thrown(contract.serve({ all: true }, send({ id: 8 })))) as MismatchesError
    expect(error.message).toContain('body $.order.id: Expected 8 (Integer) to be equal to 7 (Integer)')
  })

  test('works for URL-encoded forms', async () => {
    const contract = new Contract('web', 'files')
    contract
      .uponReceiving('a login')
      .withRequest('POST', '/login')
      .withBody('user=ann&role=a&role=b', { contentType: 'application/x-www-form-urlencoded' })
      .willRespondWith(204)

    await contract.serve(async ({ url }) => {
      const body = new URLSearchParams([
        ['role', 'a'],
        ['user', 'ann'],
        ['role', 'b'],
      ])
      expect((await fetch(`${url}/login`, { method: 'POST', body })).status).toBe(204)
    })
  })
})

test.each([
  ['image/png', 'pixels.png'],
  ['application/pdf', 'page.pdf'],
])('%s goes both ways, byte for byte', async (contentType, name) => {
  const [directory, bytes] = [temporaryDirectory(), support(name)]
  const contract = new Contract('web', 'files', { directory })
  contract
    .uponReceiving('a copy')
    .withRequest('POST', '/copies')
    .withBinaryBody(bytes, { contentType })
    .willRespondWith(201)
    .withBinaryBody(bytes, { contentType })

  await contract.serve(async ({ url }) => {
    const send = { method: 'POST', body: bytes, headers: { 'Content-Type': contentType } }
    const answer = await fetch(`${url}/copies`, send)
    expect(answer.headers.get('content-type')).toBe(contentType)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
  })

  const [written] = JSON.parse(readFileSync(join(directory, 'web-files.json'), 'utf8')).interactions
  expect(Buffer.from(written.response.body.content, 'base64')).toEqual(bytes)
})
