// contract/vitest in each supported version of Vitest, and in each of its pools.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { checkout } from '../../package/project.ts'
import { expectGolden } from './golden.ts'
import { type Runner, RunnerProject, removeProjects } from './project.ts'
import { type Dialect, expectUnsupported, requests, testAdapter } from './suite.ts'

const plugin = `import { contractPlugin } from 'contract/vitest/plugin'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [contractPlugin()] })
`

/** Vitest's default of 5 s is too short for the first test of a file on a loaded machine. */
const timeouts = ['--testTimeout=60000', '--hookTimeout=60000']

const runner = (version: string, more: Partial<Runner> = {}): Runner => ({
  name: `vitest-${version.split('.')[0]}`,
  packages: { vitest: version },
  command: ['vitest/vitest.mjs', 'run', ...timeouts],
  files: { 'vitest.config.ts': plugin },
  ...more,
})

const dialect: Dialect = {
  module: 'contract/vitest',
  extension: '.test.ts',
  preface: `import { contractTest } from 'contract/vitest'
import { describe } from 'vitest'

const test = contractTest({ consumer: 'web', provider: 'users' })`,
  test(name, body, kind) {
    const call = kind === 'skip' || kind === 'only' || kind === 'concurrent' ? `test.${kind}` : 'test'
    const options = kind === 'timeout' ? ', { timeout: 500 }' : ''
    const used = ['contract', 'mockServer'].filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    return `${call}('${name}'${options}, async ({ ${used.join(', ')} }) => {\n    ${body}\n})`
  },
  suite: (name, tests) => `describe('${name}', () => {\n${tests}\n})`,
  filter: (name) => ['-t', name],
  // As an option of a test, Vitest 3 ignores it in tests with fixtures.
  retry: ['--retry=2'],
  provider: {
    imports: "import { Verifier } from 'contract'\nimport { afterAll, describe, it } from 'vitest'",
    prepare: 'await verifier.prepare()',
    functions: '{ describe, it, afterAll }',
  },
  workers: (count) => [`--maxWorkers=${count}`],
  counts({ stdout }) {
    const line = /^\s*Tests\s+(.*)$/m.exec(stdout)?.[1] ?? ''
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0)
    return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  },
  failures: ({ stderr }) => stderr,
}

const versions = [runner('3.2.4'), runner('4.1.12'), runner('5.1.1', { node: '22.23.3' })]

describe.each(versions)('$name', (version) => {
  testAdapter(version, dialect)
})

afterAll(removeProjects)

const file = (...tests: readonly string[]) => `${dialect.preface}\n${tests.join('\n')}\n`
const one = (name: string, path: string) => dialect.test(name, requests(path))
const vitest4 = runner('4.1.12')

describe.each(versions.flatMap((version) => ['threads', 'vmThreads'].map((pool) => [version, pool] as const)))(
  '%# in pools',
  (version, pool) => {
    test(`${version.name} ${pool}`, () => {
      const made = new RunnerProject(version, {
        'a.test.ts': file(one('a1', '/a1'), one('a2', '/a2'), dialect.test('fails', requests('/x', '/y'))),
        'b.test.ts': file(one('b1', '/b1')),
      })
      const first = made.run([`--pool=${pool}`])
      expect([dialect.counts(first), made.descriptions()]).toEqual([
        { passed: 3, failed: 1, skipped: 0 },
        ['a request for /a1', 'a request for /a2', 'a request for /b1'],
      ])
      expect(first.output).toContain('MismatchesError: 1 unexpected request, 1 missing request')

      made.write('a.test.ts', file(one('a1', '/new')))
      made.run([`--pool=${pool}`])
      expect(made.descriptions()).toEqual(['a request for /b1', 'a request for /new'])
    })
  },
)

test('without isolation, files that share a module with contractTest end one by one', () => {
  const shared = "import { test } from './contract.js'\n"
  const made = new RunnerProject(vitest4, {
    'contract.ts':
      "import { contractTest } from 'contract/vitest'\nexport const test = contractTest({ consumer: 'web', provider: 'users' })\n",
    'a.test.ts': `${shared}${one('a1', '/a1')}\n${one('a2', '/a2')}`,
    'b.test.ts': `${shared}${one('b1', '/b1')}\n${one('b2', '/b2')}`,
  })
  const args = ['--no-isolate', '--maxWorkers=1', '--no-file-parallelism']
  expect(made.normalized(made.run(args).stderr)).toContain(
    'contract: web → users: 4 interactions from 2 test files in contracts/web-users.json',
  )
  made.write('a.test.ts', shared + one('a1', '/a1'))
  made.write('b.test.ts', shared + one('b2', '/b2'))
  made.run(args)
  expect(made.descriptions()).toEqual(['a request for /a1', 'a request for /b2'])
})

