// Transports, including applications in this process.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { type App, type AppObject, Verifier } from 'contract'
import express from 'express'
import { Hono } from 'hono'
import Koa from 'koa'
import { asking, contractFile, failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'

interface ExpressResponse {
  status(code: number): this
  set(name: string, value: string): this
  json(body: unknown): void
  sendStatus(code: number): void
}

interface KoaContext {
  readonly req: IncomingMessage
  status: number
  body: unknown
  set(name: string, value: string): void
}

const posting = {
  description: 'a new user',
  request: {
    method: 'POST',
    path: '/users',
    headers: { 'Content-Type': ['application/json'] },
    body: { content: { name: 'Ann' }, contentType: 'application/json', encoded: false },
  },
  response: {
    status: 201,
    headers: { 'X-Name': ['Ann'], 'Set-Cookie': ['a=1'] },
    body: { content: { name: 'Ann' }, contentType: 'application/json', encoded: false },
  },
}

describe('base URLs', () => {
  test.each([
    (url: URL) => url.href,
    (url: URL) => url,
    (url: URL) => ({ url }),
    (url: URL) => ({ host: url.hostname, port: Number(url.port), path: 'api' }),
    (url: URL) => ({ protocol: 'http', scheme: 'http', host: url.hostname, port: Number(url.port), path: '/api/' }),
  ])('form %#', async (form) => {
    const paths: unknown[] = []

    await withProvider(
      (request, response) => {
        paths.push(request.url)
        answering(200, {})(request, response)
      },
      (url) =>
        new Verifier('users')
          .addSource(contractFile([asking('/users')]))
          .addTransport(form(new URL(`${url}/api`)))
          .verify(),
    )

    expect(paths).toEqual(['/api/users'])
  })

  test('interactions choose a transport by its name', async () => {
    const file = contractFile([asking('/public'), asking('/admin', 201, { transport: 'admin' })])

    const report = await withProvider(answering(200, {}), (url) =>
      withProvider(answering(201, {}), (admin) =>
        new Verifier('users')
          .addSource(file)
          .addTransport(url)
          .addTransport({ protocol: 'admin', url: admin })
          .verify(),
      ),
    )

    expect(report.summary).toMatchObject({ passed: 2 })
  })

  test.each<[unknown, RegExp]>([
    ['users', /not a valid base URL: it must start with http:\/\/ or https:\/\//],
    ['ftp://a', /only http and https/],
    [{ url: 'http://a', port: 1 }, /pass either url or port, not both/],
    [{ port: 70000 }, /port .*\b65535\b.*, received 70000/],
    [{ uri: 'http://a', port: 1 }, /unknown option "uri"\. Did you mean "url"\?\n {2}Options: url, protocol/],
    [{ app: 7 }, /"app" must be a listener/],
    [{ app: () => {}, port: 1 }, /an app listens on a free port, so port is not supported/],
  ])('%j is refused at once', (transport, words) => {
    expect(() => new Verifier('users').addTransport(transport as string)).toThrow(words)
  })

  test('rejects two transports with the same name', () => {
    const verifier = new Verifier('users').addTransport('http://127.0.0.1:1')

    expect(() => verifier.addTransport({ app: () => {} })).toThrow('a transport "http" already exists')
  })
})

describe('applications in this process', () => {
  const body = (name: string) => JSON.stringify({ name })
  const listener: RequestListener = async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { name } = JSON.parse(text)
    response.writeHead(201, { 'Content-Type': 'application/json', 'X-Name': name, 'Set-Cookie': 'a=1' }).end(body(name))
  }
  const fetchHandler = async (request: Request) => {
    const { name } = (await request.json()) as { name: string }
    const headers = { 'Content-Type': 'application/json', 'X-Name': name, 'Set-Cookie': 'a=1' }
    return new Response(body(name), { status: 201, headers })
  }
  const withExpress = () =>
    express()
      .use(express.json())
      .post('/users', (request: IncomingMessage & { body: { name: string } }, response: ExpressResponse) => {
        response.status(201).set('X-Name', request.body.name).set('Set-Cookie', 'a=1').json(request.body)
      })
  const withKoa = () =>
    new Koa().use(async (ctx: KoaContext) => {
      let text = ''
      for await (const chunk of ctx.req) text += chunk
      ctx.status = 201
      ctx.set('X-Name', JSON.parse(text).name)
      ctx.set('Set-Cookie', 'a=1')
      ctx.body = JSON.parse(text)
    })
  /** The two members of Fastify that are used. */
  const likeFastify = () => {
    let isReady = false
    return {
      ready: async () => {
        isReady = true
      },
      routing: (request: IncomingMessage, response: ServerResponse) => {
        if (isReady) void listener(request, response as never)
        else response.writeHead(503).end()
      },
    }
  }
  const withHono = () => new Hono().post('/users', (c) => fetchHandler(c.req.raw))

  test.each<[string, () => App]>([
    ['a listener', () => listener],
    ['a server', () => createServer(listener)],
    ['Express', withExpress],
    ['Koa', withKoa],
    ['the callback of Koa', () => withKoa().callback()],
    ['something like Fastify', likeFastify],
    ['Hono', withHono],
    ['a fetch handler', () => fetchHandler],
    ['something with fetch', () => ({ fetch: fetchHandler })],
    ['something like Nest', () => ({ init: async () => {}, getHttpServer: () => createServer(listener) })],
  ])('%s', async (_, app) => {
    const report = await new Verifier('users')
      .addSource(contractFile([posting]))
      .addTransport({ app: app() })
      .verify()

    expect(report.summary).toMatchObject({ passed: 1 })
  })

  test.each<[string, () => AppObject]>([
    ['a server', () => createServer(listener)],
    ['Express', withExpress],
    ['Koa', withKoa],
    ['something like Fastify', likeFastify],
    ['Hono', withHono],
    ['something like Nest', () => ({ init: async () => {}, getHttpServer: () => createServer(listener) })],
  ])('%s without { app }', async (_, app) => {
    const called = new Verifier('users').addSource(contractFile([posting])).addTransport(app())
    const constructed = new Verifier('users', { sources: [contractFile([posting])], transports: [app()] })

    expect((await called.verify()).summary).toMatchObject({ passed: 1 })
    expect((await constructed.verify()).summary).toMatchObject({ passed: 1 })
  })

  test('messages can be named like members of applications', async () => {
    const verifier = new Verifier('users').addTransport({ fetch: () => ({}), listen: () => ({}), close: () => ({}) })

    // It now has a message transport and no application.
    expect(() => verifier.addTransport('http://127.0.0.1:1')).not.toThrow()
  })

  test('a server shared by two verifications is closed after the last one', async () => {
    const requests: { url: string | undefined; answer: () => void }[] = []
    let came = () => {}
    const server = createServer((request, response) => {
      requests.push({ url: request.url, answer: () => answering(200, {})(request, response) })
      came()
    })
    const verify = (path: string) =>
      new Verifier('users')
        .addSource(contractFile([asking(path)]))
        .addTransport({ app: server })
        .verify()
    const both = [verify('/first'), verify('/second')]
    while (requests.length < 2) {
      await new Promise<void>((resolve) => {
        came = resolve
      })
    }

    const [first, second] = requests
    first?.answer()
    expect((await Promise.race(both)).success).toBe(true)
    expect(server.listening).toBe(true)
    second?.answer()

    expect((await Promise.all(both)).map(({ success }) => success)).toEqual([true, true])
    expect(server.listening).toBe(false)
  })

  test('below a path', async () => {
    const app = express().get('/api/users', (_: unknown, response: ExpressResponse) => response.sendStatus(200))

    const report = await new Verifier('users')
      .addSource(contractFile([asking('/users')]))
      .addTransport({ app, path: '/api' })
      .verify()

    expect(report.success).toBe(true)
  })

  test('listens only during a run, including failed runs', async () => {
    const server = createServer(answering(500, {}))
    let port = 0
    server.on('listening', () => {
      port = (server.address() as AddressInfo).port
    })
    const verifier = new Verifier('users').addSource(contractFile([asking('/users')])).addTransport({ app: server })

    await failureOf(verifier.verify())

    expect(port).toBeGreaterThan(0)
    expect(server.listening).toBe(false)
    // Again, because the verifier opens and closes it.
    await failureOf(verifier.verify())
    expect(server.listening).toBe(false)
  })

  test('uses a listening server and does not close it', async () => {
    const server = createServer(answering(200, {}))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

    await new Verifier('users')
      .addSource(contractFile([asking('/users')]))
      .addTransport({ app: server })
      .verify()

    expect(server.listening).toBe(true)
    server.close()
    server.closeAllConnections()
  })

  test('closes started applications if another cannot start', async () => {
    const server = createServer(answering(200, {}))
    const broken = { ready: () => Promise.reject(new Error('no database')), routing: () => {} }

    const run = new Verifier('users')
      .addSource(contractFile([asking('/users')]))
      .addTransport({ app: server })
      .addTransport({ app: broken, protocol: 'admin' })
      .verify()

    await expect(run).rejects.toThrow('no database')
    expect(server.listening).toBe(false)
  })

  test.each<[string, (error: Error) => App]>([
    [
      'a listener that throws',
      (error) => (_request: unknown, _response: unknown) => {
        throw error
      },
    ],
    [
      'a listener that rejects',
      (error) => async (_request: unknown, _response: unknown) => {
        throw error
      },
    ],
    ['a fetch handler that rejects', (error) => () => Promise.reject(error)],
  ])('%s fails its interaction, and its error is the cause', async (_, app) => {
    const own = new Error('out of coffee')

    const error = await failureOf(
      new Verifier('users')
        .addSource(contractFile([asking('/users')]))
        .addTransport({ app: app(own) })
        .verify(),
    )

    expect(error.cause).toBe(own)
    expect(error.report.contracts[0]?.interactions[0]?.response).toMatchObject({
      status: 500,
      body: { content: expect.stringContaining('out of coffee') },
    })
  })

  test('explains what a function with one parameter must return', async () => {
    const error = await failureOf(
      new Verifier('users')
        .addSource(contractFile([asking('/users')]))
        .addTransport({ app: ((_request: unknown) => undefined) as never })
        .verify(),
    )

    expect((error.cause as Error).message).toContain('the application did not return a Response')
  })
})
