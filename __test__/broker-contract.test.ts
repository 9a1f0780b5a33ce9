// A contract of our broker client, and the verification of our broker against it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, match, Verifier } from 'contract'
import { Asked, wants } from './support/broker.ts'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

const launcher = join(dirname(dirname(require.resolve('contract'))), 'bin', 'contract-broker.js')
const directory = join(__dirname, '..', 'fixtures', 'broker')
const contract = new Contract('contract', 'contract-broker', { directory })

const sha = '83a7641217510348dfdded834bd6ece951e0d6bd'
const address = `/pacts/provider/users/consumer/web/pact-version/${sha}/metadata/Y3Y9MQ`
const hal = { 'Content-Type': match.regex('application/hal+json;charset=utf-8', /application\/hal\+json(;.*)?/) }
const accept = { Accept: 'application/hal+json, application/json' }
const sent = { ...accept, 'Content-Type': 'application/json' }

const link = (path: string | ReturnType<typeof match.regex>) => ({ href: match.url({ path }) })
const content = match.regex(
  address.slice(1),
  /pacts\/provider\/users\/consumer\/web\/pact-version\/[0-9a-f]{40}\/metadata\/[\w-]+/,
)
const results = match.regex(
  `${address.slice(1)}/verification-results`,
  /pacts\/provider\/users\/consumer\/web\/pact-version\/[0-9a-f]{40}\/metadata\/[\w-]+\/verification-results/,
)

/** The index, which every client reads first. */
function index() {
  contract
    .uponReceiving('what the broker can do')
    .withRequest('GET', '/')
    .withHeaders(accept)
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({
      _links: {
        'pb:provider-pacts-for-verification': link('/pacts/provider/{provider}/for-verification'),
        'pb:publish-contracts': link('/contracts/publish'),
      },
    })
}

/** The requests of a verification before it has a contract. */
function choice() {
  contract
    .uponReceiving('the contracts that a provider is to verify')
    .given('a contract that was never verified')
    .withRequest('POST', '/pacts/provider/users/for-verification')
    .withHeaders(sent)
    .withBody({
      consumerVersionSelectors: [{ mainBranch: true }],
      includePendingStatus: true,
      providerVersionBranch: 'main',
    })
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({
      _embedded: {
        pacts: [
          {
            shortDescription: match.str('latest from main branch'),
            verificationProperties: {
              pending: true,
              notices: match.eachLike({
                when: match.regex('before_verification', /before_verification|after_verification:[a-z_]+/),
                text: match.str('chosen because it is the latest'),
              }),
            },
            _links: { self: { ...link(content), name: match.str('Pact between web (1) and users') } },
          },
        ],
      },
    })
}

/** Reads a contract. */
function reading() {
  contract
    .uponReceiving('a contract, with its links')
    .given('a contract that was never verified')
    .withRequest('GET', match.pathFromProviderState('${contract}', address))
    .withHeaders(accept)
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({
      consumer: { name: 'web' },
      provider: { name: 'users' },
      interactions: [
        {
          _id: match.regex('8ec798591405e421830e6b8b2a53b4bffbc1f46a', /[0-9a-f]{40}/),
          type: 'Synchronous/HTTP',
          description: 'a request for /1',
          request: { method: 'GET', path: '/1' },
          response: { status: 200 },
        },
      ],
      metadata: { pactSpecification: { version: '4.0' } },
      _links: {
        'pb:provider': { ...link('/pacticipants/users'), name: 'users' },
        'pb:publish-verification-results': link(results),
      },
    })
}

