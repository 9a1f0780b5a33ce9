// Requests to the provider, TLS, and proxies.

import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createPlainServer, createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { formatReport, type RequestContext, type RequestFilter, type VerificationReport, Verifier } from 'contract'
import { asking, contractFile, failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'

const ok = answering(200, {})

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Verifies an interaction and returns the requests that the provider received. */
async function sent(interaction: Record<string, unknown>, prepare: (verifier: Verifier) => Verifier): Promise<Seen[]> {
  const seen: Seen[] = []
  await withProvider(
    async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      seen.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.writeHead(200).end()
    },
    (url) =>
      prepare(
        new Verifier('users')
          .addSource(contractFile([interaction]))
          .addTransport(url)
          .stateHandler(() => ({ token: 'from the state' })),
      ).verify(),
  )
  return seen
}

const posting = {
  description: 'a new user',
  providerStates: [{ name: 'nobody is there', params: { realm: 'r' } }],
  request: {
    method: 'POST',
    path: '/users',
    query: { a: ['1', '2'], b: ['3'] },
    headers: { Authorization: ['example'], 'Content-Type': ['application/json'] },
    body: { content: { name: 'Ann' }, contentType: 'application/json', encoded: false },
  },
  response: { status: 200 },
}

describe('custom headers', () => {
  test('replace headers of the contract, regardless of case', async () => {
    const seen = await sent(posting, (verifier) =>
      verifier.addCustomHeader('authorization', async () => 'Bearer fresh').addCustomHeaders([['X-Trace', '1']]),
    )

    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer fresh', 'x-trace': '1' })
  })

  test.each<[string, unknown, RegExp]>([
    ['X Y', 'a', /"X Y" is invalid: the name/],
    ['X-Y', 'a\r\nEvil: b', /"X-Y" is invalid: the value contains line breaks/],
    ['X-Y', 7, /addCustomHeader: value must be a string or a function, received a number/],
  ])('%s: %j is refused at once', (name, value, words) => {
    expect(() => new Verifier('users').addCustomHeader(name, value as string)).toThrow(words)
  })

  test('a function that throws or returns no string fails the interaction', async () => {
    const own = new Error('no token today')
    const run = (value: () => string) =>
      failureOf(sent(asking('/1'), (verifier) => verifier.addCustomHeader('Authorization', value)))

    const error = await run(() => {
      throw own
    })
    expect(error.cause).toBe(own)
    expect((await run(() => 7 as never)).message).toContain(
      'the value of the header "Authorization" must be a string, received a number',
    )
  })
})

describe('request filters', () => {
  test('receive the request, the interaction, and the state values', async () => {
    const calls: unknown[] = []

    await sent(posting, (verifier) =>
      verifier.requestFilter((request, context) => {
        calls.push(JSON.parse(JSON.stringify([request, context])))
      }),
    )

    expect(calls).toEqual([
      [
        {
          method: 'POST',
          path: '/users',
          query: { a: ['1', '2'], b: '3' },
          headers: { Authorization: 'example', 'Content-Type': 'application/json' },
          body: '{"name":"Ann"}',
        },
        {
          interaction: expect.objectContaining({
            consumer: 'web',
            description: 'a new user',
            states: [{ name: 'nobody is there', parameters: { realm: 'r' } }],
          }),
          stateValues: { realm: 'r', token: 'from the state' },
        },
      ],
    ])
  })

  test('change the request in order', async () => {
    const authorize: RequestFilter = (request, { stateValues }: RequestContext) => {
      request.headers.authorization = `Bearer ${stateValues.token}`
      delete request.headers['CONTENT-TYPE']
    }
    const rewrite: RequestFilter = async (request) => {
      request.method = 'put'
      request.path = '/people'
      request.query.page = '7'
      delete request.query.a
      request.body = new TextEncoder().encode('ä')
    }

    const seen = await sent(posting, (verifier) => verifier.requestFilter(authorize).requestFilter(rewrite))

    expect(seen).toMatchObject([{ method: 'PUT', url: '/people?b=3&page=7', body: 'ä' }])
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer from the state', 'content-length': '2' })
    expect(seen[0]?.headers).not.toHaveProperty('content-type')
  })

  test('keep the query as it is in the contract if they do not change it', async () => {
    const query = 'q[][name]=a&q[][version]=1&q[][name]=b&q[][version]=2'
    const seen = await sent({ ...posting, request: { ...posting.request, query } }, (verifier) =>
      verifier.requestFilter((request) => {
        request.path = '/people'
      }),
    )

    expect(seen).toMatchObject([{ url: `/people?${query}` }])
  })

  test('can return another request', async () => {
    const seen = await sent(posting, (verifier) =>
      verifier.requestFilter((request) => ({ ...request, headers: { 'X-Only': 'this' }, body: '' })),
    )

    expect(seen[0]?.headers).toMatchObject({ 'x-only': 'this' })
    expect(seen[0]?.headers).not.toHaveProperty('authorization')
  })

  test('that throw fail the interaction with their error', async () => {
    const own = new Error('cannot sign')

    const error = await failureOf(sent(posting, (verifier) => verifier.requestFilter(() => Promise.reject(own))))

    expect(error.cause).toBe(own)
    expect(error.report.contracts[0]?.interactions[0]?.error).toMatchObject({ code: 'ERR_CONTRACT_REQUEST_FILTER' })
  })

  test('must set a string or bytes as the body', async () => {
    const error = await failureOf(
      sent(posting, (verifier) =>
        verifier.requestFilter((request) => {
          request.body = { name: 'Bob' } as never
        }),
      ),
    )

    expect(error.message).toContain('body must be a string or bytes, received an object; serialize objects to JSON')
  })
})

