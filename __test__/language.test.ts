// Counts phrases that the project no longer uses, in text for people. The numbers may fall but never rise: lower them
// here when you rewrite an area. People judge sentences; this test only keeps old habits from coming back.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'

const checkout = dirname(dirname(require.resolve('contract')))

const phrases = [
  /\bnobody\b/i,
  /\bsomebody\b/i,
  /\bmakes? no sense\b/i,
  /\bhonour/i,
  /\b(tools|clients|others|rest) (of|in) the field\b|\bthe field's own\b/i,
  /\b(is|are|was|were) (told|asked)\b/i,
  /\b(tells|told)\b/i,
  /\brefuses?\b(?! to)/i,
  /\bstands? (in|on|at|behind|beside|there|above|below)\b/i,
  /\bbeside\b/i,
  /\bwhat (came|comes|arrived|arrives)\b/i,
  /\bnothing but\b/i,
  /\b(how often|for so long|so many)\b/i,
  /\b(?<!--no-)colour(?!ed_output)|\bbehaviour|\bauthoris|\brecognis(?!ed HTTP method)/i, // The exception is a sentence of the Pact Broker.
]

/** The text of each area: files, and the parts of them that people read. */
const areas: Readonly<Record<string, readonly [files: string, part: RegExp, most: number]>> = {
  'documents for users': [':(glob)docs/**/*.md', /.+/g, 0],
  README: ['README.md', /.+/g, 0],
  'documents for maintainers': [':(glob)*.md', /.+/g, 0],
  'documentation in TypeScript': [':(glob)src/**/*.ts', /\/\*\*.*?\*\//gs, 0],
  'messages in TypeScript': [':(glob)src/**/*.ts', /'[^'\n]{12,}'|`[^`\n]{12,}`/g, 0],
  'help of the command line': ['docs/reference/command-line.md', /.+/g, 0],
  'messages in Rust': [':(glob)crates/*/src/**/*.rs', /"[^"\n]{12,}"/g, 0],
  'documentation in Rust': [':(glob)crates/*/src/**/*.rs', /\/\/[/!].*/g, 0],
  'documentation in Python': [':(glob)python/src/**/*.py', /"""[\s\S]*?"""/g, 0],
  'the header of C': ['crates/capi/include/contract.h', /\/\*[\s\S]*?\*\//g, 0],
  'comments in tests': [':(glob)__test__/**/*.ts', /^\s*(?:\/\/|\/\*\*|\*).*$/gm, 2],
  'names of tests': [':(glob)__test__/**/*.ts', /(?<=\b(?:test|it|describe)\()['`].*?['`]/g, 2],
  'comments in scripts': ['scripts', /^\s*(?:\/\/|\/\*\*|\*).*$/gm, 0],
  'comments in examples': ['examples', /^\s*(?:\/\/|\/\*\*|\*|#).*$/gm, 2],
}

function texts(files: string, part: RegExp): string[] {
  return execFileSync('git', ['ls-files', files], { cwd: checkout, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(checkout, path)))
    .filter((path) => !/docs\/decisions|docs\/reference\/command-line|tests?(\/|\.rs$)/.test(path) || files === path)
    .flatMap((path) => readFileSync(join(checkout, path), 'utf8').match(part) ?? [])
}

test.each(Object.entries(areas))('%s', (_, [files, part, most]) => {
  const found = texts(files, part).filter((text) => phrases.some((phrase) => phrase.test(text)))
  expect(found.length > most ? found : []).toEqual([])
})
