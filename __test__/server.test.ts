// Options and results of mock servers.
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, jest, test } from '@jest/globals'
import { Contract, ContractArgumentError, MismatchesError, MockServerError, match, serveAll } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'
import { thrown } from './support/thrown.ts'
import { rest, socketTo } from './support/wire.ts'

const json = { 'Content-Type': 'application/json' }

function contractWith(...paths: string[]): Contract {
  const contract = new Contract('web', 'users')
  for (const path of paths)
    contract.uponReceiving(`a request for ${path}`).withRequest('GET', path).willRespondWith(204)
  return contract
}

function descriptions(directory: string): string[] {
  const file = JSON.parse(readFileSync(join(directory, 'web-users.json'), 'utf8'))
  return file.interactions.map(({ description }: { description: string }) => description)
}

const get = async (url: string, path: string) => (await fetch(url + path)).status

describe('the address', () => {
  test('localhost is both 127.0.0.1 and, if IPv6 is available, ::1', async () => {
    await contractWith('/a').serve({ host: 'localhost' }, async ({ url, host, port }) => {
      expect([url, host]).toEqual([`http://localhost:${port}`, 'localhost'])
      const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address))
      const hosts = addresses.includes('::1') ? ['127.0.0.1', '[::1]', 'localhost'] : ['127.0.0.1', 'localhost']
      for (const each of hosts) expect(await get(`http://${each}:${port}`, '/a')).toBe(204)
    })
  })

  test('can be set as host or addr', async () => {
    await contractWith('/a').serve({ addr: 'localhost' }, async ({ url, host }) => {
      expect(host).toBe('localhost')
      expect(await get(url, '/a')).toBe(204)
    })
  })

  test('reports an invalid address with all details', async () => {
    const error = await thrown(contractWith('/a').serve({ host: '203.0.113.7', port: 8123 }))

    expect(error).toBeInstanceOf(MockServerError)
    expect(error).toMatchObject({ code: 'ERR_CONTRACT_ADDRESS', host: '203.0.113.7', port: 8123 })
    expect(typeof (error as MockServerError).errno).toBe('number')
    expect((error as Error).message).toContain('cannot start the mock server on 203.0.113.7 port 8123')
  })

  test('can be reused immediately by the next server', async () => {
    const contract = contractWith('/a')
    // Without keep-alive, because fetch would reuse its closed connection for the second server.
    const port = await contract.serve({ keepAlive: false }, async ({ url, port }) => {
      await fetch(`${url}/a`)
      return port
    })
    await contract.serve({ all: true, port }, ({ url }) => get(url, '/a'))
  })

  test('resolves paths', async () => {
    await contractWith('/a b').serve(async (server) => {
      expect(server.resolve('/a b?c=d').href).toBe(`${server.url}/a%20b?c=d`)
      for (const elsewhere of ['//host.example/x', 'https://host.example/x', '\\\\host.example/x', 'mailto:a@b']) {
        expect(() => server.resolve(elsewhere)).toThrow(
          `resolve: ${JSON.stringify(elsewhere)} is not on this server, ${server.url}`,
        )
      }
      expect(server.resolve(new URL('/a', server.url)).href).toBe(`${server.url}/a`)
      expect(`${server}`).toBe(server.url)
      expect(server.transport).toBe('http')
      expect(server.caCertificate).toBeUndefined()
      expect(await get(server.url, '/a%20b')).toBe(204)
    })
  })
})

