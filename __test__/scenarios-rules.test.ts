// Every matching rule end to end: in each specification version, for consumer and provider, in bodies and messages.
// The cases are in fixtures/matching/rules-and-parts.json. The core tests them in all other parts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Contract, type InteractionReport, type VerificationReport, Verifier } from 'contract'
import { parseExactly, textExactly } from './support/json-text.ts'
import { withProvider } from './support/provider.ts'
import { temporaryDirectory } from './support/temporary.ts'

interface Row {
  readonly rule: Readonly<Record<string, unknown>> & { readonly match: string }
  readonly json: {
    readonly example: unknown
    readonly passes?: readonly unknown[]
    readonly fails?: readonly unknown[]
  }
}

const file = join(__dirname, '../fixtures/matching/rules-and-parts.json')
const rows = (parseExactly(readFileSync(file, 'utf8')) as Row[]).filter(({ json }) => json.passes !== undefined)

/** The first version that has the rule. */
function since({ match }: Row['rule']): number {
  if (['regex', 'type'].includes(match)) return 2
  return ['statusCode', 'notEmpty', 'semver', 'eachKey', 'eachValue', 'arrayContains'].includes(match) ? 4 : 3
}

interface Trial {
  readonly title: string
  readonly version: number
  readonly row: Row
  readonly value: unknown
  readonly passes: boolean
}

const trials: Trial[] = [2, 3, 4].flatMap((version) =>
  rows
    .filter(({ rule }) => since(rule) <= version)
    .flatMap((row) => {
      const trial = (passes: boolean) => (value: unknown) => {
        const words = `V${version}, ${textExactly(row.rule)}: ${textExactly(value)} ${passes ? 'passes' : 'fails'}`
        return { title: words, version, row, value, passes }
      }
      return [...(row.json.passes ?? []).map(trial(true)), ...(row.json.fails ?? []).map(trial(false))]
    }),
)

/** The rules for the member `a` in the format of the version. */
function rulesOf({ version, row }: Trial, place: 'body' | 'content' = 'body'): unknown {
  if (version === 2) return { '$.body.a': row.rule }
  return { [place]: { '$.a': { combine: 'AND', matchers: [row.rule] } } }
}

function bodyOf({ version }: Trial, value: unknown): unknown {
  return version === 4 ? { content: { a: value }, contentType: 'application/json', encoded: false } : { a: value }
}

/** A contract file of this version with one interaction per case. */
function contractFile(version: number, interactions: readonly object[], member = 'interactions'): string {
  const path = join(temporaryDirectory(), 'contract.json')
  const document = {
    consumer: { name: 'web' },
    provider: { name: 'shop' },
    [member]: interactions,
    metadata: { pactSpecification: { version: `${version}.0` } },
  }
  writeFileSync(path, textExactly(document))
  return path
}

/** The result of each interaction by description. */
function statuses(report: VerificationReport | undefined): ReadonlyMap<string, InteractionReport> {
  const all = report?.contracts.flatMap(({ interactions }) => interactions) ?? []
  return new Map(all.map((one) => [one.description, one]))
}

async function reportOf(verifier: Verifier): Promise<VerificationReport | undefined> {
  await verifier.verify().catch(() => {})
  return verifier.results
}

const json = { 'Content-Type': 'application/json' }
const ofVersion = (version: number) => trials.filter((trial) => trial.version === version)

describe('a response of the provider', () => {
  let found: ReadonlyMap<string, InteractionReport>
  beforeAll(async () => {
    const verifier = new Verifier('shop')
    for (const version of [2, 3, 4]) {
      const interactions = ofVersion(version).map((trial) => ({
        ...(version === 4 && { type: 'Synchronous/HTTP' }),
        description: trial.title,
        request: { method: 'GET', path: `/${trials.indexOf(trial)}` },
        response: {
          status: 200,
          headers: json,
          body: bodyOf(trial, trial.row.json.example),
          matchingRules: rulesOf(trial),
        },
      }))
      verifier.addSource(contractFile(version, interactions))
    }
    await withProvider(
      (request, response) => {
        const trial = trials[Number(request.url?.slice(1))]
        response.writeHead(200, json).end(textExactly({ a: trial?.value }))
      },
      async (url) => {
        found = statuses(await reportOf(verifier.addTransport(url)))
      },
    )
  })

  test.each(trials.map((trial) => [trial.title, trial] as const))('%s', (title, { passes }) => {
    const report = found.get(title)
    expect([report?.status, report?.mismatches.map(({ type }) => type)[0]]).toEqual(
      passes ? ['passed', undefined] : ['failed', 'BodyMismatch'],
    )
  })
})

describe('a request of the consumer', () => {
  const found = new Map<string, string | undefined>()
  beforeAll(async () => {
    for (const version of [2, 3, 4]) {
      const contract = new Contract('web', 'shop', { specification: `V${version}` })
      const mine = ofVersion(version)
      const ruled = rows.filter(({ rule }) => since(rule) <= version)
      for (const row of ruled) {
        contract
          .uponReceiving(textExactly(row.rule))
          .withRequest('POST', `/${rows.indexOf(row)}`)
          .withBody(textExactly({ a: row.json.example }), 'application/json')
          .withMatchingRules(textExactly({ body: { '$.a': { combine: 'AND', matchers: [row.rule] } } }))
          .willRespondWith(204)
      }
      await contract.serve({ raises: false }, async (server) => {
        for (const trial of mine) {
          const body = textExactly({ a: trial.value })
          await fetch(`${server.url}/${rows.indexOf(trial.row)}`, { method: 'POST', headers: json, body })
        }
        for (const [at, entry] of server.requests.entries()) found.set(mine[at]?.title ?? '', entry.outcome)
      })
    }
  })

  test.each(trials.map((trial) => [trial.title, trial] as const))('%s', (title, { passes }) => {
    expect(found.get(title)).toBe(passes ? 'matched' : 'mismatched')
  })
})

describe('a message of the provider', () => {
  let found: ReadonlyMap<string, InteractionReport>
  const sent = trials.filter(({ version }) => version > 2)
  beforeAll(async () => {
    const verifier = new Verifier('shop').messageHandler(({ description }) => {
      const trial = sent.find(({ title }) => title === description)
      return { contents: Buffer.from(textExactly({ a: trial?.value })), contentType: 'application/json' }
    })
    for (const version of [3, 4]) {
      const messages = ofVersion(version).map((trial) => ({
        ...(version === 4 && { type: 'Asynchronous/Messages' }),
        description: trial.title,
        contents: bodyOf(trial, trial.row.json.example),
        matchingRules: rulesOf(trial, version === 4 ? 'content' : 'body'),
        metadata: { contentType: 'application/json' },
      }))
      verifier.addSource(contractFile(version, messages, version === 3 ? 'messages' : 'interactions'))
    }
    found = statuses(await reportOf(verifier))
  })

  test.each(sent.map((trial) => [trial.title, trial] as const))('%s', (title, { passes }) => {
    const report = found.get(title)
    expect([report?.status, report?.mismatches.map(({ type }) => type)[0]]).toEqual(
      passes ? ['passed', undefined] : ['failed', 'BodyMismatch'],
    )
  })
})
