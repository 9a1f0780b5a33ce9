// Builds the wheel for release with maturin, without paths of this machine in it: `node scripts/build-wheel.mjs --out
// DIR` and options of `maturin build`. With --auditable, it contains the list of its crates (cargo-auditable). It does not require `npm install`.
import { mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { neutralizeWheel } from './lib/python.mjs'
import { releaseEnvironment } from './lib/release.mjs'
import { root } from './lib/root.mjs'
import { run } from './lib/run.mjs'

const { values, tokens } = parseArgs({
  options: {
    out: { type: 'string' },
    target: { type: 'string' },
    compatibility: { type: 'string' },
    zig: { type: 'boolean' },
    auditable: { type: 'boolean' },
  },
  tokens: true,
})
const out = resolve(values.out ?? join(root, '.tmp', 'wheels-release'))
mkdirSync(out, { recursive: true })
const passedOptions = tokens.filter(({ kind, name }) => kind === 'option' && !['out', 'auditable'].includes(name))
const options = passedOptions.flatMap(({ name, value }) => (value === undefined ? [`--${name}`] : [`--${name}`, value]))
await run('maturin', ['build', '--release', ...options, '--out', out], {
  cwd: join(root, 'python'),
  env: releaseEnvironment(root, values),
})
const python = process.platform === 'win32' ? 'python' : 'python3'
for (const wheel of readdirSync(out)) await neutralizeWheel(root, python, join(out, wheel))
