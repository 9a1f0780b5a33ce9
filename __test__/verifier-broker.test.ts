// Contracts from a broker, and results for it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type VerificationError, Verifier } from 'contract'
import { BrokerError } from 'contract/broker'
import { Asked, verified, wants } from './support/broker.ts'
import { asking, contractFile, contractOf, failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'
import { thrown } from './support/thrown.ts'

const own = /^(CONTRACT|PACT)_(URL|BROKER_|DESCRIPTION|PROVIDER_)/
const before = process.env

/** The environment of a run, without the variables about brokers of this machine. */
function environment(variables: Record<string, string> = {}) {
  const others = Object.entries(before).filter(([name]) => !own.test(name))
  process.env = { ...Object.fromEntries(others), CONTRACT_BROKER_HTTP_RETRIES: '0', ...variables }
}

beforeEach(() => environment())
afterAll(() => {
  process.env = before
})

describe('selection', () => {
  let broker: Asked
  const consumers = async (change: (verifier: Verifier) => unknown) =>
    (await verified((verifier) => change(verifier.setErrorOnEmptyContract(false)))).contracts.map(
      ({ consumer }) => consumer,
    )

  beforeAll(async () => {
    broker = await Asked.start()
    await broker.publish(wants(200, 'main'))
    await broker.publish(wants(200, 'feature'), '1', 'feat/x')
    await broker.publish(wants(200, 'shipped'), '1', 'other')
    await broker.send('POST', '/environments', { name: 'prod', production: true })
    const environments = (await broker.send('GET', '/environments'))._embedded as { environments: { uuid: string }[] }
    const uuid = environments.environments[0]?.uuid
    await broker.send('POST', `/pacticipants/shipped/versions/1/deployed-versions/environment/${uuid}`, {})
    await broker.send('PUT', '/pacticipants/feature/versions/1/tags/dev', {})
  })
  afterAll(() => broker.stop())

  const selected = (verifier: Verifier) => verifier.brokerSource({ url: broker.url, selector: true })

  test('without a selector: main branches or the latest versions, and what is deployed or released', async () => {
    expect(await consumers((verifier) => verifier.brokerSource({ url: broker.url }))).toEqual([
      'feature',
      'main',
      'shipped',
    ])
    expect(await consumers((verifier) => verifier.brokerSource(broker.url))).toEqual(['feature', 'main', 'shipped'])
    expect(await consumers((verifier) => verifier.brokerSource(new URL(broker.url)))).toEqual([
      'feature',
      'main',
      'shipped',
    ])
  })

  test.each([
    [{ mainBranch: true }, ['main']],
    [{ branch: 'feat/x' }, ['feature']],
    [{ branch: true }, ['feature', 'main', 'shipped']],
    [{ branch: 'gone', fallbackBranch: 'feat/x', consumer: 'feature' }, ['feature']],
    [{ branch: 'feat/x', fallbackToMainBranch: true }, ['feature', 'main']],
    [{ matchingBranch: true }, ['feature']],
    [{ tag: 'dev' }, ['feature']],
    [{ tag: 'gone', latest: true, fallbackTag: 'dev' }, ['feature']],
    [{ latest: true, consumer: 'main' }, ['main']],
    [{ deployed: true }, ['shipped']],
    [{ deployedOrReleased: true }, ['shipped']],
    [{ released: true }, []],
    [{ environment: 'prod' }, ['shipped']],
    ['{"mainBranch": true}', ['main']],
  ] as const)('consumerVersion(%j)', async (selector, found) => {
    const chained = await consumers((verifier) =>
      selected(verifier).providerBranch('feat/x').consumerVersion(selector).build(),
    )
    const plain = await consumers((verifier) =>
      verifier.brokerSource({ url: broker.url, selector: { providerBranch: 'feat/x', consumerVersions: [selector] } }),
    )

    expect([...chained].sort()).toEqual(found)
    expect(plain).toEqual(chained)
  })

  test('selectors are combined', async () => {
    const found = await consumers((verifier) =>
      selected(verifier)
        .consumerVersion({ mainBranch: true })
        .consumerVersions({ deployed: true }, { branch: 'feat/x' })
        .build(),
    )

    expect([...found].sort()).toEqual(['feature', 'main', 'shipped'])
  })

  test('consumers’ tags', async () => {
    expect(await consumers((verifier) => selected(verifier).consumerTags('dev').build())).toEqual(['feature'])
  })

  test('the branch of the results is that of the selector, too', async () => {
    const found = await consumers((verifier) => {
      selected(verifier).consumerVersion({ matchingBranch: true }).build()
      verifier.setPublishOptions({ version: '1', branch: 'feat/x' })
    })

    expect(found).toEqual(['feature'])
  })

  test('with other sources, and only some consumers', async () => {
    const found = await consumers((verifier) =>
      verifier.addSource(contractFile([asking('/1')], { consumer: 'file' })).brokerSource(broker.url),
    )

    expect(found).toEqual(['file', 'feature', 'main', 'shipped'])
    expect(await consumers((verifier) => verifier.brokerSource(broker.url).filterConsumers('main'))).toEqual(['main'])
  })

  test('as options of a new verifier', async () => {
    const run = withProvider(answering(200, {}), (url) =>
      new Verifier('users', {
        brokerSource: { url: broker.url, selector: { consumerVersions: [{ branch: 'feat/x' }] } },
        transports: [url],
      }).verify(),
    )

    expect((await run).contracts.map(({ consumer }) => consumer)).toEqual(['feature'])
  })

  test('the report contains the source of a contract and the reason', async () => {
    const report = await verified((verifier) => verifier.brokerSource(broker.url))

    expect(report.contracts[1]).toMatchObject({
      consumer: 'main',
      origin: { kind: 'broker', broker: broker.url, name: expect.stringContaining('main (1)') },
      pending: false,
    })
    expect(report.contracts[1]?.origin?.selection).toContain('main branch')
    expect(report.contracts[1]?.source).toMatch(/\/pact-version\/[0-9a-f]{40}$/)
    expect(report.contracts[1]?.notices?.[0]?.text).toContain('is being verified')
  })

  test('reports a builder without build(), and a builder after build()', async () => {
    const run = verified((verifier) => selected(verifier).includePending())

    await expect(run).rejects.toMatchObject({
      code: 'ERR_CONTRACT_OPTIONS',
      message: expect.stringMatching(/^brokerSource: the selector started by \{ selector: true \} .* call build/),
    })
    const done = selected(new Verifier('users'))
    done.build()
    expect(() => done.includePending()).toThrow(/^includePending: the selector is already finished by build/)
    const verifier = new Verifier('users')
    const replaced = selected(verifier)
    verifier.brokerSource(broker.url)
    expect(() => replaced.includePending()).toThrow(/a later call to brokerSource\(\) replaced its broker/)
    // The next run is not affected.
    expect(await consumers((verifier) => selected(verifier).consumerVersion({ mainBranch: true }).build())).toEqual([
      'main',
    ])
  })
})

describe('rejected immediately', () => {
  const begun = () => new Verifier('users').brokerSource({ url: 'http://127.0.0.1:9', selector: true })

  test.each([
    [{}, /^consumerVersion: no versions are selected; set mainBranch, matchingBranch, branch, tag,/],
    [{ consumer: 'web' }, /no versions are selected/],
    [{ tag: 'a', branch: 'b' }, /branch and tag are mutually exclusive/],
    [{ mainBranch: true, environment: 'prod' }, /mainBranch and environment are mutually exclusive/],
    [{ deployed: true, released: true }, /use \{ deployedOrReleased: true \}/],
    [{ fallbackTag: 'a', latest: true }, /fallbackTag requires tag/],
    [{ tag: 'a', fallbackTag: 'b' }, /fallbackTag requires \{ latest: true \}/],
    [{ branch: '' }, /branch is empty/],
    [{ brnch: 'x' }, /Did you mean "branch"\?/],
  ])('consumerVersion(%j)', (selector, words) => {
    const builder = begun()

    expect(() => builder.consumerVersion(selector as never)).toThrow(
      expect.objectContaining({ code: 'ERR_CONTRACT_OPTIONS', message: expect.stringMatching(words) }),
    )
  })

  test('dates', () => {
    expect(() => begun().includeWipSince('yesterday')).toThrow(/^includeWipSince: "yesterday" is not a date such as/)
    expect(() => begun().includeWipSince(new Date(Number.NaN))).toThrow(
      /the date must be a string such as 2026-01-31, received a Date/,
    )
    expect(begun().includeWipSince(new Date()).includeWipSince('2026-01-31').excludeWip().build()).toBeInstanceOf(
      Verifier,
    )
  })

  test.each([
    [
      { url: 'http://127.0.0.1:9', username: 'me', token: 'hush' },
      /pass either username and password or token, not both/,
    ],
    [{ url: 'http://me:hush@127.0.0.1:9', token: 'hush' }, /not in both/],
    [{ url: 'broker.example' }, /http/],
    [{ url: 'http://127.0.0.1:9', tokn: 'hush' }, /Did you mean "token"\?/],
  ])('brokerSource(%j)', (options, words) => {
    const call = () => new Verifier('users').brokerSource(options as never)

    expect(call).toThrow(words)
    expect(call).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hush') }))
    expect(() => new Verifier('users', { brokerSource: options as never })).toThrow(words)
  })

  test('a builder among the options of a new verifier', () => {
    expect(() => new Verifier('users', { brokerSource: { selector: true } as never })).toThrow(
      /available only with brokerSource\(\)/,
    )
  })

  test.each([
    [{}, /^setPublishOptions: version is missing/],
    [{ version: '' }, /version is missing/],
    [{ version: '1\n' }, /line breaks/],
    [{ version: '1', branch: '' }, /branch is empty/],
    [{ version: '1', buildUrl: 'ci' }, /ci/],
    [7, /received 7/],
  ])('setPublishOptions(%j)', (options, words) => {
    expect(() => new Verifier('users').setPublishOptions(options as never)).toThrow(words)
  })

  test('results and a filter', () => {
    const words = /published for whole contracts, but a filter excludes interactions/
    const filtered = new Verifier('users').filter('x')
    expect(() => filtered.setPublishOptions('1')).toThrow(words)
    const publishing = new Verifier('users').setPublishOptions('1', 'main')
    expect(() => publishing.filter({ noState: true })).toThrow(words)
    expect(publishing.filter({})).toBe(publishing)
  })
})

describe('credentials', () => {
  const credentials = { username: 'ci', password: 'secret' }
  let broker: Asked

  beforeAll(async () => {
    broker = await Asked.start({ credentials, readOnlyCredentials: { username: 'dev', password: 'less' } })
    await broker.publish(wants())
  })
  afterAll(() => broker.stop())

  test('all from the environment', async () => {
    environment({
      CONTRACT_BROKER_BASE_URL: broker.url,
      CONTRACT_BROKER_USERNAME: 'ci',
      CONTRACT_BROKER_PASSWORD: 'secret',
    })
    expect((await verified((verifier) => verifier.brokerSource())).summary.passed).toBe(1)
    environment({ PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_USERNAME: 'ci', PACT_BROKER_PASSWORD: 'secret' })
    expect((await verified((verifier) => verifier.brokerSource({}))).summary.passed).toBe(1)
  })

  test('options override variables, also of the other kind', async () => {
    environment({ CONTRACT_BROKER_BASE_URL: 'http://127.0.0.1:9', CONTRACT_BROKER_TOKEN: 'wrong' })

    const report = await verified((verifier) => verifier.brokerSource({ url: broker.url, ...credentials }))

    expect(report.summary.passed).toBe(1)
    expect(JSON.stringify(report)).not.toContain('secret')
  })

  test('in the URL', async () => {
    const url = broker.url.replace('//', '//ci:secret@')

    const report = await verified((verifier) => verifier.brokerSource(url))

    expect(JSON.stringify(report)).not.toContain('secret')
  })

  test('not from the environment', async () => {
    environment({ CONTRACT_BROKER_BASE_URL: broker.url, CONTRACT_BROKER_TOKEN: 'hush' })

    await expect(verified((verifier) => verifier.brokerSource({ useEnv: false }))).rejects.toThrow(
      /^brokerSource: no broker URL. Pass the URL, or set CONTRACT_BROKER_BASE_URL \[/,
    )
    await expect(verified((verifier) => verifier.brokerSource({ token: null }))).rejects.toThrow(/status 401/)
  })

  test('wrong credentials, and credentials with read access', async () => {
    const wrong = verified((verifier) => verifier.brokerSource({ url: broker.url, username: 'ci', password: 'hash' }))
    await expect(wrong).rejects.toMatchObject({
      code: 'ERR_CONTRACT_BROKER_UNAUTHORIZED',
      status: 401,
      message: expect.stringMatching(
        /^[^\n]*401: The user name or the password is wrong \[ERR_CONTRACT_BROKER_UNAUTHORIZED\]$/,
      ),
    })

    const reading = { url: broker.url, username: 'dev', password: 'less' }
    const error = await failureOf(
      verified((verifier) => verifier.brokerSource(reading).setPublishOptions({ version: '1', branch: 'main' })),
    )
    expect(error.message).toMatch(/^Results could not be published for users 1 \(main\): .*403/)
    expect(error.report).toMatchObject({ success: false, summary: { failed: 0, passed: 1 } })
    expect(error.report.contracts[0]?.publication).toMatchObject({ published: false })
    // A user with write access can publish afterwards.
    const report = await verified((verifier) =>
      verifier.brokerSource({ url: broker.url, ...credentials }).setPublishOptions('1', 'main'),
    )
    expect(report.publication).toMatchObject({ published: 1, version: '1', branch: 'main' })
  })
})

describe('pending and work in progress', () => {
  let broker: Asked

  beforeEach(async () => {
    broker = await Asked.start()
    await broker.publish(wants(201))
  })
  afterEach(() => broker.stop())

  const requests = (verifier: Verifier) =>
    verifier.brokerSource({ url: broker.url, selector: true }).providerBranch('main').consumerVersion({ branch: true })

  test('a contract that never passed may fail, with includePending', async () => {
    const report = await verified((verifier) => requests(verifier).includePending().build())

    expect(report).toMatchObject({ success: true, summary: { pending: 1, failed: 0 } })
    expect(report.contracts[0]).toMatchObject({ pending: true })
    const after = report.contracts[0]?.notices?.filter(({ moment }) => moment === 'after')
    expect(after).toEqual([{ moment: 'after', text: expect.stringContaining('was not published') }])
    for (const choose of [
      (verifier: Verifier) => requests(verifier).build(),
      (verifier: Verifier) => requests(verifier).includePending().excludePending().build(),
    ]) {
      const { report } = await failureOf(verified(choose))
      expect(report).toMatchObject({ success: false, summary: { pending: 0, failed: 1 } })
    }
  })

  test('a contract that has passed is not pending any more', async () => {
    const pending = (verifier: Verifier) => requests(verifier).includePending().build().setPublishOptions('1', 'main')
    const notices = async (run: Promise<unknown>) => {
      const report = await run.catch((error: VerificationError) => error.report)
      const { contracts } = report as Awaited<ReturnType<typeof verified>>
      return contracts[0]?.notices?.filter(({ moment }) => moment === 'after').map(({ text }) => text)
    }

    expect(await notices(verified(pending))).toEqual([expect.stringContaining('still pending for branch main')])
    expect(await broker.result()).toMatchObject({ success: false, providerApplicationVersion: '1' })

    await broker.publish(wants(200), '2')
    expect(await notices(verified(pending))).toEqual([expect.stringContaining('no longer pending for branch main')])
    expect(await broker.result()).toMatchObject({ success: true })

    // From now on, a failure fails the build.
    const failing = withProvider(answering(500, {}), async (url) => {
      const verifier = new Verifier('users').addTransport(url)
      return await pending(verifier).verify()
    })
    const { report } = await failureOf(failing)
    expect(report.contracts[0]).toMatchObject({ pending: false })
  })

  test('WIP contracts are added, and may fail', async () => {
    await broker.publish(wants(200, 'done'))
    await broker.publish(wants(201, 'wip'), '1', 'feat/x')
    const choose = (verifier: Verifier) =>
      verifier
        .brokerSource({ url: broker.url, selector: true })
        .includeWipSince('2020-01-01')
        .providerBranch('main')
        .consumerVersion({ mainBranch: true, consumer: 'done' })
        .build()

    const report = await verified(choose)

    expect(report.success).toBe(true)
    expect(report.contracts.map(({ consumer, origin }) => [consumer, origin?.wip ?? false])).toEqual([
      ['done', false],
      ['web', true],
      ['wip', true],
    ])
    const tomorrow = new Date(Date.now() + 86_400_000)
    const none = await verified((verifier) =>
      verifier.brokerSource({
        url: broker.url,
        selector: {
          includeWipSince: tomorrow,
          providerBranch: 'main',
          consumerVersions: [{ mainBranch: true, consumer: 'done' }],
        },
      }),
    )
    expect(none.contracts.map(({ consumer }) => consumer)).toEqual(['done'])
  })

  test('reports WIP contracts without a branch', async () => {
    const report = verified((verifier) =>
      verifier.brokerSource({ url: broker.url, selector: { includePending: true, includeWipSince: '2020-01-01' } }),
    )

    expect((await report).warnings).toEqual([expect.stringContaining('has no effect without a provider branch')])
  })

  test('every format shows it', async () => {
    const verifier = requests(new Verifier('users')).includePending().build()
    await withProvider(answering(200, {}), (url) => verifier.addTransport(url).verify())

    const text = verifier.output({ stripAnsi: true })
    expect(text).toContain('Verifying a contract between web and users [PENDING]')
    expect(text).toContain('A failure does not fail the build')
    expect(text).toContain('still pending')
  })
})

describe('results', () => {
  let broker: Asked

  beforeEach(async () => {
    broker = await Asked.start()
  })
  afterEach(() => broker.stop())

  test('with the result of each interaction, after branch and tags', async () => {
    await broker.publish(
      contractOf([
        asking('/1'),
        asking('/2', 201),
        asking('/3', 201, { pending: true }),
        asking('/4', 200, { response: { status: 200, headers: { 'X-Id': ['7'] } } }),
      ]),
    )

    const error = await failureOf(
      verified((verifier) =>
        verifier.brokerSource(broker.url).setPublishOptions({
          version: '7.1',
          branch: 'feat/x',
          tags: ['dev', 'test'],
          buildUrl: 'https://ci.example/7',
        }),
      ),
    )

    expect(error.report.publication).toEqual({ version: '7.1', branch: 'feat/x', tags: ['dev', 'test'], published: 1 })
    const result = await broker.result()
    expect(result).toMatchObject({
      success: false,
      providerApplicationVersion: '7.1',
      buildUrl: 'https://ci.example/7',
      verifiedBy: { implementation: 'contract' },
      testResults: [
        { interactionDescription: 'a request for /1', success: true },
        {
          interactionDescription: 'a request for /2',
          success: false,
          mismatches: [{ attribute: 'status', description: expect.stringContaining('201') }],
        },
        { interactionDescription: 'a request for /3', success: false },
        {
          interactionDescription: 'a request for /4',
          success: false,
          mismatches: [{ attribute: 'header', identifier: 'X-Id' }],
        },
      ],
    })
    const ids = (result.testResults as { interactionId: string }[]).map(({ interactionId }) => interactionId)
    expect(new Set(ids).size).toBe(4)
    expect(ids[0]).toMatch(/^[0-9a-f]{40}$/)
    expect(error.report.contracts[0]?.publication).toMatchObject({
      published: true,
      url: expect.stringMatching(/\/verification-results\/\d+$/),
    })
    const version = await broker.send('GET', '/pacticipants/users/versions/7.1')
    expect(version._embedded).toMatchObject({
      branchVersions: [{ name: 'feat/x' }],
      tags: [{ name: 'dev' }, { name: 'test' }],
    })
  })

  test('interactions that the consumer marks as pending do not change the result', async () => {
    await broker.publish(contractOf([asking('/1'), asking('/2', 201, { pending: true })]))

    const report = await verified((verifier) => verifier.brokerSource(broker.url).setPublishOptions('1', 'main'))

    expect(report).toMatchObject({ success: true, summary: { pending: 1 } })
    expect(await broker.result()).toMatchObject({ success: true })
  })

  test('for the version of the CI system', async () => {
    await broker.publish(wants())
    const build = { BUILDKITE: 'true', BUILDKITE_COMMIT: 'abc123', BUILDKITE_BRANCH: 'feat/x' }
    const others = Object.keys(process.env).filter((name) => /^(GITHUB_|CI|GIT_|.*_BRANCH$)/.test(name))
    environment({
      ...Object.fromEntries(others.map((name) => [name, ''])),
      ...build,
      BUILDKITE_BUILD_URL: 'http://ci/1',
    })

    const report = await verified((verifier) => verifier.brokerSource(broker.url).setPublishOptions('auto'))

    expect(report.publication).toMatchObject({ version: 'abc123', branch: 'feat/x', published: 1 })
    expect(await broker.result()).toMatchObject({ providerApplicationVersion: 'abc123', buildUrl: 'http://ci/1' })
    environment({ ...build, GITHUB_ACTIONS: 'true', GITHUB_SHA: 'def456', GITHUB_REF: 'refs/heads/main' })
    const both = verified((verifier) => verifier.brokerSource(broker.url).setPublishOptions({ version: 'auto' }))
    await expect(both).rejects.toThrow(
      /^setPublishOptions: .*report different values for the version: .*; set version \[/,
    )
  })

  test('a contract from a file has none, which is reported', async () => {
    await broker.publish(wants())
    const file = contractFile([asking('/1')], { consumer: 'file' })

    const report = await verified((verifier) =>
      verifier.addSource(file).brokerSource(broker.url).setPublishOptions('1', 'main'),
    )

    expect(report.contracts.map(({ consumer, publication }) => [consumer, publication?.published])).toEqual([
      ['file', false],
      ['web', true],
    ])
    expect(report.contracts[0]?.publication?.reason).toMatch(/^the contract was read from a file/)
    const none = await verified((verifier) => verifier.addSource(file).setPublishOptions('1'))
    expect(none).toMatchObject({ success: true, publication: { published: 0 } })
  })

  test('nothing verified, nothing published', async () => {
    const report = await verified((verifier) =>
      verifier.brokerSource(broker.url).setErrorOnEmptyContract(false).setPublishOptions('1', 'main'),
    )

    expect(report).toMatchObject({ success: true, contracts: [], publication: { published: 0 } })
    expect(report.publication?.error).toBeUndefined()
  })

  test('a run that stopped early publishes no success', async () => {
    await broker.publish(contractOf([asking('/1', 201)], { consumer: 'a' }))
    await broker.publish(contractOf([asking('/1')], { consumer: 'b' }))

    const error = await failureOf(
      verified((verifier) => verifier.brokerSource(broker.url).setPublishOptions('1', 'main'), { exitFirst: true }),
    )

    expect(error.report.contracts.map(({ publication }) => publication?.published)).toEqual([true, false])
    await expect(broker.result('b')).rejects.toThrow('404')
  })

  test('a run that the environment filtered publishes nothing, and reports that', async () => {
    await broker.publish(wants())
    const run = () => verified((verifier) => verifier.brokerSource(broker.url).setPublishOptions('1', 'main'))

    for (const [name, value] of [
      ['CONTRACT_DESCRIPTION', '/1'],
      ['CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS', 'false'],
    ] as const) {
      environment({ [name]: value })
      const report = await run()
      expect(report.warnings).toEqual([expect.stringMatching(`^no results were published: ${name}`)])
      expect(report.publication).toMatchObject({ published: 0 })
    }
    await expect(broker.result()).rejects.toThrow('404')
  })

  test('of a suite, after its last test', async () => {
    await broker.publish(contractOf([asking('/1'), asking('/2')]))
    const runSuite = async (ran: number) => {
      const tests: (() => Promise<void>)[] = []
      const after: (() => Promise<void>)[] = []
      const runner = {
        describe: (_: string, body: () => void) => body(),
        it: (_: string, body: () => Promise<void>) => tests.push(body),
        afterAll: (body: () => Promise<void>) => after.push(body),
      }
      const verifier = new Verifier('users').brokerSource(broker.url).setPublishOptions(`1.${ran}`, 'main')
      await withProvider(answering(200, {}), async (url) => {
        verifier.addTransport(url)
        expect(() => verifier.suite(runner)).toThrow(/must be fetched before tests are declared.* await prepare/)
        await verifier.prepare()
        verifier.suite(runner)
        for (const test of tests.slice(0, ran)) await test()
        for (const end of after) await end()
      })
      return verifier.results
    }

    const part = await runSuite(1)
    expect(part?.contracts[0]?.publication).toMatchObject({ published: false })
    expect(part?.warnings).toEqual(['no results were published: only 1 of 2 interactions were verified'])
    const whole = await runSuite(2)
    expect(whole?.publication).toMatchObject({ version: '1.2', published: 1 })
    expect(await broker.result()).toMatchObject({ success: true, providerApplicationVersion: '1.2' })
  })
})

describe('the contract of a webhook', () => {
  let broker: Asked

  beforeEach(async () => {
    broker = await Asked.start({ credentials: { username: 'ci', password: 'secret' } })
    await broker.publish(wants(201))
    await broker.publish(wants(200, 'other'))
  })
  afterEach(() => broker.stop())

  /** The URL of a contract, as the broker returns it for a verification. */
  async function address(pending: boolean): Promise<string> {
    const answer = await broker.send('POST', '/pacts/provider/users/for-verification', {
      consumerVersionSelectors: [{ mainBranch: true, consumer: 'web' }],
      includePendingStatus: pending,
    })
    const { pacts } = answer._embedded as { pacts: { _links: { self: { href: string } } }[] }
    return pacts[0]?._links.self.href ?? ''
  }

  const choose = (verifier: Verifier) =>
    verifier
      .brokerSource({ url: broker.url, username: 'ci', password: 'secret' })
      .addSource(contractFile([asking('/1')], { consumer: 'file' }))
      .setPublishOptions('1', 'main')

  test.each(['CONTRACT_URL', 'PACT_URL'])('%s alone is verified, and its result is published', async (name) => {
    environment({ [name]: await address(false) })

    const { report } = await failureOf(verified(choose))

    expect(
      report.contracts.map(({ consumer, origin, publication }) => [consumer, origin?.kind, publication?.published]),
    ).toEqual([['web', 'url', true]])
    expect(await broker.result()).toMatchObject({ success: false, providerApplicationVersion: '1' })
    await expect(broker.result('other')).rejects.toThrow('404')
  })

  test('a contract that is pending by its URL may fail', async () => {
    environment({ CONTRACT_URL: await address(true) })

    const report = await verified(choose)

    expect(report).toMatchObject({ success: true, contracts: [{ pending: true, publication: { published: true } }] })
  })

  test('credentials are sent to the broker only', async () => {
    const seen: unknown[] = []
    await withProvider(
      (request, response) => {
        seen.push(request.headers.authorization)
        answering(200, wants())(request, response)
      },
      async (url) => {
        environment({ CONTRACT_URL: `${url}/contract.json` })
        const report = await verified(choose)
        expect(report.contracts[0]?.publication?.reason).toMatch(/does not belong to a broker/)
      },
    )
    expect(seen).toEqual([undefined])
  })
})

describe('other servers', () => {
  let good: Asked

  beforeAll(async () => {
    good = await Asked.start()
    await good.publish(wants())
  })
  afterAll(() => good.stop())

  /** It is one line, and the next run is not affected. */
  async function check(url: string, words: RegExp, code: string) {
    const error = (await thrown(verified((verifier) => verifier.brokerSource(url)))) as Error & { code: string }
    expect(error.message).toMatch(words)
    // Further lines of the broker's text are not read as commands by a CI system.
    expect(error.message).not.toMatch(/^::/m)
    expect(error).toBeInstanceOf(BrokerError)
    expect(error.code).toBe(`ERR_CONTRACT_BROKER_${code}`)
    expect((await verified((verifier) => verifier.brokerSource(good.url))).summary.passed).toBe(1)
  }

  test('connection refused', () => check('http://127.0.0.1:9', /refused\. Is the broker running\?/, 'UNREACHABLE'))

  test('HTTPS to a server without TLS', () =>
    check(good.url.replace('http:', 'https:'), /TLS|encrypt|https|handshake/i, 'TLS'))

  test.each<[string, Parameters<typeof withProvider>[0], RegExp, string]>([
    ['a page', (_, response) => response.end('<!doctype html>'), /is not a Pact broker/, 'NOT_A_BROKER'],
    [
      'JSON without links',
      answering(200, { hello: 'world' }),
      /is not a Pact broker: the index has no links/,
      'NOT_A_BROKER',
    ],
    ['half a document', (_, response) => response.end('{"_links": {'), /is not a Pact broker/, 'NOT_A_BROKER'],
    ['404', answering(404, {}), /status 404/, 'NOT_FOUND'],
    ['401', answering(401, {}), /status 401.*Pass a user name and password, or a token/, 'UNAUTHORIZED'],
    ['403', answering(403, { error: 'not for you' }), /status 403: not for you/, 'FORBIDDEN'],
    ['500', answering(500, { error: { message: 'oh\n::error::no', reference: 'r' } }), /status 500: oh/, 'FAILED'],
    ['an answer that breaks off', (_, response) => response.socket?.destroy(), /clos|broke|reset/i, 'UNREACHABLE'],
  ])('%s', async (_, listener, words, code) => {
    await withProvider(listener, (url) => check(url, words, code))
  })

  test('reports an unknown provider, unless no contract is required', async () => {
    const run = (change: (verifier: Verifier) => unknown) =>
      withProvider(answering(200, {}), async (url) => {
        const verifier = new Verifier('nobody').addTransport(url).brokerSource(good.url)
        change(verifier)
        return await verifier.verify()
      })

    await expect(run(() => {})).rejects.toMatchObject({
      code: 'ERR_CONTRACT_NO_CONTRACT',
      message: expect.stringMatching(/^no contract found for provider "nobody": .*it has no provider with this name/),
    })
    expect(await run((verifier) => verifier.setErrorOnEmptyContract(false))).toMatchObject({ success: true })
  })

  test('reports rejected selectors with the text of the broker', async () => {
    const run = verified((verifier) =>
      verifier.brokerSource({ url: good.url, selector: { consumerVersions: [{ environment: 'nowhere' }] } }),
    )

    await expect(run).rejects.toThrow(/status 400: .*environment "nowhere" does not exist/)
  })

  test('a broker that never responds', async () => {
    await withProvider(
      () => {},
      async (url) => {
        const run = verified((verifier) => verifier.brokerSource({ url, timeout: 50 }))
        await expect(run).rejects.toMatchObject({
          code: 'ERR_CONTRACT_BROKER_TIMEOUT',
          message: expect.stringMatching(/^[^\n]*within 50 ms[^\n]*$/),
        })
      },
    )
    expect((await verified((verifier) => verifier.brokerSource(good.url))).summary.passed).toBe(1)
  })
})
