// contract/mocha in the supported versions of Mocha, in CommonJS and as ES modules.
import { afterAll, describe, test } from '@jest/globals'
import { type Runner, removeProjects } from './project.ts'
import { type Dialect, expectUnsupported, requests, testAdapter } from './suite.ts'

const runner = (version: string, type: 'commonjs' | 'module'): Runner => ({
  name: `mocha-${version.split('.')[0]}-${type === 'module' ? 'esm' : 'cjs'}`,
  packages: { mocha: version, '@types/mocha': '10.0.10' },
  type,
  command: ['mocha/bin/mocha.js'],
  files: {
    // Mocha's default timeout of 2 s is too short on a loaded machine.
    '.mocharc.json': JSON.stringify({ require: ['contract/mocha'], spec: ['**/*.test.js'], timeout: 60_000 }),
  },
})

const dialect = (type: 'commonjs' | 'module'): Dialect => ({
  module: 'contract/mocha',
  extension: '.test.js',
  preface: `${
    type === 'module'
      ? "import { contractTest } from 'contract/mocha'"
      : "const { contractTest } = require('contract/mocha')"
  }

const it = contractTest({ consumer: 'web', provider: 'users' })`,
  test(name, body, kind) {
    const call = kind === 'skip' || kind === 'only' ? `it.${kind}` : 'it'
    const end = kind === 'retried' ? '.retries(2)' : kind === 'timeout' ? '.timeout(500)' : ''
    return `${call}('${name}', async ({ contract, mockServer }) => {\n    ${body}\n})${end}`
  },
  suite: (name, tests) => `describe('${name}', () => {\n${tests}\n})`,
  filter: (name) => ['--grep', name],
  separate: ['--parallel', '--jobs=2'],
  // Mocha does not load changed ES modules again, except in new workers.
  watch: { args: type === 'module' ? ['--watch', '--parallel'] : ['--watch'], ended: /1 passing/ },
  provider: {
    imports: type === 'module' ? "import { Verifier } from 'contract'" : "const { Verifier } = require('contract')",
    prepare: type === 'module' ? 'await verifier.prepare()' : 'verifier.prepareSync()',
    functions: '{ describe, it, after }',
  },
  workers: (count) => ['--parallel', `--jobs=${count}`],
  counts({ stdout }) {
    const count = (word: string) => Number(new RegExp(`^ +(\\d+) ${word}`, 'm').exec(stdout)?.[1] ?? 0)
    return { passed: count('passing'), failed: count('failing'), skipped: count('pending') }
  },
  // Mocha prints how long a test took only if it was slow.
  failures: ({ stdout }) => stdout.slice(stdout.search(/^ +1\) /m)).replace(/^( +✔ .*) \(\d+m?s\)$/gm, '$1'),
  lacks: ['concurrent', 'types'],
})

const versions = [runner('10.8.2', 'commonjs'), runner('11.7.5', 'module'), runner('12.0.3', 'module')]

describe.each(versions)('$name', (version) => {
  testAdapter(version, dialect(version.type ?? 'module'))
})

test('an older version of Mocha is rejected', () => {
  const { preface, test } = dialect('commonjs')
  const old = { ...runner('9.2.2', 'commonjs'), npm: ['--legacy-peer-deps'], command: ['mocha/bin/mocha'] }
  expectUnsupported(old, { 'a.test.js': `${preface}\n${test('a1', requests('/a1'))}` })
})

afterAll(removeProjects)
