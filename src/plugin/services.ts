// Implements the calls of the plugin interface with the functions of a plugin definition.

import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import type {
  PluginBody,
  PluginConfigured,
  PluginContents,
  PluginData,
  PluginDefinition,
  PluginDifference,
  PluginInteraction,
  PluginJson,
  PluginKept,
  PluginObject,
  PluginPart,
  PluginProvider,
  PluginRule,
  PluginTransport,
  RunningTransport,
} from '../plugin.js'
import type { Values } from './codec.js'
import type { Call } from './grpc.js'

export type ServedDefinition = PluginDefinition

const TYPES = { 'content-matcher': 0, 'content-generator': 1, transport: 2, matcher: 3, generator: 5 } as const

/** Returns the calls of both interface versions. */
export function services(definition: ServedDefinition) {
  const contents = [definition.contents ?? []].flat() as PluginContents[]
  const servers = new Map<string, RunningTransport>()
  const shared: Record<string, Call> = {
    UpdateCatalogue: ['Catalogue', 'Empty', () => ({})],
    ConfigureInteraction: [
      'ConfigureInteractionRequest',
      'ConfigureInteractionResponse',
      (request) => errorAsResponse(() => configure(contents, request)),
    ],
    CompareContents: [
      'CompareContentsRequest',
      'CompareContentsResponse',
      (request) => errorAsResponse(() => compare(contents, request)),
    ],
    GenerateContent: ['GenerateContentRequest', 'GenerateContentResponse', (request) => generate(contents, request)],
    GetMockServerResults: ['MockServerRequest', 'MockServerResults', (request) => results(servers, request)],
    ShutdownMockServer: [
      'MockServerRequest',
      'MockServerResults',
      async (request) => {
        const seen = await results(servers, request)
        const server = servers.get(String(request.serverKey))
        servers.delete(String(request.serverKey))
        await server?.stop()
        return seen
      },
    ],
  }
  const transport = (interactions: (request: Values) => PluginInteraction[]): Record<string, Call> => ({
    StartMockServer: [
      'StartMockServerRequest',
      'StartMockServerResponse',
      (request) => errorAsResponse(() => start(transportOf(definition), servers, request, interactions(request))),
    ],
    PrepareInteractionForVerification: [
      'VerificationPreparationRequest',
      'VerificationPreparationResponse',
      (request) =>
        errorAsResponse(async () => {
          const data = await transportOf(definition).prepare(single(interactions(request)), provider(request))
          return { interactionData: fromData(data) }
        }),
    ],
    VerifyInteraction: [
      'VerifyInteractionRequest',
      'VerifyInteractionResponse',
      (request) => errorAsResponse(() => verify(transportOf(definition), request, single(interactions(request)))),
    ],
  })
  const catalogue = entries(definition, contents)
  return {
    first: {
      ...shared,
      ...transport(interactionsOfContract),
      InitPlugin: ['InitPluginRequest', 'InitPluginResponse', () => ({ catalogue })] as Call,
    },
    second: {
      ...shared,
      ...transport(interactionsOfContents),
      InitPlugin: ['InitPluginRequest', 'InitPluginResponse', () => ({ success: { catalogue } })] as Call,
      MatchField: [
        'MatchFieldRequest',
        'MatchFieldResponse',
        (request) => errorAsResponse(() => matchField(definition, request)),
      ] as Call,
      GenerateField: [
        'GenerateFieldRequest',
        'GenerateFieldResponse',
        (request) => errorAsResponse(() => generateField(definition, request)),
      ] as Call,
    },
    stop: async () => {
      await Promise.all([...servers.values()].map((server) => server.stop()))
      servers.clear()
    },
  }
}

/** Returns an error as a response, so that the host can show it. */
async function errorAsResponse(answer: () => Values | Promise<Values>): Promise<Values> {
  try {
    return await answer()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    return {
      error: (error instanceof Error ? error.message : String(error)) || 'the plugin failed without an error message',
    }
  }
}

function entries(definition: ServedDefinition, contents: readonly PluginContents[]): Values[] {
  const entry = (type: keyof typeof TYPES, key: string, types?: readonly string[]) => ({
    type: TYPES[type],
    key,
    values: types === undefined ? {} : { 'content-types': types.join(';') },
  })
  return [
    ...contents.map(({ types }, at) => entry('content-matcher', `contents-${at + 1}`, types)),
    ...contents.flatMap(({ types, generate }, at) =>
      generate === undefined ? [] : [entry('content-generator', `contents-${at + 1}`, types)],
    ),
    ...(definition.transport === undefined ? [] : [entry('transport', definition.transport.name)]),
    ...Object.keys(definition.matchers ?? {}).map((name) => entry('matcher', name)),
    ...Object.keys(definition.generators ?? {}).map((name) => entry('generator', name)),
  ]
}

