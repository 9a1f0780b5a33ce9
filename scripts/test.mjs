// `npm test`: all tests that require only Node, Rust, and a C compiler. Imports no packages, because it installs them. The
// last line is `N passed, N failed`.
import { fileURLToPath } from 'node:url'
import { Counts } from './lib/counts.mjs'
import { FIRST_BUILD, prepare } from './lib/prepare.mjs'
import { npmRun } from './lib/run.mjs'
import { Steps } from './lib/steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps = new Steps()
const counts = new Counts()
const step = (title, work, options) => steps.run(title, () => counts.counting(work), options)
const javascript = { needs: ['JavaScript and declarations'] }

await prepare(root, steps, ['rustfmt', 'clippy'])
await step('Native library and executable', () => npmRun(root, 'build:native'), { about: FIRST_BUILD })
await step('JavaScript and declarations', () => npmRun(root, 'build:js'), { needs: ['Native library and executable'] })
await step('Lint and format', () => npmRun(root, 'lint:js'))
await step('Types', () => npmRun(root, 'typecheck'), javascript)
await step('Rust tests and lints, compiled', () => npmRun(root, 'lint:rust'), {
  about: 'about two minutes on two cores the first time, then only changed crates',
})
await step('Rust tests', () => counts.cargo(root), { about: 'about a minute' })
await step('JavaScript tests', () => counts.jest(root, 'contract'), { ...javascript, about: 'about two minutes' })
await step('Examples', () => counts.jest(root, 'examples'), javascript)

counts.printFailures()
steps.summary()
console.log(`\n${counts}`)
process.exitCode = steps.allPassed ? 0 : 1
