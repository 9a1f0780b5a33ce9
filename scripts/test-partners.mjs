// `npm run test:partners`: the tests against other implementations of the field, which need more installed than
// `npm test`. The last line is `N passed, N failed`.
import { fileURLToPath } from 'node:url'
import { Counts } from './lib/counts.mjs'
import { installPartners } from './lib/partners.mjs'
import { prepare } from './lib/prepare.mjs'
import { npmRun } from './lib/run.mjs'
import { Steps } from './lib/steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const steps = new Steps()
const counts = new Counts()
await prepare(root, steps)
await steps.run('Build', () => counts.counting(() => npmRun(root, 'build')))
await steps.run('Partners', () => counts.counting(() => installPartners(root)))
await steps.run('Partner tests', () => counts.counting(() => counts.jest(root, 'partners')), {
  needs: ['Build', 'Partners'],
})

steps.summary()
console.log(`\n${counts}`)
process.exitCode = steps.allPassed ? 0 : 1
