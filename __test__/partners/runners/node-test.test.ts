// contract/node-test in Node 20, and in later versions that know the file and the full name of a test.
import { afterAll, describe, expect, test } from '@jest/globals'
import { type Runner, RunnerProject, removeProjects } from './project.ts'
import { type Dialect, testAdapter } from './suite.ts'

const runner = (name: string, node?: string): Runner => ({
  name: `node-test-${name}`,
  packages: {},
  ...(node !== undefined && { node }),
  command: [
    '--test',
    '--test-reporter=tap',
    '--test-reporter-destination=stdout',
    '--test-reporter=contract/node-test/reporter',
    '--test-reporter-destination=stderr',
  ],
})

const dialect: Dialect = {
  module: 'contract/node-test',
  extension: '.test.js',
  preface: `import { contractTest } from 'contract/node-test'
import { describe, test } from 'node:test'

const withContract = contractTest({ consumer: 'web', provider: 'users' })`,
  test(name, body, kind) {
    const options = kind === 'timeout' ? '{ timeout: 500 }, ' : kind === 'concurrent' ? '{ concurrency: true }, ' : ''
    const call = kind === 'skip' ? 'test.skip' : 'test'
    return `${call}('${name}', ${options}withContract(async ({ contract, mockServer }) => {\n    ${body}\n}))`
  },
  suite: (name, tests) => `describe('${name}', () => {\n${tests}\n})`,
  filter: (name) => [`--test-name-pattern=${name}`],
  watch: { args: ['--watch'], ended: /contract: web → users: 1 interaction from 1 test file/ },
  provider: {
    imports: "import { after, describe, it } from 'node:test'\nimport { Verifier } from 'contract'",
    prepare: 'await verifier.prepare()',
    functions: '{ describe, it, after }',
  },
  workers: (count) => [`--test-concurrency=${count}`],
  counts({ stdout }) {
    const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)`, 'm').exec(stdout)?.[1] ?? 0)
    return { passed: count('pass'), failed: count('fail') + count('cancelled'), skipped: count('skipped') }
  },
  // Node prints the diagnostics of a test that timed out before or after the next test, which passes.
  failures: ({ stdout }) =>
    stdout.slice(0, stdout.indexOf('\n# tests')).replace(/^# Subtest: passes\nok .*\n(?: .*\n)*/m, ''),
  lacks: ['retried', 'only', 'types'],
}

describe.each([runner('20'), runner('22', '22.23.3')])('$name', (version) => {
  testAdapter(version, dialect)
})

test('a call like in other adapters is rejected with advice', () => {
  const preface = "import { contractTest } from 'contract/node-test'\n"
  const calls =
    "const test = contractTest({ consumer: 'web', provider: 'users' })\ntest('reads a user', async () => {})"
  const made = new RunnerProject(runner('20'), { 'a.test.js': preface + calls })
  expect(made.run().stdout).toContain(
    'the body of the test must be a function, received string. Wrap only the body: test(name, withContract(async ({ contract, mockServer }) => { … }))',
  )
})

afterAll(removeProjects)
