// The commands that serve contracts, and those that derive contracts from traffic.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type JsonObject, Verifier } from 'contract'
import { Asked } from './support/broker.ts'
import { temporaryDirectory } from './support/temporary.ts'

const launcher = join(dirname(dirname(require.resolve('contract'))), 'bin', 'contract.js')

const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})

interface Command {
  readonly url: string
  readonly output: () => string
  /** Waits for text in the output. */
  readonly prints: (text: string) => Promise<void>
  /** Sends SIGTERM, and returns the exit code. */
  readonly stop: () => Promise<number>
}

function start(args: readonly string[], cwd: string): ChildProcess & { text: string } {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:CONTRACT_(?!NATIVE_PATH)|PACT_|GITHUB_|NO_COLOR|FORCE_COLOR|.*_proxy$)/i.test(name),
  )
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd,
    env: Object.fromEntries(kept),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.on('close', () => running.delete(child))
  const command = Object.assign(child, { text: '' })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      command.text += text
      child.emit('printed')
    })
  }
  return command
}

/** Runs a command to its end. */
async function run(args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  const child = start(args, cwd)
  const [code] = (await once(child, 'close')) as [number]
  return { code, output: child.text }
}

/** Starts a command that listens. */
async function serve(args: readonly string[], cwd: string): Promise<Command> {
  const child = start(args, cwd)
  const ended = once(child, 'close')
  const prints = async (text: string): Promise<void> => {
    while (!child.text.includes(text)) {
      await Promise.race([once(child, 'printed'), ended])
      if (child.exitCode !== null && !child.text.includes(text)) throw new Error(`the command ended:\n${child.text}`)
    }
  }
  await prints('Listening on ')
  const url = /Listening on (\S+)/.exec(child.text)?.[1] ?? ''
  return {
    url,
    output: () => child.text,
    prints,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = (await ended) as [number]
      return code
    },
  }
}

function contractOf(consumer: string, interactions: readonly object[]): JsonObject {
  return {
    consumer: { name: consumer },
    provider: { name: 'orders' },
    interactions: interactions as JsonObject[],
    metadata: { pactSpecification: { version: '4.0' } },
  }
}

function write(directory: string, consumer: string, interactions: readonly object[]): string {
  mkdirSync(join(directory, 'contracts'), { recursive: true })
  const path = join(directory, 'contracts', `${consumer}-orders.json`)
  writeFileSync(path, JSON.stringify(contractOf(consumer, interactions)))
  return path
}

function order(status: number, more: object = {}): object {
  return {
    type: 'Synchronous/HTTP',
    description: `order with ${status}`,
    request: { method: 'GET', path: '/orders/7' },
    response: { status },
    ...more,
  }
}

