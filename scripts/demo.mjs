// `npm run demo`: builds the package, then shows how a contract is written, verified, and used for a deployment.
import { fileURLToPath } from 'node:url'
import { FIRST_BUILD, prepare } from './lib/prepare.mjs'
import { npmRun } from './lib/run.mjs'
import { Steps } from './lib/steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps = new Steps()

await prepare(root, steps)
const ready = await steps.run('Build', () => npmRun(root, 'build', { folded: true }), { about: FIRST_BUILD })
if (!ready) process.exit(1)
const { runDemo } = await import('./lib/demo.mjs')
process.exitCode = (await runDemo(root)) ? 0 : 1