function claiming(contents: readonly PluginContents[], contentType: unknown): PluginContents {
  const essence = String(contentType).split(';')[0]?.trim().toLowerCase() ?? ''
  const found = contents.find(({ types }) => types.some((type) => new RegExp(`^(?:${type})$`).test(essence)))
  // A plugin with one set of contents handles all of them, even if the content type differs.
  const chosen = found ?? (contents.length === 1 ? contents[0] : undefined)
  if (chosen === undefined)
    throw new Error(`this plugin does not support ${essence || 'contents without a content type'}`)
  return chosen
}

async function configure(contents: readonly PluginContents[], request: Values): Promise<Values> {
  const contentType = String(request.contentType ?? '')
  const about = { contentType, testContext: object(request.testContext) }
  const configured = await claiming(contents, contentType).configure(object(request.contentsConfig), about)
  return {
    interaction: parts(configured),
    pluginConfiguration: { interactionConfiguration: {}, pactConfiguration: configured.contractConfiguration ?? {} },
  }
}

/** Checks a value that a function of the plugin returned. */
function checked<T>(value: T, from: string, wanted: string, isValid: (value: object) => boolean): T {
  if (typeof value === 'object' && value !== null && isValid(value)) return value
  throw new TypeError(`${from} of the plugin returned ${inspect(value, { depth: 1 })}, expected ${wanted}`)
}

function parts(configured: PluginConfigured): Values[] {
  const isPart = (value: object) => 'contents' in value || 'request' in value || 'response' in value
  const result = checked(configured, 'configure', 'a part { contents, … } or { request, response }', isPart)
  if ('contents' in result) return [part(result, '')]
  const responses = result.response === undefined ? [] : [result.response].flat()
  return [
    ...(result.request === undefined ? [] : [part(result.request, 'request')]),
    ...responses.map((response) => part(response as PluginPart, 'response')),
  ]
}

function part(configured: PluginPart, partName: string): Values {
  return {
    contents: contentsOf(configured.contents),
    rules: ruleLists(configured.rules),
    generators: configured.generators,
    messageMetadata: configured.metadata,
    pluginConfiguration: { interactionConfiguration: configured.interactionConfiguration ?? {} },
    interactionMarkup: configured.markup?.text,
    interactionMarkupType: configured.markup?.type === 'html' ? 1 : 0,
    partName,
    metadataRules: ruleLists(configured.metadataRules),
    metadataGenerators: configured.metadataGenerators,
  }
}

function contentsOf(contents: PluginPart['contents']): Values {
  const isContents = (value: { content?: unknown; contentType?: unknown }) =>
    value.contentType !== undefined && (typeof value.content === 'string' || value.content instanceof Uint8Array)
  const wanted = 'contents { contentType, content } with a string or bytes'
  const { contentType, content, hint } = checked(contents, 'configure or generate', wanted, isContents)
  return { contentType, content, contentTypeHint: hint === 'text' ? 1 : hint === 'binary' ? 2 : 0 }
}

function ruleLists(rules: PluginPart['rules']): Values | undefined {
  if (rules === undefined) return undefined
  for (const [path, list] of Object.entries(rules)) {
    for (const rule of list) {
      if (typeof rule?.type !== 'string' || rule.type.trim() === '')
        throw new TypeError(
          `configure: a matching rule at ${path} has no name. Set its type, as in { type: 'regex', … }`,
        )
    }
  }
  return Object.fromEntries(Object.entries(rules).map(([path, rule]) => [path, { rule }]))
}

function readRules(rules: unknown): Record<string, PluginRule[]> {
  const lists = Object.entries(rules as Record<string, { rule: PluginRule[] }>)
  return Object.fromEntries(lists.map(([path, { rule }]) => [path, rule]))
}

