// The documentation: samples compile, samples marked `run` pass, commands and options exist, links and anchors have targets, and
// generated pages are complete and up to date. Samples in Python are tested by python/tests/test_docs.py.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { Contract, type ContractError, type HttpInteraction, match } from 'contract'
import { currentPlatform } from '../src/native/platform.ts'
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

/** Compiles samples with the declarations in these files of docs/, and returns the errors of the compiler. */
function problemsOf(
  listed: readonly Pick<Sample, 'page' | 'line' | 'code'>[],
  declarations: readonly string[],
): string {
  const folder = temporaryDirectory()
  const places = new Map<string, string>()
  for (const [index, { page, line, code }] of listed.entries()) {
    const file = `sample-${index}.ts`
    places.set(file, `${page}:${line}`)
    writeFileSync(join(folder, file), `export {}\n${code}`)
  }
  for (const file of declarations) writeFileSync(join(folder, file), readFileSync(join(docs, file), 'utf8'))
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
      'contract/vitest/plugin': [join(checkout, 'dist', 'vitest-plugin.d.ts')],
      'contract/*': [join(checkout, 'dist', '*.d.ts')],
    },
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const playwright = readFileSync(join(checkout, 'src', 'types', 'playwright.d.ts'), 'utf8')
  writeFileSync(
    join(folder, 'playwright.d.ts'),
    `${playwright}
    declare module '@playwright/test' {
      export const expect: any, defineConfig: any
      export interface PlaywrightTestArgs { readonly page: any }
    }`,
  )
  const vitest = readFileSync(join(checkout, 'src', 'types', 'vitest.d.ts'), 'utf8')
  writeFileSync(
    join(folder, 'vitest.d.ts'),
    `${vitest}
    declare module 'vitest' { export const describe: any, it: any, afterEach: any, beforeAll: any }
    declare module 'vitest/config' { export const defineConfig: any }`,
  )
  const msw = readFileSync(join(checkout, 'src', 'types', 'msw.d.ts'), 'utf8')
  writeFileSync(
    join(folder, 'msw.d.ts'),
    `${msw}
    declare module 'msw/node' { export const setupServer: any }
    declare module 'msw/browser' { export const setupWorker: any }
    declare module '*?raw' { const text: string; export default text }`,
  )
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const tsc = join(checkout, 'node_modules', 'typescript', 'bin', 'tsc')
  const run = spawnSync(process.execPath, [tsc, '-p', folder], { cwd: folder, encoding: 'utf8' })
  return run.stdout.replace(
    /^(sample-\d+\.ts)\((\d+)/gm,
    (_, file, line) => `${places.get(file)} (line ${line - 1} of it`,
  )
}

test('TypeScript samples compile', () => {
  const listed = samples.filter(({ language }) => language === 'ts')
  expect(listed.length).toBeGreaterThan(30)
  expect(problemsOf(listed, ['samples.d.ts'])).toBe('')
})

test('examples in documentation comments compile', () => {
  const files = execFileSync('git', ['ls-files', 'src'], { cwd: checkout, encoding: 'utf8' }).split('\n')
  const listed = files
    .filter((path) => path.endsWith('.ts') && existsSync(join(checkout, path)))
    .flatMap((path) => {
      const text = textOf(path)
      return [...text.matchAll(/@example\n((?: *\* ?.*\n)+?)(?= *\* @| *\*\/)/g)].map((found) => ({
        page: path,
        line: text.slice(0, found.index).split('\n').length + 1,
        code: (found[1] as string).replace(/^ *\* ?/gm, ''),
      }))
    })
  expect(listed.length).toBeGreaterThan(20)
  expect(problemsOf(listed, ['samples.d.ts', 'examples.d.ts'])).toBe('')
})

/** Samples of these languages have a test below, or in the file that the comment names. */
const languages = [
  'ts', // compiled; run if marked
  'js', // run; those with a name by plugins-document.test.ts
  'python', // python/tests/test_docs.py
  'sh', // each command checked; commands of this package by their own parser
  'toml', // crates/cli/tests/broker/serve.rs
  'ini',
  'dockerfile',
  'c', // compiled
  'json', // parsed
  'diff', // migrate.test.ts
  'text', // output, not code
]

