// Implements the calls of the plugin interface with the functions of a plugin definition.

import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import type {
  PluginBody,
  PluginConfigured,
  PluginContents,
  PluginContext,
  PluginData,
  PluginDefinition,
  PluginInteraction,
  PluginJson,
  PluginMismatch,
  PluginObject,
  PluginPart,
  PluginProvider,
  PluginRule,
  PluginTransport,
  RunningTransport,
} from './index.js'
import type { Call, Calls, Message } from './server.js'
import { fromBytes, fromStruct, fromValue, toBytes, toStruct, toValue } from './values.js'

const TYPES = { 'content-matcher': 0, 'content-generator': 1, transport: 2, matcher: 3, generator: 5 } as const

/** Returns the methods of both interface versions, and a function that stops all mock servers. */
export function services(definition: PluginDefinition): Calls & { stop(): Promise<void> } {
  const contents = [definition.contents ?? []].flat() as PluginContents[]
  const servers = new Map<string, RunningTransport>()
  const catalogue = entries(definition, contents)
  const shared: Record<string, Call> = {
    UpdateCatalogue: () => ({}),
    ConfigureInteraction: (request) => errorAsResponse(() => configure(contents, request)),
    CompareContents: (request) => errorAsResponse(() => compare(contents, request)),
    GenerateContent: (request) => generate(contents, request),
    GetMockServerResults: (request) => results(servers, request),
    ShutdownMockServer: async (request) => {
      const response = await results(servers, request)
      const server = servers.get(String(request.serverKey))
      servers.delete(String(request.serverKey))
      await server?.stop()
      return response
    },
  }
  const transport = (interactions: (request: Message) => PluginInteraction[]): Record<string, Call> => ({
    StartMockServer: (request) =>
      errorAsResponse(() => start(transportOf(definition), servers, request, interactions(request))),
    PrepareInteractionForVerification: (request) =>
      errorAsResponse(async () => {
        const data = await transportOf(definition).prepare(single(interactions(request)), provider(request))
        return { interactionData: fromData(data) }
      }),
    VerifyInteraction: (request) =>
      errorAsResponse(() => verify(transportOf(definition), request, single(interactions(request)))),
  })
  return {
    first: { ...shared, ...transport(interactionsOfContract), InitPlugin: () => ({ catalogue }) },
    second: {
      ...shared,
      ...transport(interactionsOfContents),
      InitPlugin: () => ({ success: { catalogue } }),
      MatchField: (request) => errorAsResponse(() => matchField(definition, request)),
      GenerateField: (request) => errorAsResponse(() => generateField(definition, request)),
    },
    stop: async () => {
      await Promise.all([...servers.values()].map((server) => server.stop()))
      servers.clear()
    },
  }
}

/**
 * Returns the response of a function. If the function throws, returns a response with the error, so that the host can
 * print it.
 */
async function errorAsResponse(respond: () => Message | Promise<Message>): Promise<Message> {
  try {
    return await respond()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    return {
      error: (error instanceof Error ? error.message : String(error)) || 'the plugin failed without an error message',
    }
  }
}

function entries(definition: PluginDefinition, contents: readonly PluginContents[]): Message[] {
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
  const match = contents.find(({ types }) => types.some((type) => new RegExp(`^(?:${type})$`).test(essence)))
  // A plugin with only one set of contents handles every content type.
  const selected = match ?? (contents.length === 1 ? contents[0] : undefined)
  if (selected === undefined)
    throw new Error(`this plugin does not support ${essence || 'contents without a content type'}`)
  return selected
}

async function configure(contents: readonly PluginContents[], request: Message): Promise<Message> {
  const contentType = String(request.contentType ?? '')
  const context = { contentType, testContext: fromStruct(request.testContext) }
  const configured = await claiming(contents, contentType).configure(fromStruct(request.contentsConfig), context)
  return {
    interaction: parts(configured),
    pluginConfiguration: { pactConfiguration: toStruct(configured.contractConfiguration ?? {}) },
  }
}

/** Returns a value that a plugin function returned, or throws an error if the value is invalid. */
function checked<T>(value: T, from: string, expected: string, isValid: (value: object) => boolean): T {
  if (typeof value === 'object' && value !== null && isValid(value)) return value
  throw new TypeError(`the plugin's ${from} function returned ${inspect(value, { depth: 1 })}, expected ${expected}`)
}

function parts(configured: PluginConfigured): Message[] {
  const isPart = (value: object) => 'contents' in value || 'request' in value || 'response' in value
  const result = checked(configured, 'configure', 'a part { contents, … } or { request, response }', isPart)
  if ('contents' in result) return [part(result, '')]
  const responses = result.response === undefined ? [] : [result.response].flat()
  return [
    ...(result.request === undefined ? [] : [part(result.request, 'request')]),
    ...responses.map((response) => part(response as PluginPart, 'response')),
  ]
}

