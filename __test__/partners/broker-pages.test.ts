// The pages of the broker in Chromium: main paths with and without JavaScript, accessibility, and hostile contracts.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type RunningBroker, startBroker } from 'contract/broker'

const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** The parts of Playwright that this file uses. It is not a development dependency. */
interface Browser {
  newContext(options: object): Promise<Context>
  close(): Promise<void>
}
interface Context {
  newPage(): Promise<Page>
  clearCookies(): Promise<void>
  close(): Promise<void>
}
interface Page {
  goto(url: string): Promise<{ status(): number } | null>
  fill(selector: string, text: string): Promise<void>
  selectOption(selector: string, value: string): Promise<unknown>
  check(selector: string): Promise<void>
  inputValue(selector: string): Promise<string>
  click(selector: string): Promise<void>
  press(selector: string, key: string): Promise<void>
  keyboard: { press(key: string): Promise<void> }
  textContent(selector: string): Promise<string | null>
  url(): string
  evaluate<T>(script: string): Promise<T>
  waitForURL(pattern: RegExp): Promise<void>
  waitForSelector(selector: string, options: { timeout: number }): Promise<unknown>
  on(event: string, listener: (value: { message?: string; text?(): string; dismiss?(): Promise<void> }) => void): void
}

const load = createRequire(join(partners, 'package.json'))
let browser: Browser
let broker: RunningBroker
const stops: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const { chromium } = load('playwright-core')
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  broker = await startBroker()
  const shop = join(__dirname, '..', '..', 'scripts', 'lib', 'shop.mjs')
  await promisify(execFile)(process.execPath, [shop, broker.url])
})

afterAll(async () => {
  await broker?.stop()
  await browser?.close()
})

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const pact = '/pacts/provider/payments/consumer/checkout/version/4.12.0'
const verdict = '/can-i-deploy?pacticipant=checkout&version=4.12.0&environment=production'
const paths = [
  '/',
  '/?status=failed',
  '/?q=nobody',
  '/pacticipants/orders',
  '/pacticipants/orders/versions',
  '/pacticipants/orders/branches',
  '/pacticipants/orders/provider-states',
  '/pacticipants/orders/activity',
  '/pacticipants/checkout/versions/4.12.0',
  pact,
  `${pact}/diff/previous-distinct`,
  '/can-i-deploy',
  verdict,
  '/environments',
  '/matrix',
  '/matrix?q[][pacticipant]=checkout&q[][branch]=main&q[][pacticipant]=payments&latestby=cvpv',
  '/graph',
  '/graph?focus=checkout',
  '/graph?environment=production&show=failed',
  '/webhooks',
  '/webhooks/new',
  '/admin/tokens',
  '/admin/users',
  '/admin/audit',
  '/admin/retention',
  '/deletions',
  '/login',
  '/first-steps',
  '/nowhere',
  '/?page=99',
  '/pacticipants/chekout',
  '/pacticipants/checkout/versions/9',
]

/** The pages of a webhook, of a delivery, and of a user, whose addresses the broker chooses. */
async function linked(): Promise<string[]> {
  const headers = { Accept: 'text/html' }
  const page = await (await fetch(`${broker.url}/webhooks`, { headers })).text()
  const hrefs = [/href="(\/webhooks\/(?!new)[^"]+)"/, /href="(\/triggered-webhooks\/[^"]+)"/].map(
    (one) => one.exec(page)?.[1],
  )
  expect(hrefs).toEqual([expect.any(String), expect.any(String)])
  return [...(hrefs as string[]), `${hrefs[0]}/edit`]
}

const widths = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'light', viewport: { width: 390, height: 844 } },
]

