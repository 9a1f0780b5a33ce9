// Sources of contracts: files, directories, patterns, URLs, values.
import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { type Source, type SourceOptions, VerificationError, type VerificationReport, Verifier } from 'contract'
import { asking, contractFile, contractOf, failureOf } from './support/contracts.ts'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { thrown } from './support/thrown.ts'

const ok = answering(200, {})

/** Verifies these sources against a provider that answers every request with 200. */
function verify(...sources: readonly Source[]): Promise<VerificationReport> {
  return withProvider(ok, (url) => new Verifier('users', { sources, transports: [url] }).verify())
}

const consumers = (report: VerificationReport) => report.contracts.map(({ consumer }) => consumer)

/** A directory with contracts of these consumers at these paths. */
function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory()
  for (const [path, consumer] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), JSON.stringify(contractOf([asking('/1')], { consumer })))
  }
  return directory
}

describe('on this machine', () => {
  const directory = directoryWith({
    'web-users.json': 'web',
    'phone/phone-users.json': 'phone',
    'phone/old/tv-users.json': 'tv',
    'phone/old/tv-users.txt': 'nobody',
    '.hidden/web-users.json': 'nobody',
    'node_modules/some/contract.json': 'nobody',
  })

  test('a directory, recursively', async () => {
    expect(consumers(await verify(directory))).toEqual(['tv', 'phone', 'web'])
  })

  test.each([
    ['*.json', ['web']],
    ['**/*.json', ['tv', 'phone', 'web']],
    ['*/*.json', ['phone']],
    ['**/{tv,web}-*.json', ['tv', 'web']],
    ['phone/**/t?-[a-z]sers.json', ['tv']],
  ])('the pattern %s', async (pattern, found) => {
    expect(consumers(await verify(join(directory, pattern))).sort()).toEqual([...found].sort())
  })

  test('a file: URL', async () => {
    expect(consumers(await verify(pathToFileURL(join(directory, 'web-users.json'))))).toEqual(['web'])
  })

  test('objects and JSON texts', async () => {
    const json = contractOf([asking('/1')], { consumer: 'object' })
    const text = JSON.stringify(contractOf([asking('/1')], { consumer: 'text' }))

    const report = await verify({ json }, { json: text, name: 'mine' })

    expect(consumers(report)).toEqual(['object', 'text'])
    expect(report.contracts[1]?.source).toBe('mine')
  })

  test('circular links', async () => {
    const circle = directoryWith({ 'a/web.json': 'web' })
    symlinkSync(circle, join(circle, 'a', 'again'), 'junction')

    expect(consumers(await verify(circle))).toEqual(['web'])
  })

  test('reports a pattern without matches', async () => {
    await expect(verify(join(directory, '*-orders.json'))).rejects.toThrow(/-orders\.json matches no \.json file in/)
  })

  test('skips contracts of other providers', async () => {
    const mine = contractFile([asking('/1')])
    const other = contractFile([asking('/1')], { provider: 'orders' })

    expect(consumers(await verify(mine, other))).toEqual(['web'])
  })

  test('only contracts of other providers', async () => {
    const run = verify(contractFile([], { provider: 'orders' }), contractFile([], { provider: 'Users' }))

    await expect(run).rejects.toMatchObject({
      code: 'ERR_CONTRACT_NO_CONTRACT',
      message:
        'no contract found for provider "users": found only contracts for "Users", "orders". ' +
        'To allow this, use { errorOnEmptyContract: false } [ERR_CONTRACT_NO_CONTRACT]',
    })
  })

  test.each(['setErrorOnEmptyContract', 'setErrorOnEmptyPact'] as const)('%s(false) allows that', async (name) => {
    const file = contractFile([], { provider: 'orders' })

    const report = await withProvider(ok, (url) =>
      new Verifier('users').addSource(file).addTransport(url)[name](false).verify(),
    )

    expect(report).toMatchObject({ success: true, summary: { total: 0 } })
  })

  test('an empty directory', async () => {
    const empty = temporaryDirectory()

    await expect(verify(empty)).rejects.toThrow(`no contracts found in ${empty}`)
  })

  test('reports all unusable sources together', async () => {
    const directory = directoryWith({ 'good.json': 'web' })
    writeFileSync(join(directory, 'half.json'), '{"consumer": {"name": "a"}, "interac')
    writeFileSync(
      join(directory, 'future.json'),
      '{"consumer":{"name":"a"},"metadata":{"pactSpecification":{"version":"9.0"}}}',
    )
    writeFileSync(join(directory, 'list.json'), '[]')

    const run = verify(directory, `${directory}/later-*.json`)

    await expect(run).rejects.toMatchObject({ code: 'ERR_CONTRACT_SOURCE' })
    await expect(run).rejects.toThrow(
      /^3 sources cannot be read:\n- .*future\.json: .*9\.0.*\n- .*half\.json: .*line 1.*\n- the pattern .*later-/,
    )
  })

  test('an unreadable file fails the run, and the others are verified', async () => {
    const directory = directoryWith({ 'good.json': 'web' })
    writeFileSync(join(directory, 'half.json'), '{"consumer": {"name": "a"}, "interac')
    const future = {
      consumer: { name: 'b' },
      provider: { name: 'users' },
      metadata: { pactSpecification: { version: '9' } },
    }
    writeFileSync(join(directory, 'future.json'), JSON.stringify(future))
    writeFileSync(join(directory, 'other.json'), JSON.stringify({ ...future, provider: { name: 'orders' } }))
    const odd = contractOf([asking('/1'), { ...asking('/2'), description: 'odd', response: { status: 0 } }])
    writeFileSync(join(directory, 'odd.json'), JSON.stringify(odd))

    const error = await thrown(verify(directory))

    expect(error).toBeInstanceOf(VerificationError)
    const { report } = error as VerificationError
    const found = report.contracts.map(({ consumer, source, interactions }) => [
      consumer,
      basename(source),
      interactions.map(({ status, error }) => error?.message.replace(directory, '') ?? status),
    ])
    expect(found).toEqual([
      ['web', 'good.json', ['passed']],
      [
        'web',
        'odd.json',
        [
          'passed',
          expect.stringMatching(
            /^.odd\.json: \/interactions\/1\/response\/status: .*\. Fix the contract in the consumer$/,
          ),
        ],
      ],
      ['b', 'future.json', [expect.stringMatching(/^.future\.json: \/metadata.* "9" is not supported/)]],
      [
        '(unknown)',
        'half.json',
        [expect.stringMatching(/^.half\.json: the contract is not JSON: .* line 1, column \d+$/)],
      ],
    ])
    expect(report.warnings).toEqual([
      expect.stringMatching(/^skipped, because it is for another provider: .*other\.json: /),
    ])
    expect((error as Error).message).toContain('half.json')
    // The next run is not affected.
    expect(consumers(await verify(join(directory, 'good.json')))).toEqual(['web'])
  })

  test('reports a named pipe without waiting', async () => {
    const directory = directoryWith({ 'good.json': 'web' })
    execFileSync('mkfifo', [join(directory, 'pipe.json')])

    const { report } = (await thrown(verify(directory))) as VerificationError

    expect(consumers(report)).toEqual(['web', '(unknown)'])
    expect(report.contracts[1]?.interactions[0]?.error?.message).toContain(
      'pipe.json: cannot read the file: it is a named pipe',
    )
    await expect(verify(join(directory, 'pipe.json'))).rejects.toThrow(/pipe\.json: .* a named pipe/)
  })

  test('enforces the source limit, which can be raised', async () => {
    const file = contractFile([asking('/1')])
    truncateSync(file, 200_000_000)
    const small = contractFile([asking('/1')])

    await expect(verify(file)).rejects.toThrow(
      /has 200000000 bytes, more than the limit of 67108864; .* setSourceLimit/,
    )
    await expect(
      new Verifier('users', { sources: [small], transports: ['http://127.0.0.1:9'], sourceLimit: 10 }).verify(),
    ).rejects.toThrow('more than the limit of 10')
  })
})