function part(configured: PluginPart, partName: string): Message {
  return {
    contents: contentsOf(configured.contents),
    rules: ruleLists(configured.rules),
    generators: generatorsOf(configured.generators),
    messageMetadata: configured.metadata && toStruct(configured.metadata),
    pluginConfiguration: { interactionConfiguration: toStruct(configured.interactionConfiguration ?? {}) },
    interactionMarkup: configured.markup?.text,
    interactionMarkupType: configured.markup?.type === 'html' ? 1 : 0,
    partName,
    metadataRules: ruleLists(configured.metadataRules),
    metadataGenerators: generatorsOf(configured.metadataGenerators),
  }
}

function contentsOf(contents: PluginPart['contents']): Message {
  const isContents = (value: { content?: unknown; contentType?: unknown }) =>
    value.contentType !== undefined && (typeof value.content === 'string' || value.content instanceof Uint8Array)
  const expected = 'contents { contentType, content } with a string or bytes'
  const { contentType, content, hint } = checked(contents, 'configure or generate', expected, isContents)
  return { contentType, content: toBytes(content), contentTypeHint: hint === 'text' ? 1 : hint === 'binary' ? 2 : 0 }
}

function ruleLists(rules: PluginPart['rules']): Message | undefined {
  if (rules === undefined) return undefined
  for (const [path, list] of Object.entries(rules)) {
    for (const rule of list) {
      if (typeof rule?.type !== 'string' || rule.type.trim() === '')
        throw new TypeError(`configure: a matching rule at ${path} has no type. Set it, as in { type: 'regex', … }`)
    }
  }
  return Object.fromEntries(Object.entries(rules).map(([path, rule]) => [path, { rule: rule.map(ruleOf) }]))
}

function ruleOf({ type, values }: PluginRule): Message {
  return { type, values: values && toStruct(values) }
}

function generatorsOf(generators: PluginPart['generators']): Message | undefined {
  return (
    generators && Object.fromEntries(Object.entries(generators).map(([path, generator]) => [path, ruleOf(generator)]))
  )
}

function readRule(message: unknown): PluginRule {
  const { type = '', values } = (message ?? {}) as { type?: string; values?: unknown }
  return { type, values: values === undefined ? undefined : fromStruct(values) }
}

function readRules(rules: unknown): Record<string, PluginRule[]> {
  const lists = Object.entries(rules as Record<string, { rule: Message[] }>)
  return Object.fromEntries(lists.map(([path, { rule }]) => [path, rule.map(readRule)]))
}

async function compare(contents: readonly PluginContents[], request: Message): Promise<Message> {
  const expected = bodyOf(request.expected)
  const compared = await claiming(contents, expected.contentType).compare({
    expected,
    actual: bodyOf(request.actual),
    allowUnexpected: request.allowUnexpectedKeys === true,
    rules: readRules(request.rules),
    ...kept(request),
  })
  const isResult = (value: object) => Array.isArray(value) || 'expectedType' in value
  const result = checked(compared, 'compare', 'an array of mismatches or { expectedType, actualType }', isResult)
  if ('expectedType' in result) return { typeMismatch: { expected: result.expectedType, actual: result.actualType } }
  const results: Record<string, { mismatches: Message[] }> = {}
  for (const item of result) {
    const difference = typeof item === 'string' ? { path: '$', message: item } : item
    const { path = '$' } = checked(difference, 'compare', 'mismatches { path, message } or strings', hasMessage)
    results[path] ??= { mismatches: [] }
    results[path]?.mismatches.push(mismatch({ ...difference, path }))
  }
  return { results }
}

const hasMessage = (value: object) => 'message' in value && typeof value.message === 'string'

function mismatch({ path, message, expected, actual, diff, part: mismatchType }: PluginMismatch): Message {
  return { path, mismatch: message, expected: toBytes(expected), actual: toBytes(actual), diff, mismatchType }
}

async function generate(contents: readonly PluginContents[], request: Message): Promise<Message> {
  const body = bodyOf(request.contents)
  const claimed = claiming(contents, body.contentType)
  if (claimed.generate === undefined) return { contents: request.contents }
  const generated = await claimed.generate({
    contents: body,
    generators: Object.fromEntries(
      Object.entries(request.generators as Message).map(([path, generator]) => [path, readRule(generator)]),
    ),
    mode: mode(request.testMode),
    part: request.contentFor === 1 ? 'response' : 'request',
    ...kept(request),
  })
  return { contents: contentsOf(generated) }
}

function mode(number: unknown): 'consumer' | 'provider' | 'unknown' {
  return number === 1 ? 'consumer' : number === 2 ? 'provider' : 'unknown'
}

function bodyOf(value: unknown): PluginBody {
  const { contentType = '', content } = (value ?? {}) as { contentType?: string; content?: unknown }
  return { contentType, content: fromBytes(content) }
}

function kept(request: Message): PluginContext {
  const own = (request.pluginConfiguration ?? {}) as Message
  return {
    interactionConfiguration: fromStruct(own.interactionConfiguration),
    contractConfiguration: fromStruct(own.pactConfiguration),
    testContext: fromStruct(request.testContext),
  }
}

