// `npm run test:partners`: the tests against other implementations of the field, which need more installed than
// `npm test`. The last line is `N passed, N failed`.
import { fileURLToPath } from 'node:url'
import { Counts } from './lib/counts.mjs'
import { installPartners } from './lib/partners.mjs'
import { startPostgres } from './lib/postgres.mjs'
import { FIRST_BUILD, prepare } from './lib/prepare.mjs'
import { checkPythonTypes, installPythonTools, installWheel, pythonOf } from './lib/python.mjs'
import { npmRun } from './lib/run.mjs'
import { Steps } from './lib/steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** All that the broker's own tests do in memory is done there. */
const onPostgres = ['-p', 'contract-broker', '--test', 'it', '--', '--quiet']
/** In the middle of its work, as often as a test may take. */
const killed = ['-p', 'contract-cli', '--test', 'broker', '--', '--quiet', 'killed']

const steps = new Steps()
const counts = new Counts()
await prepare(root, steps)
await steps.run('Build', () => counts.counting(() => npmRun(root, 'build')), { about: FIRST_BUILD })
await steps.run('Partners', () => counts.counting(() => installPartners(root)), {
  about: 'by npm, pip and apt: the first time some minutes, then seconds',
})
let postgres
await steps.run('PostgreSQL', () => counts.counting(startDatabase))
await steps.run('Partner tests', () => counts.counting(() => counts.jest(root, 'partners')), {
  needs: ['Build', 'Partners', 'PostgreSQL'],
})
await steps.run('Broker on PostgreSQL', () => counts.counting(() => counts.cargo(root, onPostgres)), {
  needs: ['PostgreSQL'],
})
await steps.run('Broker killed', () =>
  counts.counting(() => counts.cargo(root, killed, { CONTRACT_BROKER_KILLS: '100' })),
)
await postgres?.stop()
await steps.run('Python tools', () => counts.counting(() => installPythonTools(root)))
await steps.run('Python package', () => counts.counting(() => installWheel(root)), { needs: ['Build', 'Python tools'] })
await steps.run('Python types', () => counts.counting(() => checkPythonTypes(root)), {
  needs: ['Python package', 'Partners'],
})
await steps.run('Python tests', () => counts.counting(() => counts.pytest(root, pythonOf(root))), {
  needs: ['Python package'],
})

/** The tests find it by its variables. */
async function startDatabase() {
  postgres = await startPostgres()
  process.env.CONTRACT_BROKER_POSTGRES = postgres.url
  process.env.CONTRACT_BROKER_POSTGRES_TLS = postgres.certificates
}

steps.summary()
console.log(`\n${counts}`)
process.exitCode = steps.allPassed ? 0 : 1
