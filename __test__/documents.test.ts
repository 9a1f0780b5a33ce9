// The files that the documents name are there, and the commands.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const root = join(__dirname, '..')

/** Paths are short for what is below these. */
const above = ['', 'crates', 'crates/contract/src', 'crates/definition/src', 'crates/pipeline/src', 'src', '__test__']

/** What stands between back quotes and is a path of the project: with a slash, and a letter before it. */
function paths(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, words]) => words ?? '')
  const isPath = /^[\w.-]+(\/[\w.-]+)*\/?$/
  const isOfOurs = /\.(rs|ts|mjs|md|json)$|\/$/
  return quoted.filter((words) => isPath.test(words) && words.includes('/') && isOfOurs.test(words))
}

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/walks.md'])('%s', (document) => {
  const named = paths(readFileSync(join(root, document), 'utf8'))
  expect(named.length).toBeGreaterThan(5)
  // Builds write these.
  const made = ['dist/']
  const missing = named.filter(
    (path) => !made.includes(path) && !above.some((folder) => existsSync(join(root, folder, path))),
  )
  expect(missing).toEqual([])
})

test('commands of npm', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const text = ['README.md', 'CONTRIBUTING.md'].map((document) => readFileSync(join(root, document), 'utf8')).join('\n')
  const named = [...text.matchAll(/`npm run ([\w:]+)/g)].map(([, name]) => name ?? '')
  expect(named.filter((name) => !(name in scripts))).toEqual([])
})
