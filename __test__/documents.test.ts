// Documents for maintainers: the files and commands that they mention exist, and all decisions have the same form.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = join(__dirname, '..')
const textOf = (document: string) => readFileSync(join(root, document), 'utf8')

/** Paths in the documents are relative to one of these directories. */
const bases = ['', 'crates', 'crates/contract/src', 'crates/definition/src', 'crates/pipeline/src', 'src', '__test__']

/** Paths of the project in backquotes: they contain a slash and start with a letter or a dot. */
function paths(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, words]) => words ?? '')
  const isPath = /^[\w.-]+(\/[\w.-]+)*\/?$/
  const isFileOrDirectory = /\.(rs|ts|mjs|md|json)$|\/$/
  return quoted.filter((words) => isPath.test(words) && words.includes('/') && isFileOrDirectory.test(words))
}

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/walks.md'])('%s mentions only files that exist', (document) => {
  const named = paths(textOf(document))
  expect(named.length).toBeGreaterThan(5)
  const generated = ['dist/']
  const missing = named.filter(
    (path) => !generated.includes(path) && !bases.some((folder) => existsSync(join(root, folder, path))),
  )
  expect(missing).toEqual([])
})

test('npm scripts in the documents exist', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const text = ['README.md', 'CONTRIBUTING.md', 'docs/performance.md'].map(textOf).join('\n')
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '')
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !(name in scripts))).toEqual([])
})

const decisions = readdirSync(join(root, 'docs', 'decisions')).filter((file) => /^\d{4}-.*\.md$/.test(file))

test.each(decisions)('%s has the form of a decision and is in the index', (file) => {
  const text = textOf(`docs/decisions/${file}`)
  const [, title] = new RegExp(`^# ${Number(file.slice(0, 4))}\\. (.+)\n`).exec(text) ?? []
  expect(text).toMatch(/^Status: (proposed|accepted|superseded by .+)\. Date: \d{4}-\d{2}-\d{2}\.$/m)
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
    'Context',
    'Decision',
    'Consequences',
    'Alternatives',
  ])
  const row = textOf('docs/decisions/README.md')
    .split('\n')
    .find((line) => line.includes(`(${file})`))
  expect(row?.split('|')[2]?.trim()).toBe(title)
})

test('links between documents for maintainers lead to files', () => {
  const documents = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/walks.md', 'python/README.md'].concat(
    ['README.md', ...decisions].map((file) => `docs/decisions/${file}`),
  )
  const problems = documents.flatMap((document) =>
    [...textOf(document).matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
      .map(([, path]) => path ?? '')
      .filter((path) => !existsSync(join(root, document, '..', path)))
      .map((path) => `${document}: ${path}`),
  )
  expect(problems).toEqual([])
})

describe('files for running the broker', () => {
  const guide = textOf('docs/guides/running-the-broker.md')
  const folder = 'examples/broker'

  test.each([
    ['Dockerfile', 'dockerfile'],
    ['contract-broker.service', 'ini'],
  ])('%s is the one in the guide', (file, language) => {
    expect(guide).toContain(`\`\`\`${language}\n${textOf(`${folder}/${file}`)}\`\`\``)
  })

  test.each(readdirSync(join(root, folder)))('%s sets variables that exist', (file) => {
    const known = textOf('docs/reference/configuration.md')
    const names = textOf(`${folder}/${file}`).match(/CONTRACT_BROKER_[A-Z_]+/g) ?? []
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !known.includes(name))).toEqual([])
  })
})

test('tests in CONTRIBUTING.md exist', () => {
  const names = [...textOf('CONTRIBUTING.md').matchAll(/ -t '([^']+)'/g)].map(([, name]) => name ?? '')
  expect(names.length).toBeGreaterThan(0)
  const tests = readdirSync(__dirname)
    .filter((file) => file.endsWith('.test.ts') && file !== 'documents.test.ts')
    .map((file) => textOf(`__test__/${file}`))
  expect(names.filter((name) => !tests.some((text) => text.includes(name)))).toEqual([])
})
