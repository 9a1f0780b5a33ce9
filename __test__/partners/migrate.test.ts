// A corpus of tests written for pact-js passes, is converted by `contract migrate`, and passes again with the packed package.
// It writes the same interactions.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { publish, type RunningBroker, startBroker } from 'contract/broker'
import { checkout, type Outcome, Project, run } from '../package/project.ts'

const partners = join(process.env.CONTRACT_PARTNERS ?? join(checkout, '.tmp', 'partners'), 'node_modules')
const corpus = join(checkout, 'fixtures', 'migrate', 'corpus')
const sources = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(test|spec)\.\w+$/.test(name),
)
const credentials = { username: 'ci', password: 'secret' }

const before = new Project()
const after = new Project()
const results = new Map<string, Outcome>()
let broker: RunningBroker
let migrated: Outcome

const jestFile = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')
const jestConfig = {
  testMatch: ['**/jest/**/*.test.*'],
  transform: {
    '\\.[jt]sx?$': [
      join(checkout, 'node_modules', '@swc', 'jest'),
      {
        swcrc: false,
        jsc: { target: 'es2022', parser: { syntax: 'typescript', tsx: true } },
        module: { type: 'commonjs' },
      },
    ],
  },
  // pact-js requires packages that are ES modules, which Jest cannot load.
  transformIgnorePatterns: ['/node_modules/(?!([^/]*agent[^/]*)/)'],
}
const runners = {
  jest: [jestFile, '--silent', '--config', 'jest.config.json'],
  mocha: [join(partners, 'mocha', 'bin', 'mocha.js'), 'mocha/*.spec.*'],
  vitest: [join(partners, 'vitest', 'vitest.mjs'), 'run', '--root', '.', 'vitest'],
} as const

function prepare(project: Project): void {
  cpSync(corpus, project.folder, { recursive: true })
  project.write('jest.config.json', JSON.stringify(jestConfig))
  link(project, join(checkout, 'node_modules', '@ast-grep'), '@ast-grep')
  link(project, join(partners, 'vitest'), 'vitest')
}

function link(project: Project, target: string, name: string): void {
  mkdirSync(project.path('node_modules'), { recursive: true })
  symlinkSync(target, project.path('node_modules', name), 'junction')
}

function runTests(project: Project, name: string, attempts = 1): void {
  const env = { BROKER_URL: broker.url, PACT_DO_NOT_TRACK: '1', CI: 'true' }
  for (const [runner, args] of Object.entries(runners)) {
    let outcome: Outcome
    let attempt = 0
    do outcome = run(project.folder, process.execPath, [...args], env)
    while (outcome.status !== 0 && ++attempt < attempts)
    results.set(`${name} ${runner}`, outcome)
  }
}

beforeAll(async () => {
  broker = await startBroker({ credentials })
  const contract = join(corpus, 'contracts', 'web-orders.json')
  await publish(contract, {
    broker: { url: broker.url, useEnv: false, ...credentials },
    consumerVersion: '1',
    branch: 'main',
  })
  prepare(before)
  for (const name of ['@pact-foundation', 'jest-pact']) link(before, join(partners, name), name)
  // pact-js sometimes asks its mock server for received requests before a request that it answered is recorded.
  runTests(before, 'before', 4)

  const packed = run(checkout, 'npm', ['run', '--silent', 'pack:local', '--', '--quick', after.path('tarballs')])
  expect(packed).toMatchObject({ status: 0, stderr: '' })
  expect(after.npm('install', '--offline', '--no-audit', ...packed.stdout.trim().split('\n'))).toMatchObject({
    status: 0,
  })
  prepare(after)
  migrated = after.node('node_modules/contract/bin/contract.js', 'migrate', 'pact-js')
  runTests(after, 'after')
}, 600_000)

afterAll(async () => {
  await broker?.stop()
  before.remove()
  after.remove()
})

test('the corpus has at least 40 files', () => {
  expect(sources.length).toBeGreaterThanOrEqual(40)
})

describe.each(Object.keys(runners))('with %s', (runner) => {
  test.each(['before', 'after'])('the tests pass %s the conversion', (when) => {
    const { status, stdout, stderr } = results.get(`${when} ${runner}`) as Outcome
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' })
  })
})

test('at least 90 % of the places are converted', () => {
  const converted = Number(/Converted (\d+) places/.exec(migrated.stdout)?.[1])
  const remaining = Number(/Remaining: (\d+) place/.exec(migrated.stdout)?.[1] ?? 0)
  const share = (100 * converted) / (converted + remaining)
  console.log(
    `${converted} of ${converted + remaining} places in ${sources.length} files are converted (${share.toFixed(1)} %)`,
  )
  expect(migrated).toMatchObject({ status: 0, stderr: '' })
  expect(converted).toBeGreaterThan(250)
  expect(share).toBeGreaterThanOrEqual(90)
})

test('the converted TypeScript files have no type errors in strict mode', () => {
  for (const name of ['@jest', '@types']) link(after, join(checkout, 'node_modules', name), name)
  const names = ['describe', 'it', 'test', 'expect', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']
  const globals = names.map((name) => `const ${name}: typeof jest.${name}`).join('\n')
  after.write('globals.d.ts', `import type * as jest from '@jest/globals'\ndeclare global {\n${globals}\n}\n`)
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'dom'],
    module: 'preserve',
    types: ['node'],
    strict: true,
    allowJs: true,
    skipLibCheck: true,
    noEmit: true,
  }
  after.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts', 'jest', 'mocha', 'vitest', 'src'] }))
  const compiler = join(checkout, 'node_modules', 'typescript', 'bin', 'tsc')

  const files = run(after.folder, process.execPath, [compiler, '-p', '.', '--listFilesOnly']).stdout.split('\n')
  expect(files.filter((file) => /\b(test|spec)\.tsx?$/.test(file)).length).toBeGreaterThan(30)
  expect(run(after.folder, process.execPath, [compiler, '-p', '.']).stdout).toBe('')
})

test('nothing imports pact-js any more', () => {
  const imports = (name: string) => /['"](@pact-foundation|jest-pact)\b/.test(readFileSync(after.path(name), 'utf8'))
  expect(sources.filter(imports)).toEqual([])
})

interface Written {
  readonly description: string
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown }
  readonly response?: { readonly status: number; readonly body?: unknown }
}

/** The content of a project's contract files: method, path, and status by description. */
function contractsOf(project: Project): Record<string, readonly string[]> {
  const folder = project.path('pacts')
  const files = existsSync(folder) ? readdirSync(folder) : []
  return Object.fromEntries(
    files.map((name) => {
      const { consumer, provider, interactions, messages } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      const lines = [...(interactions ?? []), ...(messages ?? [])].map(({ description, request, response }: Written) =>
        [description, request?.method, request?.path, response?.status].filter((each) => each !== undefined).join(' '),
      )
      return [`${consumer.name}-${provider.name}`, lines.sort()]
    }),
  )
}

test('the contracts have the same interactions', () => {
  const written = contractsOf(before)
  expect(Object.keys(written).length).toBeGreaterThan(30)
  expect(contractsOf(after)).toEqual(written)
})
