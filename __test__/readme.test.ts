// The samples, the failure and the figures of the README.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Contract, match } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const entry = require.resolve('contract')
const checkout = dirname(dirname(entry))

test('a consumer writes a contract and the provider fulfills it, in one file and on the first run', () => {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8')
  const [consumer, provider] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code as string)
  const folder = temporaryDirectory()
  writeFileSync(join(folder, 'orders.test.ts'), `${consumer}${provider}`)
  const config = {
    rootDir: folder,
    modulePaths: [join(checkout, 'node_modules')],
    moduleNameMapper: { '^contract$': entry },
    transform: {
      '\\.ts$': [require.resolve('@swc/jest'), { swcrc: false, jsc: { parser: { syntax: 'typescript' } } }],
    },
  }

  const jest = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')
  const run = spawnSync(process.execPath, [jest, '--config', JSON.stringify(config)], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
  })

  expect(run.stderr).toContain('2 passed, 2 total')
})

/** The message of a consumer test whose client requests this path. */
async function failure(path: string): Promise<string> {
  const contract = new Contract('web', 'orders')
  contract
    .uponReceiving('a request for an order')
    .given('an order exists', { parameters: { id: 7 } })
    .withRequest('GET', '/orders/7')
    .willRespondWith(200)
    .withBody({ id: match.int(7) })

  const failed = contract.serve((server) => fetch(`${server.url}${path}`))
  const { message } = await failed.then(
    () => new Error(),
    (error: Error) => error,
  )

  // The received request contains the headers of this client, which the documents omit.
  return message.replace(/\n {3}Received request:\n(?: {5}[^\n]*\n)+/, '').trim()
}

test('a failure is printed as in the README', async () => {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8')
  const shown = /<!-- failure: .*? -->\n\n```text\n(.*?)```/s.exec(readme)?.[1]

  expect(await failure('/order/7?full=true')).toBe(shown?.trim())
})

test('a failure begins as on the home page of the documentation', async () => {
  const page = readFileSync(join(checkout, 'docs', 'index.md'), 'utf8')
  const shown = /```text\n(.*?)```/s.exec(page)?.[1]

  expect((await failure('/order/7')).startsWith(shown?.trim() ?? 'missing')).toBe(true)
})

test('the README claims no more than the benchmark has measured', () => {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8').replace(/\s+/g, ' ')
  const { comparison } = JSON.parse(readFileSync(join(checkout, 'docs', 'data', 'performance.json'), 'utf8'))
  const ratio = (name: string) => comparison['pact-js'].cases[name].median / comparison.contract.cases[name].median
  const claims = [
    [/A consumer test is more than (\d+) times as fast/, 'cycle: 200 tests, fetch: firstMs'],
    [/1,000th interaction to a contract file is more than (\d+) times/, 'cycle: 1000 tests, fetch: lastMs'],
    [/Verifying 1,000 interactions is more than (\d+) times/, 'verify: 1000 interactions, no provider state: totalMs'],
  ] as const
  for (const [claim, name] of claims) expect(Number(claim.exec(readme)?.[1])).toBeLessThan(ratio(name))
  const size = Number(/installed together: (\d+) MiB/.exec(readme)?.[1])
  expect(size).toBeGreaterThanOrEqual(comparison.contract.cases['install: npm install --omit=dev: diskMb'].median)
})