test.each([
  [{ port: 70000 }, 'serve: port must be a whole number from 0 to 65535, received 70000'],
  [
    { host: 'no such host' },
    'serve: host must be an address or a host name, such as 127.0.0.1 or localhost; received "no such host"',
  ],
  [{ host: '' }, 'serve: host must be an address'],
  [{ addr: 'http://127.0.0.1' }, 'serve: addr must be an address or a host name'],
  [{ prot: 8080 }, 'serve: unknown option "prot". Did you mean "port"?\n  Options: host,'],
  [{ transport: 'grpc' }, 'serve: no plugin of this contract provides the transport "grpc"'],
  [{ transport: 'http', tls: { cert: '', key: '' } }, 'serve: tls requires the transport https'],
  [{ tls: { cert: 'x' } }, 'serve: tls requires both cert and key in PEM format'],
  [{ limits: { bodySize: -1 } }, /^serve: limits\.bodySize .*\b0\b.*, received -1/],
  [{ limits: { headerSize: 100 } }, /^serve: limits\.headerSize .*\b8192\b.*, received 100/],
  [{ limits: { idleTimeout: 0 } }, /^serve: limits\.idleTimeout .*\b1\b.*, received 0/],
  [{ limits: { size: 1 } }, 'serve: limits: unknown option "size".\n  Options: bodySize,'],
  [{ unexpectedFields: 'warn' }, 'serve: unexpectedFields must be ignore or error, received "warn"'],
  [{ timeout: Number.POSITIVE_INFINITY }, /^serve: timeout .*\b86400000\b.*, received Infinity/],
])('options that make no sense are refused: %j', async (options, message) => {
  const contract = contractWith('/a')

  const error = await thrown(contract.serve(options as never, () => {}))

  expect(error).toBeInstanceOf(ContractArgumentError)
  expect((error as Error).message).toEqual(
    message instanceof RegExp ? expect.stringMatching(message) : expect.stringContaining(message),
  )
  // The interactions of the rejected call are not served by the next test.
  contract.uponReceiving('something else').withRequest('GET', '/b').willRespondWith(200)
  await contract.serve(({ url }) => get(url, '/b'))
})

describe('number of requests', () => {
  test('times: an interaction must be requested exactly that many times', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    contract.uponReceiving('polling').withRequest('GET', '/a').willRespondWith(202).times(2)

    const error = await thrown(contract.serve(({ url }) => get(url, '/a')))

    expect((error as MismatchesError).mismatches).toMatchObject([
      { type: 'times-mismatch', interaction: { description: 'polling' }, min: 2, max: 2, actual: 1 },
    ])
    expect((error as Error).message).toContain('GET /a was requested once instead of twice: "polling"')
    expect(readdirSync(directory)).toEqual([])
  })

  test('times: minimum, maximum, and optional', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    contract.uponReceiving('at least').withRequest('GET', '/a').willRespondWith(204).times({ min: 2 })
    contract.uponReceiving('at most').withRequest('GET', '/b').willRespondWith(204).times({ max: 2 })
    contract.uponReceiving('left out').withRequest('GET', '/c').willRespondWith(204).optional()

    await contract.serve(async ({ url }) => {
      for (const path of ['/a', '/a', '/a', '/b']) await get(url, path)
    })

    expect(descriptions(directory)).toEqual(['at least', 'at most'])
    expect(readFileSync(join(directory, 'web-users.json'), 'utf8')).not.toContain('times')
  })

  test.each([[0], [-1], [1.5], [{}], [{ min: 3, max: 2 }], [{ most: 1 }]])('%j is rejected', (times) => {
    const interaction = contractWith().uponReceiving('one').withRequest('GET', '/')
    expect(() => interaction.times(times as never)).toThrow(
      /^times: expected a whole number of at least 1, or { min, max }/,
    )
  })

  test('in order: responses to the same request follow the definition order, and the last one repeats', async () => {
    const contract = new Contract('web', 'jobs')
    const answers = [
      ['just begun', 202],
      ['half done', 206],
      ['done', 200],
    ] as const
    for (const [state, status] of answers) {
      contract.uponReceiving('the state of a job').given(state).withRequest('GET', '/jobs/1').willRespondWith(status)
    }

    const seen = await contract.serve({ inOrder: true }, async ({ url }) => {
      const statuses: number[] = []
      for (let i = 0; i < 4; i += 1) statuses.push(await get(url, '/jobs/1'))
      return statuses
    })

    expect(seen).toEqual([202, 206, 200, 200])
  })

  test('without order: all responses to the same request are used', async () => {
    const contract = new Contract('web', 'jobs')
    contract.uponReceiving('a job').given('begun').withRequest('GET', '/jobs/1').willRespondWith(202)
    contract.uponReceiving('a job').given('done').withRequest('GET', '/jobs/1').willRespondWith(200)

    const seen = await contract.serve(async ({ url }) => [await get(url, '/jobs/1'), await get(url, '/jobs/1')])

    expect(seen).toEqual([202, 200])
  })
})

