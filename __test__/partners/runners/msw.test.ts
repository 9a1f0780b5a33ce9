// contract/msw in Vitest (node and jsdom), in Jest (jsdom), and in Chromium, bundled by esbuild and Vite, and routeContract: the
// packed package, without native code.
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { type Browser, chromium, mswRunner as runner } from './browser.ts'
import { RunnerProject, removeProjects } from './project.ts'

const json = { 'Content-Type': ['application/json'] }
const jsonBody = (content: unknown) => ({ content, contentType: 'application/json', encoded: false })
const contract = {
  consumer: { name: 'web' },
  provider: { name: 'users' },
  interactions: [
    {
      type: 'Synchronous/HTTP',
      description: 'a request for a user',
      providerStates: [{ name: 'the user exists' }],
      request: {
        method: 'GET',
        path: '/users/1',
        matchingRules: { path: { combine: 'AND', matchers: [{ match: 'regex', regex: '^/users/\\d+$' }] } },
      },
      response: {
        status: 200,
        headers: json,
        body: jsonBody({ name: 'Alice', token: '00000000-0000-0000-0000-000000000000' }),
        generators: { body: { '$.token': { type: 'Uuid' } } },
      },
    },
    {
      type: 'Synchronous/HTTP',
      description: 'a request for a missing user',
      providerStates: [{ name: 'the user is missing' }],
      request: { method: 'GET', path: '/users/1' },
      response: { status: 404, headers: json, body: jsonBody({ error: 'not found' }) },
    },
    {
      type: 'Synchronous/HTTP',
      description: 'a new user',
      request: {
        method: 'POST',
        path: '/users',
        headers: json,
        body: jsonBody({ name: 'Bob' }),
        matchingRules: { body: { '$.name': { combine: 'AND', matchers: [{ match: 'type' }] } } },
      },
      response: { status: 204 },
    },
    {
      type: 'Synchronous/HTTP',
      description: 'a form',
      request: {
        method: 'POST',
        path: '/form',
        body: { content: 'a=1&b=%C3%BC', contentType: 'application/x-www-form-urlencoded', encoded: false },
      },
      response: { status: 200, body: { content: 'plain', contentType: 'text/plain', encoded: false } },
    },
    {
      type: 'Synchronous/HTTP',
      description: 'an upload',
      request: {
        method: 'PUT',
        path: '/file',
        body: { content: 'AP8B', contentType: 'image/x-icon', encoded: 'base64' },
      },
      response: {
        status: 200,
        headers: { 'Content-Type': ['application/octet-stream'] },
        body: { content: '/wCA', contentType: 'application/octet-stream', encoded: 'base64' },
      },
    },
    {
      type: 'Synchronous/HTTP',
      description: 'a multipart upload',
      request: {
        method: 'POST',
        path: '/parts',
        body: {
          content: '--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n--x--\r\n',
          contentType: 'multipart/form-data; boundary=x',
          encoded: false,
        },
      },
      response: { status: 201 },
    },
  ],
  metadata: { pactSpecification: { version: '4.0' } },
}

