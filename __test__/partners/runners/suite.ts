// The behavior that each runner adapter must have. All adapters run this suite.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { Asked } from '../../support/broker.ts'
import { asking, contractOf } from '../../support/contracts.ts'
import { expectGolden, expectGoldenSection } from './golden.ts'
import { type Ran, type Runner, RunnerProject, removeProjects } from './project.ts'

/** How tests are written and counted in a runner. */
export interface Dialect {
  /** The module of the adapter. */
  readonly module: string
  /** The extension of test files: `.test.ts`. */
  readonly extension: string
  /** The beginning of a test file: imports, and `test`, created by `contractTest` with `web`, `users`, and no other options. */
  readonly preface: string
  /** A test: `test(name, async ({ contract, mockServer }) => { … })`. `kind` is the variant. */
  test(name: string, body: string, kind?: 'skip' | 'only' | 'concurrent' | 'retried' | 'timeout'): string
  /** A suite of tests: `describe(name, () => { … })`. */
  suite(name: string, tests: string): string
  /** Arguments that select the tests with this name. */
  filter(name: string): readonly string[]
  /** Arguments that retry failed tests, if tests of the `retried` kind do not say so themselves. */
  readonly retry?: readonly string[]
  /** An expression in a test that returns its attempt, from 1. Default: the test file counts, as attempts share its module. */
  readonly attempt?: string
  /** The number of runs until the retried test has passed. Default: 1. */
  readonly runs?: number
  /** Arguments for this number of workers. */
  workers(count: number): readonly string[]
  /** True if the runner reports the test that killed a worker as failed, and runs the other tests in a new worker. */
  readonly survives?: boolean
  /** Arguments with which each test file runs in a separate process. Default: those for two workers. */
  readonly separate?: readonly string[]
  /** Watch mode. */
  readonly watch?: Watch
  /** How a test file declares the tests of a provider. */
  readonly provider: ProviderSuite
  /** The numbers that a run has printed. */
  counts(ran: Ran): { readonly passed: number; readonly failed: number; readonly skipped: number }
  /** The part of the output with the failures. */
  failures(ran: Ran): string
  /** What the runner cannot do. */
  readonly lacks?: readonly ('concurrent' | 'retried' | 'only' | 'deleted tests' | 'summary' | 'types')[]
}

/** The runner's own watch mode. */
export interface Watch {
  readonly args: readonly string[]
  /** The arguments of Node, if they differ from those of a run. */
  readonly command?: readonly string[]
  /** Printed at the end of each round in which the test passed. */
  readonly ended: RegExp
}

/** How a test file declares the tests of a provider. */
export interface ProviderSuite {
  readonly imports: string
  /** The call that fetches contracts from a broker. */
  readonly prepare: string
  /** The argument of `suite`. */
  readonly functions: string
}

/** Code that defines an interaction and sends the request. */
export const requests = (path: string, sent = path) => `
    contract.uponReceiving('a request for ${path}').withRequest('GET', '${path}').willRespondWith(200)
    const response = await fetch(\`\${mockServer.url}${sent}\`)
    if (response.status !== 200) throw new Error(\`received status \${response.status}\`)`

