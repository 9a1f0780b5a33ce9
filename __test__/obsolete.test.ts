// Removal of obsolete interactions, and replacing a contract file once per run.
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type Project, project } from './support/project.ts'

const checkout = dirname(dirname(require.resolve('contract')))

/** A test file whose tests write an interaction with their name. */
const tests = (...names: readonly string[]) =>
  `const { write } = require('./consumer.js')\n${names.map((name) => one(name)).join('\n')}`
const one = (name: string, ...descriptions: readonly string[]) =>
  `test(${JSON.stringify(name)}, async () => {
    for (const description of ${JSON.stringify(descriptions.length > 0 ? descriptions : [name])}) await write(description)
  })`

const runner = {
  jest: {
    files: { 'obsolete.cjs': `module.exports = require(${JSON.stringify(require.resolve('contract'))}).JestReporter` },
    preface: '',
    run: (project: Project, ...args: readonly string[]) =>
      project.run([
        join(checkout, 'node_modules', 'jest', 'bin', 'jest.js'),
        `--rootDir=${project.folder}`,
        '--reporters=default',
        `--reporters=${join(project.folder, 'obsolete.cjs')}`,
        ...args,
      ]),
    only: ['-t', 'a2'],
  },
  'node:test': {
    files: {
      'obsolete.cjs': `
        const { beforeEach, afterEach, after } = require('node:test')
        require(${JSON.stringify(require.resolve('contract'))}).removeObsolete({ beforeEach, afterEach, after })`,
    },
    preface: "const { test } = require('node:test')\n",
    run: (project: Project, ...args: readonly string[]) => project.run(['--require=./obsolete.cjs', ...args, '--test']),
    only: ['--test-name-pattern=a2'],
  },
} as const

describe.each(['jest', 'node:test'] as const)('in %s', (name) => {
  const { files, preface, run, only } = runner[name]
  const startedProject = () => {
    const created = project({
      ...files,
      'a.test.js': preface + tests('a1', 'a2', 'a3'),
      'b.test.js': preface + tests('b1', 'a3'),
    })
    const output = run(created)
    expect([created.descriptions(), output]).toEqual([['a1', 'a2', 'a3', 'b1'], expect.not.stringContaining('removed')])
    return created
  }

  test('removes interactions that a test no longer defines, and keeps those of other files', () => {
    const created = startedProject()
    created.write('a.test.js', `${preface + tests('a2')}\n${one('a1', 'new')}\n${one('a3', 'other')}`)

    const output = run(created)

    expect(created.descriptions()).toEqual(['a2', 'a3', 'b1', 'new', 'other'])
    expect(output).toMatch(/contract: removed "a1" from .*web-users\.json: no test defines it anymore/)
  })

  test('removes interactions of deleted test files', () => {
    const created = startedProject()
    rmSync(join(created.folder, 'b.test.js'))

    run(created)

    expect(created.descriptions()).toEqual(['a1', 'a2', 'a3'])
  })

  test('keeps interactions of skipped and failed tests, and removes nothing in partial runs', () => {
    const created = startedProject()
    created.write(
      'a.test.js',
      `${preface}const { write } = require('./consumer.js')
      test.skip('a1', () => write('a1'))
      test('a2', () => write('new'))
      test('a3', async () => { await write('another'); throw new Error('failed') })`,
    )

    run(created, ...only)
    expect(created.descriptions()).toEqual(['a1', 'a2', 'a3', 'b1', 'new'])
    run(created)
    expect(created.descriptions()).toEqual(['a1', 'a3', 'another', 'b1', 'new'])
  })

  test('removes nothing if removal is turned off', () => {
    const created = startedProject()
    created.write('a.test.js', `${preface + tests('a2')}\n${one('a1', 'new')}`)
    process.env.CONTRACT_REMOVE_OBSOLETE = 'false'
    try {
      run(created)
    } finally {
      delete process.env.CONTRACT_REMOVE_OBSOLETE
    }

    expect(created.descriptions()).toEqual(['a1', 'a2', 'a3', 'b1', 'new'])
  })
})

test('Jest: keeps the interactions of a renamed test', () => {
  const { files, run } = runner.jest
  const created = project({ ...files, 'a.test.js': tests('old name', 'stays') })
  run(created)
  created.write('a.test.js', tests('new name', 'stays'))

  run(created)

  expect(created.descriptions()).toEqual(['new name', 'stays'])
})

test('Jest without globals: works with the passed expect', () => {
  const { files, run } = runner.jest
  const globals = "const { expect, test } = require('@jest/globals')\n"
  const created = project({
    ...files,
    'setup.cjs': `const { expect } = require('@jest/globals')
      require(${JSON.stringify(require.resolve('contract'))}).removeObsolete({ expect })`,
    'jest.config.json': JSON.stringify({ injectGlobals: false, setupFilesAfterEnv: ['<rootDir>/setup.cjs'] }),
    'a.test.js': globals + tests('old', 'stays'),
  })
  const withConfig = () => run(created, `--config=${join(created.folder, 'jest.config.json')}`)
  withConfig()
  created.write('a.test.js', globals + tests('new', 'stays'))

  const output = withConfig()

  expect([created.descriptions(), output]).toEqual([['new', 'stays'], expect.stringContaining('2 passed')])
})