/** Converts a value from the host. Also returns whether it is a number with a fraction. */
function field(value: unknown): [PluginJson, boolean] {
  const [name, found] = Object.entries((value ?? {}) as Message)[0] ?? ['nullValue', null]
  if (name === 'structuredValue') return [fromValue(found), false]
  return [name === 'nullValue' ? null : (found as PluginJson), name === 'decimalValue']
}

async function matchField(definition: PluginDefinition, request: Message): Promise<Message> {
  const matcher = definition.matchers?.[String(request.key)]
  if (matcher === undefined) throw new Error(`this plugin has no matching rule ${String(request.key)}`)
  const [actual, isDecimal] = field(request.actual)
  const path = String(request.path ?? '')
  const found = await matcher({
    rule: readRule(request.rule),
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

async function generateField(definition: PluginDefinition, request: Message): Promise<Message> {
  const generator = definition.generators?.[String(request.key)]
  if (generator === undefined) throw new Error(`this plugin has no generator ${String(request.key)}`)
  const value = await generator({
    generator: readRule(request.generator),
    path: String(request.path ?? ''),
    example: field(request.exampleValue)[0],
    mode: mode(request.testMode),
    ...kept(request),
  })
  return { value: fieldOf(value) }
}

function fieldOf(value: PluginJson): Message {
  if (value === null) return { nullValue: 0 }
  if (typeof value === 'boolean') return { booleanValue: value }
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { integerValue: value } : { decimalValue: value }
  return { structuredValue: toValue(value) }
}

function transportOf(definition: PluginDefinition): PluginTransport {
  if (definition.transport === undefined) throw new Error('this plugin has no transport')
  return definition.transport
}

async function start(
  transport: PluginTransport,
  servers: Map<string, RunningTransport>,
  request: Message,
  interactions: readonly PluginInteraction[],
): Promise<Message> {
  const host = String(request.hostInterface ?? '') || '127.0.0.1'
  const port = Number(request.port ?? 0)
  const server = await transport.start({ host, port, interactions, testContext: fromStruct(request.testContext) })
  const key = randomUUID()
  servers.set(key, server)
  return { details: { key, port: server.port, address: server.host ?? host } }
}

async function results(servers: ReadonlyMap<string, RunningTransport>, request: Message): Promise<Message> {
  const server = servers.get(String(request.serverKey))
  if (server === undefined) throw new Error('mock server not found: no running mock server has this key')
  const seen = await server.results()
  const each = seen.results.map(({ path, error, mismatches = [] }) => ({
    path,
    error,
    mismatches: mismatches.map(mismatch),
  }))
  return { ok: seen.ok, results: each }
}

function provider(request: Message): PluginProvider {
  const config = fromStruct(request.config)
  return {
    host: typeof config.host === 'string' ? config.host : undefined,
    port: typeof config.port === 'number' ? config.port : undefined,
    config,
    testContext: fromStruct(request.testContext),
  }
}

async function verify(transport: PluginTransport, request: Message, interaction: PluginInteraction): Promise<Message> {
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

function fromData({ body, metadata }: PluginData): Message {
  const value = (entry: PluginJson | Uint8Array) =>
    entry instanceof Uint8Array ? { binaryValue: entry } : { nonBinaryValue: toValue(entry) }
  const entries = Object.entries(metadata).map(([name, entry]) => [name, value(entry)])
  return {
    body: { contentType: body.contentType, content: toBytes(body.content) },
    metadata: Object.fromEntries(entries),
  }
}

function dataOf(value: unknown): PluginData {
  const { body, metadata = {} } = (value ?? {}) as { body?: unknown; metadata?: Record<string, Message> }
  const entries = Object.entries(metadata).map(([name, entry]) => [
    name,
    entry.binaryValue === undefined ? fromValue(entry.nonBinaryValue) : (entry.binaryValue as Uint8Array),
  ])
  return { body: bodyOf(body), metadata: Object.fromEntries(entries) }
}

function single(interactions: readonly PluginInteraction[]): PluginInteraction {
  const [interaction] = interactions
  if (interaction === undefined) throw new Error('the request does not contain the interaction to verify')
  return interaction
}

/** Returns the interactions in a request of interface version 2, which contains only data that the plugin stored. */
function interactionsOfContents(request: Message): PluginInteraction[] {
  const all = (request.interactions ?? [request.interactionContents]) as (Message | undefined)[]
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
  readonly interactions?: readonly (Message & { readonly pluginConfiguration?: Record<string, PluginObject> })[]
  readonly metadata?: { readonly plugins?: readonly { readonly configuration?: PluginObject }[] }
}

/**
 * Returns the interactions in a request of interface version 1, which contains a complete contract and the key of one
 * interaction.
 */
function interactionsOfContract(request: Message): PluginInteraction[] {
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