async function compare(contents: readonly PluginContents[], request: Values): Promise<Values> {
  const expected = bodyOf(request.expected)
  const compared = await claiming(contents, expected.contentType).compare({
    expected,
    actual: bodyOf(request.actual),
    allowUnexpected: request.allowUnexpectedKeys === true,
    rules: readRules(request.rules),
    ...kept(request),
  })
  const isResult = (value: object) => Array.isArray(value) || 'expectedType' in value
  const found = checked(compared, 'compare', 'an array of differences or { expectedType, actualType }', isResult)
  if ('expectedType' in found) return { typeMismatch: { expected: found.expectedType, actual: found.actualType } }
  const results: Record<string, { mismatches: Values[] }> = {}
  for (const one of found) {
    const difference = typeof one === 'string' ? { path: '$', message: one } : one
    const { path = '$' } = checked(difference, 'compare', 'differences { path, message } or strings', hasMessage)
    results[path] ??= { mismatches: [] }
    results[path]?.mismatches.push(mismatch({ ...difference, path }))
  }
  return { results }
}

const hasMessage = (value: object) => 'message' in value && typeof value.message === 'string'

function mismatch({ path, message, expected, actual, diff, part: mismatchType }: PluginDifference): Values {
  return { path, mismatch: message, expected, actual, diff, mismatchType }
}

async function generate(contents: readonly PluginContents[], request: Values): Promise<Values> {
  const body = bodyOf(request.contents)
  const claimed = claiming(contents, body.contentType)
  if (claimed.generate === undefined) return { contents: request.contents }
  const generated = await claimed.generate({
    contents: body,
    generators: request.generators as Record<string, PluginRule>,
    mode: mode(request.testMode),
    part: request.contentFor === 1 ? 'response' : 'request',
    ...kept(request),
  })
  return { contents: contentsOf(generated) }
}

function mode(number: unknown): 'consumer' | 'provider' | 'unknown' {
  return number === 1 ? 'consumer' : number === 2 ? 'provider' : 'unknown'
}

function object(value: unknown): PluginObject {
  return (value ?? {}) as PluginObject
}

function bodyOf(value: unknown): PluginBody {
  const { contentType = '', content } = (value ?? {}) as { contentType?: string; content?: Uint8Array }
  return { contentType, content }
}

function kept(request: Values): PluginKept {
  const own = (request.pluginConfiguration ?? {}) as Values
  return {
    interactionConfiguration: object(own.interactionConfiguration),
    contractConfiguration: object(own.pactConfiguration),
    testContext: object(request.testContext),
  }
}

/** Returns a value, and whether it is a number with a fraction. */
function field(value: unknown): [PluginJson, boolean] {
  const member = (value ?? {}) as Record<string, PluginJson>
  const [name, found] = Object.entries(member)[0] ?? ['nullValue', null]
  return [name === 'nullValue' ? null : found, name === 'decimalValue']
}

async function matchField(definition: ServedDefinition, request: Values): Promise<Values> {
  const matcher = definition.matchers?.[String(request.key)]
  if (matcher === undefined) throw new Error(`this plugin has no matching rule ${String(request.key)}`)
  const [actual, isDecimal] = field(request.actual)
  const path = String(request.path ?? '')
  const found = await matcher({
    rule: request.rule as PluginRule,
    path,
    part: String(request.mismatchType ?? ''),
    expected: field(request.expected)[0],
    actual,
    isDecimal,
    ...kept(request),
  })
  const differences = typeof found === 'string' ? [{ path, message: found }] : (found ?? [])
  return { mismatches: differences.map(mismatch) }
}

async function generateField(definition: ServedDefinition, request: Values): Promise<Values> {
  const generator = definition.generators?.[String(request.key)]
  if (generator === undefined) throw new Error(`this plugin has no generator ${String(request.key)}`)
  const value = await generator({
    generator: request.generator as PluginRule,
    path: String(request.path ?? ''),
    example: field(request.exampleValue)[0],
    mode: mode(request.testMode),
    ...kept(request),
  })
  return { value: fieldOf(value) }
}

function fieldOf(value: PluginJson): Values {
  if (value === null) return { nullValue: { valueOf: () => 0 } }
  if (typeof value === 'boolean') return { booleanValue: { valueOf: () => (value ? 1 : 0) } }
  if (typeof value === 'string') return { stringValue: { toString: () => value } }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { integerValue: value } : { decimalValue: value }
  return { structuredValue: value }
}

function transportOf(definition: ServedDefinition): PluginTransport {
  if (definition.transport === undefined) throw new Error('this plugin has no transport')
  return definition.transport
}

