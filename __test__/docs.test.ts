// The documentation: samples compile, samples marked `run` pass, commands and options exist, links lead somewhere, and what is
// generated is complete and up to date.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { temporaryDirectory } from './support/temporary.ts'

const entry = require.resolve('contract')
const checkout = dirname(dirname(entry))
const docs = join(checkout, 'docs')
const pages = ['README.md', ...markdown('docs').filter((path) => !/^docs\/(decisions|node_modules)\//.test(path))]

function markdown(folder: string): string[] {
  return readdirSync(join(checkout, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /node_modules|\.vitepress|typescript/.test(entry.name) ? [] : markdown(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

const textOf = (page: string) => readFileSync(join(checkout, page), 'utf8')

interface Sample {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly flags: readonly string[]
  readonly code: string
}

function samplesOf(page: string): Sample[] {
  const text = textOf(page)
  return [...text.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map((found) => ({
    page,
    line: text.slice(0, found.index).split('\n').length + 1,
    language: found[1] as string,
    flags: (found[2] as string).trim().split(' '),
    code: found[3] as string,
  }))
}

const samples = pages.flatMap(samplesOf)

test('TypeScript samples compile', () => {
  const folder = temporaryDirectory()
  const listed = samples.filter(({ language }) => language === 'ts')
  expect(listed.length).toBeGreaterThan(30)
  const places = new Map<string, string>()
  for (const [index, { page, line, code }] of listed.entries()) {
    const file = `sample-${index}.ts`
    places.set(file, `${page}:${line}`)
    writeFileSync(join(folder, file), `export {}\n${code}`)
  }
  writeFileSync(join(folder, 'samples.d.ts'), readFileSync(join(docs, 'samples.d.ts'), 'utf8'))
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'esnext.disposable'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    paths: {
      contract: [join(checkout, 'dist', 'index.d.ts')],
      'contract/*': [join(checkout, 'dist', '*.d.ts')],
    },
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(
    join(folder, 'vitest.d.ts'),
    "declare module 'vitest' { export const afterAll: any, expect: any, inject: any }",
  )
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const tsc = join(checkout, 'node_modules', 'typescript', 'bin', 'tsc')
  const run = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' })
  const problems = run.stdout.replace(
    /^(sample-\d+\.ts)\((\d+)/gm,
    (_, file, line) => `${places.get(file)} (line ${line - 1} of it`,
  )
  expect(problems).toBe('')
})

const marked = samples.filter(({ flags }) => flags.includes('run'))
const folders = [...new Set(marked.map(({ page }) => dirname(page)))]
const runnable = folders.map((folder) => [folder, marked.filter(({ page }) => dirname(page) === folder)] as const)

test.each(runnable)('samples of %s run, one after the other in one folder', (_, listed) => {
  const folder = temporaryDirectory()
  const config = {
    rootDir: folder,
    modulePaths: [join(checkout, 'node_modules')],
    moduleNameMapper: { '^contract$': entry },
    transform: {
      '\\.ts$': [require.resolve('@swc/jest'), { swcrc: false, jsc: { parser: { syntax: 'typescript' } } }],
    },
  }
  for (const [index, { code }] of listed.entries()) {
    writeFileSync(join(folder, `${index}.test.ts`), code)
    const jest = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')
    const run = spawnSync(process.execPath, [jest, '--config', JSON.stringify(config), `/${index}.test.ts`], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' },
    })
    expect(run.stderr).toContain('1 passed, 1 total')
  }
})

test('commands and options in the documentation exist', () => {
  const reference = textOf('docs/reference/command-line.md')
  const helps = new Map(
    [...reference.matchAll(/^#{2,3} (contract[^\n]*)\n\n```text\n(.*?)^```/gms)].map(([, name, help]) => [name, help]),
  )
  const lines = samples
    .filter(({ language, page }) => ['sh', 'ini', 'yaml'].includes(language) && !page.includes('command-line'))
    .flatMap(({ page, code }) =>
      code
        .replaceAll('\\\n', ' ')
        .split('\n')
        .map((line) => ({ page, line })),
    )
    .filter(({ line }) => /^(npx )?contract(-broker)? /.test(line.trim()))
  expect(lines.length).toBeGreaterThan(10)
  const problems = lines.flatMap(({ page, line }) => {
    const words = line.trim().replace(/^npx /, '').split(/\s+/)
    const command = [words.slice(0, 3), words.slice(0, 2), words.slice(0, 1)]
      .map((candidate) => candidate.join(' '))
      .find((candidate) => helps.has(candidate))
    if (command === undefined || (command === words[0] && !words[1]?.startsWith('-'))) return [`${page}: ${line}`]
    const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/=.*$/, ''))
    return options
      .filter((option) => !new RegExp(`${option}\\b`).test(helps.get(command) ?? ''))
      .map((option) => `${page}: ${command} has no ${option}`)
  })
  expect(problems).toEqual([])
})

test('links and anchors lead somewhere', () => {
  const problems = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g)].flatMap(([link, path = '', anchor]) => {
      const target = path === '' ? page : relative(checkout, join(checkout, dirname(page), path))
      const file = [target, `${target}.md`].find(
        (file) => existsSync(join(checkout, file)) && statSync(join(checkout, file)).isFile(),
      )
      // The site has the pages below docs/ only, and no decisions.
      if (page.startsWith('docs/') && !/^docs\/(?!decisions)/.test(target)) return [`${page}: ${link}`]
      // TypeDoc writes these pages when the site is built; directories are links of the README.
      if (file === undefined)
        return target.includes('reference/typescript') || existsSync(join(checkout, target)) ? [] : [`${page}: ${link}`]
      return anchor === undefined || anchors(file).includes(anchor.slice(1)) ? [] : [`${page}: ${link}`]
    }),
  )
  expect(problems).toEqual([])
})

function anchors(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    (title as string)
      .toLowerCase()
      .replace(/[`?,.:()'!]/g, '')
      .trim()
      .replace(/[^\p{L}\p{N}_]+/gu, '-'),
  )
}

test('pages in the sidebar exist, and every page is in it', () => {
  const config = readFileSync(join(docs, '.vitepress', 'config.mts'), 'utf8')
  const listed = [...config.matchAll(/page\('[^']+', '\/([^']+)'\)/g)].map(([, path]) => path as string)
  const existing = pages
    .filter((path) => path.startsWith('docs/') && !/(index|walks|README)\.md$/.test(path))
    .map((path) => path.slice('docs/'.length, -'.md'.length))
  expect(existing.filter((path) => !listed.includes(path))).toEqual([])
  expect(listed.filter((path) => !existing.includes(path) && !path.startsWith('reference/typescript'))).toEqual([])
})

test('pages that are made from tables and from the command line are up to date', () => {
  const script = join(checkout, 'scripts', 'docs-reference.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

/** Names of this form in the sources of the product; not in tests. */
function namesInSources(pattern: RegExp): Set<string> {
  const found = execFileSync('git', ['ls-files', ':(glob)crates/*/src/**', 'src', 'python/src', 'bin'], {
    cwd: checkout,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => /\.(rs|ts|py|js)$/.test(path) && !/tests?(\/|\.rs$)|\.d\.ts$|\/fuzz\//.test(path))
    .filter((path) => existsSync(join(checkout, path)))
  return new Set(found.flatMap((path) => textOf(path).match(pattern) ?? []))
}

test('every error code has an entry, and every entry is an error code', () => {
  const described = new Set(textOf('docs/reference/error-codes.md').match(/(?<=^### )ERR_CONTRACT_[A-Z_0-9]+$/gm))
  const used = namesInSources(/ERR_CONTRACT_[A-Z_0-9]*[A-Z0-9](?=["'`])/g)
  expect([...used].filter((code) => !described.has(code))).toEqual([])
  expect([...described].filter((code) => !used.has(code))).toEqual([])
})

test('every environment variable is described', () => {
  const described = textOf('docs/reference/configuration.md')
  const used = [...namesInSources(/(?<=["'`])CONTRACT_[A-Z_]*[A-Z](?=["'`])/g)]
  // Of the project's own tests, and of the C interface.
  const others =
    /^CONTRACT_(WRITE|SPEC_CASES|CASES|TEST|FIXTURE|MISUSE|OK|ARGUMENT|FILE|SERVER|VERIFICATION|INTERNAL|ABI|H$|RUN_ROUND|BROKER_(POSTGRES|RECORDINGS|KILLS|SMALL))/
  expect(used.filter((name) => !others.test(name) && !described.includes(name))).toEqual([])
})
