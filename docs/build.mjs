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

/** `llms.txt` lists all pages; `llms-full.txt` holds the text of those that people wrote. */
function writeLlms() {
  const pages = ['start', 'concepts', 'guides', 'reference', '.'].flatMap((folder) =>
    readdirSync(join(docs, folder))
      .filter((file) => file.endsWith('.md') && !['README.md', 'index.md', 'walks.md'].includes(file))
      .map((file) => (folder === '.' ? file : `${folder}/${file}`)),
  )
  const texts = pages.map((path) => [path, readFileSync(join(docs, path), 'utf8')])
  const title = (text, path) => /^# (.+)$/m.exec(text)?.[1] ?? path
  const list = texts.map(([path, text]) => `- [${title(text, path)}](/${path.replace(/\.md$/, '')})`)
  mkdirSync(join(docs, 'public'), { recursive: true })
  writeFileSync(join(docs, 'public', 'llms.txt'), `# contract\n\n${list.join('\n')}\n`)
  writeFileSync(join(docs, 'public', 'llms-full.txt'), texts.map(([, text]) => text).join('\n\n'))
}