describe('which interactions', () => {
  test('only: serves exactly these, even if they were served before', async () => {
    const directory = temporaryDirectory()
    const contract = new Contract('web', 'users', { directory })
    const one = contract.uponReceiving('one').withRequest('GET', '/1').willRespondWith(204)
    contract.uponReceiving('two').withRequest('GET', '/2').willRespondWith(204)

    expect(await one.executeTest(({ url }) => get(url, '/1'))).toBe(204)
    expect(descriptions(directory)).toEqual(['one'])
    await contract.serve({ only: [one] }, ({ url }) => get(url, '/1'))
    await contract.serve(({ url }) => get(url, '/2'))

    expect(descriptions(directory)).toEqual(['one', 'two'])
  })

  test('rejects interactions of other contracts and those that are being served', async () => {
    const contract = contractWith()
    const one = contract.uponReceiving('one').withRequest('GET', '/1').willRespondWith(204)

    await expect(contractWith().serve({ only: [one] })).rejects.toThrow(
      'serve: the interaction "one" is not part of this contract',
    )
    await contract.serve(async ({ url }) => {
      await expect(contract.serve({ only: [one] })).rejects.toThrow(
        'serve: the interaction "one" is already being served',
      )
      await get(url, '/1')
    })
  })

  test('rejects a list of interactions together with { all: true }', async () => {
    const contract = contractWith()
    const one = contract.uponReceiving('one').withRequest('GET', '/1').willRespondWith(204)

    await expect(contract.serve({ only: [one], all: true })).rejects.toThrow(
      'serve: pass either the list of interactions or { all: true }, not both',
    )
    await contract.serve({ only: [one], all: false }, ({ url }) => get(url, '/1'))
  })

  test('nothing to serve: reports incomplete interactions and how to serve again', async () => {
    const contract = contractWith('/a')
    await contract.serve(({ url }) => get(url, '/a'))
    contract.uponReceiving('half')

    const error = await thrown(contract.serve(() => {}))

    expect((error as Error).message).toMatch(/^serve: nothing to serve: "half".* it has no request; define one with/)
    for (const way of ['all: true', 'only: […]']) expect((error as Error).message).toContain(way)
    expect(await contract.serve({ all: true }, ({ url }) => get(url, '/a'))).toBe(204)
  })

  test('skips incomplete interactions and lists them in mismatches', async () => {
    const contract = contractWith('/a')
    const half = contract.uponReceiving('half')

    const error = await thrown(
      contract.serve(async ({ url }) => {
        await get(url, '/a')
        await get(url, '/half')
      }),
    )

    expect((error as Error).message).toMatch(
      /The interaction "half" \(defined at .*\) was not served: it has no request; define one with withRequest\.$/m,
    )
    const directory = temporaryDirectory()
    await contract.writeFile(directory)
    expect(descriptions(directory)).toEqual(['a request for /a'])
    half.withRequest('GET', '/half')
    await contract.writeFile(directory)
    expect(descriptions(directory)).toEqual(['a request for /a', 'half'])
  })

  test('mismatches of pending interactions are reported separately', async () => {
    const contract = new Contract('web', 'users')
    contract
      .uponReceiving('planned')
      .withRequest('GET', '/a')
      .withQueryParameter('b', '1')
      .willRespondWith(204)
      .setPending(true)
    contract.uponReceiving('firm').withRequest('GET', '/c').willRespondWith(204)

    await contract.serve(async ({ url }) => {
      expect(await get(url, '/a?b=2')).toBe(500)
      expect(await get(url, '/c')).toBe(204)
    })
  })
})

test('generates response values, which depend on the seed', async () => {
  const contract = new Contract('web', 'users')
  contract
    .uponReceiving('a user')
    .withRequest('POST', '/users')
    .willRespondWith(201)
    .withBody({ id: match.uuid(), n: match.int(), self: 'x' })
    .withGenerators({
      body: { '$.self': { type: 'MockServerURL', example: 'http://x/users/1', regex: '.*(/users/\\d+)$' } },
    })
  const run = () =>
    contract.serve({ all: true, seed: 7 }, async ({ url }) => {
      const users = [1, 2].map(async () => (await fetch(`${url}/users`, { method: 'POST' })).json())
      const bodies = (await Promise.all(users)) as { id: string; n: number; self: string }[]
      for (const { self } of bodies) expect(self).toBe(`${url}/users/1`)
      return bodies.map(({ id, n }) => `${id} ${n}`).sort()
    })

  const [first, second] = [await run(), await run()]

  expect(first).toEqual(second)
  expect(new Set(first).size).toBe(2)
})

