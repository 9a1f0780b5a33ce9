// Input on the wire that no correct client sends: each is answered or the connection is closed, the reason is reported,
// and nothing hangs.
import { describe, expect, test } from '@jest/globals'
import { Contract, type MismatchesError, type MockServer, type ServeOptions } from 'contract'
import { thrown } from './support/thrown.ts'
import { exchange, rest, socketTo, statusOf, until } from './support/wire.ts'

const head = (line: string, ...headers: string[]) => [line, 'Host: x', ...headers, '', ''].join('\r\n')
const close = 'Connection: close'
const get = head('GET /user HTTP/1.1', close)

/** A server with one interaction for `GET /user` and one for `POST /users`, neither of which must be requested. */
async function serving<T>(options: ServeOptions, test: (server: MockServer) => Promise<T>): Promise<T> {
  const contract = new Contract('web', 'users')
  contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(200).withBody('ann').optional()
  contract
    .uponReceiving('a new user')
    .withRequest('POST', '/users')
    .withBody('{"id": 7}', { contentType: 'text/plain' })
    .willRespondWith(201)
    .optional()
  const server = await contract.serve({ raises: false, ...options })
  try {
    const value = await test(server)
    // The server still works after any input.
    expect(statusOf(await exchange(server, get))).toBe(200)
    return value
  } finally {
    await server.stop()
  }
}

/** The log entry about the only problem. */
function noted(server: MockServer): string {
  const lines = server.logs.split('\n').filter((line) => / (WARN|ERROR) /.test(line))
  expect(lines).toHaveLength(1)
  return lines.join('').replace(/^\S+ \w+ +/, '')
}

/** Status and reason of the rejected requests, each of which fails the test. */
function refused(server: MockServer) {
  expect(server.matched).toBe(false)
  return server.mismatches.flatMap((one) => (one.type === 'request-refused' ? [[one.status, one.code]] : []))
}

describe('bytes that are not a request', () => {
  test.each([
    ['noise', '\x00\xff\x13\x37 nothing like HTTP\r\n\r\n'],
    ['a line without version', 'GET /user\r\n\r\n'],
    ['a method with blanks and brackets', head('G(E)T /user HTTP/1.1')],
    ['a header without colon', head('GET /user HTTP/1.1', 'no colon here')],
    ['a NUL in a header', head('GET /user HTTP/1.1', 'X: a\0b')],
    ['a header name with a blank', head('GET /user HTTP/1.1', 'X Y: a')],
    ['two lengths', head('POST /users HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3')],
    ['a length that is no number', head('POST /users HTTP/1.1', 'Content-Length: many')],
    ['a length below zero', head('POST /users HTTP/1.1', 'Content-Length: -1')],
  ])('%s: refused with 400, and noted', async (_, bytes) => {
    await serving({}, async (server) => {
      expect(statusOf(await exchange(server, bytes))).toBe(400)
      await until(() => server.logs.includes('WARN'))
      expect(noted(server)).toMatch(/^The request is not valid HTTP \(status 400\): .+\.$/)
      expect(refused(server)).toEqual([[400, 'unreadable']])
      expect(server.requests).toEqual([])
    })
  })

  test('reports TLS on a plain HTTP port', async () => {
    await serving({}, async (server) => {
      const hello = Buffer.from('16030100f4010000f00303', 'hex')
      await exchange(server, hello)
      await until(() => server.logs.includes('WARN'))
      expect(noted(server)).toBe(
        'A client used TLS, but this server uses plain HTTP. Use its http:// URL, or enable TLS for the server.',
      )
    })
  })

  test('other problems are part of the error of the test', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(200)
    const error = await thrown(
      contract.serve(async (server) => {
        await exchange(server, 'noise\r\n\r\n')
        await until(() => server.logs.includes('WARN'))
      }),
    )
    expect((error as MismatchesError).message).toMatch(
      /1\) A request was rejected with status 400\n {3}The request is not valid HTTP/,
    )
  })
})

describe('targets', () => {
  test.each([
    ['/user%zz', 'broken percent-encoding'],
    ['/user%', 'a percent sign alone'],
    ['/%ff%fe', 'bytes that are no UTF-8'],
    ['/../user', 'dots'],
    ['//user', 'an empty segment'],
    [`/${'a'.repeat(20_000)}`, 'a long path'],
    ['/user?a=%zz', 'broken percent-encoding in the query'],
    ['/user?=&&==', 'a query of separators'],
    ['*', 'no path at all'],
  ])('%.20s (%s) is a request like any other', async (target) => {
    await serving({}, async (server) => {
      const method = target === '*' ? 'OPTIONS' : 'GET'
      const answer = await exchange(server, head(`${method} ${target} HTTP/1.1`, close))
      expect(statusOf(answer)).toBe(500)
      expect(answer).toMatch(/x-contract: (Request-Mismatch|Unexpected-Request)/i)
      expect(server.requests).toHaveLength(1)
    })
  })

  test('the absolute form, as sent to proxies, is reduced to the path', async () => {
    await serving({}, async (server) => {
      expect(statusOf(await exchange(server, head('GET http://elsewhere/user HTTP/1.1', close)))).toBe(200)
    })
  })
})

