// Bun and Deno run the same tests as Node, with their own test runners.
import { afterAll, describe, expect, test } from '@jest/globals'
import { type Runner, RunnerProject, removeProjects } from './project.ts'

afterAll(removeProjects)

const smoke = `import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { Contract, Verifier, match } from 'contract'
import { contractTest } from 'contract/node-test'

test('a consumer test passes and is written', async () => {
  const contract = new Contract('web', 'users', { directory: 'contracts' })
  contract
    .uponReceiving('a request for user 1')
    .given('user 1 exists')
    .withRequest('GET', '/users/1')
    .willRespondWith(200)
    .withBody({ id: match.int(1) })
  await contract.serve(async ({ url }) => {
    const response = await fetch(url + '/users/1')
    assert.deepEqual(await response.json(), { id: 1 })
  })
})

const withContract = contractTest({ consumer: 'web', provider: 'stock' })

test('the adapter for node:test', withContract(async ({ contract, mockServer }) => {
  contract.uponReceiving('a request for the stock').withRequest('GET', '/stock').willRespondWith(204)
  assert.equal((await fetch(mockServer.url + '/stock')).status, 204)
}))

test('a message is handled', async () => {
  const contract = new Contract('shop', 'orders', { directory: 'contracts' })
  contract.uponReceiving('an order', 'Async').withBody({ id: match.int(7) })
  const handled: unknown[] = []
  await contract.verify((message) => void handled.push(message), 'Async')
  assert.equal(handled.length, 1)
})

test('a provider at a URL is verified with its states', async () => {
  const states: string[] = []
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"id":1}'))
  const port = await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  try {
    await new Verifier('users')
      .addSource('contracts/web-users.json')
      .addTransport({ url: 'http://127.0.0.1:' + port })
      .stateHandler({ 'user 1 exists': () => void states.push('set up') })
      .verify()
  } finally {
    server.close()
  }
  assert.deepEqual(states, ['set up'])
})

test('a provider in the same process is verified', async () => {
  await new Verifier('users')
    .addSource('contracts/web-users.json')
    .addTransport({
      app: createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"id":1}')),
    })
    .stateHandler({ 'user 1 exists': () => {} })
    .verify()
})
`

const failing = `import { test } from 'node:test'
import { Contract } from 'contract'

test('fails', async () => {
  const contract = new Contract('web', 'users', { directory: 'contracts' })
  contract.uponReceiving('a request for user 2').withRequest('GET', '/users/2').willRespondWith(200)
  await contract.serve(({ url }) => fetch(url + '/users/3'))
})
`

/** A program without a test runner, which must end by itself. */
const program = `import { Contract } from 'contract'

const contract = new Contract('web', 'users', { directory: 'contracts' })
contract.uponReceiving('a request for user 1').withRequest('GET', '/users/1').willRespondWith(200)
await contract.serve(({ url }) => fetch(url + '/users/1'))
console.log('done')
`

const runtimes = [
  {
    name: 'Bun',
    runner: { name: 'bun', packages: { bun: '1.4.5' }, program: 'bun', command: [] } satisfies Runner,
    test: ['test'],
    run: ['run'],
    passed: /\b(\d+) pass\b/,
  },
  {
    name: 'Deno',
    runner: { name: 'deno', packages: { deno: '2.9.6' }, program: 'deno', command: [] } satisfies Runner,
    // Deno looks for the types of packages in the project's own node_modules only, and npm installed them above it.
    test: ['test', '--allow-all', '--no-check'],
    run: ['run', '--allow-all'],
    passed: /\b(\d+) passed\b/,
  },
]

describe.each(runtimes)('$name', (runtime) => {
  test('runs consumer tests, messages, and verifications', () => {
    const project = new RunnerProject(runtime.runner, { 'smoke.test.ts': smoke })
    const { status, output } = project.run([...runtime.test, './smoke.test.ts'])
    expect([status, runtime.passed.exec(output)?.[1], output]).toEqual([0, '5', expect.any(String)])
    expect(['web-users', 'web-stock', 'shop-orders'].flatMap((name) => project.descriptions(name))).toEqual([
      'a request for user 1',
      'a request for the stock',
      'an order',
    ])
  })

  test('prints what does not match, and writes nothing', () => {
    const project = new RunnerProject(runtime.runner, { 'fails.test.ts': failing })
    const { status, output } = project.run([...runtime.test, './fails.test.ts'])
    expect(status).toBe(1)
    expect(output).toContain("Expected path '/users/2' but received '/users/3'")
    expect(output).toContain('2) Missing request: "a request for user 2" (GET /users/2)')
    expect(project.descriptions()).toEqual([])
  })

  test('ends a program that used the library', () => {
    const project = new RunnerProject(runtime.runner, { 'program.mts': program })
    const { status, output } = project.run([...runtime.run, './program.mts'])
    expect([status, output.trim()]).toEqual([0, 'done'])
    expect(project.descriptions()).toEqual(['a request for user 1'])
  })
})