describe('hooks', () => {
  test('run before and after each interaction and its states', async () => {
    const calls: unknown[] = []

    await sent(posting, (verifier) =>
      verifier
        .beforeEach(({ interaction }) => calls.push(['before', interaction.description]))
        .requestFilter(() => void calls.push('request'))
        .afterEach(async ({ interaction }, { status, durationMs }) =>
          calls.push(['after', interaction.description, status, typeof durationMs]),
        ),
    )

    expect(calls).toEqual([['before', 'a new user'], 'request', ['after', 'a new user', 'passed', 'number']])
  })

  test.each(['beforeEach', 'afterEach'] as const)('%s that fails fails the interaction', async (name) => {
    const own = new Error('hooked')

    const error = await failureOf(sent(posting, (verifier) => verifier[name](() => Promise.reject(own))))

    expect(error.cause).toBe(own)
    expect(error.report.contracts[0]?.interactions[0]?.error).toMatchObject({ code: 'ERR_CONTRACT_HOOK' })
  })

  test.each(['beforeEach', 'afterEach', 'requestFilter'] as const)('%s takes a function', (name) => {
    expect(() => new Verifier('users')[name](null as never)).toThrow(
      `${name}: ${name === 'requestFilter' ? 'filter' : 'hook'} must be a function, received null`,
    )
  })
})

describe('redirects', () => {
  const redirecting: RequestListener = (request, response) => {
    if (request.url === '/old') response.writeHead(302, { Location: '/new' }).end()
    else ok(request, response)
  }

  test.each([
    [true, 200],
    [false, 302],
  ])('followed: %p', async (follow, status) => {
    const error = await failureOf(
      withProvider(redirecting, (url) =>
        new Verifier('users', { followRedirects: follow })
          .addSource(contractFile([asking('/old', 418)]))
          .addTransport(url)
          .verify(),
      ),
    )

    expect(error.report.contracts[0]?.interactions[0]?.response?.status).toBe(status)
  })
})