describe('contract stub', () => {
  test('serves several contracts, and reports conflicts', async () => {
    const directory = temporaryDirectory()
    write(directory, 'web', [order(200), order(404, { providerStates: [{ name: 'no order' }] })])
    write(directory, 'wep', [order(202)])
    const stub = await serve(['stub', 'contracts'], directory)
    expect(stub.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    await stub.prints('Serving 3 interactions of 2 contracts')
    expect(stub.output()).toContain('conflict for GET /orders/7: "order with 200" (web and orders, ')
    expect((await fetch(`${stub.url}/orders/7`)).status).toBe(200)
    const gone = await fetch(`${stub.url}/orders/7`, { headers: { 'Contract-State': 'no order' } })
    expect(gone.status).toBe(404)
    const other = await fetch(`${stub.url}/orders/8`)
    expect(other.status).toBe(501)
    expect(other.headers.get('content-type')).toBe('application/problem+json')
    expect(await other.json()).toMatchObject({ closest: { interaction: 'order with 200', consumer: 'web' } })
    expect(await stub.stop()).toBe(0)
    expect(stub.output()).toContain('Stopped after 3 requests')
  })

  test('reads changed files again, and keeps the contracts if a file is invalid', async () => {
    const directory = temporaryDirectory()
    const path = write(directory, 'web', [order(200)])
    const stub = await serve(['stub', 'contracts', '--watch', '--consumer', 'web'], directory)
    write(directory, 'web', [order(418)])
    await stub.prints('Reloaded.')
    expect((await fetch(`${stub.url}/orders/7`)).status).toBe(418)
    writeFileSync(path, '{ "consumer": ')
    await stub.prints('The previous contracts are still served.')
    expect((await fetch(`${stub.url}/orders/7`)).status).toBe(418)
    expect(await stub.stop()).toBe(0)
  })

  test('serves the contracts that a broker selects, and polls it', async () => {
    const broker = await Asked.start()
    await using _ = broker.broker
    await broker.publish(contractOf('web', [order(200)]), '1', 'main')
    await broker.publish(contractOf('web', [order(202)]), '2', 'feature')
    const args = ['stub', '--broker-url', broker.url, '--provider', 'orders', '--poll', '1s']
    const select = (selector: object) => [...args, '--consumer-version-selectors', JSON.stringify(selector)]
    const directory = temporaryDirectory()
    const stub = await serve(select({ branch: 'main' }), directory)
    const status = async () => (await fetch(`${stub.url}/orders/7`)).status
    expect(await status()).toBe(200)
    await broker.publish(contractOf('web', [order(410)]), '3', 'main')
    await stub.prints('Reloaded.')
    expect(await status()).toBe(410)
    const feature = await serve(select({ branch: 'feature' }), directory)
    expect((await fetch(`${feature.url}/orders/7`)).status).toBe(202)
    expect(await feature.stop()).toBe(0)
    await broker.broker.stop()
    await stub.prints('The previous contracts are still served.')
    expect(await status()).toBe(410)
    expect(await stub.stop()).toBe(0)
    const unreachable = await run(select({ branch: 'main' }), directory)
    expect(unreachable.output).toContain('connection refused')
    expect(unreachable.code).not.toBe(0)
  })

  test('names interactions that cannot be served', async () => {
    const directory = temporaryDirectory()
    write(directory, 'web', [
      order(200),
      order(201, { description: 'a table', pluginConfiguration: { csv: { columns: 2 } } }),
      { type: 'Asynchronous/Messages', description: 'an event', contents: { content: 'x' } },
    ])
    const stub = await serve(['stub', 'contracts'], directory)
    await stub.prints('Serving 1 interaction')
    expect(stub.output()).toMatch(/not served: "a table" .*requires the plugin "csv"/)
    expect(stub.output()).toContain('not served: 1 message interaction')
    expect(await stub.stop()).toBe(0)
  })

  test('serves TLS with a certificate that it creates', async () => {
    const directory = temporaryDirectory()
    write(directory, 'web', [order(200)])
    const stub = await serve(['stub', 'contracts', '--tls', '--ca-file', 'ca.pem'], directory)
    expect(stub.url).toMatch(/^https:/)
    const curl = await promisify(execFile)('curl', [
      ...['--silent', '--noproxy', '*', '--cacert', join(directory, 'ca.pem')],
      ...['--output', join(directory, 'body'), '--write-out', '%{http_code} %{http_version}', `${stub.url}/orders/7`],
    ])
    expect(curl.stdout).toBe('200 2')
    expect(await stub.stop()).toBe(0)
  })

  test.each([
    [['nowhere'], 2, 'could not read the contracts in nowhere'],
    [[], 2, 'no contracts to serve'],
    [['contracts', '--consumer', 'nobody'], 1, 'no contract matches the filters'],
    [['contracts', '--state', '{'], 2, "invalid value for '--state'"],
    [['contracts', '--admin-path', 'x'], 2, 'must be a path such as /_contract'],
    [['--broker-url', 'http://127.0.0.1:1'], 2, '--provider'],
  ])('rejects %j', async (args, code, message) => {
    const directory = temporaryDirectory()
    write(directory, 'web', [order(200)])
    const ended = await run(['stub', ...args], directory)
    expect(ended.output).toContain(message)
    expect(ended.code).toBe(code)
  })
})

describe('contract mock', () => {
  test('reports which interactions were used', async () => {
    const directory = temporaryDirectory()
    const path = write(directory, 'web', [
      order(200),
      { ...order(200), description: 'all orders', request: { method: 'GET', path: '/orders' } },
    ])
    const mock = await serve(['mock', path], directory)
    await fetch(`${mock.url}/orders/7`)
    expect(await mock.stop()).toBe(1)
    expect(mock.output()).toContain('order with 200: 1 matched')
    expect(mock.output()).toContain('all orders: not requested')
    expect(mock.output()).toContain('1 missing request')
    const lenient = await serve(['mock', path, '--allow-unused'], directory)
    await fetch(`${lenient.url}/orders/7`)
    expect(await lenient.stop()).toBe(0)
    const wrong = await serve(['mock', path, '--allow-unused'], directory)
    await fetch(`${wrong.url}/orders/7`, { method: 'DELETE' })
    expect(await wrong.stop()).toBe(1)
    expect(wrong.output()).toContain('Unexpected request: DELETE /orders/7')
  })

  test('rejects contents of plugins', async () => {
    const directory = temporaryDirectory()
    const path = write(directory, 'web', [order(200, { pluginConfiguration: { csv: { columns: 2 } } })])
    const ended = await run(['mock', path], directory)
    expect(ended.code).toBe(1)
    expect(ended.output).toContain('its content requires the plugin "csv"')
  })
})

/** An application whose identifiers and times differ between responses. */
function application(name = 'name'): RequestListener {
  return (incoming, response) => {
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Set-Cookie': 'sid=sesame', 'X-Version': '1' })
      response.end(JSON.stringify(body))
    }
    const id = Number(/^\/users\/(\d+)$/.exec(incoming.url ?? '')?.[1])
    if (incoming.url === '/login') json(200, { access_token: 'sesame' })
    else if (incoming.method === 'POST') json(201, { id: 9, created: new Date().toISOString() })
    else if (id) json(200, { id, [name]: `user ${id}`, tags: ['a'] })
    else json(404, { error: 'not found' })
  }
}

