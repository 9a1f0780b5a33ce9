// Random interactions, written by this package and by @pact-foundation/pact. Both mock servers must give the same verdicts about
// random requests. Both verifiers must send the same requests from both files, and give the same verdicts about random responses.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type RequestListener, request } from 'node:http'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { Contract, type HttpInteraction, match, VerificationError, Verifier } from 'contract'
import { withProvider } from '../support/provider.ts'
import { Random, seedsOf } from '../support/random.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import {
  type Answer,
  type Asked,
  built,
  type Expectation,
  type Node,
  randomAnswer,
  randomExpectation,
  randomRequest,
} from './support/random-contracts.ts'

const run = promisify(execFile)
const partners = process.env.CONTRACT_PARTNERS ?? join(__dirname, '..', '..', '.tmp', 'partners')
const script = (name: string) => join(__dirname, 'support', name)
const env = { ...process.env, PACT_DO_NOT_TRACK: 'true' }

const EXPECTATIONS = 50
const REQUESTS = 6
const ROUNDS = 3

type Version = 'V3' | 'V4'
type Verdicts = Readonly<Record<string, string>>

interface Trial extends Expectation {
  readonly example: Asked
  readonly requests: readonly Asked[]
}

const randomTrial = (random: Random, index: number): Trial => {
  const expectation = randomExpectation(random, index)
  return {
    ...expectation,
    example: randomRequest(expectation, random, true),
    requests: Array.from({ length: REQUESTS }, () => randomRequest(expectation, random, false)),
  }
}

/** A contract file, and the statuses of the mock server's responses by path. */
interface Written {
  readonly file: string
  readonly statuses: Readonly<Record<string, readonly number[]>>
}

function define(contract: Contract, one: Expectation): HttpInteraction {
  const interaction = contract.uponReceiving(one.path)
  for (const { name, parameters = {} } of one.states) interaction.given(name, { parameters })
  const path = one.id ? match.fromProviderState(one.id.expression, one.id.value) : one.path
  interaction.withRequest(one.method, path)
  for (const [name, nodes] of Object.entries(one.query)) {
    for (const node of nodes) interaction.withQueryParameter(name, built(node) as string)
  }
  const add = (headers: Expectation['headers'], body: Node | undefined) => {
    for (const [name, node] of Object.entries(headers)) interaction.withHeader(name, built(node) as string)
    if (body !== undefined) interaction.withBody(built(body) as never)
  }
  add(one.requestHeaders, one.requestBody)
  interaction.willRespondWith(one.status)
  add(one.headers, one.body)
  return interaction
}

function send(url: string, { method, target, headers, body }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    request(url + target, { method, agent: false, headers: { ...type, ...headers } }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    )
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
}

// Like pact-js, the mock servers reject fields that are not in the body of the expected request.
async function writtenHere(trials: readonly Trial[], specification: Version): Promise<Written> {
  const contract = new Contract('web', 'users', { specification, unexpectedFields: 'error' })
  const statuses: Record<string, number[]> = {}
  for (const one of trials) {
    define(contract, one)
    const alone = new Contract('web', 'users', { specification, unexpectedFields: 'error' })
    define(alone, one)
    const server = await alone.serve()
    const found: number[] = []
    for (const asked of one.requests) found.push(await send(server.url, asked))
    // The test of a request that is not expected fails.
    await server.stop().catch(() => {})
    statuses[one.path] = found
  }
  return { file: await contract.writeFile(temporaryDirectory()), statuses }
}

async function writtenThere(trials: readonly Trial[], specification: Version): Promise<Written> {
  const directory = temporaryDirectory()
  const input = join(temporaryDirectory(), 'trials.json')
  writeFileSync(input, JSON.stringify(trials))
  const { stdout } = await run(
    process.execPath,
    [script('random-write.cjs'), partners, directory, specification, input],
    { env, maxBuffer: 1 << 27 },
  )
  return {
    file: join(directory, readdirSync(directory).find((name) => name.endsWith('.json')) ?? ''),
    statuses: JSON.parse(stdout.trim().split('\n').at(-1) ?? ''),
  }
}

async function verifiedHere(url: string, file: string): Promise<Verdicts> {
  const report = await new Verifier('users')
    .addSource(file)
    .addTransport(url)
    .stateHandler({ 'a user': () => ({ id: 7 }), 'größe "x"': () => undefined })
    .verify()
    .catch((error: unknown) => {
      if (error instanceof VerificationError) return error.report
      throw error
    })
  const interactions = report.contracts.flatMap(({ interactions }) => interactions)
  return Object.fromEntries(interactions.map(({ description, status }) => [description, status]))
}

