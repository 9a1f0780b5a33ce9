// `contract verify` with a broker, as pipelines call it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Asked, wants } from './support/broker.ts'
import { contractFile } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

const launcher = join(dirname(dirname(require.resolve('contract'))), 'bin', 'contract.js')

/** Verifies the provider `users`, which responds with 200. Only the variables in `env` affect the command. */
function verify(args: readonly string[], env: Record<string, string> = {}, cwd = temporaryDirectory()) {
  return withProvider(answering(200, {}), async (url) => {
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(?:CONTRACT_(?!NATIVE_PATH)|PACT_|GITHUB_|NO_COLOR|FORCE_COLOR|.*_proxy$)/i.test(name),
    )
    const where = ['-n', 'users', '--hostname', '127.0.0.1', '--port', new URL(url).port]
    const child = spawn(process.execPath, [launcher, 'verify', ...where, ...args], {
      cwd,
      env: { ...Object.fromEntries(kept), XDG_CACHE_HOME: cwd, CONTRACT_BROKER_HTTP_RETRIES: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const [code] = (await once(child, 'close')) as [number]
    return { code, out, err, cwd }
  })
}

describe('contract verify with a broker', () => {
  const credentials = { username: 'ci', password: 'secret' }
  let broker: Asked

  beforeAll(async () => {
    broker = await Asked.start({ credentials })
    await broker.publish(wants(200, 'web'))
    await broker.publish(wants(201, 'later'), '1', 'feat/x')
  })
  afterAll(() => broker.stop())

  const access = ['--broker-username', 'ci', '--broker-password', 'secret']
  const main = ['--consumer-version-selectors', '{"mainBranch": true}']

  test('0: all passed, and results are published', async () => {
    const selectors = ['--consumer-version-selectors', '[{"mainBranch": true}, {"branch": "feat/x"}]']
    const pending = ['--enable-pending', '--provider-branch', 'main', '--include-wip-since', '2020-01-01']
    const publish = ['--publish', '--provider-version', '1.2', '--provider-tags', 'a,b', '--build-url', 'http://ci/1']
    const json = ['--json-file', 'report.json']
    const run = await verify(['-b', broker.url, ...access, ...selectors, ...pending, ...publish, ...json])

    expect(run.err).toBe('')
    expect(run.out).toContain('Verifying a contract between later and users [PENDING]')
    expect(run.out).toContain('2 results published for users 1.2 (main)')
    expect(run.out + readFileSync(join(run.cwd, 'report.json'), 'utf8')).not.toContain('secret')
    expect(run.code).toBe(0)
    expect(await broker.result('later')).toMatchObject({ success: false, providerApplicationVersion: '1.2' })
    expect(await broker.send('GET', '/pacticipants/users/versions/1.2')).toMatchObject({
      _embedded: { tags: [{ name: 'a' }, { name: 'b' }], branchVersions: [{ name: 'main' }] },
    })
  })

  test('0: broker and credentials from the environment', async () => {
    const env = { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_USERNAME: 'ci', PACT_BROKER_PASSWORD: 'secret' }
    expect(await verify(main, env)).toMatchObject({ code: 0, err: '' })
    expect(await verify(['-b', broker.url, '--user', 'ci', '--password', 'secret', ...main])).toMatchObject({ code: 0 })
    // Other sources replace the broker.
    const file = await verify(['-f', contractFile([], { consumer: 'file' }), '--ignore-no-pacts-error'], env)
    expect(file.out).not.toContain('between web')
  })

  test('1: a failure, and results that cannot be published', async () => {
    const run = await verify(['-b', broker.url, ...access, '--consumer-version-selectors', '{"branch": "feat/x"}'])
    expect(run.out).toMatch(/\b201\b.*\b200\b/)
    expect(run.out).toMatch(/contract verify .* --broker-password '\[redacted\]'/)
    expect(run.code).toBe(1)
    const readOnly = await Asked.start({ credentials, readOnlyCredentials: { username: 'dev', password: 'less' } })
    try {
      await readOnly.publish(wants())
      const dev = ['--broker-username', 'dev', '--broker-password', 'less']
      const refused = await verify(['-b', readOnly.url, ...dev, '--publish', '-a', '1'])
      expect(refused.out).toMatch(/Results could not be published for users 1: .*status 403/)
      expect(refused.code).toBe(1)
    } finally {
      await readOnly.stop()
    }
  })

  test.each([
    [['--publish'], /--provider-version <VERSION>/],
    [['--provider-version', '1'], /--publish/],
    [['-b', 'broker.example'], /^error: --broker-url: .*http/],
    [['-b', 'http://a', '--broker-token', 't', '--broker-username', 'me'], /cannot be used with/],
    [
      ['-b', 'http://a', '--consumer-version-selectors', '{}'],
      /^error: --consumer-version-selectors: .*no versions are selected; set "mainBranch", "matchingBranch", "branch",/,
    ],
    [
      ['-b', 'http://a', '--consumer-version-selectors', '{"fallbackTag": "a", "tag": "b"}'],
      /"fallbackTag" requires "latest": true/,
    ],
    [
      ['-b', 'http://a', '--consumer-version-selectors', '{"matchingBranch": true}'],
      /^error: --consumer-version-selectors: "matchingBranch" requires a provider branch; set it with --provider-branch or --publish/,
    ],
    [['-b', 'http://a', '--consumer-version-selectors', '{'], /is not valid JSON/],
    [['-b', 'http://a', '--include-wip-since', 'soon'], /"soon" is not a date such as 2026-01-31/],
    [['-b', 'http://a', '--publish', '-a', '1', '--filter-description', 'x'], /remove the filter or --publish/],
    [['-b', 'http://a', '--retries', '1000'], /invalid value '1000'/],
  ])('2: %j', async (args, words) => {
    const { code, err } = await verify(args)

    expect(err).toMatch(words)
    expect(code).toBe(2)
  })

  test('4: connection refused, or not a broker', async () => {
    const gone = await verify(['-b', 'http://127.0.0.1:9', '--retries', '0'])
    expect(gone.err).toMatch(
      /^error: [^\n]*refused[^\n]*is the broker running\? \[ERR_CONTRACT_BROKER_UNREACHABLE\]\n$/i,
    )
    expect(gone.code).toBe(4)
    const page = await withProvider(answering(200, 'hello'), (url) => verify(['-b', url]))
    expect(page.err).toMatch(/^error: [^\n]*is not a Pact broker[^\n]* \[ERR_CONTRACT_BROKER_NOT_A_BROKER\]\n$/)
    expect(page.code).toBe(4)
  })

  test('5: wrong or missing credentials', async () => {
    const wrong = await verify(['-b', broker.url, '--broker-token', 'hush'])
    expect(wrong.err).toMatch(/^error: [^\n]*status 401[^\n]* \[ERR_CONTRACT_BROKER_UNAUTHORIZED\]\n$/)
    expect(wrong.err).not.toContain('hush')
    expect(wrong.code).toBe(5)
    expect((await verify(['-b', broker.url])).code).toBe(5)
    // The next run is not affected.
    expect((await verify(['-b', broker.url, ...access, ...main])).code).toBe(0)
  })
})
