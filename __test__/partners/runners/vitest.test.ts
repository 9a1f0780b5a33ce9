// contract/vitest in each supported version of Vitest, and in each of its pools.
import { describe } from '@jest/globals'
import type { Runner } from './project.ts'
import { type Dialect, testAdapter } from './suite.ts'

const plugin = `import { contractPlugin } from 'contract/vitest/plugin'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [contractPlugin()] })
`

const runner = (version: string, more: Partial<Runner> = {}): Runner => ({
  name: `vitest-${version.split('.')[0]}`,
  packages: { vitest: version },
  command: ['vitest/vitest.mjs', 'run'],
  files: { 'vitest.config.ts': plugin },
  ...more,
})

const dialect: Dialect = {
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
