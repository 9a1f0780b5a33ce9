// With @pact-foundation/pact: its contracts verified by this package, and the same provider verified by both.
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { type VerificationReport, Verifier } from 'contract'
import { failureOf } from '../support/contracts.ts'
import { withProvider } from '../support/provider.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { mixed } from './support/mixed.ts'

/** The directory with the installed package. */
const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')
const script = (name: string) => join(__dirname, 'support', name)
const directory = temporaryDirectory()
execFileSync(process.execPath, [script('write.cjs'), partners, directory], { stdio: 'pipe', timeout: 300_000 })

const user = {
  id: 7,
  name: 'Bob',
  tags: ['a', 'b', 'c'],
  created: '2025-05-06T07:08:09',
  active: false,
  key: '0b8f4f52-0c52-4a36-b0d4-4a1f3f9f3c55',
  gone: null,
  score: 0.5,
}

/** Responds with the user and these changes, only below the id that the state handler returns. */
const answering =
  (changes: object): RequestListener =>
  (request, response) => {
    const found = request.url === '/users/7?fields=name' && request.headers.accept === 'application/json'
    response
      .writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ ...user, ...changes }))
  }

const verify = (changes: object, consumer: string) =>
  withProvider(answering(changes), (url) =>
    new Verifier('users')
      .addSource(join(directory, '*.json'))
      .addTransport(url)
      .filterConsumers(consumer)
      .stateHandler({ 'user 7 exists': () => ({ id: 7 }), 'tags exist': () => {} })
      .verify(),
  )

describe('contracts of @pact-foundation/pact', () => {
  test('exist in three versions of the specification', () => {
    expect(readdirSync(directory).filter((name) => name.endsWith('.json'))).toEqual([
      'web-v2-users.json',
      'web-v3-users.json',
      'web-v4-users.json',
    ])
  })

  test.each(['web-v2', 'web-v3', 'web-v4'])('%s passes a provider that honours it', async (consumer) => {
    expect((await verify({}, consumer)).summary).toMatchObject({ total: 1, passed: 1 })
  })

  test.each([
    ['web-v2', { name: 'bob' }, '$.name'],
    ['web-v2', { tags: [1] }, '$.tags[0]'],
    ['web-v3', { created: 'yesterday' }, '$.created'],
    ['web-v3', { active: 'no' }, '$.active'],
    ['web-v4', { gone: 1 }, '$.gone'],
    ['web-v4', { tags: ['a'] }, '$.tags'],
    ['web-v4', { key: 'x' }, '$.key'],
  ])('%s fails a provider with %j', async (consumer, changes, path) => {
    const error = await failureOf(verify(changes, consumer))

    expect(error.report.contracts.flatMap(({ interactions }) => interactions[0]?.mismatches)).toContainEqual(
      expect.objectContaining({ type: 'BodyMismatch', path }),
    )
  })
})

/** Intended differences, each with the row of docs/decisions/0003-deviations.md that explains it. */
const deviations: Readonly<Record<string, string>> = {
  // `include` applies to strings. pact-js searches the JSON text of the object.
  '152: a text that holds, given  "{\\"a\\":{\\"b\\":1}}": failed here, passed there':
    'a rule that is unknown or cannot be applied never passes',
}

test('deviations are documented', () => {
  const documented = readFileSync(join(__dirname, '..', '..', 'docs', 'decisions', '0003-deviations.md'), 'utf8')

  for (const words of Object.values(deviations)) expect(documented).toContain(words)
})

test('the same verdict on two hundred interactions with the same faulty provider', async () => {
  const { contract, answers } = mixed(200)
  const file = join(temporaryDirectory(), 'web-users.json')
  writeFileSync(file, JSON.stringify(contract))
  const faulty: RequestListener = (request, response) => {
    const { status = 200, headers = {}, body = '' } = answers.get(request.url ?? '') ?? { status: 404 }
    response.writeHead(status, headers).end(body)
  }

  const [ours, theirs] = await withProvider(faulty, async (url) => {
    const { report } = await failureOf(new Verifier('users').addSource(file).addTransport(url).verify())
    const { stdout } = await promisify(execFile)(process.execPath, [script('verify.cjs'), partners, file, url], {
      maxBuffer: 1 << 26,
    })
    return [verdictsOf(report), JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, string>]
  })

  expect(Object.keys(ours)).toHaveLength(200)
  expect(Object.keys(theirs)).toHaveLength(200)
  const passed = Object.values(ours).filter((verdict) => verdict === 'passed').length
  expect(passed).toBeGreaterThan(30)
  expect(passed).toBeLessThan(160)
  const different = Object.keys(ours).filter((description) => ours[description] !== theirs[description])
  expect(
    different.map((description) => `${description}: ${ours[description]} here, ${theirs[description]} there`),
  ).toEqual(Object.keys(deviations))
})

function verdictsOf(report: VerificationReport): Record<string, string> {
  const interactions = report.contracts.flatMap(({ interactions }) => interactions)
  return Object.fromEntries(interactions.map(({ description, status }) => [description, status]))
}
