// Clients of the Pact Broker, unchanged, with this broker.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { startBroker } from 'contract/broker'
import { withProvider } from '../support/provider.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** The directory with the installed packages. */
const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')

function run(program: string, args: readonly string[], broker: string): Promise<{ code: number; text: string }> {
  const env = { ...process.env, PACT_BROKER_BASE_URL: broker, PACT_DO_NOT_TRACK: 'true' }
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, timeout: 300_000 }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, text: out + err })
    })
  })
}

const client = (broker: string, ...args: string[]) =>
  run(join(partners, 'node_modules', '.bin', 'pact-broker'), args, broker)

/** A directory with the contract of `web` and `shop`. */
function contracts(status = 200): string {
  const directory = temporaryDirectory()
  const document = {
    consumer: { name: 'web' },
    provider: { name: 'shop' },
    interactions: [{ description: 'orders', request: { method: 'GET', path: '/orders' }, response: { status } }],
    metadata: { pactSpecification: { version: '2.0.0' } },
  }
  writeFileSync(join(directory, 'web-shop.json'), JSON.stringify(document))
  return directory
}

/** A resource, with the members that these tests read. */
interface Resource {
  readonly number?: string
  readonly _links: Readonly<Record<string, { readonly href: string }>>
  readonly _embedded: { readonly environments: readonly Resource[]; readonly deployedVersions: readonly Resource[] }
  readonly verificationResults: object
}

async function json(url: string): Promise<Resource> {
  return (await fetch(url)).json() as Promise<Resource>
}

function link(resource: Resource | undefined, relation: string): string {
  const href = resource?._links[relation]?.href
  if (href === undefined) throw new Error(`no link ${relation}`)
  return href
}

describe('@pact-foundation/pact-cli', () => {
  test('takes a consumer and a provider from publication to production and back', async () => {
    await using broker = await startBroker()
    const steps: readonly [number, ...string[]][] = [
      [0, 'publish', contracts(), '-a', '1', '--branch', 'main', '-t', 'dev'],
      [0, 'publish', contracts(), '-a', '1', '--branch', 'main'],
      [1, 'publish', contracts(201), '-a', '1', '--branch', 'main'],
      [0, 'create-environment', '--name', 'prod', '--production'],
      [1, 'create-environment', '--name', 'prod', '--production'],
      [1, 'can-i-deploy', '-a', 'web', '-e', '1', '--to-environment', 'prod'],
      [1, 'can-i-deploy', '-a', 'web', '-e', '1', '--to-environment', 'nowhere'],
      [0, 'create-or-update-version', '-a', 'shop', '-e', '9', '--branch', 'main'],
      [0, 'record-deployment', '-a', 'shop', '-e', '9', '--environment', 'prod'],
      [1, 'record-deployment', '-a', 'shop', '-e', '77', '--environment', 'prod'],
    ]
    for (const [code, ...args] of steps) {
      expect({ args, ...(await client(broker.url, ...args)) }).toMatchObject({ args, code })
    }
    const pact = await json(`${broker.url}/pacts/provider/shop/consumer/web/latest/dev`)
    await fetch(link(pact, 'pb:publish-verification-results'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ success: true, providerApplicationVersion: '9' }),
    })
    const later: readonly [number, ...string[]][] = [
      [0, 'can-i-deploy', '-a', 'web', '-e', '1', '--to-environment', 'prod'],
      [1, 'can-i-deploy', '-a', 'web', '-e', '2', '--to-environment', 'prod'],
      [0, 'can-i-merge', '-a', 'web', '-e', '1'],
      [0, 'record-release', '-a', 'web', '-e', '1', '--environment', 'prod'],
      [0, 'record-support-ended', '-a', 'web', '-e', '1', '--environment', 'prod'],
      [0, 'record-undeployment', '-a', 'shop', '--environment', 'prod'],
      [0, 'create-or-update-pacticipant', '--name', 'web', '--main-branch', 'main'],
      [0, 'create-version-tag', '-a', 'web', '-e', '1', '-t', 'blue'],
      [0, 'describe-version', '-a', 'web', '-l', 'blue'],
      [0, 'list-latest-pact-versions'],
      [0, 'delete-branch', '--branch', 'main', '-a', 'web'],
    ]
    for (const [code, ...args] of later) {
      expect({ args, ...(await client(broker.url, ...args)) }).toMatchObject({ args, code })
    }
    const [environment] = (await json(`${broker.url}/environments`))._embedded.environments
    const there = await json(link(environment, 'pb:currently-deployed-deployed-versions'))
    expect(there._embedded.deployedVersions).toEqual([])
    expect((await fetch(`${broker.url}/pacticipants/web/branches/main`)).status).toBe(404)
  })
})