/** Returns the problems that axe finds on pages with all details open, and the pages that scroll sideways. */
async function problemsOf(url: string, visited: string[], options: object): Promise<string[]> {
  const axe = readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8')
  const context = await browser.newContext({ ...options, bypassCSP: true })
  const page = await context.newPage()
  const problems: string[] = []
  for (const path of visited) {
    await page.goto(url + path)
    await page.evaluate('for (const one of document.querySelectorAll("details:not(.menu)")) one.open = true')
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    if ((await page.evaluate<number>(overflow)) > 0) problems.push(`${path}: scrolls sideways`)
    await page.evaluate(axe)
    // The complete result lists each element of the page, and takes longer to transfer than to find.
    const run = 'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)'
    const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(run)
    problems.push(...violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0]?.html}`))
  }
  await context.close()
  return problems
}

test.each(widths)('axe finds no problems, and nothing scrolls sideways: %j', async (options) => {
  expect(await problemsOf(broker.url, [...paths, ...(await linked())], options)).toEqual([])
})

test.each(widths)('axe finds no problems on the pages of an empty broker: %j', async (options) => {
  const own = await startBroker()
  stops.push(() => own.stop())
  const visited = paths.filter((path) => !path.includes('focus') && !path.includes('q[]'))
  expect(await problemsOf(own.url, visited, options)).toEqual([])
})

/** Publishes contracts of 80 applications. Each uses the next three. The last contract is large. */
async function fillWithMany(url: string): Promise<void> {
  const call = async (method: string, path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/hal+json' }
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    expect([path, response.status < 300]).toEqual([path, true])
    return (await response.json()) as { uuid: string }
  }
  const uuids: string[] = []
  for (const name of ['dev', 'test', 'staging', 'canary', 'prod-eu', 'prod-us']) {
    const body = { name, displayName: name, production: name.startsWith('prod') }
    uuids.push((await call('POST', '/environments', body)).uuid)
  }
  for (let number = 0; number < 80; number++) {
    const interactions = Array.from({ length: number === 79 ? 120 : 3 }, (_, index) => ({
      description: `a request for list ${index}`,
      providerStates: [{ name: `list ${index} exists`, params: { id: index } }],
      request: { method: 'GET', path: `/lists/${index}` },
      response: { status: 200, body: Array.from({ length: 40 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a'] })) },
    }))
    const consumer = { name: `service-${number}` }
    for (let next = 1; next <= 3; next++) {
      const provider = { name: `service-${(number + next) % 80}` }
      const path = `/pacts/provider/${provider.name}/consumer/${consumer.name}/version/1.${number}.0`
      await call('PUT', path, { consumer, provider, interactions })
    }
    for (const uuid of uuids.slice(0, 1 + (number % 6))) {
      const version = `/pacticipants/${consumer.name}/versions/1.${number}.0`
      for (const applicationInstance of ['blue', 'green']) {
        await call('POST', `${version}/deployed-versions/environment/${uuid}`, { applicationInstance })
      }
    }
  }
}

/** Returns the size of a compressed response. */
function transferred(url: string): Promise<number> {
  const headers = { Accept: 'text/html,*/*', 'Accept-Encoding': 'gzip' }
  return new Promise((resolve, reject) => {
    const request = get(url, { headers }, (response) => {
      let size = 0
      response.on('data', (data: Buffer) => {
        size += data.length
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(size) : reject(new Error(`${url}: not found`))))
    })
    request.on('error', reject)
  })
}

test('pages with many applications are small, and axe finds no problems', async () => {
  const own = await startBroker()
  stops.push(() => own.stop())
  await fillWithMany(own.url)
  const large = '/pacts/provider/service-0/consumer/service-79/version/1.79.0'
  const visited = [
    '/',
    '/?status=unverified&page=3',
    '/pacticipants/service-0',
    '/pacticipants/service-0/provider-states',
    '/pacticipants/service-0/activity',
    large,
    `${large}?full=120&page=3`,
    '/environments',
    '/environments?from=test&to=prod-eu&page=2',
    '/matrix?q[][pacticipant]=service-79&latestby=cvpv',
    '/graph',
    '/graph?focus=service-1',
    '/graph?focus=service-40',
    '/graph?focus=service-40&show=two',
    '/can-i-deploy?pacticipant=service-5&environment=prod-us',
  ]
  const assets = ['/assets/style.css', '/assets/app.js', '/assets/favicon.svg']
  let parts = 0
  for (const asset of assets) parts += await transferred(own.url + asset)
  const sizes: [string, number][] = []
  for (const path of visited) sizes.push([path, parts + (await transferred(own.url + path))])
  expect(sizes.filter(([, size]) => size > 100 * 1024)).toEqual([])
  // The colors do not depend on the data, and the other tests check them.
  const phone = widths.filter(({ viewport }) => viewport.width < 600)
  expect(phone).not.toEqual([])
  for (const options of phone) expect(await problemsOf(own.url, visited, options)).toEqual([])
})

test.each([true, false])('the main path works with JavaScript: %s', async (javaScriptEnabled) => {
  const context = await browser.newContext({ javaScriptEnabled })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(String(message)))
  page.on('console', (message) => errors.push(message.text?.() ?? ''))
  await page.goto(`${broker.url}/`)
  await page.fill('#f-name', 'payments')
  await page.press('#f-name', 'Enter')
  await page.waitForURL(/q=payments/)
  await page.click('#rows a:has(.badge[data-status=failed])')
  await page.waitForURL(/consumer\/checkout/)
  expect(await page.textContent('.mismatch')).toContain('$.authorization.expiresAt')
  await page.click('a:has-text("Compare")')
  await page.waitForURL(/diff/)
  expect(await page.textContent('#more + p, section p')).toContain('may fail now')
  await page.goto(`${broker.url}/can-i-deploy`)
  await page.fill('#pacticipant', 'checkout')
  await page.click('main form button')
  await page.waitForURL(/pacticipant=checkout/)
  await page.goto(broker.url + verdict)
  expect(await page.textContent('#verdict')).toBe('Not deployable')
  await page.click('button:has-text("Dark")')
  await page.waitForURL(/can-i-deploy/)
  expect(await page.textContent('h1')).toContain('Can I deploy')
  await context.close()
  expect(errors).toEqual([])
})

/** Opens a page, and collects errors of its scripts. */
async function visit(options: object): Promise<{ page: Page; context: Context; errors: string[] }> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(String(message)))
  page.on('console', (message) => errors.push(message.text?.() ?? ''))
  return { page, context, errors }
}

test.each([true, false])('each page leads to what it is about, with JavaScript: %s', async (javaScriptEnabled) => {
  const { page, context, errors } = await visit({ javaScriptEnabled })
  const at = (path: string) => page.goto(broker.url + path)
  const heading = async () => (await page.textContent('h1'))?.trim()

  // The tabs and the order of the overview.
  await at('/')
  await page.click('.tabs a:has-text("Changed")')
  await page.waitForURL(/status=stale/)
  expect(await page.textContent('#rows')).toContain('loyalty')
  await page.click('.sort:has-text("Provider")')
  await page.waitForURL(/sort=provider/)
  await page.click('#rows a:has-text("loyalty")')

  // The tabs of an application.
  await page.waitForURL(/pacticipants\/loyalty/)
  for (const [tab, text] of [
    ['Versions', '2.8.0'],
    ['Branches', 'main'],
    ['Provider states', 'loyalty 81 exists'],
    ['Activity', 'was deployed to'],
  ]) {
    await page.click(`.tabs a:has-text("${tab}")`)
    await page.waitForURL(new RegExp(String(tab).toLowerCase().replace(' ', '-')))
    expect(await page.textContent('main')).toContain(text)
  }
  await page.click('.title a:has-text("Graph")')

  // The graph of an application, in an environment.
  await page.waitForURL(/focus=loyalty/)
  await page.selectOption('#env', 'production')
  await page.selectOption('#show', 'two')
  await page.click('main form.filters button')
  await page.waitForURL(/environment=production/)
  expect(await page.textContent('.lede')).toContain('consumes 1 provider and provides for 1 consumer')
  await page.click('svg a:has(title:text-is("checkout"))')
  await page.waitForURL(/focus=checkout/)
  await page.click('section a:has-text("orders")')

  // The versions of an application.
  await page.waitForURL(/pacticipants\/orders/)
  await at('/pacticipants/orders/versions')
  await page.click('main table a:has-text("9.14.0")')
  await page.waitForURL(/versions\/9\.14\.0/)
  expect(await page.textContent('main')).toContain('5 providers')

  // The environments, and what can be promoted.
  await at('/environments')
  await page.fill('#application', 'checkout')
  await page.selectOption('#from', 'staging')
  await page.selectOption('#to', 'production')
  await page.click('main form.filters button')
  await page.waitForURL(/application=checkout/)
  await page.click('#rows a:has-text("Not deployable")')
  await page.waitForURL(/can-i-deploy/)
  expect(await page.textContent('#verdict')).toBe('Not deployable')
  await page.click('.steps a:has-text("payments")')

  // The matrix as a form.
  await at('/matrix')
  await page.fill('#q1-name', 'checkout')
  await page.selectOption('#q1-by', 'version')
  await page.fill('#q1-value', '4.12.0')
  await page.fill('#q2-name', 'payments')
  await page.click('main form button.btn-main')
  await page.waitForURL(/pacticipant/)
  expect(await page.textContent('.verdict-line')).toContain('Not deployable')
  expect(new URL(page.url()).searchParams.getAll('q[][pacticipant]')).toEqual(['checkout', 'payments'])

  // The audit log.
  await at('/admin/audit')
  expect(await heading()).toBe('Audit log')
  expect(await page.textContent('main')).toContain('/sample-data')

  // Retention.
  await at('/admin/retention')
  expect(await heading()).toBe('Retention')

  // Pages that do not exist.
  const missing = await at('/pacticipants/chekout')
  expect(missing?.status()).toBe(404)
  await page.click('a:has-text("checkout")')
  await page.waitForURL(/pacticipants\/checkout$/)
  expect((await at('/?page=99'))?.status()).toBe(404)
  await page.click('a:has-text("Go to the first page")')
  expect(await page.textContent('#rows')).toContain('checkout')
  expect((await at('/can-i-deploy?pacticipant=nobody'))?.status()).toBe(400)
  await page.fill('#pacticipant', 'checkout')
  await page.click('main form button')
  await page.waitForURL(/pacticipant=checkout/)
  await context.close()
  // Chromium logs responses with the status 400 and 404.
  expect(errors.filter((error) => !error.startsWith('Failed to load resource'))).toEqual([])
})

test.each([true, false])(
  'a webhook is created, tested, changed, and deleted, with JavaScript: %s',
  async (javaScriptEnabled) => {
    const { page, context, errors } = await visit({ javaScriptEnabled })
    await page.goto(`${broker.url}/webhooks`)
    await page.click('a:has-text("New webhook")')
    await page.waitForURL(/webhooks\/new/)
    await page.fill('#description', 'Tell the team')
    await page.selectOption('#provider-by', 'name')
    await page.fill('#provider', 'nobody')
    await page.fill('#url', 'https://chat.fernway.example/hook')
    await page.fill('#body', '{ "text": "${pactbroker.consumerName}" }')
    await page.click('button:has-text("Create webhook")')
    await page.waitForSelector('#provider-error', { timeout: 60_000 })
    expect(await page.inputValue('#description')).toBe('Tell the team')
    await page.fill('#provider', 'orders')
    await page.check('input[value=provider_verification_failed]')
    await page.click('button:has-text("Create webhook")')
    await page.waitForSelector('h1:has-text("Tell the team")', { timeout: 60_000 })
    const { pathname } = new URL(page.url())
    expect(await page.textContent('.lede')).toContain('any consumer and orders')

    await page.click('button:has-text("Send a test")')
    await page.waitForSelector('h1:has-text("Test")', { timeout: 60_000 })
    expect(await page.textContent('main')).toContain('Failed')
    await page.click('a:has-text("Back to the webhook")')

    await page.waitForSelector('button:has-text("Disable")', { timeout: 60_000 })
    await page.click('button:has-text("Disable")')
    await page.waitForSelector('button:has-text("Enable")', { timeout: 60_000 })
    await page.click('a:has-text("Edit")')
    await page.waitForURL(/edit$/)
    expect(await page.inputValue('#body')).toContain('"text": "${pactbroker.consumerName}"')
    await page.fill('#description', 'Tell everybody')
    await page.click('button:has-text("Save webhook")')
    await page.waitForSelector('h1:has-text("Tell everybody")', { timeout: 60_000 })
    await page.click('button:has-text("Delete")')
    await page.waitForURL(/webhooks$/)
    expect(await page.textContent('main')).not.toContain('Tell everybody')
    expect((await page.goto(broker.url + pathname))?.status()).toBe(404)
    await context.close()
    expect(errors.filter((error) => !error.startsWith('Failed to load resource'))).toEqual([])
  },
)

test.each([true, false])(
  'an empty broker loads sample data, and a deleted application is restored, with JavaScript: %s',
  async (javaScriptEnabled) => {
    const own = await startBroker()
    stops.push(() => own.stop())
    const { page, context, errors } = await visit({ javaScriptEnabled })
    await page.goto(`${own.url}/`)
    expect(await page.textContent('.steps')).toContain(`CONTRACT_BROKER_BASE_URL=${own.url}`)
    await page.click('button:has-text("Load sample data")')
    await page.waitForSelector('h1:has-text("Overview")', { timeout: 60_000 })
    expect(await page.textContent('.lede')).toContain('40 applications')

    const deleted = await fetch(`${own.url}/pacticipants/gift-cards`, { method: 'DELETE' })
    expect(deleted.status).toBe(204)
    expect((await page.goto(`${own.url}/pacticipants/gift-cards`))?.status()).toBe(404)
    await page.click('.notice a:has-text("View deletions")')
    await page.waitForURL(/deletions/)
    await page.click('button:has-text("Restore")')
    await page.waitForURL(/deletions/)
    await page.waitForSelector('.empty', { timeout: 60_000 })
    expect((await page.goto(`${own.url}/pacticipants/gift-cards`))?.status()).toBe(200)

    await page.goto(`${own.url}/`)
    await page.click('button:has-text("Remove sample data")')
    await page.waitForSelector('h1:has-text("First steps")', { timeout: 60_000 })
    await context.close()
    expect(errors.filter((error) => !error.startsWith('Failed to load resource'))).toEqual([])
  },
)

test('shortcuts and the filter work while typing', async () => {
  const context = await browser.newContext({})
  const page = await context.newPage()
  await page.goto(`${broker.url}/`)
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.waitForURL(/environments/)
  await page.fill('[data-filter]', 'checkout')
  const visible = '[...document.querySelectorAll("#rows [data-text]")].filter((row) => !row.hidden).length'
  expect(await page.evaluate(visible)).toBe(1)
  await context.close()
})

test('the commands on pages have options that exist', async () => {
  const context = await browser.newContext({})
  const page = await context.newPage()
  const commands = new Set<string>()
  for (const path of [...paths, '/can-i-deploy?pacticipant=checkout&version=4.12.0&environment=staging']) {
    await page.goto(broker.url + path)
    const found = '[...document.querySelectorAll(".cmd code")].map((code) => code.textContent)'
    for (const text of await page.evaluate<string[]>(found)) {
      const lines = text.replaceAll('\\\n', ' ').split('\n')
      for (const line of lines) if (/^(npx )?contract(-broker)? /.test(line)) commands.add(line.replace('npx ', ''))
    }
  }
  await context.close()
  expect(commands.size).toBeGreaterThan(5)
  const unknown: string[] = []
  for (const command of commands) {
    const [program, ...words] = command.split(/\s+/)
    const names = words.slice(0, words[0] === 'token' || words[0] === 'user' ? 2 : 1)
    const launcher = join(__dirname, '..', '..', 'bin', `${program}.js`)
    const help = execFileSync(process.execPath, [launcher, ...names, '--help'], { encoding: 'utf8' })
    const options: string[] = command.match(/(?<=\s)--[a-z-]+/g) ?? []
    const known: string[] = help.match(/--[a-z-]+/g) ?? []
    unknown.push(...options.filter((option) => !known.includes(option)).map((option) => `${command}: ${option}`))
  }
  expect(unknown).toEqual([])
})

/** A broker with the administrator rosa. */
async function closedBroker(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'contract-pages-'))
  const launcher = join(__dirname, '..', '..', 'bin', 'contract-broker.js')
  const db = ['--db', `sqlite:${join(directory, 'broker.sqlite')}`]
  execFileSync(process.execPath, [launcher, 'user', 'add', 'rosa', '--scope', 'admin', '--password-stdin', ...db], {
    input: 'correct horse',
  })
  const child = spawn(process.execPath, [launcher, 'serve', '--listen', '127.0.0.1:0', '--stop-with-stdin', ...db])
  stops.push(async () => {
    child.stdin.end()
    await once(child, 'exit')
    rmSync(directory, { recursive: true })
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return /http:\S+/.exec(line)?.[0] ?? ''
}

test.each([true, false])(
  'a person signs in, adds a user, and creates a token, with JavaScript: %s',
  async (javaScriptEnabled) => {
    const url = await closedBroker()
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(`${url}/admin/users`)
    await page.click('main a:has-text("Sign in")')
    await page.fill('#username', 'rosa')
    await page.fill('#password', 'correct horse')
    await page.click('main button:has-text("Sign in")')
    await page.waitForURL(/admin\/users/)
    await page.fill('#name', 'tom')
    await page.fill('#password', 'battery staple')
    await page.click('input[value=read]')
    await page.click('button:has-text("Add user")')
    await page.waitForURL(/admin\/users$/)
    expect(await page.textContent('main table')).toMatch(/rosa.*tom/s)

    await page.goto(`${url}/admin/tokens`)
    await page.fill('#label', 'web CI')
    await page.fill('[name=publish]', 'web')
    await page.click('button:has-text("Create token")')
    const headers = { Authorization: `Bearer ${await page.textContent('#secret')}` }
    expect((await fetch(`${url}/pacticipants`, { headers })).status).toBe(200)
    await page.click('button:has-text("Revoke")')
    await page.waitForSelector('.badge:has-text("Revoked")', { timeout: 60_000 })
    expect((await fetch(`${url}/pacticipants`, { headers })).status).toBe(401)
    await context.close()
  },
)

test.each([true, false])(
  'an expired session leads to the sign-in page and back, with JavaScript: %s',
  async (javaScriptEnabled) => {
    const url = await closedBroker()
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    const signIn = async () => {
      await page.fill('#username', 'rosa')
      await page.fill('#password', 'correct horse')
      await page.click('main button:has-text("Sign in")')
    }
    await page.goto(`${url}/login?next=/admin/retention`)
    await page.fill('#username', 'rosa')
    await page.fill('#password', 'wrong')
    await page.click('main button:has-text("Sign in")')
    await page.waitForSelector('.notice[data-status=failed]', { timeout: 60_000 })
    await signIn()
    await page.waitForURL(/admin\/retention/)
    expect(await page.textContent('main')).toContain('are kept for')

    // A form whose session has ended changes nothing.
    await page.goto(`${url}/admin/tokens`)
    await page.fill('#label', 'late')
    await page.fill('[name=publish]', 'web')
    await context.clearCookies()
    await page.click('button:has-text("Create token")')
    await page.waitForSelector('h1:has-text("Sign in to see this page")', { timeout: 60_000 })
    const reopened = await page.goto(`${url}/admin/audit`)
    expect(reopened?.status()).toBe(401)
    await page.click('main a:has-text("Sign in")')
    await page.waitForURL(/login/)
    await signIn()
    await page.waitForURL(/admin\/audit/)
    expect(await page.textContent('h1')).toBe('Audit log')
    await page.goto(`${url}/admin/tokens`)
    expect(await page.textContent('main')).toContain('No tokens')
    await context.close()
  },
)

/** The parts of resources that the test reads. */
interface Hal {
  readonly uuid: string
  readonly _links: Record<string, { readonly href: string }>
}

test('a verdict page shows a result when it arrives', async () => {
  const own = await startBroker()
  stops.push(() => own.stop())
  const call = async (method: string, path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/hal+json' }
    const response = await fetch(new URL(path, own.url), { method, headers, body: JSON.stringify(body) })
    expect(response.status).toBeLessThan(300)
    return (await response.json()) as Hal
  }
  const interaction = { description: 'a', request: { method: 'GET', path: '/' }, response: { status: 200 } }
  const names = { consumer: { name: 'web' }, provider: { name: 'users' } }
  const published = await call('PUT', '/pacts/provider/users/consumer/web/version/1', {
    ...names,
    interactions: [interaction],
  })
  const { uuid } = await call('POST', '/environments', { name: 'test', displayName: 'Test', production: false })
  await call('PUT', '/pacticipants/users/versions/7', {})
  await call('POST', `/pacticipants/users/versions/7/deployed-versions/environment/${uuid}`, {})

  const context = await browser.newContext({})
  const page = await context.newPage()
  await page.goto(`${own.url}/can-i-deploy?pacticipant=web&version=1&environment=test`)
  expect(await page.textContent('#verdict')).toBe('Unknown')
  const results = published._links['pb:publish-verification-results']?.href ?? ''
  await call('POST', results, { success: true, providerApplicationVersion: '7' })
  await page.waitForSelector('.verdict[data-status=deployable]', { timeout: 60_000 })
  expect(await page.textContent('#verdict')).toBe('Deployable')
  await context.close()
})

test('a site of contracts works from files, and executes nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'contract-docs-'))
  stops.push(async () => rmSync(directory, { recursive: true }))
  const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
  const interactions = Array.from({ length: 250 }, (_, number) => ({
    description: `${evil} ${number}`,
    request: { method: 'GET', path: '/' },
    response: { status: 200, body: { [evil]: evil } },
  }))
  for (const name of ['web', evil]) {
    const document = { consumer: { name }, provider: { name: 'users' }, interactions }
    writeFileSync(join(directory, `${name.length}.json`), JSON.stringify(document))
  }
  const launcher = join(__dirname, '..', '..', 'bin', 'contract.js')
  const out = join(directory, 'site')
  const written = execFileSync(process.execPath, [launcher, 'docs', directory, '--out', out], { encoding: 'utf8' })
  expect(written).toContain('for 2 contracts. Open ')
  const axe = readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8')
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const problems: unknown[] = []
  page.on('dialog', (dialog) => {
    problems.push(dialog.message)
    void dialog.dismiss?.()
  })
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(pathToFileURL(join(out, 'index.html')).href)
  await page.fill('#filter', 'web')
  const visible = '[...document.querySelectorAll("#contracts [data-text]")].filter((row) => !row.hidden).length'
  expect(await page.evaluate(visible)).toBe(1)
  await page.click('#contracts tr:not([hidden]) a')
  await page.waitForURL(/web-users\.html/)
  await page.click('a[rel=next]')
  await page.waitForURL(/web-users\.2\.html/)
  await page.click('button:has-text("Expand all")')
  expect(await page.evaluate('document.querySelectorAll("details[open]").length')).toBe(50)
  expect(await page.evaluate('document.querySelectorAll("img:not([data-badge]), [onerror]").length')).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
  await page.evaluate(axe)
  const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run()')
  problems.push(...violations.map(({ id }) => id))
  await context.close()
  expect(problems).toEqual([])
})

test('the HTML report of a hostile contract executes nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'contract-report-'))
  stops.push(async () => rmSync(directory, { recursive: true }))
  const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>\u202e\u001b[31m${'w'.repeat(300)}`
  const provider = createServer((_, response) => {
    response.writeHead(500, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ [evil]: evil }))
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  stops.push(async () => void provider.close())
  const interaction = {
    description: evil,
    request: { method: 'GET', path: '/' },
    response: { status: 200, body: { [evil]: 1 } },
  }
  const names = { consumer: { name: evil }, provider: { name: 'users' } }
  writeFileSync(join(directory, 'evil.json'), JSON.stringify({ ...names, interactions: [interaction] }))
  const launcher = join(__dirname, '..', '..', 'bin', 'contract.js')
  const report = join(directory, 'report.html')
  const port = String((provider.address() as AddressInfo).port)
  const options = ['--file', join(directory, 'evil.json'), '--provider-name', 'users', '--port', port]
  const verifying = promisify(execFile)(process.execPath, [launcher, 'verify', ...options, '--html-file', report])
  await expect(verifying).rejects.toMatchObject({ code: 1 })
  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const context = await browser.newContext({ viewport })
    const page = await context.newPage()
    const problems: unknown[] = []
    page.on('dialog', (dialog) => {
      problems.push(dialog.message)
      void dialog.dismiss?.()
    })
    await page.goto(pathToFileURL(report).href)
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    expect(await page.textContent('body')).toContain('<script>alert(2)</script>')
    expect(await page.evaluate('document.querySelectorAll("img, [onerror]").length')).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
    await context.close()
    expect(problems).toEqual([])
  }
})