async function listening<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Verifies the recorded contract with an application. */
async function verify(directory: string, listener: RequestListener): Promise<void> {
  await listening(listener, (url) =>
    new Verifier('users').addSource(join(directory, 'contracts')).addTransport({ url }).verify(),
  )
}

describe('contract record', () => {
  test('a contract recorded from an application verifies with it, and detects a renamed field', async () => {
    const directory = temporaryDirectory()
    await listening(application(), async (target) => {
      const proxy = await serve(['record', '--target', target, '--consumer', 'web', '--provider', 'users'], directory)
      const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer sesame' }
      expect(await (await fetch(`${proxy.url}/users/7`, { headers })).json()).toMatchObject({ id: 7 })
      await promisify(execFile)('curl', ['--silent', '--noproxy', '*', `${proxy.url}/users/8`])
      await fetch(`${proxy.url}/users`, { method: 'POST', headers, body: '{"name":"Ann","password":"sesame"}' })
      await fetch(`${proxy.url}/login`, { headers })
      await fetch(`${proxy.url}/nothing?api_key=sesame`)
      expect(await proxy.stop()).toBe(0)
      expect(proxy.output()).toContain('response body $.id: an integer')
      expect(proxy.output()).toContain('authorization')
      expect(proxy.output()).not.toContain('sesame')
    })
    const text = readFileSync(join(directory, 'contracts', 'web-users.json'), 'utf8')
    expect(text).not.toContain('sesame')
    const { interactions } = JSON.parse(text) as { interactions: { description: string }[] }
    expect(interactions.map(({ description }) => description).sort()).toEqual([
      'GET /login returns 200',
      'GET /nothing returns 404',
      'GET /users/{number} returns 200',
      'POST /users returns 201',
    ])
    await verify(directory, application())
    await expect(verify(directory, application('fullName'))).rejects.toThrow(/name/)
  })

  test('an unreachable provider is reported to the client and in the summary', async () => {
    const directory = temporaryDirectory()
    const args = ['record', '--target', 'http://127.0.0.1:1', '--consumer', 'web', '--provider', 'users']
    const proxy = await serve(args, directory)
    const response = await fetch(`${proxy.url}/users/7`)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ type: 'urn:contract:provider-unreachable' })
    expect(await proxy.stop()).toBe(1)
    expect(proxy.output()).toContain('connection refused')
    expect(existsSync(join(directory, 'contracts'))).toBe(false)
  })

  test('large and binary bodies are forwarded completely', async () => {
    const directory = temporaryDirectory()
    const bytes = Buffer.alloc(3 << 20, 0xfe)
    const echo: RequestListener = (incoming, response) => {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' })
      incoming.pipe(response)
    }
    await listening(echo, async (target) => {
      const args = ['record', '--target', target, '--consumer', 'web', '--provider', 'files']
      const proxy = await serve(args, directory)
      const received = await new Promise<Buffer>((resolve, reject) => {
        const upload = request(`${proxy.url}/files`, { method: 'PUT' }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => resolve(Buffer.concat(chunks)))
        })
        upload.on('error', reject).end(bytes)
      })
      expect(received.equals(bytes)).toBe(true)
      await fetch(`${proxy.url}/files`)
      expect(await proxy.stop()).toBe(0)
      expect(proxy.output()).toContain('its request body is larger than 1048576 bytes')
    })
  })
})

