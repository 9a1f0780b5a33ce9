// The functions for brokers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ContractArgumentError, ContractError } from 'contract'
import {
  BrokerError,
  branches,
  canIDeploy,
  canIMerge,
  doctor,
  environments,
  getContracts,
  listContracts,
  pacticipants,
  providerStates,
  publish,
  type RunningBroker,
  recordDeployment,
  recordRelease,
  recordSupportEnded,
  recordUndeployment,
  startBroker,
  versions,
  webhooks,
} from 'contract/broker'
import { temporaryDirectory } from './support/temporary.ts'

let running: RunningBroker
let broker: { url: string; useEnv: boolean }
const directory = temporaryDirectory()

beforeAll(async () => {
  running = await startBroker()
  broker = { url: running.url, useEnv: false }
})
afterAll(() => running.stop())

function contractFile(name: string, consumer: string, provider: string, path: string): string {
  const folder = join(directory, name)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${consumer}-${provider}.json`)
  const interaction = {
    description: `a request for ${path}`,
    providerStates: [{ name: `there is ${path}` }],
    request: { path },
    response: { status: 200 },
  }
  const document = {
    consumer: { name: consumer },
    provider: { name: provider },
    interactions: [interaction],
    metadata: { pactSpecification: { version: '3.0.0' } },
  }
  writeFileSync(file, JSON.stringify(document))
  return folder
}

async function failure(call: () => Promise<unknown>): Promise<BrokerError> {
  try {
    await call()
  } catch (error) {
    expect(error).toBeInstanceOf(BrokerError)
    return error as BrokerError
  }
  throw new Error('it should have failed')
}

test('from a contract to a deployment', async () => {
  const folder = contractFile('flow', 'web', 'orders', '/a')
  const dry = await publish(folder, { consumerVersion: '1', branch: 'main', dryRun: true, broker })
  expect(dry.consumers[0]?.contracts[0]).toMatchObject({ provider: 'orders', outcome: 'created' })
  const published = await publish([folder], { consumerVersion: '1', branch: 'main', tags: ['t'], broker })
  expect(published.consumers).toMatchObject([{ consumer: 'web', version: '1', branch: 'main', tags: ['t'] }])
  expect(published.consumers[0]?.contracts[0]?.url).toBe(`${broker.url}/pacts/provider/orders/consumer/web/version/1`)
  await environments.create({ name: 'prod', production: true, broker })
  await versions.createOrUpdate({ pacticipant: 'orders', version: '7', branch: 'main', broker })
  const deployed = await recordDeployment({ pacticipant: 'orders', version: '7', environment: 'prod', broker })
  expect(deployed).toMatchObject({ pacticipant: 'orders', version: '7', environment: 'prod', currentlyDeployed: true })
  const question = { selectors: [{ pacticipant: 'web', version: '1' }], toEnvironment: 'prod', broker }
  const open = await canIDeploy({ ...question, explain: true, retryWhileUnknown: 1, retryInterval: 0 })
  expect(open).toMatchObject({ deployable: null, unknown: 1, asked: 2 })
  expect(open.explanation).toMatchObject([
    { problem: 'unverified', consumer: 'web', provider: 'orders', providerVersions: ['7'], who: 'orders' },
  ])
  const contract = (await (await fetch(open.rows[0]?.contractUrl ?? '')).json()) as {
    _links: Record<string, { href: string }>
  }
  await fetch(contract._links['pb:publish-verification-results']?.href ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ success: true, providerApplicationVersion: '7' }),
  })
  expect(await canIDeploy(question)).toMatchObject({ deployable: true, success: 1, rows: [{ success: true }] })
  expect((await canIMerge({ pacticipant: 'web', version: '1', broker })).deployable).toBe(true)
  expect(await listContracts({ broker })).toMatchObject([{ consumer: 'web', consumerVersion: '1', provider: 'orders' }])
  const [one] = await getContracts({
    provider: 'orders',
    latest: true,
    download: true,
    downloadDir: join(directory, 'out'),
    broker,
  })
  expect(JSON.parse(readFileSync(one?.file ?? '', 'utf8')).interactions[0].description).toBe('a request for /a')
  expect(await providerStates({ provider: 'orders', broker })).toMatchObject([{ name: 'there is /a' }])
  const gone = await recordUndeployment({ pacticipant: 'orders', environment: 'prod', broker })
  expect(gone).toMatchObject({ version: '7', currentlyDeployed: false })
  await recordRelease({ pacticipant: 'orders', version: '7', environment: 'prod', broker })
  const ended = await recordSupportEnded({ pacticipant: 'orders', version: '7', environment: 'prod', broker })
  expect(ended.currentlySupported).toBe(false)
})

test('a conflict reports the difference, and what was published before it', async () => {
  contractFile('conflict', 'b', 'stock', '/a')
  const folder = contractFile('conflict', 'a', 'stock', '/a')
  await publish(join(folder, 'b-stock.json'), { consumerVersion: '1', broker })
  contractFile('conflict', 'b', 'stock', '/b')
  const error = await failure(() => publish(folder, { consumerVersion: '1', broker }))
  expect(error).toMatchObject({ code: 'ERR_CONTRACT_BROKER_CONFLICT', status: 409, published: ['a 1 → stock'] })
  expect(error.message).toMatch(
    /^version 1 of b was already published with different content\. .* with \{ merge: true \}; /,
  )
  expect(error.notices.map(({ text }) => text).join('\n')).toContain('+        "path": "/b"')
  await publish(folder, { consumerVersion: '2', broker })
})

test('environments, pacticipants, versions and branches', async () => {
  const made = await environments.create({ name: 'test', displayName: 'Trial', broker })
  expect(made).toMatchObject({ name: 'test', displayName: 'Trial', production: false })
  const { uuid } = made
  expect((await environments.update({ uuid, production: true, broker })).displayName).toBe('Trial')
  expect((await environments.describe({ uuid, broker })).production).toBe(true)
  expect((await environments.list({ broker })).map(({ name }) => name)).toContain('test')
  expect(await environments.delete({ uuid, broker })).toEqual({ deleted: true })
  expect((await failure(() => environments.delete({ uuid, broker }))).code).toBe('ERR_CONTRACT_BROKER_NOT_FOUND')

  const app = await pacticipants.createOrUpdate({ name: 'app', mainBranch: 'trunk', broker })
  expect(app).toMatchObject({ name: 'app', mainBranch: 'trunk', created: true })
  expect((await pacticipants.createOrUpdate({ name: 'app', displayName: 'App', broker })).created).toBe(false)
  expect(await pacticipants.describe({ name: 'app', broker })).toMatchObject({
    displayName: 'App',
    mainBranch: 'trunk',
  })
  expect((await pacticipants.list({ broker })).map(({ name }) => name)).toContain('app')

  await versions.createOrUpdate({ pacticipant: 'app', version: '1', branch: 'feat/x', tags: ['a'], broker })
  expect(await versions.tag({ pacticipant: 'app', version: '1', tags: ['b'], broker })).toMatchObject({ tags: ['b'] })
  expect(await versions.describe({ pacticipant: 'app', latest: true, broker })).toMatchObject({
    number: '1',
    branches: [{ name: 'feat/x', latest: true }],
    tags: ['a', 'b'],
  })
  await versions.untag({ pacticipant: 'app', version: '1', tag: 'b', broker })
  expect((await branches.list({ pacticipant: 'app', broker })).map(({ name }) => name)).toEqual(['feat/x'])
  await expect(versions.tag({ pacticipant: 'app', version: '9', tags: ['b'], broker })).rejects.toThrow(
    'Publish the version first, or set { autoCreateVersion: true }',
  )
  expect(await branches.delete({ pacticipant: 'app', branch: 'feat/x', broker })).toEqual({ deleted: true })
  await expect(branches.delete({ pacticipant: 'app', branch: 'feat/x', broker })).rejects.toThrow(
    'branch "feat/x" of "app" not found. Check both names, or set { ignoreMissing: true }',
  )
  const missing = { pacticipant: 'app', branch: 'feat/x', ignoreMissing: true, broker }
  expect(await branches.delete(missing)).toEqual({ deleted: false })
  expect(await pacticipants.delete({ name: 'app', broker })).toEqual({ deleted: true })
})

describe('failures', () => {
  test('invalid arguments are rejected before anything is sent', async () => {
    // @ts-expect-error unknown option of a selector
    const misspelt = () => canIDeploy({ selectors: [{ pacticipant: 'web', versoin: '1' }] })
    await expect(misspelt()).rejects.toThrow(
      new ContractArgumentError(
        'ERR_CONTRACT_OPTIONS',
        'canIDeploy: selectors[0]: unknown option "versoin". Did you mean "version"?\n  Options: pacticipant, version, latest, tag, branch, mainBranch',
      ),
    )
    await expect(publish([], { broker })).rejects.toThrow('publish: pass at least one contract file')
    // @ts-expect-error the files are the first argument
    await expect(publish({ files: ['a.json'], broker })).rejects.toThrow(
      'publish: "files" must be a path or an array of paths, received object',
    )
    await expect(publish(directory, { broker })).rejects.toThrow('set consumerVersion or detect it')
    await expect(webhooks.create({ url: 'http://a', events: [], broker })).rejects.toThrow('events')
    // @ts-expect-error options are an object
    await expect(recordDeployment('web')).rejects.toThrow(
      'recordDeployment: options must be an object, received String',
    )
  })

  test('connection refused', async () => {
    const nowhere = { url: 'http://127.0.0.1:9', useEnv: false, retries: 0 }
    const error = await failure(() => doctorOf(nowhere))
    expect(error).toBeInstanceOf(ContractError)
    expect(error).toMatchObject({ code: 'ERR_CONTRACT_BROKER_UNREACHABLE', status: undefined, published: [] })
    expect(await doctor({ broker: nowhere })).toMatchObject({ ok: false, checks: [{ name: 'reach', ok: false }] })
    expect((await failure(() => listContracts({ broker: { useEnv: false } }))).code).toBe(
      'ERR_CONTRACT_BROKER_SETTINGS',
    )
    expect((await doctor({ broker })).ok).toBe(true)
  })

  test('errors contain no secrets', async () => {
    await using guarded = await startBroker({ credentials: { username: 'ci', password: 'hush' } })
    const asking = { url: guarded.url, useEnv: false, username: 'ci', password: 'hush2' }
    const error = await failure(() => listContracts({ broker: asking }))
    expect(error).toMatchObject({ code: 'ERR_CONTRACT_BROKER_UNAUTHORIZED', status: 401 })
    expect(`${error.message}${error.stack}`).not.toContain('hush')
    const both = { ...asking, token: 'hush' }
    await expect(listContracts({ broker: both })).rejects.toThrow('both a token and a user name')
    expect(await listContracts({ broker: { ...asking, password: 'hush' } })).toEqual([])
  })
})

const doctorOf = (access: object) => environments.list({ broker: access })

test('a verdict is returned as soon as the result is published', async () => {
  const published = await publish(contractFile('live', 'app', 'api', '/live'), { consumerVersion: '1', broker })
  const url = published.consumers[0]?.contracts[0]?.url ?? ''
  const begun = Date.now()
  const selectors = [{ pacticipant: 'app', version: '1' }]
  const waiting = canIDeploy({ selectors, wait: 60_000, retryInterval: 30_000, broker })
  const contract = (await (await fetch(url)).json()) as { _links: Record<string, { href: string }> }
  await fetch(contract._links['pb:publish-verification-results']?.href ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ success: true, providerApplicationVersion: '1' }),
  })
  expect(await waiting).toMatchObject({ deployable: true, success: 1 })
  expect(Date.now() - begun).toBeLessThan(30_000)
})
