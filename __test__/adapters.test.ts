// The shared part of the runner adapters. The adapters themselves: partners/runners.
import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Contract, MismatchesError, match, ServeTimeoutError } from 'contract'
import { temporaryDirectory } from './support/temporary.ts'

const bundle = join(dirname(require.resolve('contract')), 'adapters.cjs')
const adapters = require(bundle) as typeof import('../dist/types/adapters/index.js')
const { contractMatchers, TestFile, TestRun, TestSession, checkDirectory, roundOfWorkers, splitOptions, useAdapter } =
  adapters

type Session = InstanceType<typeof TestSession>

let folder: string

beforeEach(() => {
  folder = temporaryDirectory()
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'a.test.ts'), '')
})

const session = (name = 'reads a user', options = {}, timeout?: number): Session =>
  new TestSession(
    splitOptions({ consumer: 'web', provider: 'users', directory: join(folder, 'contracts'), ...options }),
    {
      name,
      file: join(folder, 'a.test.ts'),
      timeout,
    },
  )

const wants = (contract: Contract, path: string) =>
  contract.uponReceiving(`a request for ${path}`).withRequest('GET', path).willRespondWith(200)

const written = (): { description: string; comments?: unknown }[] =>
  JSON.parse(readFileSync(join(folder, 'contracts', 'web-users.json'), 'utf8')).interactions

async function failure(running: Promise<unknown>): Promise<Error> {
  const error: unknown = await running.then(
    () => 'it passed',
    (error) => error,
  )
  expect(error).toBeInstanceOf(Error)
  return error as Error
}

