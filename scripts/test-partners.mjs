// `npm run test:partners`: tests with other Pact implementations, databases, and languages, which require more software
// than `npm test`. The last line is `N passed, N failed`.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileC, installCapi, installCapiTools, runCapiExamples, testCapi } from './lib/capi.mjs'
import { Counts } from './lib/counts.mjs'
import { checkSbom, checkWorkflows, installPartners } from './lib/partners.mjs'
import { checkPluginWire } from './lib/plugin-wire.mjs'
import { startPostgres } from './lib/postgres.mjs'
import { FIRST_BUILD, prepare } from './lib/prepare.mjs'
import { checkBareWheel, checkPythonTypes, installPythonTools, installWheel, pythonOf } from './lib/python.mjs'
import { npmRun, run } from './lib/run.mjs'
import { mountSmallDisk } from './lib/small-disk.mjs'
import { Steps } from './lib/steps.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

// With -p instead of --workspace, cargo selects other features, and compiles again what `npm test` has compiled.
/** The broker's own tests, with PostgreSQL instead of a database in memory. */
const onPostgres = ['--workspace', '--test', 'server', '--', '--quiet']
/** Tests that kill the broker while it works. */
const killed = ['--workspace', '--test', 'broker', '--', '--quiet', 'killed']
/** Tests with a full disk. */
const full = ['--workspace', '--test', 'broker', '--', '--quiet', 'a_full_disk_loses_no_data']

/** More workers than cores, because the partner tests often wait for other programs. */
const partnerOptions = ['--maxWorkers', '150%']

const steps = new Steps()
const counts = new Counts()
await prepare(root, steps)
await steps.run('Build', () => counts.counting(() => npmRun(root, 'build')), { about: FIRST_BUILD })
await steps.run('Command line in the library', () => counts.counting(buildLauncher), {
  needs: ['Build'],
  about: 'as in a release, for all tests below: half a minute',
})
await steps.run('Partners', () => counts.counting(() => installPartners(root)), {
  about: 'with npm, pip, and apt: some minutes the first time, then seconds',
})
await steps.run('Workflows', () => counts.counting(() => checkWorkflows(root)), { needs: ['Partners'] })
await steps.run('List of crates', () => counts.counting(() => checkSbom(root)), { needs: ['Partners'] })
await steps.run('Smoke suite', () => counts.counting(testPlatform), {
  needs: ['Build'],
  about: 'the packages in empty projects, with each version of Node: two minutes',
})
await steps.run('WebAssembly', () => counts.counting(() => npmRun(root, 'build:wasm')), {
  needs: ['Build'],
  about: 'half a minute, with the Rust target wasm32-unknown-unknown, which rustup installs',
})
await steps.run('Python tools', () => counts.counting(() => installPythonTools(root)))
await steps.run('Python package', () => counts.counting(() => installWheel(root)), { needs: ['Build', 'Python tools'] })
await steps.run('Python types', () => counts.counting(() => checkPythonTypes(root)), {
  needs: ['Python package', 'Partners'],
})
await steps.run('Python alone', () => counts.counting(() => checkBareWheel(root)), {
  needs: ['Python package', 'Partners'],
})
await steps.run('Python tests', () => counts.counting(() => counts.pytest(root, pythonOf(root))), {
  needs: ['Python package'],
  about: 'half a minute',
})
await steps.run('C interface', () => counts.counting(buildCapi), { needs: ['Build'] })
await steps.run('C tests', () => counts.counting(() => testCapi(root, (line) => counts.closing(line))), {
  needs: ['C interface'],
  about: 'normal, sanitized, linked statically, and under valgrind: a minute',
})
await steps.run(
  'Examples in C, Go and Ruby',
  () => counts.counting(async () => counts.passing(await runCapiExamples(root))),
  {
    needs: ['C interface'],
  },
)
await steps.run('Plugin interface', () => counts.counting(() => checkPluginWire(root)), {
  about: 'generates its code again: a minute',
})
let postgres
const disks = { broker: mountSmallDisk(8), postgres: mountSmallDisk(16) }
await steps.run('PostgreSQL', () => counts.counting(startDatabase))
await steps.run('Partner tests', () => counts.counting(() => counts.jest(root, 'partners', partnerOptions)), {
  needs: ['Build', 'Partners', 'PostgreSQL', 'Python package', 'C interface', 'WebAssembly'],
})
await steps.run('Broker on PostgreSQL', () => counts.counting(() => counts.cargo(root, onPostgres)), {
  needs: ['PostgreSQL'],
})
await steps.run('Broker killed', () =>
  counts.counting(() => counts.cargo(root, killed, { CONTRACT_BROKER_KILLS: '100' })),
)
if (disks.broker !== undefined) {
  await steps.run('Broker on a full disk', () =>
    counts.counting(() => counts.cargo(root, full, { CONTRACT_BROKER_SMALL_DISK: disks.broker })),
  )
}
await postgres?.stop()

counts.printFailures()
steps.summary()
if (disks.broker === undefined) {
  console.error('\nNOT TESTED: a full disk. The test requires permission to mount a tmpfs.')
}
console.log(`\n${counts}`)
process.exitCode = steps.allPassed ? 0 : 1

/** Lets the executable load the library, as in release builds. `npm test` tests an executable that needs no library. */
async function buildLauncher() {
  await run(process.execPath, ['scripts/build-native.mjs', '--launcher'], { cwd: root })
}

/** Only the platform of this machine: the others require release builds (`npm run release:local`). */
async function testPlatform() {
  const script = join(root, 'scripts', 'test-platforms.mjs')
  const args = process.platform === 'linux' && process.arch === 'x64' ? ['linux-x64-gnu'] : ['--here']
  await run(process.execPath, [script, '--quick', ...args], { cwd: root, onLine: (line) => counts.closing(line) })
}

async function buildCapi() {
  await installCapiTools()
  await installCapi(root)
  await compileC(root, 'operations', ['crates/capi/tests/c/operations.c'])
}

/** The tests find the server through variables. */
async function startDatabase() {
  postgres = await startPostgres({ disk: disks.postgres })
  process.env.CONTRACT_BROKER_POSTGRES = postgres.url
  process.env.CONTRACT_BROKER_POSTGRES_TLS = postgres.certificates
  if (disks.postgres !== undefined) process.env.CONTRACT_BROKER_POSTGRES_SMALL = 'small'
}
