// Suites: one test per interaction, with several test runners.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, test } from '@jest/globals'
import { Verifier } from 'contract'
import { Asked, wants } from './support/broker.ts'
import { asking, contractFile, contractOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

const calls: string[] = []
const server = createServer(answering(200, {}))
const verifier = new Verifier('users', {
  sources: [
    contractFile([asking('/1', 200, { states: ['a', 'b'] }), asking('/2', 500, { pending: true }), asking('/3')]),
  ],
  transports: [{ app: server }],
  stateHandler: (state, action) => void calls.push(`${action} ${state}`),
})

// These are tests of this file: Jest counts them.
verifier.suite({ describe, it, afterAll })

test('ran and produced one report', () => {
  expect(calls).toEqual(['setup a', 'setup b'])
  expect(server.listening).toBe(false)
  expect(verifier.results).toMatchObject({ success: true, summary: { total: 3, passed: 2, pending: 1 } })
  expect(verifier.output({ stripAnsi: true })).toContain('a request for /3')
})

/** A runner that only records calls. */
function recorder() {
  const titles: string[] = []
  const bodies: (() => Promise<void>)[] = []
  return {
    titles,
    bodies,
    describe: (name: string, body: () => void) => {
      titles.push(`# ${name}`)
      body()
    },
    it: (name: string, body: () => Promise<void>) => {
      titles.push(name)
      bodies.push(body)
    },
  }
}

test('titles contain consumer, description, states, and pending, and are unique', () => {
  const runner = recorder()
  const again = { ...asking('/1', 200, { states: ['a'] }), providerStates: [{ name: 'a', params: { id: 1 } }] }
  const sources = [
    contractFile([asking('/1', 200, { states: ['a'] }), again, asking('/2', 200, { pending: true })]),
    contractFile([asking('/1')], { consumer: 'phone' }),
  ]

  new Verifier('users', { sources, transports: ['http://127.0.0.1:9'] }).suite(runner)

  expect(runner.titles).toEqual([
    '# provider users',
    '# honors the contract with web',
    'a request for /1, given a',
    'a request for /1, given a (2)',
    'a request for /2 [pending]',
    '# honors the contract with phone',
    'a request for /1',
  ])
})

test('without afterAll, the last test closes the application; tests run sequentially', async () => {
  const runner = recorder()
  const own = createServer(answering(200, {}))
  const order: string[] = []
  new Verifier('users', {
    sources: [contractFile([asking('/1', 200, { states: ['a'] }), asking('/2', 500, { states: ['b'] })])],
    transports: [{ app: own }],
    stateHandler: {
      a: { setup: () => void order.push('+a'), teardown: () => void order.push('-a') },
      b: () => void order.push('b'),
    },
  }).suite(runner)

  const outcomes = await Promise.allSettled(runner.bodies.map((body) => body()))

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(outcomes[1]).toMatchObject({
    reason: {
      name: 'VerificationError',
      message: expect.stringContaining('a request for /2'),
      report: { summary: { total: 1, failed: 1 } },
    },
  })
  expect(order).toEqual(['+a', '-a', 'b'])
  expect(own.listening).toBe(false)
})

test('contracts behind URLs are fetched first', async () => {
  await withProvider(answering(200, contractOf([asking('/1')])), async (source) => {
    const verifier = new Verifier('users', { sources: [`${source}/c.json`], transports: [source] })
    expect(() => verifier.suite(recorder())).toThrow(
      /await prepare\(\) before suite\(\), or call prepareSync\(\) in CommonJS/,
    )

    const runner = recorder()
    await verifier.prepare()
    verifier.suite(runner)

    expect(runner.titles).toContain('a request for /1')
    await runner.bodies[0]?.()
    expect(verifier.results?.success).toBe(true)
  })
})

test('without top-level await, contracts of a broker are fetched by prepareSync', async () => {
  const broker = await Asked.start()
  try {
    await broker.publish(wants(200))
    const verifier = new Verifier('users', { brokerSource: broker.url, transports: [{ app: answering(200, {}) }] })
    expect(() => verifier.suite(recorder())).toThrow(
      /await prepare\(\) before suite\(\), or call prepareSync\(\) in CommonJS/,
    )

    const runner = recorder()
    verifier.setQuiet().prepareSync().suite(runner)

    expect(runner.bodies).toHaveLength(1)
    await runner.bodies[0]?.()
    expect(verifier.results?.success).toBe(true)
  } finally {
    await broker.stop()
  }
})

test.each([
  ['no source', new Verifier('users'), 'ERR_CONTRACT_NO_SOURCE'],
  [
    'nothing for the provider',
    new Verifier('users', { sources: [contractFile([], { provider: 'x' })] }),
    'ERR_CONTRACT_NO_CONTRACT',
  ],
  [
    'nothing left',
    new Verifier('users', { sources: [contractFile([asking('/1')])], filter: 'nope' }),
    'ERR_CONTRACT_NOTHING_TO_VERIFY',
  ],
])('%s is told when tests are declared', (_, verifier, code) => {
  expect(() => verifier.suite(recorder())).toThrow(expect.objectContaining({ code }))
})

describe('in other runners', () => {
  const entry = require.resolve('contract')
  const script = (imports: string, runner: string, file: string) => `
    ${imports}
    const { Verifier } = require(${JSON.stringify(entry)})
    const app = (request, response) => response.writeHead(request.url === '/2' ? 500 : 200).end()
    new Verifier('users').addSource(${JSON.stringify(file)}).addTransport({ app }).suite(${runner})`
  const file = () => contractFile([asking('/1'), asking('/2'), asking('/3')])

  test('node:test', () => {
    const folder = temporaryDirectory()
    const path = join(folder, 'users.test.cjs')
    writeFileSync(
      path,
      script("const { describe, it, after } = require('node:test')", '{ describe, it, after }', file()),
    )
    const { NODE_TEST_CONTEXT, ...env } = process.env

    const run = spawnSync(process.execPath, ['--test', '--test-reporter=tap', path], {
      encoding: 'utf8',
      env,
      timeout: 30_000,
    })

    expect(run.stdout).toMatch(/^# pass 2$/m)
    expect(run.stdout).toMatch(/^# fail 1$/m)
    expect(run.stdout).toContain('not ok 2 - a request for /2')
    expect(run.status).toBe(1)
  })

  test('Jest, without any hook, ends by itself', () => {
    const folder = temporaryDirectory()
    writeFileSync(join(folder, 'package.json'), '{}')
    writeFileSync(join(folder, 'users.test.js'), script('', '{ describe, it }', file()))
    const jestFile = join(dirname(dirname(entry)), 'node_modules', 'jest', 'bin', 'jest.js')
    const args = [jestFile, '--runInBand', '--rootDir', folder, '--detectOpenHandles']

    const run = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
      timeout: 60_000,
    })

    expect(run.stderr).toContain('Tests:       1 failed, 2 passed, 3 total')
    expect(run.stderr).toContain('● provider users › honors the contract with web › a request for /2')
    expect(run.stderr).not.toContain('open handle')
  })
})