/** Tests an adapter in one version of its runner. */
export function testAdapter(runner: Runner, dialect: Dialect): void {
  const { extension, preface, suite, counts, lacks = [] } = dialect
  const one = (name: string, path: string, kind?: Parameters<Dialect['test']>[2]) =>
    dialect.test(name, requests(path), kind)
  const file = (...tests: readonly string[]) => `${preface}\n${tests.join('\n')}\n`
  const project = (files: Readonly<Record<string, string>>) => new RunnerProject(runner, files)
  const able = (what: NonNullable<Dialect['lacks']>[number]) => !lacks.includes(what)
  const run = (made: RunnerProject, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) => {
    const ran = made.run(args, env)
    return { ...ran, ...counts(ran) }
  }

  /** Compares the messages of this package in the output with a golden file. */
  const expectMessages = (made: RunnerProject, title: string, output: string) => {
    const lines = made.normalized(output).split('\n')
    const messages = lines.flatMap(
      (line) => /\b(contract(Test)?:|contract\/[\w-]+|uponReceiving:) .*/.exec(line)?.[0] ?? [],
    )
    const written = /^contract: web → users: |^contract\/dist\//
    const distinct = [...new Set(messages)].filter((message) => !written.test(message))
    expectGoldenSection(`${runner.name}-messages`, title, distinct.join('\n'))
  }

  describe(runner.name, () => {
    afterAll(removeProjects)

    test('passing tests write the contract, with the name of the test and its file', () => {
      const made = project({
        [`test/users${extension}`]: file(suite('users', one('reads one', '/users/1')), one('reads all', '/users')),
      })

      expect(able('types') ? made.typecheck() : '').toBe('')
      const ran = run(made)

      expect([ran.passed, ran.failed, ran.status, ran.output]).toEqual([2, 0, 0, expect.any(String)])
      expect(made.contract()).toMatchObject([
        {
          description: 'a request for /users',
          comments: {
            testname: expect.stringMatching(/reads all$/),
            references: { test: { file: `test/users${extension}` } },
          },
        },
        { description: 'a request for /users/1', comments: { testname: expect.stringMatching(/^users.* reads one$/) } },
      ])
      if (able('summary')) {
        expect(made.normalized(ran.stderr)).toContain(
          'contract: web → users: 2 interactions from 1 test file in contracts/web-users.json',
        )
      }
    })

    test('a test serves each variant of its contract', () => {
      const body = `
    contract.uponReceiving('a note').withRequest('GET', '/note').willRespondWith(200)
      .withBody({ text: { 'pact:matcher:type': 'regex', regex: 'a|b', value: 'a' } })
    const texts = []
    for (const { serve } of contract.variants({ variants: { include: ['branch'] } })) {
      texts.push(await serve(async ({ url }) => (await (await fetch(\`\${url}/note\`)).json()).text))
    }
    if (texts.join() !== 'a,b') throw new Error(texts.join())`
      const made = project({ [`variants${extension}`]: file(dialect.test('shows a note', body)) })

      const ran = run(made)

      expect([ran.passed, ran.failed, ran.status, ran.output]).toEqual([1, 0, 0, expect.any(String)])
      expect(made.contract()).toMatchObject([{ description: 'a note', response: { body: { content: { text: 'a' } } } }])
    })

    test('failures are combined', () => {
      const made = project({
        [`failing${extension}`]: file(
          dialect.test('sends another request', requests('/users/1', '/users/2')),
          dialect.test(
            'sends no request',
            "contract.uponReceiving('unused').withRequest('GET', '/unused').willRespondWith(200)",
          ),
          dialect.test(
            'fails by itself',
            `${requests('/users/3')}\n    throw new Error('the body of the response is not displayed')`,
          ),
          dialect.test(
            'is too late',
            "contract.uponReceiving('slow').withRequest('GET', '/slow').willRespondWith(200)\n    await fetch(`${mockServer.url}/slow`)\n    await new Promise(() => {})",
            'timeout',
          ),
          one('passes', '/users/4'),
        ),
      })

      const ran = run(made)

      expect([ran.passed, ran.failed, ran.status !== 0]).toEqual([1, 4, true])
      expect(made.descriptions()).toEqual(['a request for /users/4'])
      expectGolden(`${runner.name}-failures`, made.normalized(dialect.failures(ran)))
    })

    if (able('retried')) {
      test('a test that passes when it is retried writes what the last attempt defined', () => {
        const made = project({
          [`retried${extension}`]: file(
            dialect.attempt === undefined ? 'let attempts = 0' : '',
            dialect.test(
              'flaky',
              `const attempt = ${dialect.attempt ?? '++attempts'}
    contract.uponReceiving(\`attempt \${attempt}\`).withRequest('GET', '/a').willRespondWith(200)
    await fetch(\`\${mockServer.url}\${attempt === 1 ? '/b' : '/a'}\`)`,
              'retried',
            ),
          ),
        })

        let ran = run(made, dialect.retry ?? [])
        for (let runs = 1; runs < (dialect.runs ?? 1); runs += 1) ran = run(made, dialect.retry ?? [])

        expect([ran.passed, ran.failed, made.descriptions()]).toEqual([1, 0, ['attempt 2']])
      })
    }

    describe('obsolete interactions', () => {
      const begun = () => {
        const made = project({
          [`a${extension}`]: file(one('a1', '/a1'), one('a2', '/a2'), one('a3', '/a3')),
          [`b${extension}`]: file(one('b1', '/b1')),
        })
        run(made)
        expect(made.descriptions()).toEqual(['/a1', '/a2', '/a3', '/b1'].map((path) => `a request for ${path}`))
        return made
      }
      const paths = (made: RunnerProject) => made.descriptions().map((description) => description.split(' ').at(-1))

      test('are removed if a test passed without them, was deleted, or its file was deleted', () => {
        const made = begun()
        made.write(
          `a${extension}`,
          file(one('a1', '/new'), able('deleted tests') ? '' : one('a2', '/other'), one('a3', '/a3')),
        )
        made.remove(`b${extension}`)

        const ran = run(made)

        expect(paths(made)).toEqual(able('deleted tests') ? ['/a3', '/new'] : ['/a3', '/new', '/other'])
        expect(ran.output).toContain('contract: removed "a request for /a1" from ')
      })

      test('are kept for skipped and failed tests', () => {
        const made = begun()
        made.write(
          `a${extension}`,
          file(one('a1', '/a1', 'skip'), dialect.test('a2', "throw new Error('failed')"), one('a3', '/new')),
        )

        const ran = run(made)

        expect([ran.passed, ran.failed, ran.skipped]).toEqual([2, 1, 1])
        expect(paths(made)).toEqual(['/a1', '/a2', '/b1', '/new'])
      })

      test('are kept in runs of some tests', () => {
        const made = begun()
        made.write(`a${extension}`, file(one('a1', '/new'), one('a2', '/a2'), one('a3', '/a3')))
        run(made, dialect.filter('a2'))
        expect(paths(made)).toEqual(['/a1', '/a2', '/a3', '/b1'])
        if (!able('only')) return

        made.write(`a${extension}`, file(one('a1', '/new'), one('a2', '/a2', 'only'), one('a3', '/a3')))
        run(made)
        expect(paths(made)).toEqual(['/a1', '/a2', '/a3', '/b1'])
      })
    })

    if (able('concurrent')) {
      test('concurrent tests have separate contracts and mock servers', () => {
        const names = Array.from({ length: 20 }, (_, number) => `c${number}`)
        const made = project({
          [`concurrent${extension}`]: file(...names.map((name) => one(name, `/${name}`, 'concurrent'))),
        })

        const ran = run(made)

        expect([ran.passed, ran.failed]).toEqual([20, 0])
        expect(
          made
            .contract()
            .map(({ comments }) => comments?.testname?.split(' ').at(-1))
            .sort(),
        ).toEqual(names.sort())
      })
    }

    test('8 workers write one contract', () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      const numbers = [1, 2, 3, 4, 5]
      const made = project(
        Object.fromEntries(
          names.map((name) => [
            `${name}${extension}`,
            file(
              ...numbers.map((number) => one(`${name}${number}`, `/${name}/${number}`)),
              one(`same in ${name}`, '/same'),
            ),
          ]),
        ),
      )

      const ran = run(made, dialect.workers(8))

      const all = names.flatMap((name) => numbers.map((number) => `a request for /${name}/${number}`))
      expect([ran.passed, ran.failed]).toEqual([48, 0])
      expect(made.descriptions().sort()).toEqual([...all, 'a request for /same'].sort())
      const first = made.contract()
      rmSync(join(made.folder, 'contracts'), { recursive: true })
      const again = run(made, dialect.workers(8))
      expect([again.passed, again.failed]).toEqual([48, 0])
      expect(made.contract()).toEqual(first)
    })

    test('a worker that is killed loses nothing that was written, and removes nothing', () => {
      const made = project({
        [`a${extension}`]: file(one('a1', '/a1'), one('a2', '/a2')),
        [`b${extension}`]: file(one('b1', '/b1')),
      })
      run(made)
      const kill = dialect.test('a2', "process.kill(process.pid, 'SIGKILL')")
      made.write(`a${extension}`, file(one('a1', '/new'), kill))

      const ran = run(made, dialect.separate ?? dialect.workers(2))

      // The test a1 passed without defining `/a1`.
      const kept = dialect.survives === true ? ['/a2', '/b1', '/new'] : ['/a1', '/a2', '/b1', '/new']
      expect([ran.status === 0, made.descriptions()]).toEqual([false, kept.map((path) => `a request for ${path}`)])
      if (dialect.survives === true) expect([ran.passed, ran.failed]).toEqual([2, 1])
      else {
        expect(ran.stderr).toContain(
          `contract: a${extension} did not finish. The interactions of its passed tests are in the contract, and no interactions were removed.`,
        )
      }

      // Vitest 3 exits when a worker is killed. Whether the other test file has ended by then depends on time.
      expectMessages(made, 'a worker that is killed', ran.output.replace(/^contract: b\S+ did not finish.*$/m, ''))

      made.write(`a${extension}`, file(one('a1', '/new'), one('a2', '/a2')))
      expect(run(made).failed).toBe(0)
      expect(made.descriptions()).toEqual(['/a2', '/b1', '/new'].map((path) => `a request for ${path}`))
    })

    const { watch } = dialect
    if (watch !== undefined) {
      test('watch mode runs again when a test changes, and not when a contract is written', async () => {
        const made = project({ [`a${extension}`]: file(one('changes', '/before')) })
        const watching = made.start(watch.args, watch.command)
        try {
          await watching.says(watch.ended)
          expect(made.descriptions()).toEqual(['a request for /before'])
          expect(await watching.silent(1500)).not.toMatch(watch.ended)

          made.write(`a${extension}`, file(one('changes', '/after')))
          await watching.says(watch.ended)
          expect(await watching.silent(1500)).not.toMatch(watch.ended)
          expect(made.descriptions()).toEqual(['a request for /after'])
        } finally {
          await watching.stop()
        }
      })
    }

    describe('verifier.suite', () => {
      const { imports, prepare, functions } = dialect.provider
      const users = (source: string, options: string) => `${imports}

const verifier = new Verifier('users', {
  ${options}
  transports: [
    { app: (request, response) => void response.writeHead(request.url === process.env.FAILING ? 500 : 200).end() },
  ],
})
${source}verifier.suite(${functions})
`
      const contract = contractOf([asking('/1'), asking('/2'), asking('/3')], { consumer: 'web' })

      test('declares a test for each interaction of contract files', () => {
        const made = project({
          'contracts/web-users.json': JSON.stringify(contract),
          [`users${extension}`]: users('', "sources: ['./contracts'],"),
        })

        expect(able('types') ? made.typecheck() : '').toBe('')
        expect(run(made)).toMatchObject({ passed: 3, failed: 0, status: 0 })
        const failing = run(made, [], { FAILING: '/2' })
        expect([failing.passed, failing.failed, failing.status !== 0]).toEqual([2, 1, true])
        expect(failing.output).toMatch(/Expected status 200 but received 500|expected status 200/i)
      })

      test('publishes results of contracts from a broker once, after complete runs', async () => {
        await using asked = await Asked.start()
        await asked.publish(contract)
        const made = project({
          [`users${extension}`]: users(
            `${prepare}\n`,
            `brokerSource: process.env.BROKER_URL ?? '',
  publishOptions: { version: process.env.VERSION ?? '', branch: 'main' },`,
          ),
        })
        const verify = (VERSION: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
          run(made, args, {
            BROKER_URL: asked.url,
            VERSION,
            CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS: 'true',
            ...env,
          })
        expect(able('types') ? made.typecheck() : '').toBe('')

        expect(verify('1', dialect.filter('a request for /1'))).toMatchObject({ passed: 1, failed: 0 })
        await expect(asked.result()).rejects.toThrow('404')

        const complete = verify('2')
        expect(complete).toMatchObject({ passed: 3, failed: 0, status: 0 })
        expect(await asked.result()).toMatchObject({ success: true, providerApplicationVersion: '2' })
        expect(complete.output.match(/ublished/g)).toHaveLength(1)

        const failing = verify('3', [], { FAILING: '/2' })
        expect(failing).toMatchObject({ passed: 2, failed: 1 })
        expect(await asked.result()).toMatchObject({ success: false, providerApplicationVersion: '3' })
        expect(failing.output.match(/ublished/g)).toHaveLength(1)
      })
    })

    test('a contract directory that cannot be created is reported once', () => {
      const made = project({ contracts: '', [`a${extension}`]: file(one('a1', '/a1'), one('a2', '/a2')) })

      const ran = run(made)

      expect(ran.status).not.toBe(0)
      expect(made.normalized(ran.output)).toContain(
        'the contract directory <project>/contracts is not a directory. Remove the file, or',
      )
      expect(ran.output.match(/is not a directory\. Remove the file/g)?.length).toBeLessThanOrEqual(2)
      expectMessages(made, 'a contract directory that is a file', ran.output)
    })

    test('a fixture that is used after its test is rejected', () => {
      const made = project({
        [`a${extension}`]: file(
          "let kept: import('contract').Contract".replace(extension.endsWith('ts') ? '' : /: .*$/, ''),
          dialect.test('first', `${requests('/a')}\n    kept = contract`),
          dialect.test('second', `kept.uponReceiving('late')`),
        ),
      })

      const ran = run(made)

      expect([ran.passed, ran.failed]).toEqual([1, 1])
      expect(ran.output).toMatch(
        /uponReceiving: the test ".*first" has ended\. "contract" and "mockServer" belong to one test/,
      )
      expectMessages(made, 'a fixture after its test', ran.output)
    })

    test('a second adapter in a test file is rejected', () => {
      const other = dialect.module === 'contract/node-test' ? 'contract/mocha' : 'contract/node-test'
      const second = preface.includes('require(')
        ? `require('${other}').contractTest({ consumer: 'web', provider: 'users' })`
        : `import { contractTest as other } from '${other}'\nother({ consumer: 'web', provider: 'users' })`
      const made = project({ [`a${extension}`]: file(second, one('a1', '/a1')) })

      const ran = run(made)

      expect([ran.status === 0, made.descriptions()]).toEqual([false, []])
      expectMessages(made, 'two adapters', ran.output)
    })
  })
}

/** Expects that the adapter rejects this version of its runner. */
export function expectUnsupported(runner: Runner, files: Readonly<Record<string, string>>): void {
  const ran = new RunnerProject(runner, files).run()

  expect(ran.status).not.toBe(0)
  const [message = ''] = /\bcontract\/[\w-]+ requires .*/.exec(ran.output) ?? []
  expect(message).not.toBe('')
  expectGoldenSection(`${runner.name}-messages`, 'an unsupported version', message)
}