describe('request heads', () => {
  test('that are too large are rejected with 431', async () => {
    await serving({ limits: { headerSize: 10_000 } }, async (server) => {
      const answer = await exchange(server, head('GET /user HTTP/1.1', `X: ${'a'.repeat(20_000)}`))
      expect(statusOf(answer)).toBe(431)
      await until(() => server.logs.includes('WARN'))
      expect(noted(server)).toBe(
        "The request head exceeds 10000 bytes (status 431). Raise the server's limit headerSize.",
      )
      expect(refused(server)).toEqual([[431, 'head-too-large']])
    })
  })

  test('with too many headers are rejected, and the error names the option', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(200)
    const request = (count: number) =>
      head('GET /user HTTP/1.1', close, ...Array.from({ length: count }, (_, number) => `X-${number}: 1`))
    const error = await thrown(
      contract.serve(async (server) => {
        expect(statusOf(await exchange(server, request(150)))).toBe(431)
        expect(statusOf(await exchange(server, request(50)))).toBe(200)
      }),
    )
    expect((error as MismatchesError).message).toContain(
      "The request has more than 100 headers (status 431). Raise the server's limit headerCount.",
    )
    await contract.serve({ all: true, limits: { headerCount: 200 } }, async (server) => {
      expect(statusOf(await exchange(server, request(150)))).toBe(200)
    })
  })

  test('repeated, empty, and non-ASCII headers are received unchanged', async () => {
    await serving({}, async (server) => {
      const headers = ['X-Two: 1', 'X-Two: 2', 'x-two: 3', 'X-Empty:', 'X-Latin: caf\xe9', 'X-Utf8: caf\xc3\xa9', close]
      expect(statusOf(await exchange(server, head('GET /user HTTP/1.1', ...headers)))).toBe(200)
      expect(server.requests[0]?.headers).toMatchObject({
        'x-two': ['1', '2', '3'],
        'x-empty': [''],
        'x-latin': ['café'],
        'x-utf8': ['café'],
      })
    })
  })

  test('that do not end in time are aborted', async () => {
    await serving({ limits: { headerTimeout: 50 } }, async (server) => {
      const socket = await socketTo(server)
      const all = rest(socket)
      // Slowly, byte by byte, so that the connection is never idle.
      const drip = setInterval(() => socket.write('X'), 10)
      await all.finally(() => clearInterval(drip))
      expect(noted(server)).toBe(
        'A connection was closed because the client took too long to send the head of a request.',
      )
    })
  })
})

describe('bodies', () => {
  const post = (...headers: string[]) => head('POST /users HTTP/1.1', 'Content-Type: text/plain', ...headers)

  test('can be chunked', async () => {
    await serving({}, async (server) => {
      const answer = await exchange(
        server,
        post('Transfer-Encoding: chunked', close),
        '4\r\n{"id\r\n',
        '5;extension=1\r\n": 7}\r\n0\r\nTrailer: x\r\n\r\n',
      )
      expect(statusOf(answer)).toBe(201)
      expect(server.requests[0]?.body).toBe('{"id": 7}')
    })
  })

  test('with invalid chunks are rejected with the reason', async () => {
    await serving({}, async (server) => {
      const answer = await exchange(server, post('Transfer-Encoding: chunked'), '4\r\n{"id\r\nno length\r\n')
      expect(statusOf(answer)).toBe(400)
      expect(answer).toContain('the body ended unexpectedly after 4 bytes')
      expect(server.mismatches).toMatchObject([
        { type: 'request-not-found', reason: expect.stringContaining('ended unexpectedly') },
      ])
    })
  })

  test('shorter than Content-Length are reported after the client disconnects', async () => {
    await serving({}, async (server) => {
      const socket = await socketTo(server)
      const all = rest(socket)
      socket.end(`${post('Content-Length: 100')}{"id": 7}`)
      await all
      await until(() => server.mismatches.length > 0)
      expect(server.mismatches).toMatchObject([
        { reason: expect.stringContaining('the body ended unexpectedly after 9 bytes') },
      ])
    })
  })

  test('longer than Content-Length: the rest is not a request', async () => {
    await serving({}, async (server) => {
      const answer = await exchange(server, `${post('Content-Length: 9')}{"id": 7}(and more)\r\n\r\n`)
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400'])
    })
  })

  test.each([
    ['announced', post('Content-Length: 5000', close) + 'x'.repeat(5000)],
    ['not announced', `${post('Transfer-Encoding: chunked', close)}1388\r\n${'x'.repeat(5000)}\r\n0\r\n\r\n`],
  ])('beyond the limit are refused with 413, %s', async (_, bytes) => {
    await serving({ limits: { bodySize: 1000 } }, async (server) => {
      const answer = await exchange(server, bytes)
      expect(statusOf(answer)).toBe(413)
      expect(answer).toContain('the body is larger than 1000 bytes. Raise')
    })
  })

  test('with a huge Content-Length allocate no memory', async () => {
    await serving({}, async (server) => {
      const before = process.memoryUsage().rss
      const answer = await exchange(server, post(`Content-Length: ${2 ** 50}`, 'Expect: 100-continue'))
      expect(statusOf(answer)).toBe(413)
      expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20)
    })
  })

  test('that are not sent time out', async () => {
    await serving({ limits: { requestTimeout: 50 } }, async (server) => {
      await exchange(server, post('Content-Length: 9'), '{"id"')
      expect(noted(server)).toContain(
        'A connection was closed because the client took too long to send a request and receive its response',
      )
    })
  })
})