describe('a session', () => {
  test('starts the mock server on first use, and writes the contract with the test and its file', async () => {
    const status = await session().run(async ({ contract, mockServer }) => {
      wants(contract, '/a')
      return (await fetch(`${mockServer.url}/a`)).status
    })

    expect(status).toBe(200)
    expect(written()).toMatchObject([
      {
        description: 'a request for /a',
        comments: { testname: 'reads a user', references: { test: { file: 'a.test.ts' } } },
      },
    ])
  })

  test('keeps the interactions of concurrent tests apart', async () => {
    const paths = ['/a', '/b', '/c', '/d']
    const bodies = paths.map((path) =>
      session(path).run(async ({ contract, mockServer }) => {
        wants(contract, path)
        await new Promise((resolve) => setImmediate(resolve))
        return (await fetch(`${mockServer.url}${path}`)).status
      }),
    )

    expect(await Promise.all(bodies)).toEqual([200, 200, 200, 200])
    expect(written()).toHaveLength(4)
  })

  test('names the same test in each run, if several tests define an interaction', async () => {
    const run = async (names: readonly string[]) => {
      for (const name of names) {
        await session(name).run(async ({ contract, mockServer }) => {
          wants(contract, '/a')
          await fetch(`${mockServer.url}/a`)
        })
      }
      return (written()[0]?.comments as { testname?: string } | undefined)?.testname
    }
    expect(await run(['b', 'a', 'c'])).toBe('a')
    expect(await run(['c', 'a', 'b'])).toBe('a')
    expect(written()).toHaveLength(1)
  })

  test('combines the error of the test with the mismatches and the log', async () => {
    const own = new Error('expected 200')
    const error = await failure(
      session().run(async ({ contract, mockServer }) => {
        wants(contract, '/a')
        await fetch(`${mockServer.url}/b`)
        throw own
      }),
    )

    expect(error).toBeInstanceOf(MismatchesError)
    expect(error.cause).toBe(own)
    expect(error.message).toMatch(
      /Unexpected request: GET \/b[\s\S]*Log of the mock server:\n.* GET \/b: unexpected request/,
    )
    expect(error.stack).toMatch(/\n {4}at .*adapters\.test\.ts:\d+:\d+\n/)
    expect(error.stack).not.toContain('adapters.cjs')
    expect(() => written()).toThrow()
  })

  test.each([
    ['throws', () => Promise.reject(new TypeError('mine'))],
    ['throws after a request', (url: string) => fetch(`${url}/a`).then(() => Promise.reject(new TypeError('mine')))],
  ])('does not change the error of a test that %s without mismatches', async (_, body) => {
    const running = session()
    const error = await failure(
      running.run(async ({ contract, mockServer }) => {
        wants(contract, '/a')
        await body(mockServer.url)
      }),
    )
    expect(error).toMatchObject({ name: 'TypeError', message: 'mine' })
  })

  test('fails if interactions are not used, or defined too late', async () => {
    const unused = await failure(session().run(({ contract }) => void wants(contract, '/a')))
    expect(unused.message).toMatch(
      /Missing request: "a request for \/a"[\s\S]*The test did not use the mock server\. Pass/,
    )

    const late = await failure(
      session().run(async ({ contract, mockServer }) => {
        wants(contract, '/a')
        await fetch(`${mockServer.url}/a`)
        wants(contract, '/b')
      }),
    )
    expect(late.message).toMatch(/^The test defined interactions after the first use of mockServer/)

    const message = await failure(
      session().run(({ contract }) => void contract.uponReceiving('an order', 'Async').withBody({ id: 1 })),
    )
    expect(message).toMatchObject({
      code: 'ERR_CONTRACT_UNUSED',
      message: expect.stringContaining("verify(handler, 'Async')"),
    })
  })

  test('accepts tests that call serve or verify themselves', async () => {
    await session().run(async ({ contract }) => {
      wants(contract, '/a')
      await contract.serve(({ url }) => fetch(`${url}/a`))
      contract.uponReceiving('an order', 'Async').withBody({ id: 1 })
      await contract.verify(() => {}, 'Async')
    })
    expect(written()).toHaveLength(2)
  })

  test('serve runs against variants, and mockServer responds with the examples', async () => {
    const define = (contract: Contract) => wants(contract, '/a').withBody({ note: match.nullable('a') })
    const notes: unknown[] = []
    const load = async (url: string) => {
      const { note } = (await (await fetch(`${url}/a`)).json()) as { note: unknown }
      notes.push(note)
    }
    await session('with serve').run(async ({ contract }) => {
      define(contract)
      await contract.serve({ variants: { include: ['null'] } }, ({ url }) => load(url))
    })
    await session('with variants').run(async ({ contract }) => {
      define(contract)
      for (const { serve } of contract.variants({ variants: { include: ['null'] } }))
        await serve(({ url }) => load(url))
    })
    await session('with the option of the contract', { variants: { include: ['null'] } }).run(
      async ({ contract, mockServer }) => {
        define(contract)
        await load(mockServer.url)
      },
    )

    expect(notes).toEqual(['a', null, 'a', null, 'a'])
    expect(written()).toHaveLength(1)
  })

  test('rejects variants of mockServer, because it cannot repeat the test', async () => {
    expect(() => session('a', { server: { variants: 'default' } })).toThrow(/contractTest: "variants" is not supported/)
    const error = await failure(
      session().run(async ({ contract, mockServer }) => {
        wants(contract, '/a')
        await mockServer.start({ variants: 'default' } as object)
      }),
    )
    expect(error.message).toMatch(/"variants" is not supported.*use contract\.serve\(\{ variants \}, callback\)/)
  })

  test('variants cannot be served after the test', async () => {
    let late: Promise<unknown> = Promise.resolve()
    await session().run(async ({ contract }) => {
      wants(contract, '/a')
      const [example] = contract.variants()
      await example?.serve(({ url }) => fetch(`${url}/a`))
      late = new Promise((resolve) => setTimeout(resolve)).then(() => example?.serve(() => {}))
      late.catch(() => {})
    })
    await expect(late).rejects.toThrow('has ended')
  })

  test('reports what a test that takes too long was waiting for', async () => {
    const error = await failure(
      session('waits', {}, 300).run(async ({ contract, mockServer }) => {
        wants(contract, '/a')
        await fetch(`${mockServer.url}/a`)
        await new Promise(() => {})
      }),
    )
    expect(error).toBeInstanceOf(ServeTimeoutError)
    expect(error.message).toMatch(
      /The test "waits" did not finish within 0\.27 s\. The last request, GET \/a, [\s\S]*increase the timeout of the test/,
    )
  })

  test('can be ended by a runner that calls the test itself', async () => {
    const failed = session()
    wants(failed.contract, '/a')
    await fetch(`${failed.mockServer.url}/b`)
    const own = new Error('expected 200')
    const result = await failed.end({ status: 'failed', error: own })
    expect(result).toMatchObject({ error: { name: 'MismatchesError', cause: own }, interactions: 1 })
    expect(result.log).toContain('GET /b')
    expect(await failed.end({ status: 'passed' })).toBe(result)

    const late = session('late', {}, 700)
    wants(late.contract, '/a')
    expect(late.mockServer.matched).toBe(false)
    const { error } = await late.end({ status: 'timedOut', error: own })
    expect(error).toMatchObject({ name: 'ServeTimeoutError', cause: own, message: expect.stringContaining('0.7 s') })

    const skipped = session()
    wants(skipped.contract, '/a')
    await fetch(`${skipped.mockServer.url}/b`)
    expect((await skipped.end({ status: 'skipped' })).error).toBeUndefined()
    expect(() => written()).toThrow()
  })

  test('does not repeat mismatches that the test has thrown', async () => {
    const error = await failure(
      session().run(async ({ contract, mockServer }) => {
        wants(contract, '/a')
        mockServer.verify()
      }),
    )
    expect(error).toBeInstanceOf(MismatchesError)
    expect(error.cause).toBeUndefined()
  })

  test('points to the test if its contract cannot be written', async () => {
    mkdirSync(join(folder, 'contracts', 'web-users.json'), { recursive: true })
    const error = await failure(
      session().run(async ({ contract, mockServer }) => {
        wants(contract, '/a')
        await fetch(`${mockServer.url}/a`)
      }),
    )
    const [frame] = error.stack?.split('\n').filter((line) => /^ +at /.test(line)) ?? []
    expect(error).toMatchObject({ name: 'ContractFileError', message: expect.stringContaining('web-users.json') })
    expect(frame).toMatch(/adapters\.test\.ts:\d+:\d+/)
  })

  test('cannot be used after the test', async () => {
    const ended = session('ended')
    const { contract, mockServer } = ended
    await ended.run(() => {})
    const text = /the test "ended" has ended\. "contract" and "mockServer" belong to one test/
    expect(() => contract.uponReceiving('a')).toThrow(text)
    expect(() => contract.interaction({ description: 'a', request: {}, response: {} })).toThrow(text)
    await expect(contract.serve(() => {})).rejects.toThrow(text)
    await expect(contract.verify(() => {}, 'Async')).rejects.toThrow(text)
    expect(() => mockServer.url).toThrow(text)
    await expect(mockServer.start()).rejects.toThrow(text)
  })

  test('mockServer.start passes options, and starts servers with many interactions', async () => {
    await session().run(async ({ contract, mockServer }) => {
      for (let number = 0; number < 250; number += 1) wants(contract, `/${number}`)
      expect(() => mockServer.url).toThrow('Call await mockServer.start() before you use it')
      const server = await mockServer.start()
      expect(server.url).toBe(mockServer.url)
      await expect(mockServer.start({ cors: false })).rejects.toThrow('the server is already running')
      await Promise.all(Array.from({ length: 250 }, (_, number) => fetch(`${mockServer.url}/${number}`)))
    })
    expect(written()).toHaveLength(250)
  })

  test('mockServer behaves like a MockServer', async () => {
    await session('server', { server: { host: 'localhost' } }).run(async ({ contract, mockServer }) => {
      wants(contract, '/a')
      await fetch(mockServer.resolve('/a'))
      expect(`${mockServer}`).toBe(mockServer.url)
      expect(mockServer).toMatchObject({ host: 'localhost', transport: 'http', matched: true, mismatches: [] })
      expect(mockServer.requests).toHaveLength(1)
      expect(mockServer.address).toBe(`localhost:${mockServer.port}`)
      mockServer.verify()
      await mockServer.stop()
    })
    expect(written()).toHaveLength(1)
  })

  test('of contracts in V3 does not write comments', async () => {
    await session('V3', { specification: 'V3' }).run(async ({ contract, mockServer }) => {
      wants(contract, '/a')
      await fetch(`${mockServer.url}/a`)
    })
    expect(written()[0]?.comments).toBeUndefined()
  })
})

