// Other implementations of the field, which the partner tests try our files on, and test runners that we do not use ourselves. They are no development dependencies: most
// who work on this never run those tests, and the one package brings 47 MiB and 137 others along.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, StepFailed } from './run.mjs'

/** Exact versions, for what they accept is what is tested. 16 is the last that runs on Node 20. */
const partners = { '@pact-foundation/pact': '16.5.0', mocha: '12.0.3', vitest: '4.1.12' }

/** Installs them into .tmp/partners, unless they are there. */
export async function installPartners(root) {
  const folder = join(root, '.tmp', 'partners')
  if (Object.entries(partners).every(([name, version]) => installed(folder, name) === version)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: partners }, null, 2))
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    const names = Object.entries(partners).map((partner) => partner.join('@'))
    throw new StepFailed(
      `The partners could not be installed (${names.join(', ')}, into .tmp/partners). They come from the npm registry, which must be within reach; the lines above say what npm missed.`,
    )
  }
}

function installed(folder, name) {
  const file = join(folder, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}