/** Publishes a result. */
function publishing() {
  contract
    .uponReceiving('where a provider keeps branches and tags')
    .given('a contract that was never verified')
    .withRequest('GET', '/pacticipants/users')
    .withHeaders(accept)
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({
      _links: {
        'pb:branch-version': link('/pacticipants/users/branches/{branch}/versions/{version}'),
        'pb:version-tag': link('/pacticipants/users/versions/{version}/tags/{tag}'),
      },
    })
  for (const [what, path] of [
    ['a version for a branch', '/pacticipants/users/branches/main/versions/1.0'],
    ['a tag for a version', '/pacticipants/users/versions/1.0/tags/dev'],
  ] as const) {
    contract
      .uponReceiving(what)
      .given('a contract that was never verified')
      .withRequest('PUT', path)
      .withHeaders(sent)
      .withBody({})
      .willRespondWith(201)
      .withHeaders(hal)
  }
  contract
    .uponReceiving('the result of a verification')
    .given('a contract that was never verified')
    .withRequest(
      'POST',
      match.pathFromProviderState('${contract}/verification-results', `${address}/verification-results`),
    )
    .withHeaders(sent)
    .withBody({
      success: true,
      providerApplicationVersion: '1.0',
      testResults: [
        {
          interactionId: match.regex('8ec798591405e421830e6b8b2a53b4bffbc1f46a', /[0-9a-f]{40}/),
          interactionDescription: 'a request for /1',
          success: true,
        },
      ],
      verifiedBy: { implementation: 'contract', version: match.semver('0.1.0') },
    })
    .willRespondWith(201)
    .withHeaders(hal)
    .withBody({
      _links: {
        self: link(
          match.regex(
            `pacts/provider/users/consumer/web/pact-version/${sha}/verification-results/101`,
            /pacts\/provider\/users\/consumer\/web\/pact-version\/[0-9a-f]{40}\/verification-results\/\d+/,
          ),
        ),
      },
    })
}

/** Publishes a contract. */
function contracts() {
  contract
    .uponReceiving('a contract to publish')
    .withRequest('POST', '/contracts/publish')
    .withHeaders(sent)
    .withBody({
      pacticipantName: 'web',
      pacticipantVersionNumber: '2',
      branch: 'main',
      contracts: [
        {
          consumerName: 'web',
          providerName: 'users',
          specification: 'pact',
          contentType: 'application/json',
          content: Buffer.from(JSON.stringify(wants())).toString('base64'),
        },
      ],
    })
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({
      notices: match.eachLike({
        type: match.regex('success', /debug|info|warning|prompt|success|error|danger/),
        text: match.str('The contract was published.'),
      }),
    })
}

/** Checks a deployment and records it. */
function deploying() {
  contract
    .uponReceiving('a question whether a version may be deployed')
    .given('a version that may be deployed')
    .withRequest('GET', '/matrix')
    .withQueryParameters([
      ['q[][pacticipant]', 'web'],
      ['q[][version]', '1'],
      ['latestby', 'cvpv'],
      ['environment', 'production'],
    ])
    .withHeaders(accept)
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({
      summary: { deployable: true, reason: match.str('all is verified'), success: 1, failed: 0, unknown: 0 },
      notices: match.eachLike({ type: match.str('success'), text: match.str('all is verified') }),
      matrix: [
        {
          consumer: { name: 'web', version: { number: '1' } },
          provider: { name: 'users', version: { number: '1.0' } },
          verificationResult: { success: true },
        },
      ],
    })
  const deployment = '/pacticipants/web/versions/1/deployed-versions/environment/1e8c13ff-b112-469c-8305-54eb53b2a5b5'
  const recorded = match.regex(
    deployment.slice(1),
    /pacticipants\/web\/versions\/1\/deployed-versions\/environment\/[0-9a-f-]{36}/,
  )
  contract
    .uponReceiving('a version, and where its deployments are recorded')
    .given('a version that may be deployed')
    .withRequest('GET', '/pacticipants/web/versions/1')
    .withHeaders(accept)
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({ number: '1', _links: { 'pb:record-deployment': [{ name: 'production', ...link(recorded) }] } })
  contract
    .uponReceiving('a deployment to record')
    .given('a version that may be deployed')
    .withRequest('POST', match.pathFromProviderState('${deployment}', deployment))
    .withHeaders(sent)
    .withBody({})
    .willRespondWith(201)
    .withHeaders(hal)
    .withBody({ currentlyDeployed: true })
}