function archive(directory: string, entries: readonly object[]): void {
  writeFileSync(join(directory, 'session.har'), JSON.stringify({ log: { version: '1.2', entries } }))
}

function entry(url: string, response: object, headers: readonly object[] = []): object {
  return { startedDateTime: '2026-11-24T10:00:00Z', request: { method: 'GET', url, headers }, response }
}

describe('contract record --har', () => {
  const users = ['--consumer', 'web', '--provider', 'users']
  const ok = (content: object): object => ({ status: 200, headers: [], content })
  const json = (text: string): object => ok({ size: text.length, mimeType: 'application/json', text })

  test('reads the requests to the target, and skips what is incomplete', async () => {
    const directory = temporaryDirectory()
    archive(directory, [
      entry('http://h/users/7', json('{"id":7}'), [{ name: 'Authorization', value: 'Bearer sesame' }]),
      entry('http://h/users/8', json('{"id":8}')),
      entry('http://h/empty', ok({ size: 10, mimeType: 'application/json' })),
      entry('http://h/never', { status: 0, headers: [], content: { size: 0 } }),
      entry('http://elsewhere/users/9', json('{"id":9}')),
    ])
    const several = await run(['record', '--har', 'session.har', ...users], directory)
    expect(several.code).toBe(1)
    expect(several.output).toContain('http://elsewhere, http://h')
    const recorded = await run(['record', '--har', 'session.har', '--target', 'http://h', ...users], directory)
    expect(recorded.output).toContain('Recorded 4 requests as 1 interaction (1 merged with others)')
    expect(recorded.output).toContain('GET /never: there was no response')
    expect(recorded.output).toContain('GET /empty: the archive does not contain the response body')
    expect(recorded.code).toBe(0)
    const text = readFileSync(join(directory, 'contracts', 'web-users.json'), 'utf8')
    expect(text).not.toContain('sesame')
    await verify(directory, application())
  })

  test('writes a consumer test that is never replaced', async () => {
    const directory = temporaryDirectory()
    archive(directory, [entry('http://h/users/7', json('{"id":7,"tags":["a"]}'))])
    const args = ['record', '--har', 'session.har', ...users, '--as', 'code', '--out', 'tests']
    const recorded = await run(args, directory)
    expect(recorded.code).toBe(0)
    const code = readFileSync(join(directory, 'tests', 'web-users.test.ts'), 'utf8')
    expect(code).toContain(String.raw`.withRequest('GET', match.regex('/users/7', "/users/\\d+"))`)
    expect(code).toContain("tags: match.eachLike(match.str('a')),")
    const again = await run(args, directory)
    expect(again.output).toContain('move or delete the existing file first')
    expect(again.code).toBe(1)
  })

  test.each([
    ['{}', 'log.entries is missing'],
    ['not JSON', 'it is not JSON'],
    ['{"log":{"entries":[]}}', 'there are no requests'],
  ])('rejects the archive %s', async (text, message) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'session.har'), text)
    const ended = await run(['record', '--har', 'session.har', ...users], directory)
    expect(ended.code).toBe(1)
    expect(ended.output).toContain(message)
  })
})