test('the total size of all contracts is limited, and the error names the option', async () => {
  const sources = [contractFile([asking('/1')]), contractFile([asking('/2')])]
  const sizes = sources.map((file) => statSync(file).size)
  const total = (sizes[0] ?? 0) + (sizes[1] ?? 0)
  const options = { sources, transports: ['http://127.0.0.1:9'] }

  await expect(new Verifier('users', { ...options, totalSourceLimit: total - 1 }).verify()).rejects.toThrow(
    new RegExp(`limit of ${total - 1} bytes per verification\\. .* raise the limit with setTotalSourceLimit \\[`),
  )
  await expect(new Verifier('users', { ...options, totalSourceLimit: total }).verify()).rejects.not.toThrow(
    'bytes per verification',
  )
})

test('limits the number of searched directories and names the limit', async () => {
  const folder = temporaryDirectory()
  for (const name of ['a', 'b', 'c']) mkdirSync(join(folder, name))
  const options = { sources: [folder], transports: ['http://127.0.0.1:9'], errorOnEmptyContract: false }

  await expect(new Verifier('users', { ...options, directoryLimit: 3 }).verify()).rejects.toThrow(
    /search stopped after 3 directories; .* raise the limit with setDirectoryLimit \[/,
  )
  await new Verifier('users', { ...options, directoryLimit: 4 }).verify()
})

test('limits the memory of regular expressions and names the limit', async () => {
  const members = Array.from({ length: 40 }, (_, n) => `m${n}`)
  const matchers = members.map((name) => [
    `$.${name}`,
    { combine: 'AND', matchers: [{ match: 'regex', regex: `(\\w{20}|${name})` }] },
  ])
  const body = Object.fromEntries(members.map((name) => [name, name]))
  const file = contractFile([
    {
      ...asking('/1'),
      response: {
        status: 200,
        body: { content: body, contentType: 'application/json', encoded: false },
        matchingRules: { body: Object.fromEntries(matchers) },
      },
    },
  ])
  await withProvider(answering(200, body), async (url) => {
    const options = { sources: [file], transports: [url] }
    const error = await failureOf(new Verifier('users', { ...options, patternSize: 1_000_000 }).verify())
    expect(error.message).toMatch(
      /exceed 1000000 bytes in total; use fewer or smaller expressions, or raise the limit patternSize/,
    )
    await new Verifier('users', options).verify()
  })
})

describe('behind URLs', () => {
  const contract = contractOf([asking('/1')])

  /** Verifies a contract from a URL and returns the headers of the request. */
  async function fetched(options: SourceOptions, change = (url: string) => url) {
    const seen: Record<string, unknown>[] = []
    const report = await withProvider(
      (request, response) => {
        seen.push(request.headers)
        answering(200, contract)(request, response)
      },
      (source) =>
        withProvider(ok, (url) =>
          new Verifier('users')
            .addSource(change(`${source}/contracts/latest?a=1`), options)
            .addTransport(url)
            .verify(),
        ),
    )
    return { report, headers: seen[0] ?? {} }
  }

  test('without credentials', async () => {
    const { report, headers } = await fetched({})

    expect(report.contracts[0]?.source).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/contracts\/latest\?a=1$/)
    expect(headers).toMatchObject({ accept: 'application/hal+json, application/json' })
  })

  test.each<[string, SourceOptions, string]>([
    ['username and password', { username: 'me', password: 'secret' }, `Basic ${btoa('me:secret')}`],
    ['a token', { token: 'secret' }, 'Bearer secret'],
    ['headers', { headers: { Authorization: 'Own secret' } }, 'Own secret'],
  ])('with %s', async (_, options, authorization) => {
    expect((await fetched(options)).headers).toMatchObject({ authorization })
  })

  test('with credentials in the URL, which are redacted in reports', async () => {
    const { report, headers } = await fetched({}, (url) => url.replace('//', '//me:secret@'))

    expect(headers).toMatchObject({ authorization: `Basic ${btoa('me:secret')}` })
    expect(JSON.stringify(report)).not.toContain('secret')
  })

  test.each<[string, string, SourceOptions, RegExp]>([
    ['credentials twice', 'http://me:secret@a/b', { token: 'secret' }, /not in both/],
    ['a token and a username', 'http://a/b', { username: 'me', token: 'secret' }, /not both/],
    ['a password alone', 'http://a/b', { password: 'secret' }, /requires username/],
    ['credentials for a file', './contracts', { token: 'secret' }, /token is supported only for http and https URLs/],
  ])('%s: refused at once', (_, url, options, words) => {
    const add = () => new Verifier('users').addSource(url, options)

    expect(add).toThrow(
      expect.objectContaining({ code: 'ERR_CONTRACT_OPTIONS', message: expect.stringMatching(words) }),
    )
    expect(add).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }))
  })

  test.each([
    [401, {}, /status 401; check the user name and password, or the token/],
    [404, {}, /status 404; check the URL/],
    [200, [], /is not a contract/],
  ])('an answer with status %i and %j', async (status, body, words) => {
    const run = withProvider(answering(status, body), (source) => verify(`${source}/contract.json`))

    await expect(run).rejects.toThrow(words)
  })

  test('connection refused', async () => {
    process.env.CONTRACT_BROKER_HTTP_RETRIES = '0'
    await expect(verify('http://127.0.0.1:9/contract.json')).rejects.toThrow(
      /could not fetch http:\/\/127\.0\.0\.1:9\/contract\.json: .*refused/,
    )
  })

  test('a response larger than the source limit', async () => {
    const run = withProvider(answering(200, 'x'.repeat(2000)), (source) =>
      new Verifier('users', { sources: [source], transports: [source], sourceLimit: 1000 }).verify(),
    )

    await expect(run).rejects.toThrow(
      /larger than 1000 bytes\. If this is expected, raise the limit with setSourceLimit/,
    )
  })
})