/** Runs a command and returns its exit code and output. */
async function command(url: string, ...args: readonly string[]): Promise<[code: number, said: string]> {
  const others = Object.entries(process.env).filter(([name]) => !/^(CONTRACT|PACT)_BROKER_/.test(name))
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { ...Object.fromEntries(others), CONTRACT_BROKER_BASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const [code] = (await once(child, 'close')) as [number]
  return [code, said]
}

/** Verifies `users`, which satisfies its contract, with a broker. */
function verify(broker: string, change: (verifier: Verifier) => unknown = () => {}) {
  return withProvider(answering(200, {}), async (url) => {
    const verifier = new Verifier('users').addTransport(url).brokerSource({
      url: broker,
      useEnv: false,
      selector: { includePending: true, providerBranch: 'main', consumerVersions: [{ mainBranch: true }] },
    })
    change(verifier)
    return await verifier.verify()
  })
}

describe('the client records what it needs from a broker', () => {
  test('contracts to verify', async () => {
    index()
    choice()
    reading()

    const report = await contract.serve(({ url }) => verify(url))

    expect(report.contracts).toMatchObject([{ consumer: 'web', pending: true }])
  })

  test('results to publish', async () => {
    index()
    choice()
    reading()
    publishing()

    const report = await contract.serve(({ url }) =>
      verify(url, (verifier) => verifier.setPublishOptions({ version: '1.0', tags: ['dev'] })),
    )

    expect(report.publication).toMatchObject({ version: '1.0', branch: 'main', published: 1 })
  })
})

describe('and our command', () => {
  test('contracts to publish', async () => {
    index()
    contracts()
    const file = join(temporaryDirectory(), 'web-users.json')
    writeFileSync(file, JSON.stringify(wants()))

    const ran = await contract.serve(({ url }) =>
      command(url, 'publish', file, '--consumer-app-version', '2', '--branch', 'main'),
    )

    expect(ran).toEqual([0, expect.stringContaining('The contract was published.')])
  })

  test('verdicts and deployments', async () => {
    index()
    deploying()
    const version = ['--pacticipant', 'web', '--version', '1']

    const [verdict, record] = await contract.serve(async ({ url }) => [
      await command(url, 'can-i-deploy', ...version, '--to-environment', 'production'),
      await command(url, 'record-deployment', ...version, '--environment', 'production'),
    ])

    expect(verdict).toEqual([0, expect.stringContaining('can be deployed to production')])
    expect(record).toEqual([0, expect.stringContaining('production')])
  })
})

describe('the broker satisfies the contract', () => {
  let broker: Asked

  beforeAll(async () => {
    broker = await Asked.start()
  })
  afterAll(() => broker.stop())

  test('all interactions', async () => {
    const report = await new Verifier('contract-broker')
      .addSource(directory)
      .addTransport(broker.url)
      .stateHandler({
        'a contract that was never verified': { setup: unverified },
        'a version that may be deployed': { setup: deployable },
      })
      .verify()

    expect(report.summary).toMatchObject({ failed: 0, passed: report.summary.total })
    expect(report.summary.total).toBe(11)
  })

  /** A broker with one contract, and the URL of the contract. */
  async function unverified() {
    await broker.send('DELETE', '/pacticipants/users').catch(() => {})
    await broker.send('DELETE', '/pacticipants/web').catch(() => {})
    await broker.publish(wants())
    const list = await broker.send('POST', '/pacts/provider/users/for-verification', {})
    const { pacts } = list._embedded as { pacts: { _links: { self: { href: string } } }[] }
    return { contract: new URL(pacts[0]?._links.self.href ?? '').pathname }
  }

  /** A version that the provider in production has verified successfully. */
  async function deployable() {
    const { contract } = await unverified()
    const result = { success: true, providerApplicationVersion: '1.0' }
    await broker.send('POST', `${contract}/verification-results`, result)
    await broker.send('POST', '/environments', { name: 'production', production: true }).catch(() => {})
    const list = (await broker.send('GET', '/environments'))._embedded as { environments: { uuid: string }[] }
    const environment = `deployed-versions/environment/${list.environments[0]?.uuid}`
    await broker.send('POST', `/pacticipants/users/versions/1.0/${environment}`, {})
    return { deployment: `/pacticipants/web/versions/1/${environment}` }
  }
})
