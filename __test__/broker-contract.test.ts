// What our own client expects of a broker, as a contract that it wrote itself; and our broker, verified against it.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Contract, match, Verifier } from 'contract'
import { Asked, wants } from './support/broker.ts'
import { answering, withProvider } from './support/provider.ts'

jest.setTimeout(30_000)

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

/** What a verification asks for before it has any contract. */
function choice() {
  contract
    .uponReceiving('what the broker can do')
    .withRequest('GET', '/')
    .withHeaders(accept)
    .willRespondWith(200)
    .withHeaders(hal)
    .withBody({
      _links: { 'pb:provider-pacts-for-verification': link('/pacts/provider/{provider}/for-verification') },
    })
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

/** How it reads a contract. */
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

/** How it publishes a result. */
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

/** Verifies `users`, which honours its contract, with a broker. */
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

describe('our client writes down what it needs of a broker', () => {
  test('contracts to verify', async () => {
    choice()
    reading()

    const report = await contract.serve(({ url }) => verify(url))

    expect(report.contracts).toMatchObject([{ consumer: 'web', pending: true }])
  })

  test('results to publish', async () => {
    choice()
    reading()
    publishing()

    const report = await contract.serve(({ url }) =>
      verify(url, (verifier) => verifier.setPublishOptions({ version: '1.0', tags: ['dev'] })),
    )

    expect(report.publication).toMatchObject({ version: '1.0', branch: 'main', published: 1 })
  })
})

describe('our broker honours it', () => {
  let broker: Asked

  beforeAll(async () => {
    broker = await Asked.start()
  })
  afterAll(() => broker.stop())

  test('all of it', async () => {
    const report = await new Verifier('contract-broker')
      .addSource(directory)
      .addTransport(broker.url)
      .stateHandler({ 'a contract that was never verified': { setup: unverified } })
      .verify()

    expect(report.summary).toMatchObject({ failed: 0, passed: report.summary.total })
    expect(report.summary.total).toBeGreaterThan(6)
  })

  /** A broker that knows one contract, and where that is read. */
  async function unverified() {
    await broker.send('DELETE', '/pacticipants/users').catch(() => {})
    await broker.send('DELETE', '/pacticipants/web').catch(() => {})
    await broker.publish(wants())
    const list = await broker.send('POST', '/pacts/provider/users/for-verification', {})
    const { pacts } = list._embedded as { pacts: { _links: { self: { href: string } } }[] }
    return { contract: new URL(pacts[0]?._links.self.href ?? '').pathname }
  }
})