describe('journal, log, and errors', () => {
  test('the journal contains every request and its outcome', async () => {
    const contract = new Contract('web', 'users')
    contract
      .uponReceiving('a new user')
      .withRequest('POST', '/users')
      .withQueryParameter('dry', 'run')
      .withBody({ name: match.str('Ann') })
      .willRespondWith(201)
    const server = await contract.serve({ raises: false })
    const post = (query: string, body: unknown) =>
      fetch(`${server.url}/users?${query}`, { method: 'POST', headers: json, body: JSON.stringify(body) })

    await post('dry=run', { name: 'Bob', more: { deep: 1 } })
    await post('dry=run', { name: 7 })
    await fetch(`${server.url}/elsewhere`, { headers: { Authorization: 'Bearer secret' } })

    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/users',
        query: { dry: ['run'] },
        body: '{"name":"Bob","more":{"deep":1}}',
        bodyLength: 32,
        outcome: 'matched',
        interaction: 'a new user',
        mismatches: [],
        unexpectedFields: ['/more'],
      },
      { outcome: 'mismatched', interaction: 'a new user', mismatches: [{ type: 'BodyMismatch', path: '$.name' }] },
      { outcome: 'not-found', path: '/elsewhere', headers: { authorization: ['Bearer secret'] } },
    ])
    expect(Math.abs((server.requests[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000)
    await server.stop()
    expect(server.requests).toHaveLength(3)
  })

  test('the log has one line per event and contains no secrets', async () => {
    const server = await contractWith('/a').serve({ raises: false })
    await get(server.url, '/a?token=geheim')
    await get(server.url, '/a')
    expect(server.logs).not.toContain('stopped')
    await server.stop()

    const lines = server.logs.replaceAll(server.url, 'URL').replaceAll(/^\d\d:\d\d:\d\d\.\d{3}Z/gm, 'TIME')
    expect(lines).toBe(
      [
        'TIME INFO  listening on URL for 1 interaction',
        'TIME ERROR GET /a?token=[redacted] does not match "a request for /a": Unexpected query parameter \'token\' received',
        'TIME INFO  GET /a matched "a request for /a"',
        'TIME INFO  stopped',
        '',
      ].join('\n'),
    )
  })

  test('the error has the log and can be formatted with colors', async () => {
    const error = (await thrown(contractWith('/a').serve(({ url }) => get(url, '/b')))) as MismatchesError

    expect(error.logs).toContain('GET /b: unexpected request')
    expect(error.format()).not.toContain('\u001b[')
    expect(error.format({ color: true })).toContain('\u001b[1m')
    expect(error.format({ color: true })).toMatch(/\n\[ERR_CONTRACT_MISMATCHES\]$/)
    expect(Object.keys(error)).toEqual(['name', 'code', 'mismatches'])
  })

  test('prints mismatches only with { verbose: true }', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const contract = contractWith('/a', '/b')
      await contract.serve({ raises: false }, ({ url }) => get(url, '/a'))
      expect(printed).not.toHaveBeenCalled()
      await contract.serve({ all: true, raises: false, verbose: true }, ({ url }) => get(url, '/a'))
      expect(printed).toHaveBeenCalledTimes(1)
      expect(printed.mock.calls[0]?.[0]).toContain('Missing request: ')
    } finally {
      printed.mockRestore()
    }
  })

  test('verify throws the mismatches while the server is running', async () => {
    const server = await contractWith('/a').serve()
    expect(() => server.verify()).toThrow(MismatchesError)
    await get(server.url, '/a')
    server.verify()
    await server.stop()
  })
})

