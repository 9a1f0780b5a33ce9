// Contract files have the same meaning for @pact-foundation/pact, pact-python, and this package: files of each are
// verified by the others, with a provider that satisfies them and with one that violates each in one place.
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, type HttpInteraction, match, VerificationError, Verifier } from 'contract'
import { withProvider } from '../support/provider.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)
const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')
const python = join(partners, 'python', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
const script = (name: string) => join(__dirname, 'support', name)
const env = { ...process.env, PACT_DO_NOT_TRACK: 'true' }

type Verdicts = Record<string, string>

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The expectation of a case, and the responses of both providers. */
interface Pair {
  readonly define: (interaction: HttpInteraction) => unknown
  readonly right: Answer
  readonly wrong: Answer
  /** Versions that can express it; all by default. */
  readonly versions?: readonly string[]
}

const answering =
  (answers: Readonly<Record<string, Answer>>): RequestListener =>
  (request, response) => {
    request.resume()
    const {
      status = 200,
      headers = {},
      body,
    } = answers[new URL(request.url ?? '/', 'http://a').pathname] ?? { status: 404 }
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    response.writeHead(status, { ...type, ...headers }).end(body === undefined ? '' : JSON.stringify(body))
  }

const last = (text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '')

const verifiers = {
  async '@pact-foundation/pact'(url: string, files: readonly string[]): Promise<Record<string, Verdicts>> {
    return last((await run(process.execPath, [script('pairs-verify.cjs'), partners, url, ...files], { env })).stdout)
  },
  async 'pact-python'(url: string, files: readonly string[]): Promise<Record<string, Verdicts>> {
    return last((await run(python, [script('pairs-verify.py'), url, ...files], { env })).stdout)
  },
  async contract(url: string, files: readonly string[]): Promise<Record<string, Verdicts>> {
    return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await ours(url, file)])))
  },
}

async function ours(url: string, file: string): Promise<Verdicts> {
  const verifier = new Verifier('users')
    .addSource(file)
    .addTransport(url)
    .stateHandler({ 'a user': () => ({ id: 7 }) })
  const report = await verifier.verify().catch((error: unknown) => {
    if (error instanceof VerificationError) return error.report
    throw error
  })
  const interactions = report.contracts.flatMap(({ interactions }) => interactions)
  return Object.fromEntries(interactions.map(({ description, status }) => [description, status]))
}

const regex = (example: string) => match.regex(example, /no-[a-z]+/)
const since3 = ['V3', 'V4']

const pairs: Readonly<Record<string, Pair>> = {
  list: {
    define: (interaction) => interaction.willRespondWith(200).withHeader('Allow', 'GET, HEAD'),
    right: { headers: { Allow: 'GET,HEAD' } },
    wrong: { headers: { Allow: 'GET' } },
  },
  'list set as it is': {
    define: (interaction) => interaction.willRespondWith(200).setHeader('Vary', 'Accept, Origin'),
    right: { headers: { Vary: 'Accept, Origin' } },
    wrong: { headers: { Vary: 'Accept, Cookie' } },
  },
  'list with matchers': {
    define: (interaction) =>
      interaction.willRespondWith(200).withHeader('Cache-Control', [regex('no-cache'), regex('no-store')]),
    right: { headers: { 'Cache-Control': 'no-transform, no-cache' } },
    wrong: { headers: { 'Cache-Control': 'no-cache, private' } },
  },
  'values in one line': {
    define: (interaction) => interaction.willRespondWith(200).withHeader('X-Kind', 'a, b'),
    right: { headers: { 'X-Kind': 'a,b' } },
    wrong: { headers: { 'X-Kind': 'a, c' } },
  },
  'several values': {
    define: (interaction) => interaction.willRespondWith(200).withHeader('X-Kind', ['a', 'b']),
    right: { headers: { 'X-Kind': 'a, b' } },
    wrong: { headers: { 'X-Kind': 'a, c' } },
    versions: ['V2', 'V3'],
  },
  null: {
    define: (interaction) => interaction.willRespondWith(200).withBody(null),
    right: { body: null },
    wrong: { body: { a: 1 } },
    versions: ['V4'],
  },
  'a document by its type': {
    define: (interaction) =>
      interaction
        .willRespondWith(200)
        .withBinaryBody(Buffer.from('{"a":1}'), { contentType: 'application/json', match: 'contentType' }),
    right: { body: { b: 2 } },
    wrong: { headers: { 'Content-Type': 'text/plain' }, body: 'x' },
    versions: ['V4'],
  },
  status: {
    define: (interaction) => interaction.willRespondWith(match.status('success')),
    right: { status: 201 },
    wrong: { status: 404 },
    versions: since3,
  },
  'odd names': {
    define: (interaction) =>
      interaction.willRespondWith(200).withBody({
        'a b': match.like(1),
        'a\\b': match.like(1),
        'a"b': match.like(1),
        words: { "it's": match.like(1) },
        nothing: { '': { id: match.like(1) } },
      }),
    right: { body: { 'a b': 2, 'a\\b': 3, 'a"b': 4, words: { "it's": 5 }, nothing: { '': { id: 6 } } } },
    wrong: { body: { 'a b': 2, 'a\\b': 3, 'a"b': 4, words: { "it's": 'x' }, nothing: { '': { id: 6 } } } },
  },
  'state value': {
    define: (interaction) =>
      interaction
        .given('a user', { parameters: { id: 7 } })
        .withRequest('GET', match.pathFromProviderState('/state value/$' + '{id}', '/state value/7'))
        .willRespondWith(200)
        .withBody({ id: match.fromProviderState('$' + '{id}', 7) }),
    right: { body: { id: 7 } },
    wrong: { body: { id: '7' } },
    versions: since3,
  },
}