const suite = `import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { handlersFrom, type UnmatchedRequest } from 'contract/msw'
import contract from './contract.js'

const api = 'https://api.example.com/v1'
const handlers = await handlersFrom(contract, { baseUrl: api, states: ['the user exists'] })
const server = setupServer(...handlers, http.get('https://other.example.com/', () => HttpResponse.text('other')))
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => handlers.reset())
afterAll(() => server.close())

test('runs without native code', () => {
  expect(typeof (globalThis as { document?: object }).document).toBe(process.env.WITH_DOM === '1' ? 'object' : 'undefined')
  const libraries = (process.report?.getReport() as unknown as { sharedObjects: string[] }).sharedObjects
  expect(libraries.filter((file) => file.includes('contract.node'))).toEqual([])
})

test('generates values', async () => {
  const user = async () => (await (await fetch(api + '/users/7')).json()) as { name: string; token: string }
  const [a, b] = [await user(), await user()]
  expect(a).toEqual({ name: 'Alice', token: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(a.token).not.toBe('00000000-0000-0000-0000-000000000000')
  expect(b.token).not.toBe(a.token)
})

test('provider states select the response', async () => {
  const status = async () => (await fetch(api + '/users/1')).status
  expect(await status()).toBe(200)
  handlers.setStates(['the user is missing'])
  expect(await status()).toBe(404)
  handlers.reset()
  expect(await status()).toBe(200)
  handlers.setStates([{ name: 'the user exists', parameters: { id: 9 } }])
  expect(await status()).toBe(501)
})

test('compares bodies of all types', async () => {
  const send = async (method: string, path: string, body: BodyInit, type?: string) =>
    fetch(api + path, { method, body, ...(type !== undefined && { headers: { 'content-type': type } }) })
  expect((await send('POST', '/users', '{"name":"Eve"}', 'application/json')).status).toBe(204)
  expect((await send('POST', '/users', '{"name":7}', 'application/json')).status).toBe(501)
  const form = await send('POST', '/form', 'b=%C3%BC&a=1', 'application/x-www-form-urlencoded')
  expect([form.status, await form.text()]).toEqual([200, 'plain'])
  const upload = await send('PUT', '/file', new Uint8Array([0, 255, 1]), 'image/x-icon')
  expect([...new Uint8Array(await upload.arrayBuffer())]).toEqual([255, 0, 128])
  expect((await send('PUT', '/file', new Uint8Array([0, 255, 2]), 'image/x-icon')).status).toBe(501)
  const part = (text: string) => '--y\\r\\nContent-Disposition: form-data; name="note"\\r\\n\\r\\n' + text + '\\r\\n--y--\\r\\n'
  expect((await send('POST', '/parts', part('hello'), 'multipart/form-data; boundary=y')).status).toBe(201)
  expect((await send('POST', '/parts', part('bye'), 'multipart/form-data; boundary=y')).status).toBe(501)
})

test('the response to an unmatched request contains the closest interaction', async () => {
  const response = await fetch(api + '/users', { method: 'POST', body: '{"nam":"Eve"}', headers: { 'content-type': 'application/json' } })
  expect([response.status, response.headers.get('content-type')]).toEqual([501, 'application/problem+json'])
  const problem = (await response.json()) as { detail: string; closest: UnmatchedRequest['closest'] }
  expect(problem.detail).toContain('POST /users does not match "a new user": ')
  expect(problem.closest?.interaction.description).toBe('a new user')
  expect(problem.closest?.mismatches.map(({ place }) => place)).toContain('$')
})

test('other requests reach other handlers', async () => {
  expect(await (await fetch('https://other.example.com/')).text()).toBe('other')
  await expect(fetch('https://third.example.com/')).rejects.toThrow()
})

test('onUnmatched decides about unmatched requests', async () => {
  const seen: string[] = []
  const own = await handlersFrom(JSON.stringify(contract), {
    onUnmatched(unmatched, request) {
      seen.push(new URL(request.url).pathname + ' ' + unmatched.hasTarget)
      return unmatched.hasTarget ? HttpResponse.json({ own: true }, { status: 400 }) : undefined
    },
  })
  server.use(...own)
  try {
    expect((await fetch('https://any.example.com/users/2')).status).toBe(200)
    expect((await fetch('https://any.example.com/users', { method: 'POST', body: '{}' })).status).toBe(400)
    expect(await (await fetch('https://other.example.com/')).text()).toBe('other')
  } finally {
    server.resetHandlers()
  }
  expect(seen).toEqual(['/users true', '/ false'])
})

test('conflicts of contracts are reported', async () => {
  const other = { ...contract, consumer: { name: 'app' }, interactions: [{ ...contract.interactions[5], response: { status: 500 } }] }
  const warnings: string[] = []
  const both = await handlersFrom([contract, { name: 'app.json', content: other }], { onWarning: (text) => warnings.push(text) })
  expect(both.conflicts).toEqual([
    {
      request: 'POST /parts',
      first: { contract: 'web-users', description: 'a multipart upload', status: 201 },
      other: { contract: 'app.json', description: 'a multipart upload', status: 500 },
    },
  ])
  expect(warnings).toEqual([expect.stringContaining('POST /parts: "a multipart upload" of web-users (201) responds instead of')])
  await expect(handlersFrom([contract, other], { conflicts: 'reject' })).rejects.toThrow('[ERR_CONTRACT_CONFLICT]')
})

test('invalid contracts and options are rejected', async () => {
  await expect(handlersFrom('{')).rejects.toMatchObject({ name: 'ContractError', code: 'ERR_CONTRACT_SOURCE' })
  await expect(handlersFrom(contract, { provider: 'orders' })).rejects.toMatchObject({ code: 'ERR_CONTRACT_SOURCE' })
  await expect(handlersFrom(contract, { state: ['x'] } as object)).rejects.toThrow('handlersFrom: unknown option "state"')
  await expect(handlersFrom(contract, { baseUrl: '/v1' })).rejects.toThrow('"baseUrl" must be a URL')
  const plugin = { ...contract, interactions: [{ ...contract.interactions[0], pluginConfiguration: { csv: {} } }] }
  const message = expect.stringContaining('requires the plugin "csv"') as string
  await expect(handlersFrom(plugin)).rejects.toMatchObject({ code: 'ERR_CONTRACT_PLUGIN', message })
})
`