describe('files and runs', () => {
  const checkout = process.cwd()

  beforeEach(() => process.chdir(folder))

  afterEach(() => {
    process.chdir(checkout)
    delete process.env.CONTRACT_RUN_NOTES
    delete process.env.CONTRACT_RUN_ROUND
  })

  const options = () => splitOptions({ consumer: 'web', provider: 'users', directory: join(folder, 'contracts') })

  /** A file with tests that define these interactions. */
  async function runFile(round: string, tests: Readonly<Record<string, string>>, known = Object.keys(tests)) {
    process.env.CONTRACT_RUN_ROUND = round
    const file = new TestFile(join(folder, 'a.test.ts'))
    for (const [name, path] of Object.entries(tests)) {
      const running = session(name)
      wants(running.contract, path)
      await fetch(`${running.mockServer.url}${path}`)
      file.passed(options(), await running.end({ status: 'passed' }))
    }
    await file.end(known.map((name) => ({ name, status: name in tests ? 'passed' : 'skipped' })))
  }

  test('a run removes obsolete interactions, and prints what was written and removed', async () => {
    const run = new TestRun()
    await runFile('1', { one: '/1', two: '/2', three: '/3' })
    const [first, ...more] = await run.end({ complete: true })
    expect(first).toMatch(/^contract: web → users: 3 interactions from 1 test file in .*web-users\.json$/)
    expect(more).toEqual([])

    await runFile('2', { one: '/other' }, ['one', 'two'])
    const lines = await run.end({ complete: true })
    expect(written().map(({ description }) => description)).toEqual(['a request for /2', 'a request for /other'])
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^contract: removed "a request for \/1" from /),
      expect.stringMatching(/^contract: removed "a request for \/3" from /),
    ])
    run.close()
  })

  test('a run removes the interactions of deleted files only if it was complete', async () => {
    const run = new TestRun()
    await runFile('1', { one: '/1' })
    await run.end({ complete: true })
    rmSync(join(folder, 'a.test.ts'))
    process.env.CONTRACT_RUN_ROUND = '2'
    expect(await run.end({ complete: false })).toEqual([])
    expect(await run.end({ complete: true })).toEqual([expect.stringContaining('removed "a request for /1"')])
    run.close()
  })

  test('workers that start at the same time belong to the same round', () => {
    const run = new TestRun()
    const rounds = join(process.env.CONTRACT_RUN_NOTES as string, 'rounds')
    // Another worker has created the file, but not written to it yet.
    writeFileSync(rounds, '')
    expect([roundOfWorkers(), roundOfWorkers()]).toEqual([1, 1])
    const ended = spawnSync(process.execPath, ['--version']).pid
    writeFileSync(rounds, `1 ${ended}\n`)
    expect([roundOfWorkers(), roundOfWorkers()]).toEqual([2, 2])
    run.close()
    expect(roundOfWorkers()).toBeUndefined()
  })

  test('a run names the files whose worker was killed', async () => {
    const run = new TestRun()
    new TestFile(join(folder, 'a.test.ts'))
    const notes = process.env.CONTRACT_RUN_NOTES as string
    appendFileSync(join(notes, readdirSync(notes)[0] as string), '{"ended": "half a li')
    expect(await run.end({ complete: false })).toEqual([expect.stringMatching(/a\.test\.ts did not finish\. The/)])
    run.close()
    expect(() => readdirSync(notes)).toThrow()
  })
})