async function start(
  transport: PluginTransport,
  servers: Map<string, RunningTransport>,
  request: Values,
  interactions: readonly PluginInteraction[],
): Promise<Values> {
  const host = String(request.hostInterface ?? '') || '127.0.0.1'
  const port = Number(request.port ?? 0)
  const server = await transport.start({ host, port, interactions, testContext: object(request.testContext) })
  const key = randomUUID()
  servers.set(key, server)
  return { details: { key, port: server.port, address: server.host ?? host } }
}

async function results(servers: ReadonlyMap<string, RunningTransport>, request: Values): Promise<Values> {
  const server = servers.get(String(request.serverKey))
  if (server === undefined) throw new Error('no mock server has this key')
  const seen = await server.results()
  const each = seen.results.map(({ path, error, mismatches = [] }) => ({
    path,
    error,
    mismatches: mismatches.map(mismatch),
  }))
  return { ok: seen.ok, results: each }
}

function provider(request: Values): PluginProvider {
  const config = object(request.config)
  return {
    host: typeof config.host === 'string' ? config.host : undefined,
    port: typeof config.port === 'number' ? config.port : undefined,
    config,
    testContext: object(request.testContext),
  }
}

async function verify(transport: PluginTransport, request: Values, interaction: PluginInteraction): Promise<Values> {
  const found = await transport.verify(interaction, provider(request), dataOf(request.interactionData))
  const { mismatches = [], errors = [], response, output = [] } = found
  const items = [
    ...mismatches.map((difference) => ({ mismatch: mismatch(difference) })),
    ...errors.map((error) => ({ error })),
  ]
  const result = {
    success: items.length === 0,
    responseData: response && fromData(response),
    mismatches: items,
    output,
  }
  return { result }
}

function fromData({ body, metadata }: PluginData): Values {
  const value = (entry: PluginJson | Uint8Array) =>
    entry instanceof Uint8Array ? { binaryValue: entry } : { nonBinaryValue: entry }
  const entries = Object.entries(metadata).map(([name, entry]) => [name, value(entry)])
  return { body, metadata: Object.fromEntries(entries) }
}

function dataOf(value: unknown): PluginData {
  const { body, metadata = {} } = (value ?? {}) as { body?: unknown; metadata?: Record<string, Values> }
  const entries = Object.entries(metadata).map(([name, entry]) => [
    name,
    entry.binaryValue ?? entry.nonBinaryValue ?? null,
  ])
  return { body: bodyOf(body), metadata: Object.fromEntries(entries) }
}

function single(interactions: readonly PluginInteraction[]): PluginInteraction {
  const [interaction] = interactions
  if (interaction === undefined) throw new Error('the request does not contain the interaction to verify')
  return interaction
}

/** Reads the interactions of a request of interface version 2, which contains only data stored by the plugin. */
function interactionsOfContents(request: Values): PluginInteraction[] {
  const all = (request.interactions ?? [request.interactionContents]) as (Values | undefined)[]
  return all.flatMap((contents) => {
    if (contents === undefined) return []
    const { interactionConfiguration, contractConfiguration } = kept(contents)
    const { interactionType: kind = '', consumer = '', provider: name = '' } = contents
    return [
      {
        kind: String(kind),
        interactionConfiguration,
        contractConfiguration,
        consumer: String(consumer),
        provider: String(name),
      },
    ]
  })
}

interface Contract {
  readonly consumer?: { readonly name?: string }
  readonly provider?: { readonly name?: string }
  readonly interactions?: readonly (Values & { readonly pluginConfiguration?: Record<string, PluginObject> })[]
  readonly metadata?: { readonly plugins?: readonly { readonly configuration?: PluginObject }[] }
}

/** Reads the interactions of a request of interface version 1: a whole contract, and the key of one interaction. */
function interactionsOfContract(request: Values): PluginInteraction[] {
  const contract = JSON.parse(String(request.pact ?? '{}')) as Contract
  const key = request.interactionKey
  const selected = (contract.interactions ?? []).filter((interaction) => !key || interaction.key === key)
  const contractConfiguration = Object.assign(
    {},
    ...(contract.metadata?.plugins ?? []).map((plugin) => plugin.configuration),
  )
  return selected.map((interaction) => ({
    kind: String(interaction.type ?? ''),
    interactionConfiguration: Object.assign({}, ...Object.values(interaction.pluginConfiguration ?? {})),
    contractConfiguration,
    consumer: contract.consumer?.name ?? '',
    provider: contract.provider?.name ?? '',
    interaction: interaction as unknown as PluginObject,
  }))
}
