// The same behavior in three languages: the cases of fixtures/operations through C, equal files, contracts of each
// language verified by the others, and one file with writers in two languages. pytest runs the cases in Python.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, type VerificationError, Verifier } from 'contract'
import { perform } from '../support/builder.ts'
import { operations } from '../support/functions.ts'
import { withProvider } from '../support/provider.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const root = join(__dirname, '..', '..')
const capi = join(root, '.tmp', 'capi')
const python = join(root, '.tmp', 'python', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')

interface Refused {
  readonly code: string
  readonly operation?: string
  readonly argument?: string
  readonly text: string
}

/** Processes of failed tests are ended here. */
const running = new Set<Driver>()
afterAll(() => {
  for (const driver of running) driver.kill()
})

/** A program that executes calls, one per line. */
class Driver {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>

  constructor(command: string, args: readonly string[]) {
    running.add(this)
    const env = { ...process.env, LD_LIBRARY_PATH: join(capi, 'lib'), DYLD_LIBRARY_PATH: join(capi, 'lib') }
    this.#process = spawn(command, args, {
      env,
      cwd: join(root, 'python', 'tests'),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]()
  }

  async ask(
    line: string,
  ): Promise<{ readonly ok?: unknown; readonly refused?: Refused & { readonly message: string } }> {
    this.#process.stdin.write(`${line}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`the program ended at: ${line}`)
    const blank = value.indexOf(' ')
    return { [value.slice(0, blank)]: JSON.parse(value.slice(blank + 1)) }
  }

  /** Executes the call, which must succeed. */
  async must(line: string): Promise<unknown> {
    const answer = await this.ask(line)
    expect(answer).toHaveProperty('ok')
    return answer.ok
  }

  kill(): void {
    this.#process.kill()
  }

  async end(): Promise<void> {
    running.delete(this)
    const ended = once(this.#process, 'exit')
    this.#process.stdin.end()
    expect(await ended).toEqual([0, null])
  }
}

const drivers: Record<'C' | 'Python', () => Driver> = {
  C: () => new Driver(join(capi, 'operations'), []),
  Python: () => new Driver(python, ['operations.py']),
}

const ofContract = ['with_specification', 'defaults', 'upon_receiving', 'interaction']

interface BuilderCase {
  readonly name: string
  readonly calls: readonly Readonly<Record<string, Readonly<Record<string, unknown>>>>[]
  readonly result?: unknown
  readonly error?: Refused
}

async function carryOut(driver: Driver, calls: BuilderCase['calls']) {
  await driver.must('new')
  let begun = false
  for (const call of calls) {
    const [name = ''] = Object.keys(call)
    const on = begun && !ofContract.includes(name) ? 'interaction' : 'contract'
    const answer = await driver.ask(`${on} ${JSON.stringify(call)}`)
    if (answer.refused !== undefined) return answer.refused
    begun ||= name === 'upon_receiving' || name === 'interaction'
  }
  return undefined
}

describe('the cases of fixtures/operations through C', () => {
  let driver: Driver
  beforeAll(() => {
    driver = drivers.C()
  })
  afterAll(() => driver.end())

  test.each(['match', 'generate', 'xml'])('%s', async (file) => {
    interface Case {
      readonly name: string
      readonly call: string
      readonly arguments: unknown
      readonly result?: unknown
      readonly error?: Refused
    }
    for (const { name, call, arguments: args, result, error } of operations<Case[]>(file)) {
      const answer = await driver.ask(`matcher ${call} ${JSON.stringify(args)}`)
      if (error === undefined) expect([name, answer.ok]).toEqual([name, result])
      else expect([name, said(answer.refused)]).toEqual([name, error])
    }
  })

  test('builder', async () => {
    for (const { name, calls, result, error } of operations<BuilderCase[]>('builder')) {
      const found = await carryOut(driver, calls)
      if (error === undefined)
        expect([name, found, await driver.must('interactions')]).toEqual([name, undefined, result])
      // Errors that no single call causes are reported when interactions are requested.
      else expect([name, said(found ?? (await driver.ask('interactions')).refused)]).toEqual([name, error])
    }
  })
})

/** The text of an error in the form of the fixtures. */
function said(refused: (Refused & { readonly message: string }) | undefined) {
  if (refused === undefined) return undefined
  const { code, operation, argument, message: text } = refused
  return { code, ...(operation && { operation }), ...(argument && { argument }), text }
}

/** Cases that both languages can express, by name. */
const cases = operations<BuilderCase[]>('builder').filter(({ result }) => result !== undefined)

test('a case writes the same file in each language', async () => {
  const both = { C: drivers.C(), Python: drivers.Python() }
  for (const { name, calls } of cases) {
    const written: Record<string, string> = {}
    for (const [language, driver] of Object.entries(both)) {
      const directory = temporaryDirectory()
      await carryOut(driver, calls)
      await driver.must(`write ${JSON.stringify({ directory })}`)
      written[language] = readFileSync(join(directory, 'web-orders.json'), 'utf8')
    }
    const contract = new Contract('web', 'orders')
    let current: object | undefined
    for (const call of calls) {
      for (const [operation, args] of Object.entries(call))
        current = perform(contract, current, operation, args) ?? current
    }
    const typescript = readFileSync(await contract.writeFile(temporaryDirectory()), 'utf8')
    expect([name, written]).toEqual([name, { C: typescript, Python: typescript }])
  }
  for (const driver of Object.values(both)) await driver.end()
})

describe('contracts of each language, verified by each', () => {
  const directory = join(temporaryDirectory(), 'contracts')
  const calls = (language: string) => [
    { upon_receiving: { description: `a request of ${language}` } },
    {
      with_request: { method: 'POST', path: '/orders', body: { id: { 'contract:matcher:type': 'integer', value: 7 } } },
    },
    { with_header: { name: 'X-Language', value: language } },
    { will_respond_with: { status: 201 } },
    { with_body: { body: { state: { 'contract:matcher:type': 'regex', regex: 'open|shipped', value: 'open' } } } },
  ]

  beforeAll(async () => {
    mkdirSync(directory)
    for (const [language, start] of Object.entries(drivers)) {
      const driver = start()
      await carryOut(driver, calls(language))
      await driver.must(`write ${JSON.stringify({ directory })}`)
      await driver.end()
    }
    const contract = new Contract('web', 'orders')
    contract.interaction({
      description: 'a request of TypeScript',
      request: { method: 'POST', path: '/orders', body: { id: 7 }, headers: { 'X-Language': 'TypeScript' } },
      response: { status: 201, body: { state: 'open' } },
    })
    await contract.writeFile(directory)
  })

  const answering =
    (state: string, seen: string[]): RequestListener =>
    (request, response) => {
      seen.push(String(request.headers['x-language']))
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ state }))
    }

  const verifiers: Record<string, (url: string) => Promise<string | null>> = {
    TypeScript: async (url) => {
      const failure = await new Verifier('orders')
        .addSource(directory)
        .addTransport(url)
        .verify()
        .then(
          () => null,
          (error: VerificationError) => error,
        )
      return failure === null ? null : failure.message
    },
    ...Object.fromEntries(
      Object.entries(drivers).map(([language, start]) => [
        language,
        async (url: string) => {
          const driver = start()
          const { failures } = (await driver.must(`verify ${directory} ${url}`)) as { failures: string | null }
          await driver.end()
          return failures
        },
      ]),
    ),
  }

  test.each(Object.keys(verifiers))('%s', async (language) => {
    const verify = verifiers[language] as (url: string) => Promise<string | null>
    const seen: string[] = []
    expect(await withProvider(answering('open', seen), verify)).toBeNull()
    expect(seen.sort()).toEqual(['C', 'Python', 'TypeScript'])
    const failures = await withProvider(answering('lost', []), verify)
    expect(failures).toContain('3 of 3 interactions failed')
  })
})