describe('misuse', () => {
  const adapter = { module: 'contract/vitest', runner: 'Vitest', version: '4.1.12', oldest: '3' }

  test('an unsupported version, another runner, and two adapters are rejected', () => {
    expect(() => useAdapter({ ...adapter, version: '2.1.9' })).toThrow(
      'contract/vitest requires Vitest 3 or later, found 2.1.9. Update Vitest, or use Contract.serve() without an adapter. [ERR_CONTRACT_RUNNER]',
    )
    expect(() => useAdapter({ ...adapter, isActive: false })).toThrow(
      'contract/vitest only works in Vitest. This file is run by Jest: import contract/jest instead.',
    )
    useAdapter(adapter)
    useAdapter(adapter)
    useAdapter({ ...adapter, version: '99.0.0' })
    expect(() => useAdapter({ ...adapter, module: 'contract/jest', runner: 'Jest' })).toThrow(
      'contract/jest and contract/vitest are used in the same test file. Import contractTest from only one of them.',
    )
  })

  test('a contract directory that cannot be written is rejected', () => {
    const file = join(folder, 'package.json')
    checkDirectory(join(folder, 'not', 'yet', 'there'))
    checkDirectory(new URL(`file://${folder}/contracts`))
    expect(() => checkDirectory(file)).toThrow(`the contract directory ${file} is not a directory. Remove the file`)
    expect(() => checkDirectory(join(file, 'contracts'))).toThrow(
      `${join(file, 'contracts')} (${file}) is not a directory`,
    )
  })

  test('a contract directory without write permission is rejected', () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o555 })
    chmodSync(folder, 0o755)
    // Root can write to any directory.
    const script = `const { checkDirectory } = require(${JSON.stringify(bundle)})
      if (process.getuid?.() === 0) process.setuid(65534)
      checkDirectory(${JSON.stringify(join(closed, 'contracts'))})`
    const { stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
    const text = `the contract directory ${join(closed, 'contracts')} (${closed}) is not writable (E`
    if (process.platform !== 'win32') expect(stderr).toContain(text)
  })

  test('options that are not an object are rejected', () => {
    for (const [value, name] of [
      [null, 'null'],
      ['web', 'string'],
      [[], 'an array'],
      [undefined, 'undefined'],
    ]) {
      expect(() => splitOptions(value as never)).toThrow(
        `contractTest: expected { consumer, provider, … }, received ${name}`,
      )
    }
    expect(() => splitOptions({ consumer: 'a', provider: 'b', server: 1 as never })).toThrow(
      '"server" must be an object',
    )
    expect(new Contract('a', 'b').consumer).toBe('a')
  })
})

