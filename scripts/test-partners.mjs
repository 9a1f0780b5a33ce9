// `npm run test:partners`: the tests against other implementations of the field, which need more installed than
// `npm test`. The last line is `N passed, N failed`.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Counts } from './lib/counts.mjs'
import { prepare } from './lib/prepare.mjs'
import { npmRun } from './lib/run.mjs'
import { Steps } from './lib/steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, '__test__', 'partners')
const files = existsSync(folder) ? readdirSync(folder, { recursive: true }) : []
if (!files.some((file) => file.endsWith('.test.ts'))) {
  console.log('There are no partner tests yet: __test__/partners holds none.')
  process.exit(0)
}

const steps = new Steps()
const counts = new Counts()
await prepare(root, steps)
await steps.run('Build', () => counts.counting(() => npmRun(root, 'build')))
await steps.run('Partner tests', () => counts.counting(() => counts.jest(root, 'partners')), ['Build'])

steps.summary()
console.log(`\n${counts}`)
process.exitCode = steps.allPassed ? 0 : 1