const files = { 'contract.ts': `export default ${JSON.stringify(contract)}\n`, 'msw.test.ts': suite }

afterAll(removeProjects)

describe('in Vitest', () => {
  test('the types compile', () => {
    const project = new RunnerProject(runner, files)
    expect(project.typecheck()).toBe('')
  })

  test.each(['node', 'jsdom'])('in the environment %s', (environment) => {
    const ran = new RunnerProject(runner, files).run([`--environment=${environment}`], {
      WITH_DOM: environment === 'jsdom' ? '1' : '0',
    })
    expect([ran.status, ran.output]).toEqual([0, expect.stringMatching(/Tests +9 passed/)])
  })

  test('CommonJS', () => {
    const project = new RunnerProject({ ...runner, type: 'commonjs' }, files)
    project.write(
      'main.cjs',
      `const { handlersFrom } = require('contract/msw')
const { getResponse } = require('msw')
const contract = ${JSON.stringify(contract)}
handlersFrom(contract).then(async (handlers) => {
  const response = await getResponse(handlers, new Request('http://localhost/users/3'))
  console.log('status', response.status)
})`,
    )
    const watching = project.start([], ['./main.cjs'])
    return watching.says(/status 200/).then(() => watching.stop())
  })
})

describe('in Jest', () => {
  test('in the environment jsdom', () => {
    const project = new RunnerProject({
      name: 'jest-msw',
      packages: { jest: '30.5.2', 'jest-environment-jsdom': '30.5.2', 'jest-fixed-jsdom': '0.0.11', msw: '2.15.0' },
      command: ['--experimental-vm-modules', '--no-warnings', 'jest/bin/jest.js'],
      files: {
        'jest.config.json': JSON.stringify({ testEnvironment: 'jest-fixed-jsdom', transform: {} }),
        'msw.test.js': `import { setupServer } from 'msw/node'
import { handlersFrom } from 'contract/msw'

const contract = ${JSON.stringify(contract)}
test('responds', async () => {
  expect(typeof document).toBe('object')
  const handlers = await handlersFrom(contract, { baseUrl: 'https://api.example.com', states: ['the user exists'] })
  const server = setupServer(...handlers)
  server.listen()
  const user = await fetch('https://api.example.com/users/7')
  expect([user.status, (await user.json()).name]).toEqual([200, 'Alice'])
  const upload = await fetch('https://api.example.com/file', {
    method: 'PUT', body: new Uint8Array([0, 255, 1]), headers: { 'content-type': 'image/x-icon' },
  })
  expect([...new Uint8Array(await upload.arrayBuffer())]).toEqual([255, 0, 128])
  expect((await fetch('https://api.example.com/user/7')).status).toBe(501)
  server.close()
})`,
      },
    })
    const ran = project.run()
    expect([ran.status, ran.output]).toEqual([0, expect.stringMatching(/Tests: +1 passed/)])
  })
})

