// The Pact Broker, with recorded replies: other links and messages, and older versions.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Verifier } from 'contract'
import { pactBroker, type ReceivedRequest, type Reply } from './support/pact-broker.ts'
import { answering, withProvider } from './support/provider.ts'

const home = 'http://127.0.0.1:9292'
const sha = '83a7641217510348dfdded834bd6ece951e0d6bd'
const content = `/pacts/provider/Bar/consumer/Foo/pact-version/${sha}`
/** `s[][l]=true&s[][cv]=4&p=true`, as in links of the Pact Broker. */
const address = `${content}/metadata/cyU1QiU1RCU1QmwlNUQ9dHJ1ZSZzJTVCJTVEJTVCY3YlNUQ9NCZwPXRydWU`

const templated = (path: string) => ({ href: home + path, templated: true })

const index: Reply = {
  method: 'GET',
  path: '/',
  status: 200,
  body: {
    _links: {
      self: { href: home },
      'pb:latest-provider-pacts': templated('/pacts/provider/{provider}/latest'),
      'pb:provider-pacts-for-verification': templated('/pacts/provider/{provider}/for-verification'),
    },
  },
}

const notice = (when: string, text: string) => ({ when, text })

/** The list of one contract, with `pending` regardless of the request. */
const list: Reply = {
  method: 'POST',
  path: '/pacts/provider/Bar/for-verification',
  status: 200,
  body: {
    _embedded: {
      pacts: [
        {
          shortDescription: 'latest from main branch',
          verificationProperties: {
            pending: true,
            notices: [
              notice('before_verification', 'chosen because it is the latest'),
              notice('after_verification:success_true_published_false', 'still pending, for it was not published'),
              notice('after_verification:success_false_published_false', 'still pending'),
              notice('after_verification:success_true_published_true', 'no longer pending'),
              notice('after_verification:success_false_published_true', 'failed and published'),
            ],
          },
          _links: { self: { href: home + address, name: 'Pact between Foo (3) and Bar' } },
        },
      ],
    },
  },
}

const contract: Reply = {
  method: 'GET',
  path: address,
  status: 200,
  body: {
    consumer: { name: 'Foo' },
    provider: { name: 'Bar' },
    interactions: [
      { _id: '8ec7', description: 'b', request: { method: 'GET', path: '/b' }, response: { status: 200 } },
    ],
    metadata: { pactSpecification: { version: '2.0.0' } },
    createdAt: '2026-11-21T02:14:00+00:00',
    _links: {
      'pb:provider': { title: 'Provider', name: 'Bar', href: `${home}/pacticipants/Bar` },
      'pb:publish-verification-results': { href: `${home}${address}/verification-results` },
    },
  },
}

const provider: Reply = {
  method: 'GET',
  path: '/pacticipants/Bar',
  status: 200,
  body: {
    name: 'Bar',
    _links: {
      'pb:branch-version': templated('/pacticipants/Bar/branches/{branch}/versions/{version}'),
      'pb:version-tag': templated('/pacticipants/Bar/versions/{version}/tags/{tag}'),
    },
  },
}

const made: readonly Reply[] = [
  { method: 'PUT', path: '/pacticipants/Bar/branches/feat%2Fx/versions/10', status: 201, body: { name: 'feat/x' } },
  { method: 'PUT', path: '/pacticipants/Bar/versions/10/tags/prod', status: 201, body: { name: 'prod' } },
  {
    method: 'POST',
    path: `${address}/verification-results`,
    status: 201,
    body: { _links: { self: { href: `${home}${content}/verification-results/101` } } },
  },
]

const all = [index, list, contract, provider, ...made]

/** Verifies the provider Bar, which responds with this status. */
function verify(url: string, change: (verifier: Verifier) => unknown, status = 200) {
  return withProvider(answering(status, {}), async (provider) => {
    const verifier = new Verifier('Bar').addTransport(provider).brokerSource({ url, useEnv: false, selector: true })
    const chosen = verifier.consumerVersion({ mainBranch: true }).providerBranch('feat/x').includePending().build()
    change(chosen)
    return await chosen.verify()
  })
}

const steps = (requests: readonly ReceivedRequest[]) => requests.map(({ method, path }) => `${method} ${path}`)