test('Jest: removes interactions of deleted files at the end of complete runs only', () => {
  const { files, run } = runner.jest
  const other = `const { Contract } = require(${JSON.stringify(require.resolve('contract'))})
    test('b', () => {
      const contract = new Contract('web', 'shop', { directory: __dirname + '/contracts' })
      contract.uponReceiving('of b').withRequest('GET', '/')
      return contract.serve(({ url }) => fetch(url))
    })`
  const created = project({ ...files, 'a.test.js': tests('a'), 'b.test.js': other })
  run(created)
  rmSync(join(created.folder, 'b.test.js'))
  const shop = () => JSON.parse(readFileSync(join(created.folder, 'contracts', 'web-shop.json'), 'utf8')).interactions

  run(created, '-t', 'a')
  expect(shop()).toHaveLength(1)
  run(created)
  expect(shop()).toEqual([])
})

const reporter = `export { nodeTestReporter as default } from ${JSON.stringify(require.resolve('contract').replace('index.cjs', 'index.js'))}`
const reporters = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./reporter.mjs',
  '--test-reporter-destination=stderr',
]

describe('node:test with the reporter', () => {
  const { files, preface } = runner['node:test']
  const args = ['--require=./obsolete.cjs', ...reporters, '--test']
  const startedProject = (text: string) => {
    const created = project({ ...files, 'reporter.mjs': reporter, 'a.test.js': preface + text })
    created.run(args)
    return created
  }

  test('keeps interactions of renamed, skipped, and failed tests, and of tests in other files', () => {
    const created = startedProject(tests('old name', 'skipped', 'failed', 'moved', 'stays'))
    created.write('b.js', `${preface}const { write } = require('./consumer.js')\n${one('moved', 'from b')}`)
    created.write(
      'a.test.js',
      `${preface}require('./b.js')\n${tests('new name', 'stays')}
      test.skip('skipped', () => {})`,
    )
    created.run(args)
    // The test in another file passed without defining its earlier interaction.
    expect(created.descriptions()).toEqual(['from b', 'new name', 'skipped', 'stays'])

    created.write('a.test.js', `${preface}${tests('stays')}\ntest('failed', () => { throw new Error('failed') })`)
    created.run(args)
    expect(created.descriptions()).toContain('new name')
  })

  test('removes nothing in partial runs', () => {
    const created = startedProject(tests('old', 'stays'))
    created.write('a.test.js', preface + tests('new', 'stays'))
    created.run([...args.slice(0, -1), '--test-name-pattern=stays', '--test'])
    expect(created.descriptions()).toEqual(['old', 'stays'])
  })
})

test('Jest watch mode: treats each round as a run', async () => {
  const { files } = runner.jest
  const created = project({ ...files, 'a.test.js': tests('old', 'stays') })
  const watching = created.start([
    join(checkout, 'node_modules', 'jest', 'bin', 'jest.js'),
    `--rootDir=${created.folder}`,
    '--watchAll',
    '--no-watchman',
    '--reporters=default',
    `--reporters=${join(created.folder, 'obsolete.cjs')}`,
  ])
  try {
    await watching.says(/2 passed/)
    expect(created.descriptions()).toEqual(['old', 'stays'])
    created.write('a.test.js', tests('new', 'stays'))
    await watching.says(/contract: removed "old"/)
    expect(created.descriptions()).toEqual(['new', 'stays'])
  } finally {
    await watching.stop()
  }
})

describe('overwrite', () => {
  const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.test.js`, tests(`${name}1`, `${name}2`)]))
  const all = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']

  test('replaces the file once for all Jest workers', () => {
    const created = project(files)
    const jestFile = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')
    for (const [number, args] of [['-w=3'], ['-w=3'], ['--runInBand']].entries()) {
      created.write('a.test.js', tests(`a1`, `a2`, `of run ${number}`))
      const output = created.run([jestFile, `--rootDir=${created.folder}`, ...args], { WRITE_MODE: 'overwrite' })
      expect([output, created.descriptions()]).toEqual([
        expect.stringContaining('7 passed'),
        [...all, `of run ${number}`],
      ])
    }
  })

  test('replaces the file once for all processes of node:test', () => {
    const created = project(
      Object.fromEntries(
        Object.entries(files).map(([name, text]) => [name, `const { test } = require('node:test')\n${text}`]),
      ),
    )
    for (const number of [1, 2]) {
      created.write('a.test.js', `const { test } = require('node:test')\n${tests('a1', 'a2', `of run ${number}`)}`)
      created.run(['--test'], { WRITE_MODE: 'overwrite' })
      expect(created.descriptions()).toEqual([...all, `of run ${number}`])
    }
  })

  test('applies once per CONTRACT_RUN_ID', () => {
    const created = project({ 'one.js': "require('./consumer.js').write(process.argv[2])" })
    for (const [run, description] of [
      ['1', 'a'],
      ['1', 'b'],
      ['2', 'c'],
      ['2', 'd'],
    ] as const) {
      created.run(['one.js', description], { WRITE_MODE: 'overwrite', CONTRACT_RUN_ID: run })
    }
    expect(created.descriptions()).toEqual(['c', 'd'])
  })
})
