// In Vitest and Mocha: tests that are renamed or deleted leave nothing in the contract file; and a file is begun anew once for
// all workers of a run. Jest and node:test: ../obsolete.test.ts.
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, jest, test } from '@jest/globals'
import { type Project, project } from '../support/project.ts'

jest.setTimeout(120_000)

/** Where the runners are installed. */
const partners = join(process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners'), 'node_modules')
const entry = JSON.stringify(require.resolve('contract'))

const test1 = (call: string, name: string, body = `write('${name}')`) => `  ${call}('${name}', () => ${body})`
/** A test file with a suite of these tests. */
const suite = (...tests: readonly string[]) =>
  `const { write } = require('./consumer.js')\ndescribe('outer', () => {\n${tests.join('\n')}\n})`

const runners = {
  vitest: {
    'setup.js': `
      require(${entry}).removeObsolete({ afterAll, expect })`,
    'vitest.config.mjs': `export default { test: { globals: true, setupFiles: ['./setup.js'], include: ['*.test.js'] } }`,
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

const ways: readonly (readonly [string, keyof typeof runners, readonly string[]])[] = [
  ['Vitest with processes', 'vitest', ['run', '--pool=forks']],
  ['Vitest with threads', 'vitest', ['run', '--pool=threads']],
  ['Mocha', 'mocha', ['--require=./hooks.cjs', '*.test.js']],
  ['Mocha with processes', 'mocha', ['--require=./hooks.cjs', '--parallel', '*.test.js']],
]

describe.each(ways)('%s', (_, runner, args) => {
  const made = (files: Readonly<Record<string, string>>) => {
    const made = project({ ...runners[runner], ...files })
    symlinkSync(join(partners, runner), join(made.folder, 'node_modules', runner), 'junction')
    return made
  }
  const run = (project: Project, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    project.run([join(partners, runner, runner === 'vitest' ? 'vitest.mjs' : 'bin/mocha.js'), ...args, ...more], env)
  const names = ['a', 'b', 'c'] as const
  const files = Object.fromEntries(
    names.map((name) => [`${name}.test.js`, suite(test1('it', `${name}1`), test1('it', `${name}2`))]),
  )
  const all = names.flatMap((name) => [`${name}1`, `${name}2`])

  test('a file is begun anew once for a run', () => {
    const project = made(files)
    const output = run(project, [], { WRITE_MODE: 'overwrite' })
    expect([project.descriptions(), output]).toEqual([all, expect.stringMatching(/6 pass/)])
    rmSync(join(project.folder, 'c.test.js'))
    run(project, [], { WRITE_MODE: 'overwrite' })
    expect(project.descriptions()).toEqual(all.slice(0, 4))
  })

  test('what no test defines any more goes, and no more than that', () => {
    const project = made(files)
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

  test('nothing goes in a run of some tests', () => {
    const project = made(files)
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
})