describe('credentials on a redirect to another port', () => {
  /** The headers that the other provider receives. */
  async function seen(followRedirects: true | { credentials: boolean }) {
    let headers: IncomingHttpHeaders = {}
    await withProvider(
      (request, response) => {
        headers = request.headers
        ok(request, response)
      },
      (target) =>
        withProvider(
          (_, response) => {
            response.writeHead(307, { Location: `${target}/new` }).end()
          },
          (url) =>
            new Verifier('users', { followRedirects })
              .addSource(contractFile([asking('/old')]))
              .addTransport(url)
              .addCustomHeader('Authorization', 'Bearer t')
              .requestFilter((request) => {
                request.headers['X-Signature'] = 's'
                request.headers['X-Plain'] = 'p'
              })
              .verify(),
        ),
    )
    return headers
  }

  test('are not sent', async () => {
    const headers = await seen(true)

    expect([headers.authorization, headers['x-signature'], headers['x-plain']]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('are sent with { credentials: true }', async () => {
    expect(await seen({ credentials: true })).toMatchObject({ authorization: 'Bearer t', 'x-signature': 's' })
  })
})

describe('redacts secrets in thrown errors', () => {
  const fail = () => {
    throw new Error('no access with password=hunter2, "Authorization: Bearer abcdef123456" or https://u:hunter2@db/x')
  }
  const withState = asking('/1', 200, { states: ['a state'] })
  test.each<[string, (verifier: Verifier) => Verifier]>([
    ['a state handler', (verifier) => verifier.stateHandler({ 'a state': fail })],
    ['a request filter', (verifier) => verifier.stateHandler(() => {}).requestFilter(fail)],
    ['a hook before', (verifier) => verifier.stateHandler(() => {}).beforeEach(fail)],
    ['a hook after', (verifier) => verifier.stateHandler(() => {}).afterEach(fail)],
    ['a header function', (verifier) => verifier.stateHandler(() => {}).addCustomHeader('X-A', fail)],
  ])('of %s stand in no text and no report', async (_, prepare) => {
    const verifier = prepare(new Verifier('users').addSource(contractFile([withState])).addTransport({ app: ok }))
    const error = await failureOf(verifier.verify())

    const formats = ['json', 'junit', 'markdown', 'html', 'github'] as const
    const texts = [
      error.message,
      error.output,
      verifier.output(),
      verifier.logs.join(),
      JSON.stringify(verifier.results),
    ]
    const all = [...texts, ...formats.map((format) => formatReport(verifier.results as VerificationReport, format))]
    for (const text of all) expect(text).not.toMatch(/hunter2|abcdef123456/)
    expect(error.message).toContain('no access with password=')
    expect((error.cause as Error).message).toContain('hunter2')
  })
})

describe('TLS', () => {
  const folder = join(__dirname, 'support', 'tls')
  const pem = (name: string) => readFileSync(join(folder, name), 'utf8')

  const file = contractFile([asking('/1')])
  const server = (options: object = {}) =>
    createTlsServer({ cert: pem('server.pem'), key: pem('server.key'), ...options }, ok)
  const verifier = (app: ReturnType<typeof createTlsServer>) =>
    new Verifier('users').addSource(file).addTransport({ app })

  test('an unknown authority is rejected, with instructions', async () => {
    const error = await failureOf(verifier(server()).verify())

    expect(error.report.contracts[0]?.interactions[0]?.error).toMatchObject({ code: 'ERR_CONTRACT_REQUEST_TLS' })
  })

  test.each<[string, (verifier: Verifier) => Verifier]>([
    ['the authority as text', (verifier) => verifier.tls({ ca: pem('ca.pem') })],
    [
      'the authority as bytes, among others',
      (verifier) => verifier.tls({ ca: [Buffer.from(pem('ca.pem')), pem('client.pem')] }),
    ],
    ['no check', (verifier) => verifier.disableSslVerification()],
  ])('with %s', async (_, prepare) => {
    expect(await prepare(verifier(server())).verify()).toMatchObject({ success: true })
  })

  test.each<[string, () => object]>([
    ['a key', () => ({ key: pem('client.key') })],
    ['an encrypted key', () => ({ key: pem('client-encrypted.key'), passphrase: 'secret' })],
    [
      'an encrypted key as bytes',
      () => ({ key: readFileSync(join(folder, 'client-encrypted.key')), passphrase: 'secret' }),
    ],
    ['a key that needs no passphrase', () => ({ key: pem('client.key'), passphrase: 'secret' })],
  ])('with a client certificate and %s', async (_, key) => {
    const asking = { requestCert: true, rejectUnauthorized: true, ca: pem('ca.pem') }
    const tls = { ca: pem('ca.pem'), cert: pem('client.pem'), ...key() }

    expect(await verifier(server(asking)).tls(tls).verify()).toMatchObject({ success: true })
    await failureOf(
      verifier(server(asking))
        .tls({ ca: pem('ca.pem') })
        .verify(),
    )
  })

  test('uses HTTP/2 if the provider supports it', async () => {
    const versions: unknown[] = []
    const http2 = createSecureServer({ cert: pem('server.pem'), key: pem('server.key') }, (request, response) => {
      versions.push(request.httpVersion)
      response.writeHead(200).end()
    })
    await new Promise<void>((resolve) => http2.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(http2.address() as AddressInfo).port}`

    await new Verifier('users', { sources: [file], transports: [url], tls: { ca: pem('ca.pem') } }).verify()
    http2.close()

    expect(versions).toEqual(['2.0'])
  })

  test('uses HTTP/2 without TLS if configured', async () => {
    const versions: unknown[] = []
    const http2 = createPlainServer((request, response) => {
      versions.push(request.httpVersion)
      response.writeHead(200).end()
    })
    await new Promise<void>((resolve) => http2.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(http2.address() as AddressInfo).port}`

    await new Verifier('users', { sources: [file], transports: [url], httpVersion: '2' }).verify()
    http2.close()

    expect(versions).toEqual(['2.0'])
  })

  describe('from the environment', () => {
    afterEach(() => {
      for (const name of ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'SSL_SKIP_VERIFICATION'])
        delete process.env[name]
    })

    test.each([
      ['SSL_CERT_FILE', () => join(folder, 'ca.pem')],
      ['SSL_CERT_DIR', () => folder],
      ['NODE_EXTRA_CA_CERTS', () => join(folder, 'ca.pem')],
      ['SSL_SKIP_VERIFICATION', () => 'true'],
    ])('%s', async (name, value) => {
      process.env[name] = value()

      expect(await verifier(server()).verify()).toMatchObject({ success: true, warnings: [] })
    })

    test('a missing file is a warning', async () => {
      process.env.SSL_CERT_FILE = join(folder, 'not-there.pem')

      const report = await withProvider(ok, (url) =>
        new Verifier('users', { sources: [file], transports: [url] }).verify(),
      )

      expect(report.warnings).toEqual([
        expect.stringMatching(/^cannot read the certificates in .*not-there\.pem \(SSL_CERT_FILE\): /),
      ])
    })
  })

  test.each<[string, () => object, RegExp]>([
    ['pfx', () => ({ pfx: Buffer.alloc(1) }), /openssl pkcs12/],
    ['a path', () => ({ ca: './ca.pem' }), /must be the contents of a PEM file/],
    ['a certificate without key', () => ({ cert: pem('client.pem') }), /cert and key must be passed together/],
    [
      'a wrong passphrase',
      () => ({ cert: pem('client.pem'), key: pem('client-encrypted.key'), passphrase: 'x' }),
      /^tls: the key cannot be decrypted with this passphrase \[ERR_CONTRACT_OPTIONS\]$/,
    ],
    [
      'an empty passphrase',
      () => ({ cert: pem('client.pem'), key: pem('client-encrypted.key'), passphrase: '' }),
      /^tls: the key cannot be decrypted with this passphrase \[ERR_CONTRACT_OPTIONS\]$/,
    ],
    [
      'the path of an encrypted key',
      () => ({ key: './client-encrypted.key', passphrase: 'x' }),
      /contents of a PEM file/,
    ],
    ['a passphrase without key', () => ({ passphrase: 'x' }), /passphrase requires a key/],
    [
      'a passphrase that is not a string',
      () => ({ key: pem('client.key'), passphrase: 7 }),
      /passphrase must be a string, received/,
    ],
    ['an encrypted key', () => ({ cert: pem('client.pem'), key: pem('client-encrypted.key') }), /encrypted/],
    [
      'the key of another',
      () => ({ cert: pem('client.pem'), key: pem('server.key') }),
      /invalid TLS client certificate/,
    ],
    [
      'something else',
      () => ({ certificate: '' }),
      /unknown option "certificate"\.\n {2}Options: ca, cert, key, passphrase, pfx/,
    ],
  ])('%s: refused at once', (_, options, words) => {
    expect(() => new Verifier('users').tls(options())).toThrow(words)
  })
})

describe('proxies of the environment', () => {
  afterEach(() => {
    for (const name of ['HTTP_PROXY', 'NO_PROXY']) delete process.env[name]
  })

  /** Verifies against a host through a proxy and returns the targets that the proxy received. */
  async function proxied(host: string, variables: Record<string, string> = {}) {
    const targets: unknown[] = []
    const proxy = createServer((request, response) => {
      targets.push(request.url)
      ok(request, response)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    Object.assign(process.env, {
      HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      ...variables,
    })
    const run = new Verifier('users', {
      sources: [contractFile([asking('/1')])],
      transports: [host],
      requestTimeout: 2000,
    }).verify()
    await run.catch(() => {})
    proxy.close()
    proxy.closeAllConnections()
    return targets
  }

  test('are used', async () => {
    expect(await proxied('http://users.invalid')).toEqual(['http://users.invalid/1'])
  })

  test('are not used for localhost and NO_PROXY', async () => {
    expect(await withProvider(ok, (url) => proxied(url))).toEqual([])
    expect(await proxied('http://users.invalid', { NO_PROXY: '.invalid' })).toEqual([])
  })
})

test('connections are reused', async () => {
  const ports = new Set<unknown>()
  const asked = Array.from({ length: 20 }, (_, i) => asking(`/${i}`))

  await withProvider(
    (request, response) => {
      ports.add(request.socket.remotePort)
      ok(request, response)
    },
    (url) => new Verifier('users', { sources: [contractFile(asked)], transports: [url] }).verify(),
  )

  // Not exactly one, because a connection may be returned after the next request opened another.
  expect(ports.size).toBeLessThan(asked.length)
})
