// contract/playwright: the suite of adapters, and a page in Chromium whose requests the mock server answers.

import { existsSync } from 'node:fs'
import { afterAll, describe, expect, test } from '@jest/globals'
import { type Runner, RunnerProject, removeProjects } from './project.ts'
import { type Dialect, expectUnsupported, requests, testAdapter } from './suite.ts'

/** From the system: Playwright's own download is not needed. */
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

const config = `import { defineConfig } from '@playwright/test'

export default defineConfig({
  fullyParallel: true,
  testMatch: '**/*.spec.ts',
  timeout: 60_000,
  reporter: [['list'], ['contract/playwright/reporter']],
  use: { launchOptions: { executablePath: ${JSON.stringify(chromium ?? '')}, args: ['--no-sandbox'] } },
})
`

const runner: Runner = {
  name: 'playwright-1',
  packages: { '@playwright/test': '1.65.1' },
  command: ['@playwright/test/cli.js', 'test'],
  files: { 'playwright.config.ts': config },
}

const dialect: Dialect = {
  module: 'contract/playwright',
  extension: '.spec.ts',
  preface: `import { contractTest } from 'contract/playwright'

const test = contractTest({ consumer: 'web', provider: 'users' })`,
  test(name, body, kind) {
    const call = kind === 'skip' || kind === 'only' ? `test.${kind}` : 'test'
    const used = ['contract', 'mockServer'].filter((fixture) => new RegExp(`\\b${fixture}\\b`).test(body))
    const first = kind === 'timeout' ? '    test.setTimeout(1500)\n' : ''
    const retried = kind === 'retried' ? 'test.describe.configure({ retries: 2 })\n' : ''
    return `${retried}${call}('${name}', async ({ ${used.join(', ')} }) => {\n${first}    ${body}\n})`
  },
  suite: (name, tests) => `test.describe('${name}', () => {\n${tests}\n})`,
  filter: (name) => ['--grep', name],
  survives: true,
  attempt: 'test.info().retry + 1',
  provider: {
    imports: "import { test } from '@playwright/test'\nimport { Verifier } from 'contract'",
    prepare: 'await verifier.prepare()',
    functions: '{ describe: test.describe, it: test, afterAll: test.afterAll }',
  },
  workers: (count) => [`--workers=${count}`],
  counts({ stdout }) {
    const count = (word: string) => Number(new RegExp(`^ +(\\d+) ${word}`, 'm').exec(stdout)?.[1] ?? 0)
    return { passed: count('passed') + count('flaky'), failed: count('failed'), skipped: count('skipped') }
  },
  failures: ({ stdout }) => stdout.slice(stdout.search(/^ +1\) /m)),
  lacks: ['concurrent'],
}

testAdapter(runner, dialect)

describe('playwright', () => {
  afterAll(removeProjects)

  const app = `<!doctype html><p id="name"></p><script>
    fetch('https://api.example.com/v1/users/1?full=true', { headers: { 'x-trace': '1' } })
      .then((response) => response.json())
      .then(({ name }) => { document.querySelector('#name').textContent = name })
      .catch((error) => { document.querySelector('#name').textContent = String(error) })
  </script>`
  const page = (path: string) => `import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from '@playwright/test'
import { contractTest } from 'contract/playwright'

const test = contractTest({ consumer: 'web', provider: 'users', apiUrl: 'https://api.example.com/v1' })
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(${JSON.stringify(app)}))
test.beforeAll(async () => { await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) }) })
test.afterAll(() => { server.close() })

test('shows a user', async ({ page, contract }) => {
  contract.uponReceiving('a request for user 1').withRequest('GET', '${path}').withQueryParameter('full', 'true')
    .willRespondWith(200).withBody({ name: 'Alice' })
  await page.goto(\`http://127.0.0.1:\${(server.address() as AddressInfo).port}\`)
  await expect(page.locator('#name')).toHaveText('Alice', { timeout: 60_000 })
})
`

  test('requests of a page below apiUrl are answered by the mock server', () => {
    expect(chromium).toBeDefined()
    const made = new RunnerProject(runner, { 'page.spec.ts': page('/users/1') })

    expect(made.typecheck()).toBe('')
    const ran = made.run()
    expect([ran.status, ran.output]).toEqual([0, expect.stringContaining('1 passed')])
    expect(made.descriptions()).toEqual(['a request for user 1'])
  })

  test('a page whose request does not match fails with the closest interaction, and the log is attached', () => {
    const made = new RunnerProject(runner, { 'page.spec.ts': page('/users/2') })

    const ran = made.run()

    expect(ran.status).toBe(1)
    expect(ran.output).toContain('1) Unexpected request: GET /users/1?full=true')
    expect(ran.output).toContain('Closest interaction: "a request for user 1" (GET /users/2)')
    expect(ran.output).toContain('log of the mock server')
    expect(made.descriptions()).toEqual([])
  })

  test('an older version of Playwright is rejected', () => {
    const old = {
      ...runner,
      name: 'playwright-1.44',
      packages: { '@playwright/test': '1.44.1' },
      npm: ['--legacy-peer-deps'],
    }
    expectUnsupported(old, { 'a.spec.ts': `${dialect.preface}\n${dialect.test('a1', requests('/a1'))}` })
  })

  test('an apiUrl that is not a URL is rejected', () => {
    const made = new RunnerProject(runner, {
      'page.spec.ts': page('/users/1').replace("https://api.example.com/v1' })", "/v1' })"),
    })

    expect(made.run().output).toContain('"apiUrl" must be a URL such as https://api.example.com/v1; received "/v1"')
  })
})