const pathOf = (name: string) => (name === 'state value' ? '/state value/7' : `/${name}`)
const answersOf = (manners: 'right' | 'wrong') =>
  Object.fromEntries(Object.entries(pairs).map(([name, pair]) => [encodeURI(pathOf(name)), pair[manners]]))

/** A file of this package with everything that the version can express. */
async function written(specification: 'V2' | 'V3' | 'V4'): Promise<[string, string[]]> {
  const contract = new Contract('web', 'users', { specification })
  const names = Object.keys(pairs).filter((name) => pairs[name]?.versions?.includes(specification) ?? true)
  for (const name of names) {
    pairs[name]?.define(contract.uponReceiving(name).withRequest('GET', pathOf(name)))
  }
  return [await contract.writeFile(temporaryDirectory()), names]
}

const all = (names: readonly string[], verdict: string) => Object.fromEntries(names.map((name) => [name, verdict]))

describe('files of this package', () => {
  let files: [string, string[]][] = []
  beforeAll(async () => {
    files = [await written('V2'), await written('V3'), await written('V4')]
  })

  test.each(Object.entries(verifiers))('have the same meaning for %s', async (_, verify) => {
    for (const [manners, verdict] of [
      ['right', 'passed'],
      ['wrong', 'failed'],
    ] as const) {
      const found = await withProvider(answering(answersOf(manners)), (url) =>
        verify(
          url,
          files.map(([file]) => file),
        ),
      )
      expect(found).toEqual(Object.fromEntries(files.map(([file, names]) => [file, all(names, verdict)])))
    }
  })
})

describe('files of pact-python', () => {
  const directory = temporaryDirectory()
  execFileSync(python, [script('pairs-write.py'), directory], { env, stdio: 'pipe', timeout: 300_000 })
  const files = readdirSync(directory).map((name) => join(directory, name))
  const right = {
    '/lists': { headers: { Allow: 'GET,HEAD', 'Cache-Control': 'no-a, no-b', Date: 'Sun, 06 Nov 1994 08:49:37 GMT' } },
    '/names': { body: { 'a b': 2, 'a.b': 3, é: 4, 12: 5 } },
    '/types': { status: 201, body: { id: 8, tags: ['a', 'b'], at: '2025-01-02' } },
    '/statuses': { status: 204 },
  }
  const wrong = {
    '/lists': {
      headers: { Allow: 'GET,HEAD', 'Cache-Control': 'no-a, private', Date: 'Sun, 06 Nov 1994 08:49:37 GMT' },
    },
    '/names': { body: { 'a b': 2, 'a.b': 3, é: 'x', 12: 5 } },
    '/types': { status: 201, body: { id: 8, tags: [], at: '2025-01-02' } },
    '/statuses': { status: 404 },
  }
  const names = (file: string) => ['lists', 'names', 'types', ...(file.includes('v2') ? [] : ['statuses'])]

  test.each(Object.entries(verifiers))('have the same meaning for %s', async (_, verify) => {
    for (const [answers, verdict] of [
      [right, 'passed'],
      [wrong, 'failed'],
    ] as const) {
      const found = await withProvider(answering(answers), (url) => verify(url, files))
      expect(found).toEqual(Object.fromEntries(files.map((file) => [file, all(names(file), verdict)])))
    }
  })
})