async function verifiedThere(url: string, file: string): Promise<Verdicts> {
  const { stdout } = await run(process.execPath, [script('pairs-verify.cjs'), partners, url, file], {
    env,
    maxBuffer: 1 << 27,
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')[file]
}

/** The path of the interaction that a request belongs to. */
const keyOf = (target: string) => `/${target.split(/[/?]/)[1]}`

/** Answers requests, and adds each to `sent` in a form that does not depend on the order of parameters and members. */
const answering =
  (answers: ReadonlyMap<string, Answer>, sent: Map<string, string>): RequestListener =>
  (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const target = new URL(request.url ?? '/', 'http://users')
      const text = Buffer.concat(chunks).toString()
      target.searchParams.sort()
      const parts = [
        request.method,
        target.pathname,
        ...target.searchParams,
        request.headers['x-ask'],
        text && request.headers['content-type'],
        text && sorted(JSON.parse(text)),
      ]
      sent.set(keyOf(request.url ?? '/'), JSON.stringify(parts))
      const { status, headers, body } = answers.get(keyOf(request.url ?? '/')) ?? { status: 404, headers: {} }
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      response.writeHead(status, { ...type, ...headers }).end(body === undefined ? '' : JSON.stringify(body))
    })
  }

/** Orders members of objects by name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]))
}

/** The states, example values, and bodies of the interactions of a contract file. */
function meaningOf(file: string): Readonly<Record<string, string>> {
  const { interactions } = JSON.parse(readFileSync(file, 'utf8'))
  const body = (body: unknown) => {
    if (typeof body === 'object' && body !== null && 'content' in body && 'contentType' in body) return body.content
    // In V3, this package writes a JSON text with its quotes, as the specification says. Both verifiers read both forms.
    return typeof body === 'string' && body.startsWith('"') ? JSON.parse(body) : body
  }
  const values = (headers: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')])
  const entries = interactions.map(({ description, providerStates, request, response }: Interaction) => {
    const states = providerStates?.map(({ name, params = {} }) => ({ name, params }))
    const { method, path, query } = request
    const [asked, answered] = [request, response].map((part) => [body(part.body), values(part.headers)])
    return [
      description,
      JSON.stringify(sorted([states ?? [], method, path, query ?? {}, asked, response.status, answered])),
    ]
  })
  return Object.fromEntries(entries)
}

interface Interaction {
  readonly description: string
  readonly providerStates?: readonly { readonly name: string; readonly params?: unknown }[]
  readonly request: Part & { readonly method: string; readonly path: string; readonly query?: unknown }
  readonly response: Part & { readonly status: number }
}

interface Part {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Describes the trials for which the named results differ. */
function differences(trials: readonly Trial[], results: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
  return trials.flatMap((trial) => {
    const found = Object.entries(results).map(([name, all]) => [name, JSON.stringify(all[trial.path])])
    const isSame = new Set(found.map(([, result]) => result)).size === 1
    return isSame ? [] : [inspect({ ...Object.fromEntries(found), trial }, { depth: 12, breakLength: 150 })]
  })
}

/** `CONTRACT_SEEDS` is a range of seeds such as `100..110`. */
const seeds = seedsOf('CONTRACT_SEEDS', '0..2')

test.each(seeds)('random contracts have the same meaning (seed %i)', async (seed) => {
  const random = new Random(seed)
  const specification = seed % 2 === 0 ? 'V4' : 'V3'
  const trials = Array.from({ length: EXPECTATIONS }, (_, index) => randomTrial(random, index))
  const [here, there] = await Promise.all([writtenHere(trials, specification), writtenThere(trials, specification)])

  none(differences(trials, { ours: meaningOf(here.file), theirs: meaningOf(there.file) }))

  // A mock server answers requests that it does not expect with status 500.
  const accepted = ({ statuses }: Written) =>
    Object.fromEntries(Object.entries(statuses).map(([path, all]) => [path, all.map((status) => status !== 500)]))
  const verdicts = { ours: accepted(here), theirs: accepted(there) }
  none(differences(trials, verdicts))
  expectBoth(Object.values(verdicts.ours).flat())

  let passed: boolean[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const answers = new Map(trials.map((one) => [one.path, randomAnswer(one, random)]))
    const sent: Record<string, Readonly<Record<string, string>>> = {}
    const results: Record<string, Verdicts> = {}
    const verified = async (name: string, verify: (url: string) => Promise<Verdicts>) => {
      const requests = new Map<string, string>()
      results[name] = await withProvider(answering(answers, requests), verify)
      sent[name] = Object.fromEntries(requests)
    }
    await Promise.all([
      verified('ours by us', (url) => verifiedHere(url, here.file)),
      verified('theirs by us', (url) => verifiedHere(url, there.file)),
      verified('ours by them', (url) => verifiedThere(url, here.file)),
      verified('theirs by them', (url) => verifiedThere(url, there.file)),
    ])
    none(differences(trials, sent))
    const answered = trials.map((one) => ({ ...one, answer: answers.get(one.path) }))
    none(differences(answered, results))
    passed = [...passed, ...Object.values(results['ours by us'] ?? {}).map((status) => status === 'passed')]
  }
  expectBoth(passed)
})

/** Throws an error that lists all differences in full. */
function none(differences: readonly string[]): void {
  if (differences.length > 0) throw new Error(`${differences.length} differences:\n${differences.join('\n\n')}`)
}

/** Expects that the verdicts are not nearly all equal, so that the random changes are neither too many nor too few. */
function expectBoth(verdicts: readonly boolean[]): void {
  const share = verdicts.filter(Boolean).length / verdicts.length
  expect(share).toBeGreaterThan(0.1)
  expect(share).toBeLessThan(0.9)
}