describe('connections', () => {
  test('pipelined requests are answered in order', async () => {
    await serving({}, async (server) => {
      const answer = await exchange(
        server,
        head('GET /user HTTP/1.1') + head('GET /nobody HTTP/1.1') + head('GET /user HTTP/1.0'),
      )
      expect(answer.match(/HTTP\/1\.[01] \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 500', 'HTTP/1.0 200'])
    })
  })

  test('half-closed by the client still receive the response', async () => {
    await serving({}, async (server) => {
      const socket = await socketTo(server)
      const all = rest(socket)
      socket.end(get)
      expect(statusOf(await all)).toBe(200)
    })
  })

  test('without requests do not block other connections or the stop', async () => {
    const ends = await serving({}, async (server) => {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => socketTo(server)))
      // Half a request on one of them.
      sockets[0]?.write('GET /us')
      return sockets.map(rest)
    })
    expect(await Promise.all(ends)).toHaveLength(50)
  })

  test('without requests are closed after a timeout, which is not a mismatch', async () => {
    await serving({ limits: { idleTimeout: 50 } }, async (server) => {
      expect(await rest(await socketTo(server))).toBe('')
      expect(server.logs).not.toContain('WARN')
    })
  })

  test('beyond the limit are rejected with 503', async () => {
    await serving({ limits: { connections: 2 } }, async (server) => {
      const busy = [await socketTo(server), await socketTo(server)]
      const answer = await rest(await socketTo(server))
      expect(statusOf(answer)).toBe(503)
      expect(noted(server)).toBe(
        "More than 2 concurrent connections (status 503). Raise the server's limit connections.",
      )
      expect(refused(server)).toEqual([[503, 'too-many-connections']])
      const ends = busy.map(rest)
      for (const socket of busy) socket.end()
      await Promise.all(ends)
    })
  })

  test('of a client that does not read its response are closed at the end', async () => {
    const contract = new Contract('web', 'users')
    contract
      .uponReceiving('much')
      .withRequest('GET', '/')
      .willRespondWith(200)
      .withBody('x'.repeat(30 << 20))
    const server = await contract.serve({ raises: false, limits: { stopTimeout: 50 } })
    const socket = await socketTo(server)
    socket.pause()
    socket.write(head('GET / HTTP/1.1'))
    await until(() => server.requests.length === 1)
    await server.stop()
    socket.destroy()
    expect(server.matched).toBe(true)
  })

  test('that request a protocol upgrade receive a normal response', async () => {
    await serving({}, async (server) => {
      const upgrade = head('GET /user HTTP/1.1', 'Connection: Upgrade, close', 'Upgrade: websocket')
      expect(statusOf(await exchange(server, upgrade))).toBe(200)
    })
  })
})

test('a hundred misbehaving clients do not affect a correct one', async () => {
  await serving({ limits: { headerTimeout: 100, requestTimeout: 100 } }, async (server) => {
    const wrong = ['noise\r\n\r\n', 'GET /us', head('POST /users HTTP/1.1', 'Content-Length: 5'), '\x16\x03\x01']
    const troubles = Array.from({ length: 100 }, (_, i) => exchange(server, wrong[i % wrong.length] ?? ''))
    for (let i = 0; i < 20; i += 1) expect(statusOf(await exchange(server, get))).toBe(200)
    await Promise.all(troubles)
  })
})
