// Checks the CI system and the broker.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import systems from '../../crates/pipeline/src/broker/systems.txt'
import type { Diagnosis } from '../generated/broker.js'
import { type Check, failed, ok, skipped, warning } from './check.js'

/** Checks whether `--auto-detect-version-properties` can detect the version and the branch of this build. */
export function checkCi(environment: NodeJS.ProcessEnv): Check {
  const rows = systems
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((column) => column.trim()))
  const set = (names: string | undefined) => names?.split(' ').find((name) => environment[name])
  const system = rows.find(([, marks]) => set(marks) !== undefined)
  if (system === undefined && !environment.CI) return skipped('ci', 'not running in a CI system')
  const [name = 'an unknown CI system', , commits = 'GIT_COMMIT', branches = 'GIT_BRANCH GIT_LOCAL_BRANCH'] =
    system ?? []
  const commit = set(`${commits} GIT_COMMIT`) ?? git('rev-parse', 'HEAD')
  const branch = set(`${branches} GIT_BRANCH GIT_LOCAL_BRANCH CI_COMMIT_REF_NAME`) ?? git('branch', '--show-current')
  if (commit && branch) return ok('ci', `${name}: version from ${commit}, branch from ${branch}`)
  const missing = [commit ? '' : 'version', branch ? '' : 'branch'].filter(Boolean).join(' and ')
  const variables = [commit ? '' : 'GIT_COMMIT', branch ? '' : 'GIT_BRANCH'].filter(Boolean).join(' and ')
  return warning(
    'ci',
    `${name}: the ${missing} of the build cannot be detected`,
    `Set ${variables}, or pass --consumer-app-version and --branch.`,
  )
}

/**
 * Runs a git command. Returns the command line if the command printed something, for use in messages. Otherwise,
 * returns `undefined`.
 */
function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? `git ${args.join(' ')}` : undefined
}

/** Checks whether the broker is reachable, and whether the credentials can read and publish. */
export async function checkBroker(environment: NodeJS.ProcessEnv, hasCore: boolean): Promise<Check> {
  const variable = (name: string) =>
    ['CONTRACT_BROKER_', 'PACT_BROKER_'].map((prefix) => prefix + name).find((each) => environment[each])
  const url = variable('BASE_URL')
  if (url === undefined) {
    const other = ['USERNAME', 'PASSWORD', 'TOKEN'].map(variable).find(Boolean)
    if (other !== undefined)
      return failed(
        'broker',
        `${other} is set, but no broker URL`,
        'Set CONTRACT_BROKER_BASE_URL to the URL of the broker.',
      )
    return skipped(
      'broker',
      'no broker is configured',
      'To use a broker, set CONTRACT_BROKER_BASE_URL and CONTRACT_BROKER_TOKEN, or a user name and password.',
    )
  }
  if (!hasCore) return skipped('broker', 'not checked, because the native core is missing')
  try {
    const { broker } = require(join(__dirname, 'index.cjs')) as { broker: { doctor(): Promise<Diagnosis> } }
    return diagnosed(await broker.doctor(), url)
  } catch (error) {
    const text = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
    return failed('broker', text, `Check ${url} and the other broker variables.`)
  }
}

function diagnosed({ broker, product, credentials, checks }: Diagnosis, url: string): Check {
  const name = product === null ? broker : `${broker} (${product})`
  const problem = checks.find((check) => !check.ok)
  if (problem === undefined) return ok('broker', `${name}, credentials: ${credentials}, can read and publish`)
  const advice = {
    reach: `Check ${url}, the network, and the proxy.`,
    read: 'Check CONTRACT_BROKER_TOKEN, or CONTRACT_BROKER_USERNAME and CONTRACT_BROKER_PASSWORD.',
    write: 'To publish, use credentials with write access.',
    publishing: 'Update the broker.',
  }
  if (problem.name === 'reach' || problem.name === 'read') return failed('broker', problem.text, advice[problem.name])
  return warning('broker', problem.text, advice[problem.name])
}
