// Builds the documentation site: the TypeScript reference from the sources, then the pages. Needs Node alone.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('.', import.meta.url))
const dev = process.argv.includes('--dev')

run('typedoc', ['bin', 'typedoc'], [])
writeLlms()
run('vitepress', ['bin', 'vitepress.js'], [dev ? 'dev' : 'build'])

function run(name, path, args) {
  const program = join(docs, 'node_modules', name, ...path)
  const { status } = spawnSync(process.execPath, [program, ...args], { cwd: docs, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * `llms.txt` lists the pages in the format of https://llmstxt.org, and `llms-full.txt` contains the text of all of them except the
 * generated references.
 */
function writeLlms() {
  const sections = { Start: 'start', Concepts: 'concepts', Guides: 'guides', Reference: 'reference', More: '.' }
  const lines = [
    '# contract',
    '',
    '> Pact-compatible consumer-driven contract testing for TypeScript and Node, with a native core in Rust. The package is not published to a registry yet; see Installation.',
  ]
  const texts = []
  for (const [title, folder] of Object.entries(sections)) {
    lines.push('', `## ${title}`, '')
    for (const file of readdirSync(join(docs, folder)).sort()) {
      if (!file.endsWith('.md') || ['README.md', 'index.md', 'walks.md'].includes(file)) continue
      const text = readFileSync(join(docs, folder, file), 'utf8')
      const path = folder === '.' ? file : `${folder}/${file}`
      lines.push(`- [${/^# (.+)$/m.exec(text)?.[1]}](/${path.replace(/\.md$/, '')}): ${summary(text)}`)
      if (!/command-line|python-api|report-json/.test(file)) texts.push(text)
    }
  }
  mkdirSync(join(docs, 'public'), { recursive: true })
  writeFileSync(join(docs, 'public', 'llms.txt'), `${lines.join('\n')}\n`)
  writeFileSync(join(docs, 'public', 'llms-full.txt'), texts.join('\n\n'))
}

/** The first sentence of a page, without markup. */
function summary(text) {
  const withoutCode = text.replace(/```.*?```/gs, '')
  const paragraph = withoutCode.split('\n\n').find((part) => /^[A-Z`*[]/.test(part)) ?? ''
  const [sentence] = /^.*?[.?:](?= |$)/.exec(paragraph.replace(/\s+/g, ' ')) ?? [paragraph]
  return sentence
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/:$/, '.')
    .trim()
}
