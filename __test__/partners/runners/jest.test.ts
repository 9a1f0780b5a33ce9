// contract/jest in each supported version of Jest, in CommonJS and as ES modules.
import { spawnSync } from 'node:child_process'
import { afterAll, describe, expect, test } from '@jest/globals'
import { type Runner, RunnerProject, removeProjects } from './project.ts'
import { type Dialect, expectUnsupported, requests, testAdapter } from './suite.ts'

const swc = (module: 'commonjs' | 'es6') => ({
  '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: module } }],
})

const runner = (version: string, type: 'commonjs' | 'module'): Runner => ({
  name: `jest-${version.split('.')[0]}-${type === 'module' ? 'esm' : 'cjs'}`,
  packages: {
    jest: version,
    '@swc/core': '1.16.22',
    '@swc/jest': '0.2.39',
    'jest-environment-jsdom': version,
  },
  type,
  command: [...(type === 'module' ? ['--experimental-vm-modules', '--no-warnings'] : []), 'jest/bin/jest.js'],
  files: {
    'jest.config.json': JSON.stringify({
      preset: 'contract/jest',
      testTimeout: 60_000,
      transform: swc(type === 'module' ? 'es6' : 'commonjs'),
      ...(type === 'module' && { extensionsToTreatAsEsm: ['.ts'] }),
    }),
  },
})

const dialect = (type: 'commonjs' | 'module'): Dialect => ({
  module: 'contract/jest',
  extension: '.test.ts',
  preface: `import { describe, jest } from '@jest/globals'
import { contractTest } from 'contract/jest'

const test = contractTest({ consumer: 'web', provider: 'users' })`,
  test(name, body, kind) {
    const call = kind === 'skip' || kind === 'only' || kind === 'concurrent' ? `test.${kind}` : 'test'
    const used = ['contract', 'mockServer'].filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    const retried = kind === 'retried' ? 'jest.retryTimes(2)\n' : ''
    return `${retried}${call}('${name}', async ({ ${used.join(', ')} }) => {\n    ${body}\n}${kind === 'timeout' ? ', 500' : ''})`
  },
  suite: (name, tests) => `describe('${name}', () => {\n${tests}\n})`,
  filter: (name) => ['-t', name],
  // Otherwise, Jest runs a few fast files in its main process.
  separate: ['--maxWorkers=2', '--workerIdleMemoryLimit=1GB'],
  watch: { args: ['--watchAll'], ended: /Tests: +1 passed/ },
  workers: (count) => [`--maxWorkers=${count}`],
  counts({ stderr }) {
    const line = /^Tests:\s+(.*)$/m.exec(stderr)?.[1] ?? ''
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0)
    return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  },
  failures: ({ stderr }) => stderr.slice(0, stderr.indexOf('Test Suites:')),
  provider: {
    imports: "import { afterAll, describe, it } from '@jest/globals'\nimport { Verifier } from 'contract'",
    prepare: type === 'module' ? 'await verifier.prepare()' : 'verifier.prepareSync()',
    functions: '{ describe, it, afterAll }',
  },
})

const versions = [runner('29.7.0', 'commonjs'), runner('30.5.2', 'commonjs'), runner('30.5.2', 'module')]

describe.each(versions)('$name', (version) => {
  testAdapter(version, dialect(version.type ?? 'module'))
})

describe('jest', () => {
  const [, cjs] = versions as [Runner, Runner, Runner]
  const { preface, test: testOf } = dialect('commonjs')
  afterAll(removeProjects)

  test('works in the jsdom environment, and with injectGlobals: false', () => {
    const body = requests('/a').replace('await fetch(', 'await request(')
    const request = `import { get } from 'node:http'
const request = (url: string) => new Promise<{ status?: number | undefined }>((resolve, reject) => {
  get(url, (response) => resolve({ status: response.resume().statusCode })).on('error', reject)
})
`
    const made = new RunnerProject(cjs, {
      'jsdom.test.ts': `/** @jest-environment jsdom */\n${request}${preface}\n${testOf('in jsdom', `document.title = 'web'${body}`)}`,
      'globals.test.ts': `${preface}\n${testOf('without globals', requests('/b'))}`,
    })

    expect(made.run(['jsdom']).output).toMatch(/Tests: +1 passed/)
    expect(made.run(['globals', '--injectGlobals=false']).output).toMatch(/Tests: +1 passed/)
    expect(made.descriptions()).toEqual(['a request for /a', 'a request for /b'])
  })

  test('tables of tests receive the fixtures as their last argument', () => {
    const made = new RunnerProject(cjs, {
      'each.test.ts': `import { expect } from '@jest/globals'
${preface}
test.each([[1, 'one'], [2, 'two']] as [number, string][])('%i is %s', async (id, name, { contract, mockServer }) => {
  contract.uponReceiving(\`a request for \${name}\`).withRequest('GET', \`/\${id}\`).willRespondWith(200)
  await fetch(\`\${mockServer.url}/\${id}\`)
})
test.each(['three'])('%s', async (name: string, { contract, mockServer }) => {
  contract.uponReceiving(\`a request for \${name}\`).withRequest('GET', '/3').willRespondWith(200)
  expect(() => (expect(mockServer) as any).toHaveMatched()).toThrow('1 missing request')
  await fetch(\`\${mockServer.url}/3\`)
  ;(expect(mockServer) as any).toHaveMatched()
})
test.each\`
  id   | name
  ${'${4}'} | ${"${'four'}"}
\`('$name', async ({ id, name }, { contract, mockServer }) => {
  contract.uponReceiving(\`a request for \${name}\`).withRequest('GET', \`/\${id}\`).willRespondWith(200)
  await fetch(\`\${mockServer.url}/\${id}\`)
})
test.failing('fails', async ({ contract }) => {
  contract.uponReceiving('not written').withRequest('GET', '/').willRespondWith(200)
})
test.todo('is planned')
test('checks', () => expect(1).toBe(1))
`,
    })

    expect(made.typecheck()).toBe('')
    expect(made.run().output).toMatch(/Tests: +1 todo, 6 passed/)
    expect(made.descriptions()).toEqual(['four', 'one', 'three', 'two'].map((name) => `a request for ${name}`))
  })

  test('an older version of Jest is rejected', () => {
    const old = {
      ...cjs,
      name: 'jest-28-cjs',
      packages: { jest: '28.1.3' },
      npm: ['--legacy-peer-deps'],
      files: { 'jest.config.json': '{}' },
    }
    expectUnsupported(old, {
      'a.test.js': "require('contract/jest').contractTest({ consumer: 'web', provider: 'users' })",
    })
  })

  test('contractTest outside of Jest reports which adapter to use', () => {
    const made = new RunnerProject(cjs, {
      'program.cjs': "require('contract/jest').contractTest({ consumer: 'a', provider: 'b' })",
    })
    const { stderr } = spawnSync(process.execPath, ['program.cjs'], {
      cwd: made.folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    })
    expect(stderr).toContain('contract/jest only works in Jest. Import it only in test files that Jest runs.')
  })
})