test('a hostile contract executes nothing', async () => {
  const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>\u202e\u001b[31m${'w'.repeat(300)}`
  const name = encodeURIComponent(evil.replace('\u001b[31m', ''))
  const interaction = {
    type: 'Synchronous/HTTP',
    description: evil,
    providerStates: [{ name: evil, params: { [evil]: evil } }],
    comments: { text: [`[x](javascript:alert(3)) ${evil}`], testname: evil },
    request: { method: 'GET', path: '/', headers: { 'X-Evil': [evil] } },
    response: { status: 200, body: { content: { [evil]: evil }, contentType: 'application/json', encoded: false } },
  }
  const document = {
    consumer: { name: decodeURIComponent(name) },
    provider: { name: decodeURIComponent(name) },
    interactions: [interaction],
    metadata: { pactSpecification: { version: '4.0' } },
  }
  const path = `/pacts/provider/${name}/consumer/${name}/version/1`
  const headers = { 'Content-Type': 'application/json' }
  const published = await fetch(broker.url + path, { method: 'PUT', headers, body: JSON.stringify(document) })
  expect(published.status).toBe(201)
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const executed: string[] = []
  page.on('dialog', (dialog) => {
    executed.push(String(dialog.message))
    void dialog.dismiss?.()
  })
  for (const visited of [
    '/',
    path,
    `${path}?full=1`,
    `/pacticipants/${name}`,
    `/pacticipants/${name}/versions`,
    `/pacticipants/${name}/versions/1`,
    `/pacticipants/${name}/branches`,
    `/pacticipants/${name}/provider-states`,
    `/pacticipants/${name}/activity`,
    `/graph?focus=${name}`,
    `/graph`,
    `/environments?application=${name}`,
    `/matrix?q[][pacticipant]=${name}`,
    `/can-i-deploy?pacticipant=${name}`,
    `/webhooks`,
    `/webhooks/new`,
    `/?q=${name}`,
    `/deletions`,
    `/admin/tokens`,
    `/admin/audit`,
    `/admin/retention`,
  ]) {
    const response = await page.goto(broker.url + visited)
    expect(response?.status()).toBe(200)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect([visited.slice(0, 20), await page.evaluate(overflow)]).toEqual([visited.slice(0, 20), 0])
    expect(await page.evaluate('document.querySelectorAll("img:not([data-badge]), [onerror]").length')).toBe(0)
  }
  await context.close()
  expect(executed).toEqual([])
})
