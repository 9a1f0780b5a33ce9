// The contracts of the Pact Broker's clients with the Pact Broker, verified with this broker.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type InteractionReport, type JsonObject, VerificationError, type VerificationReport, Verifier } from 'contract'
import { Asked } from '../support/broker.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { resolvePath, Setup, setUp } from './support/broker-client-states.ts'

interface Interaction extends JsonObject {
  readonly description: string
  readonly providerState?: string
  readonly request: { readonly query?: string }
}

interface Contract extends JsonObject {
  readonly consumer: { readonly name: string }
  readonly provider: { readonly name: string }
  readonly interactions: readonly Interaction[]
}

/** The directory with the contract files of the clients. They are not part of this repository, and verified only if it is set. */
const folder = process.env.CONTRACT_BROKER_CLIENT_CONTRACTS

function contracts(): Contract[] {
  if (folder === undefined) return []
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const contracts = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Contract)
  const found = contracts.filter(({ provider }) => provider.name === 'Pact Broker')
  if (found.length === 0) throw new Error(`no contracts with the Pact Broker in ${folder}`)
  return found
}

/**
 * Queries with the parameters in the order in which the client sends them. Some contract files contain them sorted by name,
 * which changes their meaning: a repeated parameter starts the next selector.
 */
const QUERIES = [
  'q[][pacticipant]=Foo Thing&q[][version]=1.2.3&q[][pacticipant]=Bar&q[][version]=4.5.6&latestby=cvpv',
  'q[][pacticipant]=Foo&q[][version]=1.2.3&q[][pacticipant]=Bar&q[][version]=4.5.6&latestby=cvpv',
  'q[][pacticipant]=Foo&q[][version]=1.2.3&q[][pacticipant]=Bar&q[][version]=9.9.9&latestby=cvpv',
  'q[][pacticipant]=Foo&q[][version]=1.2.3&q[][pacticipant]=Bar&q[][latest]=true&q[][tag]=prod&latestby=cvpv',
  'q[][pacticipant]=Foo&q[][version]=1.2.4&q[][pacticipant]=Bar&q[][latest]=true&latestby=cvpv',
  'q[][pacticipant]=Bar&q[][version]=4.5.6&q[][pacticipant]=Foo&q[][tag]=prod&latestby=cvpv&ignore[][pacticipant]=Foo&ignore[][version]=3.4.5',
]

const parameters = (query: string) => [...new URLSearchParams(query)].map((pair) => pair.join('=')).sort()

function clientQuery(query: string): string {
  const sorted = parameters(query).join('&')
  return QUERIES.find((query) => parameters(query).join('&') === sorted) ?? query
}

/** Corrects what the library that wrote a contract file lost. */
function corrected(interaction: Interaction): JsonObject {
  const { query } = interaction.request
  const request = query === undefined ? interaction.request : { ...interaction.request, query: clientQuery(query) }
  // An example in place of the URL that the broker chooses.
  return JSON.parse(JSON.stringify({ ...interaction, request }).replaceAll('(\\\\/some-url)$', ''))
}

async function verify(contract: Contract, interaction: Interaction): Promise<InteractionReport> {
  const json: JsonObject = { ...contract, interactions: [corrected(interaction)] }
  const file = join(temporaryDirectory(), 'broker.sqlite')
  await using broker = await Asked.start({ db: `sqlite:${file}` })
  const setup = new Setup(broker, file)
  const run = new Verifier('Pact Broker', { quiet: true })
    .addSource({ json })
    .addTransport(broker.url)
    .stateHandler((state) => setUp(state, setup))
    .requestFilter(async (request) => {
      request.path = await resolvePath(request.path, broker, setup.ids)
      // The host in the links of the contracts.
      request.headers['X-Forwarded-Host'] = 'example.org'
    })
    .verify()
  const report = await run.catch((error: unknown): VerificationReport => {
    if (error instanceof VerificationError) return error.report
    throw error
  })
  const [result] = report.contracts.flatMap(({ interactions }) => interactions)
  if (result === undefined) throw new Error('no interaction was verified')
  return result
}

test('sorted queries are put into the order of the client', () => {
  for (const query of QUERIES) expect(clientQuery(parameters(query).join('&'))).toBe(query)
  const other = 'q[][pacticipant]=Foo&q[][pacticipant]=Bar'
  expect(clientQuery(other)).toBe(other)
})

for (const contract of contracts()) {
  describe(contract.consumer.name, () => {
    const interactions = contract.interactions.map((interaction) => {
      const { description, providerState } = interaction
      return [providerState === undefined ? description : `${description}, if ${providerState}`, interaction] as const
    })

    test.each(interactions)('%s', async (_, interaction) => {
      const { status, mismatches, error, response } = await verify(contract, interaction)
      // The response helps to understand a failure.
      const received = status === 'passed' ? undefined : response?.body
      expect({ status, error, mismatches: mismatches.map(({ mismatch }) => mismatch), received }).toEqual({
        status: 'passed',
        mismatches: [],
      })
    })
  })
}
