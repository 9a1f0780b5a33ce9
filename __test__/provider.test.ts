import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Contract, match, VerificationError, type VerificationReport, Verifier } from 'contract'
import { answering, withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

/** A contract file with one interaction, written by a consumer's test. */
async function contractFile(directory = temporaryDirectory()): Promise<string> {
  const contract = new Contract('web', 'users')
  contract
    .uponReceiving('a request for user 123')
    .given('user exists', { parameters: { id: 123 } })
    .withRequest('GET', '/users/123')
    .willRespondWith(200)
    .withBody({ id: match.int(123), name: match.str('Alice') })
  return contract.writeFile(directory)
}

async function failure(run: Promise<unknown>): Promise<VerificationError> {
  const error = await run.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(VerificationError)
  return error as VerificationError
}

function refusal(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

const alice = answering(200, { id: 5, name: 'Bob', more: true })

describe('a verification', () => {
  test('passes if the provider satisfies the contract', async () => {
    const file = await contractFile()

    const report: VerificationReport = await withProvider(alice, (url) =>
      new Verifier('users').addSource(file).addTransport({ url }).verify(),
    )

    expect(report).toMatchObject({
      provider: 'users',
      success: true,
      summary: { total: 1, passed: 1, failed: 0 },
      contracts: [{ consumer: 'web', interactions: [{ description: 'a request for user 123', status: 'passed' }] }],
    })
  })

  test('fails if the provider does not satisfy it, with the place', async () => {
    const file = await contractFile()

    const error = await withProvider(answering(200, { id: '5', name: 'Bob' }), (url) =>
      failure(new Verifier('users').addSource(file).addTransport(url).verify()),
    )

    expect(error.report.contracts[0]?.interactions[0]).toMatchObject({
      status: 'failed',
      mismatches: [{ type: 'BodyMismatch', path: '$.id', mismatch: "Expected '5' (String) to be an integer" }],
    })
    expect(error.message).toContain('a request for user 123')
    expect(error.message).toContain("Expected '5' (String) to be an integer")
  })

  test('calls state handlers in this process, with parameters and teardown', async () => {
    const file = await contractFile()
    const calls: unknown[] = []

    await withProvider(alice, (url) =>
      new Verifier('users')
        .addSource(file)
        .addTransport({ url })
        .stateHandler({
          'user exists': {
            setup: async (parameters: { id: number }) => {
              calls.push(['setup', parameters])
            },
            teardown: (parameters: { id: number }) => {
              calls.push(['teardown', parameters])
            },
          },
        })
        .verify(),
    )

    expect(calls).toEqual([
      ['setup', { id: 123 }],
      ['teardown', { id: 123 }],
    ])
  })

  test('calls a function for all states', async () => {
    const file = await contractFile()
    const calls: unknown[] = []

    await withProvider(alice, (url) =>
      new Verifier('users')
        .addSource(file)
        .addTransport({ url })
        .stateHandler((...call) => void calls.push(call), { teardown: true })
        .verify(),
    )

    expect(calls).toEqual([
      ['user exists', 'setup', { id: 123 }],
      ['user exists', 'teardown', { id: 123 }],
    ])
  })

  test("shows a state handler's own error as the cause", async () => {
    const file = await contractFile()
    const own = new Error('the database is gone')

    const error = await withProvider(alice, (url) =>
      failure(
        new Verifier('users')
          .addSource(file)
          .addTransport({ url })
          .stateHandler({ 'user exists': () => Promise.reject(own) })
          .verify(),
      ),
    )

    expect(error.cause).toBe(own)
    expect(error.message).toContain('the database is gone')
  })

  test('fails an interaction whose state has no handler, and lists similar names', async () => {
    const file = await contractFile()

    const error = await withProvider(alice, (url) =>
      failure(
        new Verifier('users')
          .addSource(file)
          .addTransport({ url })
          .stateHandler({ 'user exist': () => {}, 'no user exists': () => {} })
          .verify(),
      ),
    )

    expect(error.message).toContain('user exists')
    expect(error.message).toContain('user exist')
    expect(error.report.summary).toMatchObject({ failed: 1 })
  })

  test('reports that a provider is not running', async () => {
    const file = await contractFile()

    const error = await failure(new Verifier('users').addSource(file).addTransport('http://127.0.0.1:9').verify())

    expect(error.message).toMatch(/could not connect to http:\/\/127\.0\.0\.1:9.*connection refused/i)
  })

  test('sends custom headers, also from functions', async () => {
    const file = await contractFile()
    const seen: unknown[] = []

    await withProvider(
      (request, response) => {
        seen.push(request.headers.authorization, request.headers['x-trace'])
        alice(request, response)
      },
      (url) =>
        new Verifier('users')
          .addSource(file)
          .addTransport({ url })
          .addCustomHeader('Authorization', async () => 'Bearer fresh')
          .addCustomHeaders({ 'X-Trace': '1' })
          .verify(),
    )

    expect(seen).toEqual(['Bearer fresh', '1'])
  })

  test('accepts directories, searched recursively, and contract objects', async () => {
    const directory = temporaryDirectory()
    await contractFile(join(directory, 'nested'))
    writeFileSync(join(directory, 'package.json'), '{"name": "no contract"}')
    const other = new Contract('phone', 'users')
    other.uponReceiving('a request for a user').withRequest('GET', '/users/1').willRespondWith(200)
    const json = { consumer: { name: 'tv' }, provider: { name: 'users' }, interactions: other.interactions() }

    const report = await withProvider(alice, (url) =>
      new Verifier('users').addSource(directory).addSource({ json }).addTransport({ url }).verify(),
    )

    expect(report.contracts.map(({ consumer }) => consumer)).toEqual(['web', 'tv'])
  })
})

describe('problems before the verification are reported immediately', () => {
  const verifier = () => new Verifier('users').addTransport('http://127.0.0.1:9')

  test('no source', async () => {
    await expect(verifier().verify()).rejects.toMatchObject({ code: 'ERR_CONTRACT_NO_SOURCE' })
  })

  test('no transport', async () => {
    await expect(new Verifier('users').addSource(await contractFile()).verify()).rejects.toThrow('users')
  })

  test('a missing file is rejected by the call that receives its path', async () => {
    const source = await contractFile()
    const named = verifier()

    expect(refusal(() => named.addSource('./not-there.json'))).toMatchObject({
      name: 'ContractArgumentError',
      code: 'ERR_CONTRACT_SOURCE',
      operation: 'addSource',
      argument: 'source',
      message:
        'addSource: could not read the contracts in ./not-there.json: No such file or directory (absolute path: ' +
        `${join(process.cwd(), 'not-there.json')}); pass an absolute path or one relative to the working directory [ERR_CONTRACT_SOURCE]`,
    })
    expect(refusal(() => named.addSource('./not-there/**/*.json'))).toMatchObject({
      message: expect.stringMatching(/^addSource: could not read the contracts in \.\/not-there: No such/),
    })
    // The rejected source has no effect, and a pattern can match files that are written later.
    expect(named.addSource(source).addSource(`${dirname(source)}/later-*.json`)).toBe(named)
  })

  test.each([
    ['not JSON', '{', /line 1, column 2/],
    ['no contract', '{"a": 1}', /contract/],
    [
      'of an unknown version',
      '{"consumer":{"name":"a"},"provider":{"name":"b"},"interactions":[],"metadata":{"pactSpecification":{"version":"9.0"}}}',
      /9\.0/,
    ],
  ])('a file that is %s', async (_, text, words) => {
    const file = join(temporaryDirectory(), 'contract.json')
    writeFileSync(file, text)

    await expect(verifier().addSource(file).verify()).rejects.toThrow(words)
  })

  test('contracts of other providers only', async () => {
    const directory = temporaryDirectory()
    await contractFile(directory)
    expect(readdirSync(directory)).toEqual(['web-users.json'])

    const run = new Verifier('orders').addTransport('http://127.0.0.1:9').addSource(directory).verify()

    await expect(run).rejects.toThrow('found only contracts for "users"')
  })

  test('a filter that is not a regular expression', () => {
    expect(() => verifier().filter({ description: '(' })).toThrow(
      expect.objectContaining({ code: 'ERR_CONTRACT_OPTIONS', message: expect.stringContaining('description') }),
    )
  })
})
