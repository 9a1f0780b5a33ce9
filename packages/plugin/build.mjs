// Builds dist/: one CommonJS bundle, an ESM entry that loads it, declarations, and the licenses of the bundled
// packages. The bundle contains all dependencies, because plugins are copied to machines where nothing is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))
process.chdir(here)
rmSync('dist', { recursive: true, force: true })

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ['src/index.ts'],
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  loader: { '.proto': 'text' },
  outfile: 'dist/index.cjs',
  metafile: true,
})
const typescript = join(root, 'node_modules/typescript/bin/tsc')
const tsc = spawnSync(process.execPath, [typescript, '-p', 'tsconfig.json'], { stdio: 'inherit' })
if (tsc.status !== 0) process.exit(1)

const names = ['bytes', 'definePlugin', 'packPlugin', 'text']
writeFileSync(
  'dist/index.js',
  `import { createRequire } from 'node:module'
const { ${names.join(', ')} } = createRequire(import.meta.url)('./index.cjs')
export { ${names.join(', ')} }
`,
)
// The declarations describe the bundle, which is CommonJS.
writeFileSync('dist/types/package.json', '{ "type": "commonjs" }\n')
writeFileSync('dist/index.d.ts', "export * from './index.cjs'\n")
writeFileSync('dist/index.d.cts', "export * from './types/index.js'\n")

const packages = Object.keys(metafile.inputs)
  .map((path) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
  .filter((folder) => folder !== undefined)
const notices = [...new Set(packages)].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined || !existsSync(join(folder, file))) throw new Error(`${name} has no license text`)
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
})
writeFileSync('dist/THIRD-PARTY-NOTICES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`))
