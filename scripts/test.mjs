// `npm test`: everything, on a machine with Node, Rust and a C compiler. Uses nothing but Node itself, because it is
// what installs the rest. The last line is `N passed, N failed`.
import { fileURLToPath } from 'node:url'
import { Counts } from './lib/counts.mjs'
import { prepare } from './lib/prepare.mjs'
import { npmRun } from './lib/run.mjs'
import { Steps } from './lib/steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps = new Steps()
const counts = new Counts()
const step = (title, work, needs) => steps.run(title, () => counts.counting(work), needs)

await prepare(root, steps, ['rustfmt', 'clippy'])
await step('Native library and executable', () => npmRun(root, 'build:native'))
await step('JavaScript and declarations', () => npmRun(root, 'build:js'), ['Native library and executable'])
await step('Lint and format', () => npmRun(root, 'lint'))
await step('Types', () => npmRun(root, 'typecheck'), ['JavaScript and declarations'])
await step('Rust tests', () => counts.cargo(root))
await step('JavaScript tests', () => counts.jest(root, 'contract'), ['JavaScript and declarations'])
await step('Examples', () => counts.jest(root, 'examples'), ['JavaScript and declarations'])

steps.summary()
console.log(`\n${counts}`)
process.exitCode = steps.allPassed ? 0 : 1
