// Builds dist/ from src/: a CommonJS bundle, a second one that it loads on first use (deferred.cjs), and, for each entry of the package, an
// ESM wrapper and declarations.
// There is only one copy of the code and of each class, however it is loaded. The declarations have the same structure.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import { corePackage, manifest, platforms, root } from './lib/project.mjs'

/**
 * The entries of the package. Each one except the first is a namespace with its own path: with `'match'` in this list,
 * `contract/match` is `src/match.ts`, which `src/index.ts` exports as `match`.
 */
const entries = ['index', 'match', 'generate', 'xml', 'graphql', 'broker']

/**
 * Runner adapters: `src/NAME.ts` is `contract/NAME`. Each is a separate bundle, so that the package itself does not load
 * it. `esm` marks adapters for runners that are only available as ES modules. `path` is set if it differs from the
 * name, and null if the package does not export it.
 */
const adapters = [
  { name: 'vitest', esm: true },
  { name: 'vitest-plugin', path: 'vitest/plugin' },
  // The plugin adds these to Vitest's configuration.
  { name: 'vitest-setup', esm: true, path: null },
  { name: 'vitest-global', path: null },
  { name: 'jest' },
  { name: 'jest-reporter', path: 'jest/reporter' },
  { name: 'jest-preset', path: 'jest/jest-preset' },
  { name: 'mocha' },
  { name: 'node-test' },
  { name: 'playwright' },
  { name: 'playwright-reporter', path: 'playwright/reporter' },
  { name: 'node-test-reporter', path: 'node-test/reporter' },
]

/**
 * Entries without native code, which also run in browsers. They contain the parts of the package that they use.
 * `engine-wasm.cjs` is written by `scripts/build-wasm.mjs`.
 */
const portable = ['msw']
const wasmFile = 'dist/engine-wasm.cjs'

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  // This shortens importing the package by 0.3 ms. Lines stay short, so that call stacks show where an error occurred.
  minifyWhitespace: true,
  lineLimit: 120,
  define: {
    __VERSION__: JSON.stringify(manifest.version),
    __CORE_PACKAGE__: JSON.stringify(corePackage),
    __PLATFORMS__: JSON.stringify(platforms.map(({ name }) => name)),
  },
}

process.chdir(root)
const wasm = existsSync(wasmFile) ? readFileSync(wasmFile) : undefined
rmSync('dist', { recursive: true, force: true })
await bundle()
await bundlePortable()
if (wasm !== undefined) writeFileSync(wasmFile, wasm)
writeDeclarations()
for (const entry of entries) {
  checkExports(entry)
  await writeFaces(entry)
}
for (const { name, esm, path = name } of adapters) {
  if (path !== null) checkExports(name, esm, path)
  if (esm) writeEsmDeclarations(name)
  else await writeFaces(name, true)
}
for (const name of portable) {
  checkExports(name)
  writeFileSync(`dist/${name}.d.cts`, `export * from './types/${name}.js'\n`)
  // The declarations of ES modules must refer to the ES modules of other packages, so they are separate.
  writeEsmDeclarations(name, false)
}