describe('the end', () => {
  test('a second stop does nothing, even if the first one threw', async () => {
    const server = await contractWith('/a').serve()

    await expect(server.stop()).rejects.toThrow(MismatchesError)
    await server.stop()
    await server[Symbol.asyncDispose]()

    expect(server.matched).toBe(false)
    expect(server.mismatches).toHaveLength(1)
  })

  test('stop closes connections with requests in flight', async () => {
    const contract = new Contract('web', 'users')
    contract.uponReceiving('an upload').withRequest('POST', '/a').willRespondWith(204).optional()
    const server = await contract.serve({ limits: { stopTimeout: 50 } })
    const socket = await socketTo(server)
    socket.write('POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n')
    // The server waits for the body.
    await once(socket, 'data')
    socket.write('half')
    const all = rest(socket)

    await server.stop()

    expect(await all).toBe('')
  })

  test('writeFile writes the interactions that have passed so far', async () => {
    const directory = temporaryDirectory()
    const server = await contractWith('/a', '/b').serve({ raises: false })
    await get(server.url, '/a')

    expect(await server.writeFile(directory)).toBe(join(directory, 'web-users.json'))
    expect(descriptions(directory)).toEqual(['a request for /a'])
    await get(server.url, '/b')
    await server.stop()
    await server.writeFile(directory)
    expect(descriptions(directory)).toEqual(['a request for /a', 'a request for /b'])
    const file = join(directory, 'file')
    writeFileSync(file, '')
    await expect(server.writeFile(file)).rejects.toThrow(`could not create the directory ${file}`)
  })

  test('the directory can be set in the environment', async () => {
    const directory = temporaryDirectory()
    process.env.CONTRACT_OUTPUT_DIR = directory
    try {
      await contractWith('/a').serve(({ url }) => get(url, '/a'))
    } finally {
      delete process.env.CONTRACT_OUTPUT_DIR
    }
    expect(descriptions(directory)).toEqual(['a request for /a'])
  })

  test('the write mode can be set in the environment', async () => {
    const interaction = { description: 'old', request: { method: 'GET', path: '/old' }, response: { status: 200 } }
    const old = { consumer: { name: 'web' }, provider: { name: 'users' }, interactions: [interaction], metadata: {} }
    const descriptionsAfter = async (overwrite: string, options: object) => {
      const directory = temporaryDirectory()
      writeFileSync(join(directory, 'web-users.json'), JSON.stringify(old))
      const contract = new Contract('web', 'users', { directory, ...options })
      contract.uponReceiving('new').withRequest('GET', '/a').willRespondWith(200)
      process.env.CONTRACT_OVERWRITE = overwrite
      try {
        await contract.serve(({ url }) => get(url, '/a'))
      } finally {
        delete process.env.CONTRACT_OVERWRITE
      }
      return descriptions(directory).sort()
    }

    expect(await descriptionsAfter('true', {})).toEqual(['new'])
    expect(await descriptionsAfter('true', { writeMode: 'merge' })).toEqual(['new', 'old'])
    expect(await descriptionsAfter('false', {})).toEqual(['new', 'old'])
    await expect(descriptionsAfter('perhaps', {})).rejects.toThrow(
      'CONTRACT_OVERWRITE must be true or false, received "perhaps"',
    )
  })
})

