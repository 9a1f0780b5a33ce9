// `contract migrate pact-js` as a user runs it. The golden files are in fixtures/migrate: NAME.before.EXT and
// NAME.after.EXT. UPDATE_GOLDEN=1 writes the output of the command.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { temporaryDirectory } from './support/temporary.ts'

const launcher = resolve(__dirname, '..', 'bin', 'contract.js')
const goldens = resolve(__dirname, '..', 'fixtures', 'migrate')

interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function migrate(folder: string, ...args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, 'migrate', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function project(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')
const before =
  "import { PactV3 } from '@pact-foundation/pact'\nconst a = new PactV3({ consumer: 'a', provider: 'b' })\n"

describe('the converted source', () => {
  const names = readdirSync(goldens).filter((name) => name.includes('.before.'))
  let folder: string
  let first: Outcome

  beforeAll(() => {
    folder = project(Object.fromEntries(names.map((name) => [name, read(goldens, name)])))
    first = migrate(folder, 'pact-js')
  })

  test.each(names)('%s', (name) => {
    const after = name.replace('.before.', '.after.')
    if (process.env.UPDATE_GOLDEN) writeFileSync(join(goldens, after), read(folder, name))
    expect(read(folder, name)).toBe(read(goldens, after))
  })

  test('is not changed by a second run', () => {
    expect(first).toMatchObject({ status: 0, stderr: '' })
    const converted = names.map((name) => read(folder, name))
    const { status, stdout } = migrate(folder, 'pact-js')
    expect(status).toBe(0)
    expect(stdout).toContain('Nothing to convert in .\n')
    expect(names.map((name) => read(folder, name))).toEqual(converted)
  })

  test('has a comment at each place that remains, and the summary lists them with their lines', () => {
    const remaining = read(folder, 'remaining.before.ts').split('\n')
    const listed = [...first.stdout.matchAll(/remaining\.before\.ts:(\d+): (.*)/g)]
    expect(listed).toHaveLength(remaining.filter((line) => line.includes('TODO(contract)')).length)
    for (const [, line, text] of listed) expect(remaining[Number(line) - 1]?.trim()).toBe(`// TODO(contract): ${text}`)
  })
})

test('the example in the documentation', () => {
  const page = readFileSync(resolve(__dirname, '..', 'docs', 'moving-from-pact-js.md'), 'utf8')
  const lines = (/^```diff\n(.*?)^```$/ms.exec(page)?.[1] ?? '').trimEnd().split('\n')
  const side = (other: string) =>
    `${lines
      .filter((line) => !line.startsWith(other))
      .map((line) => line.slice(1))
      .join('\n')}\n`
  const folder = project({ 'a.test.ts': side('+') })
  migrate(folder, 'pact-js')
  expect(read(folder, 'a.test.ts')).toBe(side('-'))
})

describe('the command', () => {
  test('prints a diff with --dry-run and writes nothing', () => {
    const folder = project({ 'a.test.ts': before })
    expect(migrate(folder, 'pact-js', '--dry-run')).toEqual({
      status: 0,
      stderr: '',
      stdout: [
        '--- a.test.ts',
        '+++ a.test.ts',
        '@@ -1,3 +1,3 @@',
        "-import { PactV3 } from '@pact-foundation/pact'",
        "-const a = new PactV3({ consumer: 'a', provider: 'b' })",
        "+import { Contract } from 'contract'",
        "+const a = new Contract('a', 'b', { specification: 'V3', directory: './pacts', unexpectedFields: 'error' })",
        ' ',
        'Would convert 1 place in 1 file:',
        '  a.test.ts: 1 place',
        '',
      ].join('\n'),
    })
    expect(read(folder, 'a.test.ts')).toBe(before)
  })

  test('converts only the given files and directories', () => {
    const folder = project({ 'in/a.test.ts': before, 'in/node_modules/x/b.js': before, 'out/c.test.ts': before })
    const { stdout } = migrate(folder, 'pact-js', 'in')
    expect(stdout).toBe(
      [
        'Converted 1 place in 1 file:',
        `  ${join('in', 'a.test.ts')}: 1 place`,
        'Next: review the changes, and run your formatter and your tests.',
        'Then remove pact-js: npm uninstall @pact-foundation/pact',
        '',
      ].join('\n'),
    )
    expect([read(folder, 'in/node_modules/x/b.js'), read(folder, 'out/c.test.ts')]).toEqual([before, before])
  })

  test('keeps line endings, a byte order mark, and permissions', () => {
    const folder = project({ 'a.test.ts': `\uFEFF${before.replaceAll('\n', '\r\n')}` })
    chmodSync(join(folder, 'a.test.ts'), 0o640)
    migrate(folder, 'pact-js')
    const after = read(folder, 'a.test.ts')
    expect(after).toMatch(/^\uFEFFimport \{ Contract \} from 'contract'\r\nconst .*\r\n$/)
    expect(statSync(join(folder, 'a.test.ts')).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['a.test.ts'])
  })

  test('reads the generation of Pact and Matchers from the version of pact-js', () => {
    const source = "import { Matchers, Pact } from '@pact-foundation/pact'\nnew Pact(o)\nMatchers.string()\n"
    const converted = (version: string) => {
      const manifest = JSON.stringify({ devDependencies: { '@pact-foundation/pact': version } })
      const folder = project({ 'package.json': manifest, 'a.js': source })
      migrate(folder, 'pact-js')
      return read(folder, 'a.js')
    }
    expect(converted('^15.0.1')).toContain("match.string('iloveorange')")
    expect(converted('^16.0.0')).toContain("match.string('some string')")
  })

  test('converts the other files if one has a syntax error, is read-only, or is not UTF-8', () => {
    const folder = project({
      'broken.test.ts': `${before}const = \n`,
      'fixed.test.ts': before,
      'latin1.test.ts': Buffer.from(`${before}// \xe9\n`, 'latin1'),
      'readonly.test.ts': before,
    })
    chmodSync(join(folder, 'readonly.test.ts'), 0o444)
    const { status, stdout, stderr } = migrate(folder, 'pact-js')
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^broken\.test\.ts:3:\d+: syntax error\. The file was not changed\.$/),
      'latin1.test.ts: the file is not UTF-8. The file was not changed.',
      'readonly.test.ts: the file is read-only. The file was not changed.',
      '',
    ])
    expect(stdout).toContain('Converted 1 place in 1 file:\n  fixed.test.ts: 1 place\n')
    expect(status).toBe(1)
    expect(read(folder, 'readonly.test.ts')).toBe(before)
  })

  test.each([
    [['pact-jvm'], 'migrate: unknown source "pact-jvm". Supported: pact-js\n'],
    [[], 'migrate: the source is missing. Usage: contract migrate pact-js [PATH]...\n'],
    [['pact-js', 'missing'], 'migrate: missing does not exist\n'],
    [['pact-js', 'notes.md'], 'migrate: notes.md is not a JavaScript or TypeScript file\n'],
    [['pact-js', '--fix'], 'migrate: unknown option --fix. Options: --dry-run, --help\n'],
  ])('rejects %j', (args, stderr) => {
    expect(migrate(project({ 'notes.md': '' }), ...args)).toEqual({ status: 2, stdout: '', stderr })
  })

  test('reports that there is nothing to convert', () => {
    expect(migrate(project({ 'a.js': 'a()' }), 'pact-js')).toEqual({
      status: 0,
      stdout: 'Nothing to convert in .\n',
      stderr: '',
    })
  })

  test('has help', () => {
    expect(migrate(temporaryDirectory(), '--help').stdout).toContain(
      'Usage: contract migrate [OPTIONS] <SOURCE> [PATH]...',
    )
  })
})
