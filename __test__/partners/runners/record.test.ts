// Contracts from the traffic of MSW in Vitest and of pages in Chromium: recorded, verified with the same application, and with one
// that has renamed a field.
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type VerificationError, Verifier } from 'contract'
import { type Browser, chromium, type Page, mswRunner as runner } from './browser.ts'
import { RunnerProject, removeProjects } from './project.ts'

afterAll(removeProjects)

/** An application: a page, and an API below /api. `name` is the field that a later version renames. */
function application(name: string): Server {
  return createServer((request, response) => {
    const json = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'sid=sesame', 'x-version': '1' })
        .end(JSON.stringify(body))
    const id = Number(/^\/api\/users\/(\d+)$/.exec(request.url ?? '')?.[1])
    if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>users')
    else if (id === 404) json(404, { error: 'not found' })
    else if (id) json(200, { id, [name]: `user ${id}`, at: new Date().toISOString(), tags: ['a'] })
    else if (request.method === 'POST') json(201, { id: 9 })
    else if (request.url?.startsWith('/api/users?')) json(200, [{ id: 1, [name]: 'Ann' }])
    else json(404, { error: 'not found' })
  })
}

async function listening<T>(server: Server, use: (url: string) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Verifies a recorded contract with an application, and returns the descriptions of the interactions that failed. */
function failures(contract: string, name: string): Promise<string[]> {
  return listening(application(name), async (url) => {
    const verifier = new Verifier('users').addSource(contract).addTransport({ url: `${url}/api` })
    const report = await verifier.verify().catch((error: VerificationError) => error.report)
    return report.contracts
      .flatMap(({ interactions }) => interactions)
      .filter(({ status }) => status !== 'passed')
      .map(({ description }) => description)
  })
}

async function expectUsable(contract: string, renamed: readonly string[]): Promise<void> {
  expect(readFileSync(contract, 'utf8')).not.toContain('sesame')
  expect(await failures(contract, 'name')).toEqual([])
  expect(await failures(contract, 'fullName')).toEqual(renamed)
}

describe('recordWith in Vitest', () => {
  const suite = `import { afterAll, beforeAll, expect, test } from 'vitest'
import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { recordWith } from 'contract'

const api = 'https://api.example.com/v1'
const user = (id: number) => ({ id, name: 'Ann', at: '2026-01-01T00:00:00Z', tags: ['a'] })
const server = setupServer(
  http.get(api + '/users/404', () => HttpResponse.json({ error: 'not found' }, { status: 404 })),
  http.get(api + '/users/:id', ({ params }) => HttpResponse.json(user(Number(params.id)))),
  http.post<never, { name: string }>(api + '/users', async ({ request }) => {
    const { name } = await request.json()
    return HttpResponse.json({ id: 9 }, { status: name === '' ? 400 : 201 })
  }),
  http.get('https://other.example.com/', () => HttpResponse.text('other')),
)
const recorder = recordWith(server, {
  consumer: 'web',
  provider: 'users',
  target: api,
  directory: 'contracts',
  testName: () => expect.getState().currentTestName,
})
beforeAll(() => server.listen())
afterAll(async () => {
  const { requests, interactions, skipped } = await recorder.stop()
  console.log('recorded', JSON.stringify({ requests, interactions, skipped }))
  server.close()
})

test('shows users', async () => {
  const headers = { Authorization: 'Bearer sesame' }
  expect(await (await fetch(api + '/users/7', { headers })).json()).toMatchObject({ id: 7 })
  expect((await fetch(api + '/users/8')).status).toBe(200)
  expect((await fetch('https://other.example.com/')).status).toBe(200)
})

test('adds a user', async () => {
  const body = JSON.stringify({ name: 'Ann', password: 'sesame' })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(api + '/users', { method: 'POST', body, headers })).status).toBe(201)
  expect((await fetch(api + '/users/404')).status).toBe(404)
})
`

  test('the types compile', () => {
    expect(new RunnerProject(runner, { 'record.test.ts': suite }).typecheck()).toBe('')
  })

  test.each(['node', 'jsdom'])('in the environment %s', async (environment) => {
    const project = new RunnerProject(runner, { 'record.test.ts': suite })
    const ran = project.run([`--environment=${environment}`])
    expect([ran.status, ran.output]).toEqual([
      0,
      expect.stringContaining('recorded {"requests":4,"interactions":3,"skipped":[]}'),
    ])
    const written = project.contract().map(({ description, comments }) => [description, comments?.testname])
    expect(written).toEqual([
      ['GET /users/{number} returns 200', 'shows users'],
      ['GET /users/{number} returns 404', 'adds a user'],
      ['POST /users returns 201', 'adds a user'],
    ])
    await expectUsable(join(project.folder, 'contracts', 'web-users.json'), ['GET /users/{number} returns 200'])
  })
})

describe('in Chromium', () => {
  let browser: Browser
  let load: NodeJS.Require
  let folder: string

  beforeAll(async () => {
    expect(chromium).toBeDefined()
    const project = new RunnerProject(runner)
    folder = project.folder
    load = createRequire(join(folder, 'package.json'))
    browser = await load('@playwright/test').chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  })

  afterAll(() => browser?.close())

  /** What a user does: the page sends requests by fetch and by XMLHttpRequest. */
  async function use(page: Page, url: string): Promise<void> {
    await page.goto(url)
    await page.evaluate(`(async () => {
      const headers = { Authorization: 'Bearer sesame', 'content-type': 'application/json' }
      for (const id of [7, 8]) await (await fetch('/api/users/' + id, { headers })).json()
      // The browser may discard a body that the page does not read.
      await (await fetch('/api/users?page=2')).json()
      await fetch('/api/users', { method: 'POST', headers, body: '{"name":"Ann","password":"sesame"}' })
      await new Promise((resolve) => {
        const request = new XMLHttpRequest()
        request.onloadend = resolve
        request.open('GET', '/api/users/404')
        request.send()
      })
    })()`)
  }

  const descriptions = [
    'GET /users returns 200',
    'GET /users/{number} returns 200',
    'GET /users/{number} returns 404',
    'POST /users returns 201',
  ]
  const renamed = ['GET /users returns 200', 'GET /users/{number} returns 200']
  const described = (file: string) =>
    (JSON.parse(readFileSync(file, 'utf8')) as { interactions: { description: string }[] }).interactions.map(
      ({ description }) => description,
    )

  test('a HAR file of a session becomes a contract that the application fulfills', async () => {
    const { recordHar } = load('contract') as typeof import('contract')
    const archive = join(folder, 'session.har')
    const target = await listening(application('name'), async (url) => {
      const context = await browser.newContext({ recordHar: { path: archive, content: 'embed' } })
      await use(await context.newPage(), url)
      await context.close()
      return `${url}/api`
    })
    expect(existsSync(archive)).toBe(true)
    const directory = join(folder, 'har')
    const recorded = await recordHar(archive, { consumer: 'web', provider: 'users', target, directory })
    expect(described(recorded.path ?? '')).toEqual(descriptions)
    expect(recorded.omitted).toEqual(expect.arrayContaining(['authorization', 'password', 'set-cookie']))
    await expectUsable(recorded.path ?? '', renamed)
  })

  test('recordPage records the requests of a page', async () => {
    const { recordPage } = load('contract/playwright') as typeof import('contract/playwright')
    const directory = join(folder, 'page')
    const recorded = await listening(application('name'), async (url) => {
      const page = await browser.newPage()
      const recorder = recordPage(page as never, {
        consumer: 'web',
        provider: 'users',
        target: `${url}/api`,
        directory,
        testName: () => 'shows users',
      })
      await use(page, url)
      const result = await recorder.stop()
      // Nothing is recorded after the end.
      await use(page, url)
      await page.close()
      return result
    })
    expect(recorded).toMatchObject({ requests: 5, interactions: 4, skipped: [] })
    expect(described(recorded.path ?? '')).toEqual(descriptions)
    expect(readFileSync(recorded.path ?? '', 'utf8')).toContain('"testname": "shows users"')
    await expectUsable(recorded.path ?? '', renamed)
    expect(() => recordPage({} as never, { consumer: 'web' } as never)).toThrow(/recordPage: .*provider/)
  })
})