test('every code block has a language that is tested', () => {
  const fences = pages.flatMap((page) => [...textOf(page).matchAll(/^[ >]*```.*$/gm)].map(() => page))
  expect(fences.length).toBe(2 * samples.length)
  expect(samples.filter(({ language }) => !languages.includes(language))).toEqual([])
})

const marked = samples.filter(({ language, flags }) => language === 'ts' && flags.includes('run'))
const runnable = [...new Set(marked.map(({ page }) => page))].map(
  (page) => [page, marked.filter((sample) => sample.page === page)] as const,
)
// The provider page verifies the contract that the consumer page writes.
const folders = new Map(runnable.map(([page]) => [dirname(page), temporaryDirectory()]))

test.each(runnable)('samples of %s run, one after the other in one folder', (page, listed) => {
  const folder = join(folders.get(dirname(page)) as string)
  const names = listed.map(({ code }, index) => {
    const name = `${relative('docs', page).replace(/\W/g, '-')}-${String.fromCharCode(97 + index)}.test.ts`
    writeFileSync(join(folder, name), code)
    return name
  })
  const sequencer = join(folder, 'sequencer.cjs')
  writeFileSync(
    sequencer,
    `const Sequencer = require('@jest/test-sequencer').default
    module.exports = class extends Sequencer { sort(tests) { return [...tests].sort((a, b) => (a.path < b.path ? -1 : 1)) } }`,
  )
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const config = {
    rootDir: folder,
    testMatch: names.map((name) => join(folder, name)),
    testSequencer: sequencer,
    moduleNameMapper: { '^contract$': entry, '^contract/(.*)$': join(checkout, 'dist', '$1.cjs') },
    transform: {
      '\\.ts$': [
        require.resolve('@swc/jest'),
        { swcrc: false, jsc: { target: 'es2022', parser: { syntax: 'typescript' } } },
      ],
    },
  }
  const jest = join(checkout, 'node_modules', 'jest', 'bin', 'jest.js')
  const args = [jest, '--config', JSON.stringify(config), '--runInBand', '--json']
  const run = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
  })
  unlinkSync(join(folder, 'node_modules'))
  const { testResults } = JSON.parse(run.stdout)
  const outcomes = testResults.map(({ name, status, message }: Record<string, string>) => [
    basename(name ?? ''),
    status,
    message,
  ])
  expect(outcomes).toEqual(names.map((name) => [name, 'passed', '']))
})

test('JavaScript samples run', () => {
  const named = /<!-- (consumer|provider|plugin|pack) -->\n\n```js\n/g
  const byOthers = [...textOf('docs/guides/plugins.md').matchAll(named)].length
  const listed = samples.filter(({ language }) => language === 'js')
  const rest = listed.filter(({ page }) => page !== 'docs/guides/plugins.md')
  expect(listed.length - rest.length).toBe(byOthers)
  const folder = temporaryDirectory()
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'), 'junction')
  for (const { page, line, code } of rest) {
    writeFileSync(
      join(folder, 'sample.cjs'),
      code.replaceAll("require('contract')", `require(${JSON.stringify(entry)})`),
    )
    const { status, stderr } = spawnSync(process.execPath, ['sample.cjs'], { cwd: folder, encoding: 'utf8' })
    expect({ sample: `${page}:${line}`, status, stderr }).toEqual({ sample: `${page}:${line}`, status: 0, stderr: '' })
  }
})

test('C samples compile', () => {
  const listed = samples.filter(({ language }) => language === 'c')
  expect(listed.length).toBeGreaterThan(0)
  for (const { page, line, code } of listed) {
    const program = `#include <contract.h>
      void sample(contract_handle verifier, contract_text event, contract_text error);
      void sample(contract_handle verifier, contract_text event, contract_text error) {\n${code}\n}`
    const args = [
      '-fsyntax-only',
      '-Wall',
      '-Werror',
      '-I',
      join(checkout, 'crates', 'capi', 'include'),
      '-x',
      'c',
      '-',
    ]
    const { status, stderr } = spawnSync('cc', args, { encoding: 'utf8', input: program })
    expect({ sample: `${page}:${line}`, status, stderr }).toEqual({ sample: `${page}:${line}`, status: 0, stderr: '' })
  }
})

test('JSON samples are valid', () => {
  for (const { language, code } of samples) if (language === 'json') JSON.parse(code)
})

/** Other platforms may be built as well. */
const executable = join(checkout, 'npm', currentPlatform().name, 'contract')

/**
 * Runs a sample with Bash, where each command is a function. Commands of this package parse their arguments and print their
 * help; `npm run` and `node` check that the script exists. An unknown command fails.
 */
function checkCommands(code: string): string {
  const script = `
    set -u
    contract() { (exec -a contract "$EXECUTABLE" "$@" --help >/dev/null) || exit 1; }
    contract-broker() { (exec -a contract-broker "$EXECUTABLE" "$@" --help >/dev/null) || exit 1; }
    npx() { case "$1" in contract|contract-broker) "$@";; jest) ;; *) echo "unknown program: npx $1" >&2; exit 1;; esac; }
    node() { [ -f "$CHECKOUT/$1" ] || { echo "no such file: $1" >&2; exit 1; }; }
    npm() {
      case "$1" in
        run) grep -q "^    \\"$2\\": " "$CHECKOUT/package.json" || { echo "no such script: $2" >&2; exit 1; };;
        ci|test|init|install) ;;
        *) echo "unknown command: npm $1" >&2; exit 1;;
      esac
    }
    python() { [ -f "$CHECKOUT/$1" ] || { echo "no such file: $1" >&2; exit 1; }; }
    pip() { [ "$2" = ./python ] || { echo "pip installs $2" >&2; exit 1; }; }
    git() { echo 5d41402abc4b2a76b9719d911017c592; }
    for name in apt-get cargo cc cd chmod curl docker go gunzip mkdir ruby rustup; do eval "$name() { :; }"; done
    BROKER=https://broker.example.com COMMIT=1.0.0 TOKEN=token
    ${code.replace(/^(\s*)(npx )?(contract|contract-broker)( .*)>.*$/gm, '$1$2$3$4')}`
  const environment = Object.entries(process.env).filter(([name]) => !/^(CONTRACT|PACT)_/.test(name))
  const { status, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', script], {
    cwd: temporaryDirectory(),
    encoding: 'utf8',
    env: { ...Object.fromEntries(environment), PATH: '/usr/bin:/bin', EXECUTABLE: executable, CHECKOUT: checkout },
  })
  return status === 0 ? '' : stderr
}

test('commands in the documentation are valid', () => {
  const others = ['python/README.md', 'examples/pipeline/README.md', 'scripts/bench-compare/README.md']
  const listed = [...samples, ...others.flatMap(samplesOf)].filter(({ language }) => language === 'sh')
  expect(listed.length).toBeGreaterThan(20)
  const problems = listed.flatMap(({ page, line, code }) => {
    const problem = checkCommands(code)
    return problem === '' ? [] : [`${page}:${line}: ${problem}`]
  })
  expect(problems).toEqual([])
})

test('commands in configuration files are valid', () => {
  const listed = samples.flatMap(({ page, language, code }) => {
    if (language === 'ini')
      return [[page, /^ExecStart=\/usr\/local\/bin\/(.*)$/m.exec(code)?.[1] ?? 'missing'] as const]
    if (language !== 'dockerfile') return []
    const words: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(code)?.[1] ?? '["missing"]')
    return [[page, words.join(' ').replace(/^\//, '')] as const]
  })
  expect(listed.length).toBe(2)
  expect(listed.map(([page, command]) => [page, checkCommands(command)])).toEqual(listed.map(([page]) => [page, '']))
})

const inlineCode = (page: string) =>
  [
    ...textOf(page)
      .replace(/^```.*?^```$/gms, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, code]) => code as string)
const byHand = pages.filter((page) => !/reference\/(command-line|python-api|report-json)/.test(page))

test('commands and options in sentences exist', () => {
  const commands = byHand.flatMap((page) =>
    inlineCode(page)
      .filter((code) => /^(npx )?(contract|contract-broker) [a-z]/.test(code) && !/…|[A-Z]{3}/.test(code))
      .map((code) => [page, code] as const),
  )
  expect(commands.length).toBeGreaterThan(5)
  const help = textOf('docs/reference/command-line.md')
  const options = byHand.flatMap((page) =>
    inlineCode(page).flatMap((code) => (code.match(/^--[a-z][a-z-]+/g) ?? []).map((option) => [page, option] as const)),
  )
  // Options of npm, test runners, Deno, pytest, and the scripts of this repository.
  const others = [
    '--omit',
    '--watch',
    '--ui',
    '--contract-dir',
    '--page',
    ...['all', 'env', 'ffi', 'net', 'read', 'write'].map((what) => `--allow-${what}`),
  ]
  const unknown = options.filter(
    ([, option]) => !others.includes(option) && !new RegExp(`${option}\\b(?!-)`).test(help),
  )
  expect(unknown).toEqual([])
  // Sentences name options without their value.
  const problems = commands.filter(([, code]) => checkCommands(code) !== '' && checkCommands(`${code} value`) !== '')
  expect(problems).toEqual([])
})

test('links and anchors have targets', () => {
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

test('generated reference pages are up to date', () => {
  const script = join(checkout, 'scripts', 'docs-reference.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

/** Uses a feature of the table "Features by version" in a contract. */
const features: Readonly<Record<string, (contract: Contract, request: HttpInteraction) => unknown>> = {
  'HTTP interactions': () => {},
  'A provider state': (_, request) => request.given('one'),
  'Several provider states': (_, request) => request.given('one').given('two'),
  'Parameters of provider states': (_, request) => request.given('one', { parameters: { id: 7 } }),
  'Matching rules': (_, request) => request.withBody({ id: match.int(7) }),
  'Several rules for one value: `match.any`, `match.all`, `match.nullable`': (_, request) =>
    request.withBody({ id: match.any('open', 'shipped') }),
  Generators: (_, request) => request.withBody({ id: match.int() }),
  'Binary bodies': (_, request) => request.withBinaryBody(new Uint8Array([1, 255])),
  'Asynchronous messages': (contract) => contract.uponReceiving('an asynchronous message', 'Async').withBody({ id: 7 }),
  'Synchronous messages': (contract) => contract.uponReceiving('a synchronous message', 'Sync').withBody({ id: 7 }),
  Comments: (_, request) => request.addTextComment('a comment'),
  'Test name': (_, request) => request.testName('a test'),
  Key: (_, request) => request.setKey('key'),
  'Pending interactions': (_, request) => request.pending(),
  'Plugin contents': (_, request) => request.withPluginContents({}, 'text/csv'),
}

test('the table of features by version is correct', () => {
  const table = /^## Features by version\n\n.*\n.*\n((?:\|.*\n)+)/m.exec(
    textOf('docs/reference/contract-files.md'),
  )?.[1]
  const rows = (table ?? '')
    .trim()
    .split('\n')
    .map((row) =>
      row
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
  expect(rows.map(([name]) => name)).toEqual(Object.keys(features))
  const contracts = (['V2', 'V3', 'V4'] as const).map(
    (specification) => [specification, new Contract('web', 'orders', { specification })] as const,
  )
  const found = rows.map(([name = '']) => [
    name,
    ...contracts.map(([specification, contract]) => {
      const request = contract.uponReceiving(name).withRequest('POST', '/')
      try {
        features[name]?.(contract, request)
        return 'yes'
      } catch (error) {
        if ((error as Error).message.includes(specification)) return 'no'
        if ((error as ContractError).code === 'ERR_CONTRACT_PLUGIN') return 'yes'
        throw error
      }
    }),
  ])
  expect(found).toEqual(rows.map(([name, ...cells]) => [name, ...cells.map((cell) => (cell === 'no' ? 'no' : 'yes'))]))
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

test('examples in the help of commands are not wrapped, so that they can be copied', () => {
  const help = textOf('docs/reference/command-line.md')
  const examples = [...help.matchAll(/^Examples?:\n((?: .*\n)+)/gm)].map(([, lines]) => lines ?? '')
  expect(examples.length).toBeGreaterThan(5)
  for (const lines of examples) {
    const commands = lines
      .replaceAll('\\\n', '')
      .split('\n')
      .filter((line) => line !== '')
    for (const line of commands) expect(line).toMatch(/^ +(contract|CONTRACT_|.*:$)/)
  }
})

test('every error code has an entry, and every entry is an error code', () => {
  const described = new Set(textOf('docs/reference/error-codes.md').match(/(?<=^### )ERR_CONTRACT_[A-Z_0-9]+$/gm))
  const used = namesInSources(/ERR_CONTRACT_[A-Z_0-9]*[A-Z0-9](?=["'`])/g)
  expect([...used].filter((code) => !described.has(code))).toEqual([])
  expect([...described].filter((code) => !used.has(code))).toEqual([])
})

test('every environment variable is described', () => {
  const described = textOf('docs/reference/configuration.md')
  const used = [...namesInSources(/(?<=["'`])CONTRACT_[A-Z_]*[A-Z](?=["'`])/g)]
  // Set by the project itself or its tests, and names of the C interface.
  const others =
    /^CONTRACT_(WRITE|SPEC_CASES|CASES|TEST|FIXTURE|MISUSE|OK|ARGUMENT|FILE|SERVER|VERIFICATION|INTERNAL|ABI|H$|RUN_(ROUND|NOTES)|BROKER_(POSTGRES|RECORDINGS|KILLS|SEEDS|SMALL))/
  expect(used.filter((name) => !others.test(name) && !described.includes(name))).toEqual([])
})