describe('bundled by Vite', () => {
  const bundle = () => {
    const project = new RunnerProject(runner, {
      ...files,
      'index.html': '<!doctype html><script type="module" src="/app.js"></script>',
      'app.js': `import { handlersFrom } from 'contract/msw'
import contract from './contract.ts'
globalThis.opened = handlersFrom(contract).then(({ interactions }) => interactions.length)`,
      'vite.config.js': 'export default { build: { modulePreload: false } }',
    })
    const vite = new RunnerProject({ ...runner, command: ['vite/bin/vite.js', 'build', project.folder] })
    const built = vite.run()
    expect([built.status, built.output]).toEqual([0, expect.stringContaining('built in')])
    const assets = join(project.folder, 'dist', 'assets')
    return readdirSync(assets).map((name) => ({ name, content: readFileSync(join(assets, name)) }))
  }

  test('the engine is a chunk of its own, within the size that is promised, without modules of Node', () => {
    const scripts = bundle().filter(({ name }) => name.endsWith('.js'))
    const sizes = scripts.map(({ content }) => gzipSync(content, { level: 9 }).length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(700_000)
    // The rest is MSW and the code that calls the engine.
    expect(total - Math.max(...sizes)).toBeLessThan(200_000)
    for (const { content } of scripts)
      expect(content.toString()).not.toMatch(/require\("node:|from "node:|contract\.node/)
  })
})

describe('in Chromium', () => {
  let browser: Browser
  let server: Server
  let load: NodeJS.Require
  let origin: string
  const pages = new Map<string, { readonly type: string; readonly content: string | Uint8Array }>()

  beforeAll(async () => {
    expect(chromium).toBeDefined()
    const { folder } = new RunnerProject(runner, files)
    load = createRequire(join(folder, 'package.json'))
    const { outputFiles } = await build({
      stdin: {
        contents: `import { setupWorker } from 'msw/browser'
          import { handlersFrom } from 'contract/msw'
          import contract from './contract.js'
          const handlers = await handlersFrom(contract, { baseUrl: 'https://api.example.com', states: ['the user exists'] })
          await setupWorker(...handlers).start({ quiet: true, onUnhandledRequest: 'bypass' })
          globalThis.handlers = handlers`,
        resolveDir: folder,
        loader: 'ts',
      },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    })
    const [bundle] = outputFiles
    pages.set('/', { type: 'text/html', content: '<!doctype html><script type="module" src="/app.js"></script>' })
    pages.set('/empty', { type: 'text/html', content: '<!doctype html>' })
    pages.set('/app.js', { type: 'text/javascript', content: bundle?.contents ?? '' })
    const worker = join(load.resolve('msw/package.json'), '..', 'lib', 'mockServiceWorker.js')
    pages.set('/mockServiceWorker.js', { type: 'text/javascript', content: load('node:fs').readFileSync(worker) })
    server = createServer((request, response) => {
      const page = pages.get(request.url ?? '')
      response
        .writeHead(page === undefined ? 404 : 200, { 'content-type': page?.type ?? 'text/plain' })
        .end(page?.content)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await load('@playwright/test').chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  })

  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  const get = (path: string) => `fetch('https://api.example.com${path}', { headers: { 'x-own': '1' } })
    .then(async (response) => [response.status, await response.json()])`

  test('the bundle contains no modules of Node', () => {
    const text = Buffer.from(pages.get('/app.js')?.content ?? '').toString()
    expect(text).not.toMatch(/require\("node:|from "node:/)
    expect(text).toContain('contract_call')
  })

  test('handlersFrom responds in the service worker of MSW', async () => {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message = '' }) => errors.push(message))
    await page.goto(origin)
    await page.waitForFunction('globalThis.handlers')

    const [status, user] = await page.evaluate<[number, { token: string }]>(get('/users/5'))
    expect([status, user]).toEqual([200, { name: 'Alice', token: expect.stringMatching(/^[0-9a-f-]{36}$/) }])
    await page.evaluate("handlers.setStates(['the user is missing'])")
    expect(await page.evaluate(get('/users/1'))).toEqual([404, { error: 'not found' }])
    expect(await page.evaluate(get('/user/1'))).toEqual([501, expect.objectContaining({ status: 501 })])
    const upload = `fetch('https://api.example.com/file', { method: 'PUT', body: new Uint8Array([0, 255, 1]),
      headers: { 'content-type': 'image/x-icon' } }).then(async (r) => [...new Uint8Array(await r.arrayBuffer())])`
    expect(await page.evaluate(upload)).toEqual([255, 0, 128])
    expect(errors).toEqual([])
    await page.close()
  })

  test('routeContract responds to a page', async () => {
    const { routeContract } = load('contract/playwright') as typeof import('contract/playwright')
    const page = await browser.newPage()
    const options = { baseUrl: 'https://api.example.com', states: ['the user exists'] }
    const routed = await routeContract(page as never, contract, options)
    await page.goto(`${origin}/empty`)

    expect(await page.evaluate(get('/users/5'))).toEqual([200, expect.objectContaining({ name: 'Alice' })])
    const post = (body: string) => `fetch('https://api.example.com/users', { method: 'POST', body: '${body}',
      headers: { 'content-type': 'application/json' }, credentials: 'include' }).then((response) => response.status)`
    expect(await page.evaluate(post('{"name":"Eve"}'))).toBe(204)
    expect(routed.unmatched).toEqual([])
    expect(await page.evaluate(post('{"name":7}'))).toBe(501)
    expect(routed.unmatched.map(({ error }) => error)).toEqual([
      expect.stringContaining('POST /users does not match "a new user"'),
    ])
    routed.setStates(['the user is missing'])
    expect(await page.evaluate(get('/users/1'))).toEqual([404, { error: 'not found' }])
    routed.reset()
    expect([routed.unmatched, (await page.evaluate<[number]>(get('/users/1')))[0]]).toEqual([[], 200])
    await routed.stop()
    expect(await page.evaluate(`fetch('https://api.example.com/users/1').then(() => 'answered', () => 'failed')`)).toBe(
      'failed',
    )
    await page.close()
  })
})
