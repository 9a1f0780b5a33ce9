// The output of a verification, apart from errors.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Verifier } from 'contract'
import { Asked, verified, wants } from './support/broker.ts'
import { asking, contractFile, failureOf } from './support/contracts.ts'
import { answering } from './support/provider.ts'

let printed: string[]

beforeEach(() => {
  printed = []
  jest.spyOn(console, 'error').mockImplementation((text) => void printed.push(String(text)))
})
afterEach(() => {
  jest.restoreAllMocks()
})

const app = answering(200, {})
const pending = asking('/2', 500, { pending: true })
const verifierOf = (...interactions: ReturnType<typeof asking>[]) =>
  new Verifier('users').addSource(contractFile(interactions)).addTransport({ app })

describe('verify', () => {
  test('prints a pending failure that does not fail the build, with the expected value', async () => {
    const report = await verifierOf(asking('/1'), pending).verify()

    expect(report.success).toBe(true)
    expect(printed).toHaveLength(1)
    expect(printed[0]).toMatch(/^Verification of users: .*1 pending/)
    expect(printed[0]).toContain('Pending failures (they do not fail the build):')
    expect(printed[0]).toContain('a request for /2')
    expect(printed[0]).toMatch(/Expected status 500 but was 200/)
    // Passed interactions are not printed.
    expect(printed[0]).not.toContain('a request for /1')
  })

  test('prints nothing if there is nothing to report', async () => {
    await verifierOf(asking('/1')).verify()

    expect(printed).toEqual([])
  })

  test('prints which states have no handler', async () => {
    await verifierOf(asking('/1', 200, { states: ['a user exists'] })).verify()

    expect(printed.join()).toMatch(/Warnings:\n {2}no state handler is registered, so 1 interaction was verified/)
  })

  test('prints pending failures of a run that fails for another reason, and does not repeat the error', async () => {
    const error = await failureOf(verifierOf(asking('/1', 404), pending).verify())

    expect(error.message).toContain('a request for /1')
    expect(printed.join()).toContain('a request for /2')
    expect(printed.join()).not.toContain('a request for /1')
  })

  test.each<[string, (verifier: Verifier) => Verifier]>([
    ['a call', (verifier) => verifier.setQuiet()],
    [
      'an option',
      () => new Verifier('users', { sources: [contractFile([pending])], transports: [{ app }], quiet: true }),
    ],
  ])('prints nothing if %s turns it off', async (_, quiet) => {
    const verifier = quiet(verifierOf(pending))
    await verifier.verify()

    expect(printed).toEqual([])
    expect(verifier.output()).toContain('a request for /2')
  })

  test('prints notices of a broker, once, and what was published', async () => {
    const broker = await Asked.start()
    try {
      await broker.publish(wants(200))
      await verified((verifier) => verifier.brokerSource(broker.url).setPublishOptions('7', 'main'))
    } finally {
      await broker.stop()
    }

    expect(printed).toHaveLength(1)
    expect(printed[0]).toMatch(/1 result published for users 7 \(main\): http/)
    const lines = printed[0]?.split('\n').filter((line) => line.trim() !== '') ?? []
    expect(new Set(lines).size).toBe(lines.length)
  })
})

describe('suite', () => {
  /** A runner that passes each test a context as Vitest and node:test do. */
  async function run(verifier: Verifier) {
    const tests: (() => Promise<unknown>)[] = []
    const skipped: unknown[] = []
    let end = async () => {}
    verifier.suite({
      describe: (_, body) => body(),
      it: (_, body) => void tests.push(() => Reflect.apply(body, {}, [{ skip: (note: string) => skipped.push(note) }])),
      afterAll: (body) => {
        end = body
      },
    })
    for (const one of tests) await one()
    const before = [...printed]
    await end()
    return { skipped, before }
  }

  test('marks a pending failure as skipped if the runner can, and prints it once after the last test', async () => {
    const { skipped, before } = await run(verifierOf(asking('/1'), pending))

    expect(skipped).toEqual([expect.stringContaining('pending')])
    expect(before).toEqual([])
    expect(printed).toHaveLength(1)
    expect(printed[0]).toContain('a request for /2')
  })

  test('prints nothing if turned off', async () => {
    await run(verifierOf(pending).setQuiet())

    expect(printed).toEqual([])
  })
})

describe('the timeout of a test', () => {
  const entry = require.resolve('contract')

  /** Runs a script in a process that simulates a Vitest test with a timeout of 60 s that started 55 s ago. */
  function limited(url: string, call: string) {
    const file = contractFile([asking('/1'), asking('/2'), asking('/3', 200, { pending: true })])
    const script = `
      globalThis.__vitest_worker__ = { current: { timeout: 60000, result: { startTime: Date.now() - 55000 } } }
      const { Verifier } = require(${JSON.stringify(entry)})
      const verifier = new Verifier('users', { requestTimeout: 300000, sources: [${JSON.stringify(file)}], transports: ['${url}'] })
      const report = (error) => console.log(JSON.stringify({ message: error.message, interactions:
        verifier.results.contracts[0].interactions.map(({ status, error }) => [status, error?.code]) }))
      ${call}`
    const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { message: string; interactions: unknown[] }
  }

  /** In another process, because this one waits for the script. */
  function withoutAnswer(): string {
    return `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  }
  const silent = createServer(() => {})
  beforeEach(async () => {
    if (!silent.listening) await once(silent.listen(0, '127.0.0.1'), 'listening')
  })
  afterEach(() => {
    silent.closeAllConnections()
    silent.close()
  })

  test('verify fails before the timeout with the interaction that was running', () => {
    const { message, interactions } = limited(withoutAnswer(), 'verifier.verify().catch(report)')

    expect(message).toContain('a request for /1')
    expect(message).toMatch(/test timeout of 60 s was about to expire while this interaction was running/)
    expect(interactions).toEqual([
      ['failed', 'ERR_CONTRACT_TIMEOUT'],
      ['skipped', null],
      ['skipped', null],
    ])
  })

  test('a test of a suite fails before the timeout', () => {
    const call = `
      const tests = []
      verifier.suite({ describe: (_, body) => body(), it: (_, body) => tests.push(body), afterAll: () => {} })
      tests[2]().catch(report)`
    const { message, interactions } = limited(withoutAnswer(), call)

    expect(message).toContain('a request for /3')
    // It is pending and its result is unknown.
    expect(interactions).toEqual([['failed', 'ERR_CONTRACT_TIMEOUT']])
  })
})