describe('assertions', () => {
  const { toMatchTemplate } = contractMatchers
  const messageOf = (value: unknown, template: unknown) => {
    const { pass, message } = toMatchTemplate(value, template as never)
    return [pass, message()]
  }

  test('toMatchTemplate compares by the matchers of the template', () => {
    const template = { id: match.int(1), tags: match.eachLike('a'), name: 'Alice' }
    expect(messageOf({ id: 7, tags: ['x', 'y'], name: 'Alice', more: true }, template)[0]).toBe(true)
    expect(messageOf({ id: 'x', tags: [], name: 'Bob' }, template)).toEqual([
      false,
      expect.stringMatching(/does not match the template\n\n {2}\$\.id: .*\n {2}\$\.tags: .*\n {2}\$\.name: .*$/),
    ])
    expect(messageOf('text', 'text')[0]).toBe(true)
    expect(messageOf(new Date(0), match.str('1970-01-01T00:00:00.000Z'))[0]).toBe(true)
    expect(messageOf(undefined, {})).toEqual([
      false,
      expect.stringContaining('$: Expected a JSON value but received undefined'),
    ])
  })

  test('toMatchTemplate rejects templates and values that are not JSON', () => {
    const circular: { self?: unknown } = {}
    circular.self = circular
    expect(() => messageOf(circular, {})).toThrow('toMatchTemplate: the received value cannot be converted to JSON')
    expect(() => messageOf({}, { call: () => {} })).toThrow('toMatchTemplate')
    expect(() => messageOf({}, { 'contract:matcher:type': 'nonsense', value: 1 })).toThrow('nonsense')
  })
})