test('four writers in two languages on one file lose nothing', async () => {
  const directory = temporaryDirectory()
  const entry = JSON.stringify(require.resolve('contract'))
  const script = `
    const { Contract } = require(${entry})
    const [directory, name, count] = process.argv.slice(1)
    const contract = new Contract('web', 'users', { directory })
    const all = async () => {
      for (let i = 0; i < Number(count); i += 1) {
        contract.uponReceiving(name + ' test ' + i).withRequest('GET', '/' + i).willRespondWith(200)
        await contract.serve(({ url }) => fetch(url + '/' + i))
      }
    }
    all()`
  const writers = ['node 1', 'node 2', 'python 1', 'python 2'].map((name) => name.replace(' ', '-'))
  await Promise.all(
    writers.map(async (name) => {
      if (name.startsWith('node')) {
        const child = spawn(process.execPath, ['-e', script, '--', directory, name, '25'], { stdio: 'inherit' })
        expect(await once(child, 'exit')).toEqual([0, null])
      } else {
        const driver = drivers.Python()
        await driver.must(`serve ${directory} ${name} 25`)
        await driver.end()
      }
    }),
  )
  const { interactions } = JSON.parse(readFileSync(join(directory, 'web-users.json'), 'utf8'))
  const descriptions = interactions.map(({ description }: { description: string }) => description)
  const wanted = writers.flatMap((name) => Array.from({ length: 25 }, (_, i) => `${name} test ${i}`))
  expect(descriptions.sort()).toEqual(wanted.sort())
})