const verifiers: Readonly<Record<string, (args: readonly string[], broker: string) => ReturnType<typeof run>>> = {
  '@pact-foundation/pact': (args, broker) =>
    run(process.execPath, [join(__dirname, 'support', 'broker-verify.cjs'), partners, ...args], broker),
  'pact-python': (args, broker) =>
    run(
      join(partners, 'python', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python'),
      [join(__dirname, 'support', 'broker-verify.py'), ...args],
      broker,
    ),
}

describe.each(Object.entries(verifiers))('%s', (_, verifier) => {
  test('verifies pending and WIP contracts, publishes, and fails after a successful verification', async () => {
    await using broker = await startBroker()
    const publish = async (version: string, branch: string, status?: number) => {
      const published = await client(broker.url, 'publish', contracts(status), '-a', version, '--branch', branch)
      expect(published).toMatchObject({ code: 0 })
    }
    const verify = (status: number, version: string) =>
      withProvider(
        (_request, response) => response.writeHead(status).end(),
        (url) => verifier([url, broker.url, version, 'main'], broker.url),
      )
    const results = async () => (await json(`${broker.url}/metrics`)).verificationResults

    await publish('1', 'main')
    // Pending: a failure is reported but does not fail the build.
    expect(await verify(500, '1')).toMatchObject({ code: 0 })
    expect(await results()).toMatchObject({ count: 1, failureCount: 1 })
    expect(await verify(200, '2')).toMatchObject({ code: 0 })
    expect(await results()).toMatchObject({ count: 2, successCount: 1 })
    expect((await json(`${broker.url}/pacticipants/shop/branches/main/latest-version`)).number).toBe('2')

    // WIP contracts are verified without being selected, and their failures do not fail the build.
    await publish('2', 'feat/x', 201)
    expect(await verify(200, '3')).toMatchObject({ code: 0 })
    expect(await results()).toMatchObject({ count: 4, successCount: 2, failureCount: 2 })

    // After a successful verification, a failure fails the build.
    expect(await verify(500, '4')).toMatchObject({ code: 1 })
    expect(await results()).toMatchObject({ count: 6, failureCount: 4 })
  })
})

describe('two nodes behind one PostgreSQL database', () => {
  const db = process.env.CONTRACT_BROKER_POSTGRES
  if (db === undefined)
    throw new Error('CONTRACT_BROKER_POSTGRES must lead to a database: `npm run test:partners` starts one')

  test('writes to one node are visible to the other', async () => {
    // Both processes find no tables, and one creates them.
    const [one, other] = await Promise.all([startBroker({ db }), startBroker({ db })])
    try {
      const steps: readonly [string, number, ...string[]][] = [
        [one.url, 0, 'publish', contracts(), '-a', '1', '--branch', 'main'],
        [other.url, 0, 'publish', contracts(), '-a', '1', '--branch', 'main'],
        [other.url, 1, 'publish', contracts(201), '-a', '1', '--branch', 'main'],
        [other.url, 0, 'create-environment', '--name', 'prod', '--production'],
        [one.url, 1, 'can-i-deploy', '-a', 'web', '-e', '1', '--to-environment', 'prod'],
        [one.url, 0, 'create-or-update-version', '-a', 'shop', '-e', '9', '--branch', 'main'],
        [other.url, 0, 'record-deployment', '-a', 'shop', '-e', '9', '--environment', 'prod'],
      ]
      for (const [url, code, ...args] of steps) {
        expect({ args, ...(await client(url, ...args)) }).toMatchObject({ args, code })
      }
      const pact = await json(`${one.url}/pacts/provider/shop/consumer/web/latest`)
      await fetch(link(pact, 'pb:publish-verification-results'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ success: true, providerApplicationVersion: '9' }),
      })
      const question = ['can-i-deploy', '-a', 'web', '-e', '1', '--to-environment', 'prod']
      for (const { url } of [one, other]) expect(await client(url, ...question)).toMatchObject({ code: 0 })
      // The end of one node does not lose data.
      await one.stop()
      expect(await client(other.url, ...question)).toMatchObject({ code: 0 })
    } finally {
      await Promise.all([one.stop(), other.stop()])
    }
  })
})