describe('a test that', () => {
  test('never resolves: times out and reports the received requests', async () => {
    const contract = contractWith('/a')
    const test = contract.serve({ timeout: 50 }, async function checkout({ url }) {
      await get(url, '/a')
      await new Promise(() => {})
    })

    const error = (await thrown(test)) as Error & { logs: string }

    expect(error).toMatchObject({ name: 'ServeTimeoutError', code: 'ERR_CONTRACT_TIMEOUT', timeout: 50 })
    expect(error.message).toMatch(
      /^The function "checkout" passed to serve at .*server\.test\.ts:\d+:\d+ did not finish within 0\.05 s\. The last request, GET \/a, was received [\d.]+ s earlier\.\n/,
    )
    expect(error.logs).toContain('GET /a matched')
  })

  test('never resolves after a mismatch: reports the mismatch', async () => {
    const test = contractWith('/a').serve({ timeout: 50 }, async ({ url }) => {
      await get(url, '/b')
      await new Promise(() => {})
    })

    const error = (await thrown(test)) as Error

    expect(error).toBeInstanceOf(MismatchesError)
    expect(error.cause).toMatchObject({ code: 'ERR_CONTRACT_TIMEOUT' })
  })

  test('never resolves: times out even with fake timers', async () => {
    jest.useFakeTimers()
    try {
      const test = contractWith('/a').serve({ timeout: 50 }, () => new Promise(() => {}))
      expect(await thrown(test)).toMatchObject({ message: expect.stringContaining('No request was received') })
    } finally {
      jest.useRealTimers()
    }
  })

  test('takes long: the timeout can be raised or turned off', async () => {
    const contract = new Contract('web', 'users', { timeout: 20 })
    contract.uponReceiving('one').withRequest('GET', '/a').willRespondWith(204)
    const slow = async ({ url }: { url: string }) => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      return get(url, '/a')
    }

    await expect(contract.serve(slow)).rejects.toThrow('did not finish within 0.02 s')
    expect(await contract.serve({ all: true, timeout: 0 }, slow)).toBe(204)
  })

  test.each([
    ['an error', new Error('own'), 'own'],
    ['a text', 'own', 'own'],
    ['nothing', undefined, undefined],
  ])('throws %s gets it back', async (_, value, expected) => {
    const test = contractWith('/a').serve(async ({ url }) => {
      await get(url, '/a')
      throw value
    })
    const error = await test.then(
      () => 'resolved',
      (error: unknown) => error,
    )
    expect(error instanceof Error ? error.message : error).toBe(expected)
  })

  test('throws synchronously: rethrows and stops the server', async () => {
    let url = ''
    const test = contractWith('/a').serve((server) => {
      url = server.url
      throw new RangeError('at once')
    })
    expect(await thrown(test)).toBeInstanceOf(RangeError)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
})

describe('several servers', () => {
  const pair = () => {
    const [users, orders] = [new Contract('web', 'users'), new Contract('web', 'orders')]
    users.uponReceiving('a user').withRequest('GET', '/user').willRespondWith(200)
    orders.uponReceiving('an order').withRequest('GET', '/order').willRespondWith(201)
    return [users, orders] as const
  }

  test('serve one test', async () => {
    const statuses = await serveAll(pair(), async (users, orders) => [
      await get(users?.url ?? '', '/user'),
      await get(orders?.url ?? '', '/order'),
    ])
    expect(statuses).toEqual([200, 201])
  })

  test('report their mismatches in one error', async () => {
    const own = new Error('own')
    const error = (await thrown(
      serveAll(pair(), async (users, orders) => {
        await get(users?.url ?? '', '/order')
        await get(orders?.url ?? '', '/user')
        throw own
      }),
    )) as MismatchesError

    expect(error.cause).toBe(own)
    expect(error.message).toMatch(/^web → users: 1 unexpected request[\s\S]+^web → orders: 1 unexpected request/m)
    expect(error.mismatches.map((one) => `${one.type} ${'path' in one ? one.path : ''}`)).toEqual([
      'request-not-found /order',
      'missing-request /user',
      'request-not-found /user',
      'missing-request /order',
    ])
  })

  test('are all stopped if one cannot start', async () => {
    const [users, orders] = pair()
    const urls: string[] = []
    const error = await thrown(
      serveAll([users, orders], { host: '203.0.113.7' }, (...servers) => {
        urls.push(...servers.map(({ url }) => url))
      }),
    )
    expect(error).toMatchObject({ code: 'ERR_CONTRACT_ADDRESS' })
    expect(urls).toEqual([])
  })

  test('do not share interactions when they start at the same time', async () => {
    const contract = contractWith('/a')
    const first = await contract.serve()
    contract.uponReceiving('another').withRequest('GET', '/b').willRespondWith(204)
    const second = await contract.serve()

    expect([await get(first.url, '/a'), await get(second.url, '/b')]).toEqual([204, 204])

    await Promise.all([first.stop(), second.stop()])
  })
})

test("unexpected fields fail the test with { unexpectedFields: 'error' }", async () => {
  const contract = new Contract('web', 'users', { unexpectedFields: 'error' })
  contract
    .uponReceiving('a user')
    .withRequest('POST', '/a')
    .withBody({ id: match.int(1) })
    .willRespondWith(204)
  const post = ({ url }: { url: string }) =>
    fetch(`${url}/a`, { method: 'POST', headers: json, body: '{"id":1,"more":2}' })

  const error = await thrown(contract.serve(post))

  expect((error as Error).message).toContain('more')
  await contract.serve({ all: true, unexpectedFields: 'ignore' }, post)
})