/** The scripts in bin/ call `launch`, which loads `doctor` and `migrate`. The package does not export them. */
async function bundle() {
  const outputs = { outdir: 'dist', outExtension: { '.js': '.cjs' }, format: 'cjs' }
  const { metafile } = await build({
    ...common,
    ...outputs,
    metafile: true,
    plugins: [withoutDeferred()],
    entryPoints: {
      index: 'src/index.ts',
      launch: 'src/launch.ts',
      doctor: 'src/doctor/main.ts',
      migrate: 'src/migrate/main.ts',
    },
    loader: { '.txt': 'text' },
  })
  const inIndex = new Set(Object.keys(metafile.outputs['dist/index.cjs'].inputs).map((file) => join(root, file)))
  await build({
    ...common,
    ...outputs,
    entryPoints: { deferred: 'src/deferred.ts' },
    plugins: [fromIndex(inIndex, internalsModule('$internals'))],
    // The file exports a function that receives the internals. See `src/load-deferred.ts`.
    banner: { js: '"use strict";module.exports=function($internals){const module={exports:{}};' },
    footer: { js: 'return module.exports}' },
  })
  // The shared part of the adapters, and the adapters that can be loaded by `require`.
  const shared = {
    ...common,
    packages: 'external',
    plugins: [fromPackage(internalsModule("require('./index.cjs').Contract[Symbol.for('contract.internals')]()"))],
  }
  const names = adapters.filter(({ esm }) => !esm).map(({ name }) => `src/${name}.ts`)
  await build({
    ...shared,
    ...outputs,
    entryPoints: { adapters: 'src/adapters/index.ts' },
  })
  if (names.length > 0) await build({ ...shared, ...outputs, entryPoints: names })
  const esm = adapters.filter(({ esm }) => esm).map(({ name }) => `src/${name}.ts`)
  const banner =
    "import { createRequire as $createRequire } from 'node:module'\nconst require = $createRequire(import.meta.url)"
  if (esm.length > 0) {
    await build({ ...shared, outdir: 'dist', format: 'esm', banner: { js: banner }, entryPoints: esm })
  }
  for (const { name, esm } of adapters) writeAscii(`dist/${name}.${esm ? 'js' : 'cjs'}`)
  for (const name of ['index', 'deferred', 'launch', 'doctor', 'migrate', 'adapters']) writeAscii(`dist/${name}.cjs`)
}

/** Bundles for Node and browsers. The adapter for Playwright shares `engine.cjs`. */
async function bundlePortable() {
  const options = {
    ...common,
    platform: 'neutral',
    target: 'es2022',
    outdir: 'dist',
    packages: 'external',
    plugins: [externalWasm()],
  }
  const entryPoints = Object.fromEntries(portable.map((name) => [name, `src/${name}.ts`]))
  await build({ ...options, format: 'esm', entryPoints })
  await build({
    ...options,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    // Test environments cannot always load modules with import().
    supported: { 'dynamic-import': false },
    entryPoints: { ...entryPoints, engine: 'src/engine/index.ts' },
  })
  for (const name of portable) for (const extension of ['js', 'cjs']) writeAscii(`dist/${name}.${extension}`)
  writeAscii('dist/engine.cjs')
}

function externalWasm() {
  return {
    name: 'external-wasm',
    setup({ onResolve }) {
      onResolve({ filter: /engine-wasm\.cjs$/ }, () => ({ path: './engine-wasm.cjs', external: true }))
    },
  }
}

/** Excludes `src/deferred.ts` from bundles, so that it is loaded on first use. */
function withoutDeferred() {
  return {
    name: 'without-deferred',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/deferred\.js$/ }, () => ({ path: './deferred.cjs', external: true }))
    },
  }
}

/** In `deferred.cjs`, redirects imports of modules that `index.cjs` contains to that bundle (see `src/internals.ts`). */
function fromIndex(inIndex, internals) {
  return {
    name: 'from-index',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, namespace }) => {
        if (namespace === 'contract') return { path, external: true }
        const file = join(dirname(importer), path.replace(/\.js$/, '.ts'))
        return inIndex.has(file) ? { path: 'internals', namespace: 'contract' } : undefined
      })
      onLoad({ filter: /.*/, namespace: 'contract' }, () => ({ contents: internals, resolveDir: root }))
    },
  }
}

/**
 * In bundles of adapters, redirects imports of the package to its bundle (see `src/internals.ts`) and imports of the
 * shared part to `adapters.cjs`, so that there is only one copy of each class.
 */
function fromPackage(internals) {
  return {
    name: 'from-package',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, namespace }) => {
        if (importer === '') return undefined
        if (namespace === 'contract') return { path, external: true }
        if (path === './engine/index.js') return { path: './engine.cjs', external: true }
        if (path === './adapters/index.js') return { path: './adapters.cjs', external: true }
        const adapter = adapters.find(({ name }) => path === `./${name}.js`)
        if (adapter !== undefined) return { path: adapter.esm ? path : `./${adapter.name}.cjs`, external: true }
        if (importer.includes(join('src', 'adapters')) && !path.startsWith('../')) return undefined
        return { path: 'internals', namespace: 'contract' }
      })
      onLoad({ filter: /.*/, namespace: 'contract' }, () => ({ contents: internals, resolveDir: root }))
    },
  }
}