describe('the Pact Broker', () => {
  test('contracts, notices and results, in its order', async () => {
    await pactBroker(all, async (url, requests) => {
      const report = await verify(url, (verifier) =>
        verifier.setPublishOptions({ version: '10', tags: ['prod'], buildUrl: 'http://ci.example/1' }),
      )

      expect(steps(requests)).toEqual([
        'GET /',
        'POST /pacts/provider/Bar/for-verification',
        `GET ${address}`,
        'GET /pacticipants/Bar',
        'PUT /pacticipants/Bar/branches/feat%2Fx/versions/10',
        'PUT /pacticipants/Bar/versions/10/tags/prod',
        `POST ${address}/verification-results`,
      ])
      expect(requests[1]?.body).toEqual({
        consumerVersionSelectors: [{ mainBranch: true }],
        includePendingStatus: true,
        providerVersionBranch: 'feat/x',
      })
      expect(requests[6]?.body).toMatchObject({
        success: true,
        providerApplicationVersion: '10',
        buildUrl: 'http://ci.example/1',
        testResults: [{ interactionId: '8ec7', interactionDescription: 'b', success: true }],
      })
      expect(report.contracts[0]).toMatchObject({
        pending: true,
        origin: {
          kind: 'broker',
          broker: url,
          name: 'Pact between Foo (3) and Bar',
          selection: 'latest from main branch',
        },
        notices: [
          { moment: 'before', text: 'chosen because it is the latest' },
          { moment: 'after', text: 'no longer pending' },
        ],
        publication: { published: true, url: `${url}${content}/verification-results/101` },
      })
    })
  })

  test.each([
    [200, false, 'still pending, for it was not published'],
    [500, false, 'still pending'],
    [500, true, 'failed and published'],
  ])('status %i, published %p: %s', async (status, published, text) => {
    await pactBroker(all, async (url) => {
      const publish = (verifier: Verifier) => published && verifier.setPublishOptions('10')

      const report = await verify(url, publish, status)

      expect(report.contracts[0]?.notices?.at(-1)).toEqual({ moment: 'after', text })
    })
  })

  test('ignores pending flags that were not requested', async () => {
    await pactBroker(all, async (url) => {
      const run = withProvider(answering(500, {}), (provider) =>
        new Verifier('Bar').addTransport(provider).brokerSource({ url, useEnv: false }).verify(),
      )
      await expect(run).rejects.toMatchObject({ report: { success: false, summary: { failed: 1 } } })
    })
  })

  test('uses the Pact Broker paths without provider links', async () => {
    await pactBroker([index, list, contract, ...made], async (url, requests) => {
      await verify(url, (verifier) => verifier.setPublishOptions({ version: '10', tags: ['prod'] }))

      expect(steps(requests).slice(4, 6)).toEqual([
        'PUT /pacticipants/Bar/branches/feat%2Fx/versions/10',
        'PUT /pacticipants/Bar/versions/10/tags/prod',
      ])
    })
  })

  test('reports contracts whose results the broker does not accept', async () => {
    await pactBroker(all.slice(0, -1), async (url) => {
      const run = verify(url, (verifier) => verifier.setPublishOptions({ version: '10', tags: ['prod'] }))

      await expect(run).rejects.toThrow(
        /^Results could not be published for Bar 10 \(feat\/x\): .*verification-results .*status 404/,
      )
    })
  })

  test('limits and sanitizes broker notices', async () => {
    const wordy = JSON.parse(JSON.stringify(list)) as typeof list & {
      body: { _embedded: { pacts: { verificationProperties: object }[] } }
    }
    const evil = '::error::no\u001b[31m'
    const notices = Array.from({ length: 200 }, () => notice('before_verification', evil + 'x'.repeat(20_000)))
    Object.assign(wordy.body._embedded.pacts[0]?.verificationProperties ?? {}, { notices })
    await pactBroker([index, wordy, contract], async (url) => {
      const verifier = new Verifier('Bar').brokerSource({ url, useEnv: false })
      await withProvider(answering(200, {}), (provider) => verifier.addTransport(provider).verify())

      const told = verifier.results?.contracts[0]?.notices ?? []
      expect(told).toHaveLength(100)
      expect(told.every(({ text }) => text.length < 11_000)).toBe(true)
      expect(
        verifier
          .output()
          .split('\n')
          .filter((line) => line.trimStart().startsWith('::')),
      ).toEqual([])
      expect(verifier.output()).not.toContain('\u001b[31m')
    })
  })

  test('supports brokers without selectors', async () => {
    const old = {
      ...index,
      body: { _links: { 'pb:latest-provider-pacts': templated('/pacts/provider/{provider}/latest') } },
    }
    const latest = {
      method: 'GET',
      path: '/pacts/provider/Bar/latest',
      status: 200,
      body: { _links: { 'pb:pacts': [{ href: home + address, title: 'Pact', name: 'Foo' }] } },
    }
    await pactBroker([old, latest, contract], async (url) => {
      await expect(verify(url, () => {})).rejects.toThrow(
        /does not support selectors, pending contracts, or work-in-progress contracts/,
      )
      const report = await withProvider(answering(200, {}), (provider) =>
        new Verifier('Bar').addTransport(provider).brokerSource({ url, useEnv: false }).verify(),
      )
      expect(report.contracts.map(({ consumer }) => consumer)).toEqual(['Foo'])
    })
  })

  const folder = process.env.CONTRACT_BROKER_RECORDINGS ?? ''
  const recorded = existsSync(folder) ? recordings(join(folder, 'ruby-broker-2.120.json')) : all

  test('works with recorded replies, if available', async () => {
    await pactBroker(recorded, async (url, requests) => {
      const run = withProvider(answering(200, {}), (provider) =>
        new Verifier('Bar')
          .addTransport(provider)
          .brokerSource({
            url,
            useEnv: false,
            selector: { includePending: true, consumerVersions: [{ mainBranch: true }] },
          })
          .setPublishOptions({ version: '10', tags: ['prod'] })
          .verify(),
      )

      expect(await run).toMatchObject({
        success: true,
        contracts: [{ consumer: 'Foo', publication: { published: true } }],
        publication: { version: '10', published: 1 },
      })
      expect(steps(requests).slice(-2)).toEqual([
        'PUT /pacticipants/Bar/versions/10/tags/prod',
        expect.stringMatching(/^POST .*\/metadata\/.*\/verification-results$/),
      ])
    })
  })
})

function recordings(file: string): Reply[] {
  const exchanges = JSON.parse(readFileSync(file, 'utf8')) as {
    name: string
    request: { method: string; path: string }
    response: { status: number; body: unknown }
  }[]
  // The list that was recorded for a verification.
  const order = [...exchanges.filter(({ name }) => name === 'fv for verify'), ...exchanges]
  return order
    .filter(({ response }) => response.status < 300)
    .map(({ request: { method, path }, response: { status, body } }) => ({ method, path, status, body }))
}
