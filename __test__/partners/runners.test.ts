// Vitest and Mocha: interactions of renamed and deleted tests are removed from the contract file, and a contract file
// is replaced once for all workers of a run. Jest and node:test: ../obsolete.test.ts.
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type Project, project } from '../support/project.ts'

/** The directory with the installed runners. */
const partners = join(process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners'), 'node_modules')
const entry = JSON.stringify(require.resolve('contract'))

const test1 = (call: string, name: string, body = `write('${name}')`) => `  ${call}('${name}', () => ${body})`
/** A test file with a suite of these tests. */
const suite = (...tests: readonly string[]) =>
  `const { write } = require('./consumer.js')\ndescribe('outer', () => {\n${tests.join('\n')}\n})`

const runners = {
  vitest: {
    'setup.mjs': `
      import { createRequire } from 'node:module'
      import { afterAll, expect, inject } from 'vitest'
      createRequire(import.meta.url)(${entry}).removeObsolete({ afterAll, expect, inject })`,
    'runs.cjs': `module.exports = require(${entry}).vitestRuns`,
    'vitest.config.mjs': `export default { test: {
      testTimeout: 60_000, globals: true, globalSetup: ['./runs.cjs'], setupFiles: ['./setup.mjs'], include: ['*.test.js'] } }`,
  },
  mocha: {
    'hooks.cjs': `
      const hooks = (exports.mochaHooks = {})
      require(${entry}).removeObsolete({
        beforeEach: (hook) => (hooks.beforeEach = hook),
        afterEach: (hook) => (hooks.afterEach = hook),
        after: (hook) => (hooks.afterAll = hook),
      })`,
  },
}

// The default timeouts of the runners, 5 s and 2 s, are too short on a machine that stalls.
const ways: readonly (readonly [string, keyof typeof runners, readonly string[]])[] = [
  ['Vitest with processes', 'vitest', ['run', '--pool=forks']],
  ['Vitest with threads', 'vitest', ['run', '--pool=threads']],
  ['Mocha', 'mocha', ['--timeout=60000', '--require=./hooks.cjs', '*.test.js']],
  ['Mocha with processes', 'mocha', ['--timeout=60000', '--require=./hooks.cjs', '--parallel', '*.test.js']],
]

describe.each(ways)('%s', (_, runner, args) => {
  const created = (files: Readonly<Record<string, string>>) => {
    const created = project({ ...runners[runner], ...files })
    symlinkSync(join(partners, runner), join(created.folder, 'node_modules', runner), 'junction')
    return created
  }
  const run = (project: Project, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    project.run([join(partners, runner, runner === 'vitest' ? 'vitest.mjs' : 'bin/mocha.js'), ...args, ...more], env)
  const names = ['a', 'b', 'c'] as const
  const files = Object.fromEntries(
    names.map((name) => [`${name}.test.js`, suite(test1('it', `${name}1`), test1('it', `${name}2`))]),
  )
  const all = names.flatMap((name) => [`${name}1`, `${name}2`])

  test('a contract file is replaced once for each run', () => {
    const project = created(files)
    const output = run(project, [], { WRITE_MODE: 'overwrite' })
    expect([project.descriptions(), output]).toEqual([all, expect.stringMatching(/6 pass/)])
    rmSync(join(project.folder, 'c.test.js'))
    run(project, [], { WRITE_MODE: 'overwrite' })
    expect(project.descriptions()).toEqual(all.slice(0, 4))
  })

  test('only obsolete interactions are removed', () => {
    const project = created(files)
    run(project)
    expect(project.descriptions()).toEqual(all)
    project.write('a.test.js', suite(test1('it', 'a1', "write('new')"), test1('it', 'renamed')))
    project.write('b.test.js', suite(test1('it.skip', 'b1'), test1('it', 'b2', "Promise.reject(new Error('failed'))")))
    rmSync(join(project.folder, 'c.test.js'))

    const output = run(project)

    expect([project.descriptions(), output]).toEqual([
      ['b1', 'b2', 'new', 'renamed'],
      expect.stringContaining('contract: removed "a1" from '),
    ])
  })

  test('nothing is removed in a run of selected tests', () => {
    const project = created(files)
    run(project)
    project.write('a.test.js', suite(test1('it', 'a1'), test1('it', 'a2')).replaceAll("write('a1')", "write('new')"))

    run(
      project,
      ['-t', 'a2'].map((word) => (runner === 'mocha' && word === '-t' ? '-g' : word)),
    )
    expect(project.descriptions()).toEqual(all)
    if (args.includes('--parallel')) return
    project.write('a.test.js', suite(test1('it', 'a1', "write('new')"), test1('it.only', 'a2')))
    run(project)
    expect(project.descriptions()).toEqual(all)
  })

  test('reports what a test that never resolves waits for, before the timeout of the runner', () => {
    const waiting = `const { Contract } = require(${entry})
      const contract = new Contract('web', 'users')
      describe('outer', () => {
        it('waits', async () => {
          contract.uponReceiving('a').withRequest('GET', '/a').willRespondWith(200)
          await contract.serve(async ({ url }) => {
            await fetch(url + '/a')
            await new Promise(() => {})
          })
        })
        it('is served after it', async () => {
          contract.uponReceiving('b').withRequest('GET', '/b').willRespondWith(200)
          await contract.serve(({ url }) => fetch(url + '/b'))
        })
      })`
    // Vitest exposes its timeout. Mocha does not, and its default is 2 s.
    const [limit, time] = runner === 'vitest' ? [['--testTimeout=10000'], '9 s'] : [[], '1.8 s']

    const output = run(created({ 'a.test.js': waiting }), limit)

    expect(output).toMatch(new RegExp(`did not finish within ${time}\\. The last request, GET /a, was received`))
    expect(output).toContain('It is probably waiting for something that never happens')
    expect(output).toMatch(/1 pass/)
    expect(output).not.toMatch(/timed out in|Timeout of/)
  })
})

const { vitest } = runners

test('in watch mode of Vitest each round is like a run', async () => {
  const created = project({ ...vitest, 'a.test.js': suite(test1('it', 'old'), test1('it', 'stays')) })
  symlinkSync(join(partners, 'vitest'), join(created.folder, 'node_modules', 'vitest'), 'junction')
  const watching = created.start([join(partners, 'vitest', 'vitest.mjs'), 'watch', '--reporter=verbose'])
  try {
    await watching.says(/2 passed/)
    expect(created.descriptions()).toEqual(['old', 'stays'])
    created.write('a.test.js', suite(test1('it', 'new'), test1('it', 'stays')))
    await watching.says(/contract: removed "old"/)
    expect(created.descriptions()).toEqual(['new', 'stays'])
  } finally {
    await watching.stop()
  }
})

test.each(['vitest', 'mocha'] as const)(
  'in %s, interactions that only deleted files defined are removed at the end of a run',
  (runner) => {
    const other = `const { Contract } = require(${entry})
    describe('outer', () => {
      it('b', () => {
        const contract = new Contract('web', 'shop', { directory: __dirname + '/contracts' })
        contract.uponReceiving('of b').withRequest('GET', '/')
        return contract.serve(({ url }) => fetch(url))
      })
    })`
    const created = project({ ...runners[runner], 'a.test.js': suite(test1('it', 'a')), 'b.test.js': other })
    symlinkSync(join(partners, runner), join(created.folder, 'node_modules', runner), 'junction')
    const args = runner === 'vitest' ? ['vitest.mjs', 'run'] : ['bin/mocha.js', '--require=./hooks.cjs', '*.test.js']
    const run = () => created.run([join(partners, runner, args[0] as string), ...args.slice(1)])
    run()
    rmSync(join(created.folder, 'b.test.js'))

    expect(run()).toContain('contract: removed "of b" from ')
  },
)