/**
 * Returns a module that exports the members of `source`, an expression for what `src/internals.ts` provides. Each member is a
 * separate export: with `module.exports = …`, esbuild would copy all members for each import statement.
 */
function internalsModule(source) {
  const found = /const internals = \(\) => \(\{\n(.*?)\n\}\)/s.exec(readFileSync('src/internals.ts', 'utf8'))
  if (found === null) throw new Error('src/internals.ts: "const internals = () => ({ … })" was not found')
  const names = found[1].split('\n').map((line) => line.trim().replace(',', ''))
  return [`const internals = ${source}`, ...names.map((name) => `export const ${name} = internals.${name}`)].join('\n')
}

/**
 * Checks that the code is ASCII. With any other character outside of comments, Node takes three times as long to read the
 * file and uses twice the memory.
 */
function writeAscii(file) {
  const text = readFileSync(file, 'utf8').replaceAll('…', '...').replaceAll('→', '->')
  writeFileSync(file, text.replace(/[^\0-\x7f]/gu, '?'))
}

function writeDeclarations() {
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  })
  if (tsc.status !== 0) process.exit(1)
  // tsc does not copy existing declarations.
  cpSync('src/native/binding.d.ts', 'dist/types/native/binding.d.ts')
  const isDeclaration = (file) => !file.endsWith('.ts') || file.endsWith('.d.ts')
  cpSync('src/generated', 'dist/types/generated', { recursive: true, filter: isDeclaration })
  // The declarations describe the bundle, which is CommonJS.
  writeFileSync('dist/types/package.json', '{ "type": "commonjs" }\n')
}

/**
 * Uses `createRequire` instead of `export … from './index.cjs'`: for the latter, Node would first search the bundle for
 * its exports, which takes a large part of the import time.
 */
async function writeFaces(entry, isAdapter = false) {
  const names = await exportsOf(entry)
  // Local names are needed because an export may be called `null`, but a variable cannot.
  const locals = names.map((name, i) => `${name}: $${i}`).join(', ')
  const exported = names.map((name, i) => `$${i} as ${name}`).join(', ')
  const lines = [
    "import { createRequire } from 'node:module'",
    `const { ${locals} } = createRequire(import.meta.url)('./${entry}.cjs')`,
    `export { ${exported} }`,
  ]
  writeFileSync(`dist/${entry}.js`, `${lines.join('\n')}\n`)
  if (entry !== 'index' && !isAdapter)
    writeFileSync(`dist/${entry}.cjs`, `module.exports = require('./index.cjs').${entry}\n`)
  writeFileSync(`dist/${entry}.d.ts`, `export * from './${entry}.cjs'\n`)
  writeFileSync(`dist/${entry}.d.cts`, `export * from './types/${entry}.js'\n`)
}

/** Returns the names that `src/ENTRY.ts` exports, without types. */
async function exportsOf(entry) {
  const output = { outdir: 'dist', format: 'esm', write: false, metafile: true, packages: 'external' }
  const options = { entryPoints: [`src/${entry}.ts`], ...output }
  const { metafile } = await build({ ...common, ...options })
  return Object.values(metafile.outputs).flatMap((output) => output.exports)
}

/**
 * Writes the declarations of an adapter that is an ES module. Declarations next to `package.json` are ES modules,
 * unlike those in `types`.
 */
function writeEsmDeclarations(name, isOnly = true) {
  const text = readFileSync(`dist/types/${name}.d.ts`, 'utf8')
  writeFileSync(`dist/${name}.d.ts`, text.replace(/(['"])\.\//g, '$1./types/'))
  if (isOnly) rmSync(`dist/types/${name}.d.ts`)
}

/** Checks that package.json has the same entries as the list. */
function checkExports(entry, esm = false, name = entry) {
  const face = { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` }
  const expected = esm
    ? face
    : { import: face, require: { types: `./dist/${entry}.d.cts`, default: `./dist/${entry}.cjs` } }
  const path = entry === 'index' ? '.' : `./${name}`
  if (isDeepStrictEqual(manifest.exports[path], expected)) return
  throw new Error(`package.json: "exports" must have ${JSON.stringify({ [path]: expected }, null, 2)}`)
}