test('without the plugin, one import is enough to remove obsolete interactions', () => {
  const made = new RunnerProject({ ...vitest4, files: {} }, { 'a.test.ts': file(one('a1', '/a1'), one('a2', '/a2')) })
  made.run()
  made.write('a.test.ts', file(one('a2', '/a2')))
  const ran = made.run()
  expect([made.descriptions(), ran.stdout]).toEqual([
    ['a request for /a2'],
    expect.stringContaining('contract: removed "a request for /a1" from '),
  ])
})

test('reports for machines stay readable', () => {
  const made = new RunnerProject(vitest4, { 'a.test.ts': file(one('a1', '/a1')) })
  const { stdout, stderr } = made.run(['--reporter=json'])
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1 })
  expect(stderr).toContain('contract: web → users: 1 interaction')
})

test('watch mode runs again after a change of the source, and not after writing contracts', async () => {
  const consumer = `import { path } from './path.js'\n${file(one('a', '/a').replaceAll("'/a'", 'path').replaceAll('/a`', '${path}`'))}`
  const made = new RunnerProject(vitest4, { 'path.ts': "export const path = '/a'\n", 'a.test.ts': consumer })
  made.run()
  // A test that reads the contract file makes Vite watch it.
  made.write('a.test.ts', `import './contracts/web-users.json'\n${consumer}`)
  const watching = made.start([], ['vitest/vitest.mjs', 'watch', ...timeouts])
  try {
    await watching.says(/Tests\s+1 passed[\s\S]*Waiting for file changes/)
    expect(await watching.silent(1500)).not.toContain('RERUN')
    made.write('path.ts', "export const path = '/b'\n")
    const output = await watching.says(/RERUN[\s\S]*1 passed[\s\S]*Waiting for file changes/)
    const more = await watching.silent(1500)
    expect(output + more).toContain('contract: web → users: 1 interaction from 1 test file')
    expect(more).not.toContain('RERUN')
    expect(made.contract()).toHaveLength(1)
  } finally {
    await watching.stop()
  }
})

test('an older version of Vitest is rejected', () => {
  const old = runner('2.1.9', { files: {}, npm: ['--legacy-peer-deps'] })
  expectUnsupported(old, { 'a.test.ts': file(one('a1', '/a1')) })
})

test('the samples of the guide run', () => {
  const guide = readFileSync(join(checkout, 'docs', 'guides', 'vitest.md'), 'utf8')
  const samples = [...guide.matchAll(/^```ts vitest (\S+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => [
    name,
    code,
  ])
  expect(samples.map(([name]) => name)).toEqual([
    'users.test.ts',
    'vitest.config.ts',
    'assertions.test.ts',
    'provider.test.ts',
  ])
  const app = `const app: import('node:http').RequestListener = ({ url }, response) => {
  const user = { id: 1, name: 'Alice' }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(url === '/users' ? [user] : user))
}
`
  const files = Object.fromEntries(
    samples.map(([name, code]) => [name, name === 'provider.test.ts' ? app + code : code]),
  )
  const made = new RunnerProject({ ...vitest4, files: {} }, files)
  expect(made.typecheck()).toBe('')

  expect(dialect.counts(made.run(['users', 'assertions']))).toEqual({ passed: 2, failed: 0, skipped: 0 })
  expect(dialect.counts(made.run(['provider']))).toEqual({ passed: 2, failed: 0, skipped: 0 })
})

test('assertions about templates and mock servers', () => {
  const made = new RunnerProject(vitest4, {
    'a.test.ts': file(
      "import { match } from 'contract'\nimport { expect } from 'vitest'",
      dialect.test(
        'template',
        "expect({ id: '7', name: 'Bob', more: 1 }).toMatchTemplate({ id: match.int(1), name: match.str('a') })",
      ),
      dialect.test('not', 'expect({ id: 7 }).not.toMatchTemplate({ id: match.int(1) })'),
      dialect.test('undefined', 'expect(undefined).toMatchTemplate({ id: 1 })'),
      dialect.test('server', `${requests('/a')}\n    expect(mockServer).toHaveMatched()`),
      dialect.test(
        'another server',
        `contract.uponReceiving('b').withRequest('GET', '/b').willRespondWith(200)
    expect(mockServer).not.toHaveMatched()
    expect(mockServer).toHaveMatched()`,
      ),
      dialect.test('no server', 'expect(1).toHaveMatched()'),
    ),
  })
  expect(made.typecheck()).toBe('')

  const ran = made.run()

  expect(dialect.counts(ran)).toEqual({ passed: 1, failed: 5, skipped: 0 })
  expectGolden('vitest-assertions', made.normalized(ran.stderr))
})
