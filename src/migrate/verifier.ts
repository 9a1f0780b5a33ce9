// Converts verifiers: `new Verifier({ … }).verifyProvider()`, and `MessageProviderPact`.
import type { Migration } from './migration.js'
import type { Rewriter } from './rewriter.js'
import {
  argumentsOf,
  bodyOf,
  calleeOf,
  isFunction,
  type Member,
  memberNamed,
  memberOf,
  parametersOf,
  patternOf,
  type Syntax,
  stringOf,
} from './syntax.js'

/** Options with a new name: the names in pact-js, with the names in this package. */
const RENAMED: Readonly<Record<string, string>> = {
  pactUrls: 'sources',
  messageProviders: 'messageHandler',
  consumerFilters: 'filterConsumers',
  timeout: 'requestTimeout',
  failIfNoPactsFound: 'errorOnEmptyContract',
}
const SAME = ['disableSslVerification', 'followRedirects', 'beforeEach', 'afterEach']
const DROPPED = [
  'changeOrigin',
  'proxyHost',
  'logFile',
  'logLevel',
  'logDir',
  'format',
  'out',
  'verbose',
  'monkeypatch',
  'log',
]
const BROKER: Readonly<Record<string, string>> = {
  pactBrokerUrl: 'url',
  pactBrokerUsername: 'username',
  pactBrokerPassword: 'password',
  pactBrokerToken: 'token',
}
const SELECTOR: Readonly<Record<string, string>> = {
  consumerVersionSelectors: 'consumerVersions',
  consumerVersionTags: 'consumerTags',
  enablePending: 'includePending',
  includeWipPactsSince: 'includeWipSince',
}
const PUBLISHING = [
  'publishVerificationResult',
  'providerVersion',
  'providerVersionTags',
  'providerVersionBranch',
  'providerBranch',
  'buildUrl',
]
/** Options that replace several options of pact-js. They are inserted at the position of the first of them. */
const COMBINED = [
  ...Object.keys(BROKER),
  ...Object.keys(SELECTOR),
  ...PUBLISHING,
  'providerBaseUrl',
  'transports',
  'validateSSL',
]

export function convertVerifiers(migration: Migration): void {
  const { names, rewriter } = migration
  for (const node of rewriter.root.walk()) {
    const name = node.kind === 'new_expression' ? names.exportOf(node.parts[0]) : undefined
    if (name !== 'Verifier' && name !== 'MessageProviderPact') continue
    const problem = convertVerifier(migration, node, name === 'MessageProviderPact')
    if (problem !== undefined) rewriter.todo(node, problem)
  }
  convertProvidersWithMetadata(migration)
}

const SHAPE = 'use new Verifier(provider, { transports, sources, brokerSource, stateHandler, … })'

/** Converts a verifier. If it cannot be converted, returns an instruction for the user. */
function convertVerifier(migration: Migration, node: Syntax, isMessage: boolean): string | undefined {
  const { rewriter } = migration
  const [options] = argumentsOf(node)
  const literal = migration.literal(options)
  const members = migration.members(options)
  if (literal === undefined || members === undefined || options === undefined) return `Verifier: ${SHAPE}`
  if (literal.uses > 0) return `Verifier: ${options.text} has other uses; ${SHAPE}`
  const provider = memberNamed(members, 'provider')
  if (provider === undefined) return 'Verifier: add the name of the provider to the options, then run the command again'
  const unknown = members.find(({ name }) => !isKnown(name))
  if (unknown !== undefined) return `Verifier: the ${unknown.name} option has no counterpart; ${SHAPE}`
  const problems: string[] = []
  const texts = optionTexts(migration, members, isMessage, problems)
  const [problem] = problems
  if (problem !== undefined) return problem
  const object = () =>
    rewriter.object(literal.object, (item) => {
      const found = texts.get(item)
      return found === undefined ? undefined : found()
    })
  const verifier = () => `new ${migration.use('Verifier')}`
  const lead = () => `${verifier()}(${rewriter.render(provider.value)}, `
  if (literal.declarator === undefined) rewriter.replace(node, () => `${lead()}${object()})`)
  else {
    rewriter.replace(literal.object, object)
    rewriter.replace(node, () => `${lead()}${rewriter.render(options)})`)
  }
  rewriter.count(node, isMessage ? 'new MessageProviderPact' : 'new Verifier')
  for (const member of members) rewriter.count(member.node, `verifier option ${member.name}`)
  if (!isMessage) convertVerifyCalls(migration, node)
  return undefined
}

function isKnown(name: string): boolean {
  const otherOptions = [
    'provider',
    'consumer',
    'stateHandlers',
    'requestFilter',
    'tlsClientOptions',
    'customProviderHeaders',
    'providerStatesSetupUrl',
  ]
  return [...Object.keys(RENAMED), ...SAME, ...DROPPED, ...COMBINED, ...otherOptions].includes(name)
}

/** Returns the text of each member that is kept or changed. Members without a text are removed. */
function optionTexts(
  migration: Migration,
  members: readonly Member[],
  isMessage: boolean,
  problems: string[],
): Map<Syntax, () => string> {
  const { rewriter } = migration
  const texts = new Map<Syntax, () => string>()
  const named = (name: string) => memberNamed(members, name)
  /** Replaces the first of the old options by the option that combines them. */
  const combine = (parts: readonly string[], text: () => string | undefined) => {
    const first = members.find(({ name }) => parts.includes(name))
    const value = first && text()
    if (first !== undefined && value !== undefined) texts.set(first.node, () => text() ?? value)
  }
  for (const member of members) {
    const renamed = RENAMED[member.name]
    if (renamed !== undefined) texts.set(member.node, () => rewriter.member(member, renamed))
    if (SAME.includes(member.name)) texts.set(member.node, () => rewriter.member(member))
  }
  const indent = (node: Syntax) => (isMultiline(rewriter, node) ? `${rewriter.newline}${rewriter.indentOf(node)}` : ' ')
  combine(['providerBaseUrl', 'transports'], () =>
    transports(migration, named('providerBaseUrl'), named('transports'), problems),
  )
  combine(['validateSSL'], () => {
    const value = named('validateSSL')?.value.text
    if (named('disableSslVerification') || value === 'true') return undefined
    return `disableSslVerification: ${value === 'false' ? 'true' : `!(${value})`}`
  })
  const states = named('stateHandlers')
  if (states !== undefined) {
    const handlers = stateHandlers(migration, states, isMessage, problems)
    texts.set(
      states.node,
      () => `${handlers()},${indent(states.node)}stateHandlerOptions: { onMissing: ${rewriter.string('warn')} }`,
    )
  }
  const setupUrl = named('providerStatesSetupUrl')
  if (setupUrl !== undefined && states === undefined) {
    texts.set(
      setupUrl.node,
      () =>
        `${rewriter.member(setupUrl, 'stateHandler')},${indent(setupUrl.node)}stateHandlerOptions: { body: true, teardown: true }`,
    )
  }
  const filter = named('requestFilter')
  if (filter !== undefined) {
    const text = requestFilter(migration, filter)
    if (text === undefined)
      problems.push('requestFilter: use a function (request) that changes request.headers; res and next() do not exist')
    else texts.set(filter.node, text)
  }
  const headers = named('customProviderHeaders')
  if (headers !== undefined) {
    const text = customHeaders(migration, headers)
    if (text === undefined) problems.push("customProviderHeaders: use customHeaders: { 'Name': 'value' }")
    else texts.set(headers.node, text)
  }
  const tls = named('tlsClientOptions')
  if (tls !== undefined) {
    const parts = migration.members(tls.value)
    if (parts === undefined || memberNamed(parts, 'pfx'))
      problems.push('tlsClientOptions: use tls: { cert, key, passphrase } with PEM; convert a pfx file with openssl')
    else texts.set(tls.node, () => rewriter.member(tls, 'tls'))
  }
  const isPublished =
    named('publishVerificationResult') !== undefined && named('publishVerificationResult')?.value.text !== 'false'
  combine(PUBLISHING, () => (isPublished ? publishOptions(migration, named, problems) : undefined))
  combine([...Object.keys(BROKER), ...Object.keys(SELECTOR)], () =>
    brokerSource(migration, members, isPublished, problems),
  )
  return texts
}

/** Converts `providerBaseUrl` to the first item of `transports`. */
function transports(
  migration: Migration,
  base: Member | undefined,
  existing: Member | undefined,
  problems: string[],
): string | undefined {
  const { rewriter } = migration
  if (base === undefined) return existing && rewriter.member(existing)
  const first = rewriter.inline([pair('url', rewriter.render(base.value))])
  if (existing === undefined) return `transports: [${first}]`
  if (existing.value.kind !== 'array') {
    problems.push('transports: add { url } with the value of providerBaseUrl as the first transport')
    return undefined
  }
  return `transports: [${[first, ...existing.value.parts.map((item) => rewriter.render(item))].join(', ')}]`
}

function publishOptions(
  migration: Migration,
  named: (name: string) => Member | undefined,
  problems: string[],
): string | undefined {
  const { rewriter } = migration
  const version = named('providerVersion')
  const when = named('publishVerificationResult')
  if (version === undefined || when === undefined) {
    problems.push('publishVerificationResult: add providerVersion, then run the command again')
    return undefined
  }
  const branch = named('providerVersionBranch') ?? named('providerBranch')
  const tags = named('providerVersionTags')
  const buildUrl = named('buildUrl')
  const parts = [pair('version', rewriter.render(version.value))]
  if (branch) parts.push(pair('branch', rewriter.render(branch.value)))
  if (tags) parts.push(pair('tags', list(migration, tags)))
  if (buildUrl) parts.push(pair('buildUrl', rewriter.render(buildUrl.value)))
  const options = rewriter.inline(parts)
  if (when.value.text === 'true') return `publishOptions: ${options}`
  return `publishOptions: ${rewriter.render(when.value)} ? ${options} : undefined`
}

function pair(name: string, value: string): string {
  return name === value ? name : `${name}: ${value}`
}

/** Returns whether a member of an object is on its own line. */
function isMultiline(rewriter: Rewriter, node: Syntax): boolean {
  return rewriter.source.slice(node.parent?.start, node.start).includes('\n')
}

/** Converts an option with one string to an array with this string. */
function list(migration: Migration, member: Member): string {
  const text = migration.rewriter.render(member.value)
  return member.value.kind === 'array' || stringOf(member.value) === undefined ? text : `[${text}]`
}

function brokerSource(
  migration: Migration,
  members: readonly Member[],
  isPublished: boolean,
  problems: string[],
): string | undefined {
  const { rewriter } = migration
  const named = (name: string) => memberNamed(members, name)
  const selector: string[] = []
  for (const [name, renamed] of Object.entries(SELECTOR)) {
    const member = named(name)
    if (member === undefined) continue
    const value = name === 'consumerVersionTags' ? list(migration, member) : rewriter.render(member.value)
    selector.push(pair(renamed, value))
  }
  const branch = named('providerVersionBranch') ?? named('providerBranch')
  const tags = named('providerVersionTags')
  if (branch && !isPublished) selector.push(pair('providerBranch', rewriter.render(branch.value)))
  if (tags) selector.push(pair('providerTags', list(migration, tags)))
  const parts = Object.entries(BROKER).flatMap(([name, renamed]) => {
    const member = named(name)
    return member === undefined ? [] : [pair(renamed, rewriter.render(member.value))]
  })
  const hasBroker = named('pactBrokerUrl') !== undefined || selector.length > 0
  if (!hasBroker) {
    problems.push('pactUrls: pass the credentials with each source: { url, username, password, token }')
    return undefined
  }
  const first = members.find(({ name }) => name in BROKER || name in SELECTOR) as Member
  const inner = `${rewriter.newline}${rewriter.indentOf(first.node)}${rewriter.indentUnit}`
  if (selector.length > 0) parts.push(`selector: ${rewriter.inline(selector)}`)
  if (!isMultiline(rewriter, first.node)) return `brokerSource: ${rewriter.inline(parts)}`
  return `brokerSource: {${parts.map((part) => `${inner}${part},`).join('')}${rewriter.newline}${rewriter.indentOf(first.node)}}`
}

/** Converts `{ state: fn }` to `{ state: { setup: fn } }`. */
function stateHandlers(migration: Migration, member: Member, isMessage: boolean, problems: string[]): () => string {
  const { rewriter } = migration
  const literal = migration.literal(member.value)
  const members = migration.members(member.value)
  if (literal === undefined || members === undefined) {
    problems.push('stateHandlers: use stateHandler: { state: { setup: (parameters) => … } }')
    return () => ''
  }
  for (const handler of members) {
    const parts = handler.value.kind === 'object' ? migration.members(handler.value) : undefined
    for (const fn of parts ?? [handler]) optionalParameters(migration, fn.value)
    const wantsState = isMessage && handler.value.kind !== 'object' && parametersOf(handler.value).length > 0
    if (wantsState || (isMessage && !isFunction(handler.value))) {
      problems.push('stateHandlers: a handler receives (parameters) instead of (state, parameters)')
    }
    if (handler.form === 'shorthand')
      rewriter.replace(handler.node, () => `${handler.name}: { setup: ${handler.name} }`)
    else if (handler.form === 'pair' && handler.value.kind !== 'object') {
      const value = handler.value
      rewriter.replace(value, () => `{ setup: ${rewriter.renderChildren(value)} }`)
    } else if (handler.form === 'method' && handler.key !== undefined) {
      rewriter.replace(handler.node, () => methodText(migration, handler))
    }
  }
  if (literal.declarator !== undefined) rewriter.replace(literal.object, () => rewriter.renderChildren(literal.object))
  return () => rewriter.member(member, 'stateHandler')
}

function methodText(migration: Migration, handler: Member): string {
  const { rewriter } = migration
  const isAsyncMethod = handler.node.child('async') !== undefined ? 'async ' : ''
  const list = handler.node.child('formal_parameters')
  const body = bodyOf(handler.node)
  const parameters = list === undefined ? '()' : rewriter.render(list)
  return `${handler.key?.text}: { ${isAsyncMethod}setup${parameters} ${body === undefined ? '{}' : rewriter.render(body)} }`
}

/** Adds a fallback for parameters that are null, because default values do not apply to null. */
function optionalParameters(migration: Migration, fn: Syntax): void {
  const { rewriter } = migration
  const [parameter] = isFunction(fn) ? parametersOf(fn) : []
  if (parameter === undefined || fn.kind === 'identifier') return
  const target = patternOf(parameter)
  const hasDefault = parameter.kind === 'assignment_pattern' || parameter.children.some(({ kind }) => kind === '=')
  if (!hasDefault && target.kind !== 'object_pattern') return
  const body = bodyOf(fn)
  const name = target.kind === 'identifier' ? target.text : 'parameters'
  if (body === undefined) return
  const fallback = hasDefault ? (parameter.parts.at(-1)?.text ?? '{}') : '{}'
  const statement =
    target.kind === 'identifier' ? `${name} ??= ${fallback}` : `const ${target.text} = ${name} ?? ${fallback}`
  const annotation = migration.typed ? ': any' : ''
  const list = fn.child('formal_parameters')
  if (list !== undefined) rewriter.replace(list, `(${name}${annotation})`)
  if (body.kind === 'statement_block') {
    rewriter.replace(body, () => {
      const isOneLine = !body.text.includes('\n')
      const indent = rewriter.indentOf(body) + rewriter.indentUnit
      const rest = rewriter.renderChildren(body).slice(1)
      return isOneLine
        ? `{ ${statement};${rest}`
        : `{${rewriter.newline}${indent}${statement}${rewriter.semicolon}${rest}`
    })
  } else rewriter.replace(body, () => `{ ${statement}; return ${rewriter.renderChildren(body)} }`)
}

/**
 * Converts a request filter of pact-js that only sets headers and calls `next()`. Returns `undefined` for other
 * filters.
 */
function requestFilter(migration: Migration, member: Member): (() => string) | undefined {
  const { rewriter } = migration
  const fn = member.form === 'method' ? member.node : member.value
  if (!isFunction(fn)) return undefined
  const list = fn.child('formal_parameters')
  const [request, response, next, ...more] = parametersOf(fn).map(patternOf)
  const body = bodyOf(fn)
  if (!list || !request || more.length > 0 || body?.kind !== 'statement_block') return undefined
  if ([request, response, next].some((name) => name !== undefined && name.kind !== 'identifier')) return undefined
  const calls: Syntax[] = []
  for (const node of body.walk()) {
    if (!/identifier/.test(node.kind)) continue
    if (node.text === response?.text) return undefined
    if (node.text === request.text && node.kind === 'identifier' && memberOf(node.parent)?.property.text !== 'headers')
      return undefined
    if (node.text !== next?.text || node.kind !== 'identifier') continue
    const call = node.parent
    if (call?.kind !== 'call_expression' || argumentsOf(call).length > 0) return undefined
    const statement = call.parent
    if (statement?.kind !== 'expression_statement' && statement?.kind !== 'return_statement') return undefined
    calls.push(statement)
  }
  for (const statement of calls) {
    const next = statement.parent?.parts[statement.parent.parts.indexOf(statement) + 1]
    const isLast = statement.parent === body && next === undefined
    if (isLast || next?.kind === 'return_statement') rewriter.remove(statement)
    else rewriter.replace(statement, `return${rewriter.semicolon}`)
  }
  const first = list.parts[0] as Syntax
  const isTyped = first.child('type_annotation') !== undefined
  rewriter.replace(list, () => (isTyped || list.text.includes('(') ? `(${request.text})` : request.text))
  return () => rewriter.member(member)
}

/** Converts an array of strings such as `Name: value` to an object. Returns `undefined` for other expressions. */
function customHeaders(migration: Migration, member: Member): (() => string) | undefined {
  const { rewriter } = migration
  if (member.value.kind !== 'array') return () => rewriter.member(member, 'customHeaders')
  const pairs: string[] = []
  for (const item of member.value.parts) {
    const text = item.text.slice(1, -1)
    const at = text.indexOf(':')
    if (!['string', 'template_string'].includes(item.kind) || at === -1 || text.slice(0, at).includes('$'))
      return undefined
    const quote = item.text[0] ?? "'"
    pairs.push(`${rewriter.string(text.slice(0, at).trim())}: ${quote}${text.slice(at + 1).trim()}${quote}`)
  }
  return () => `customHeaders: ${rewriter.inline(pairs)}`
}

/**
 * Converts `verifyProvider()` to `verify()`, whether it is called on the verifier directly or on a variable that
 * contains it.
 */
function convertVerifyCalls(migration: Migration, created: Syntax): void {
  const { names, rewriter } = migration
  const holders = [created]
  const parent = created.parent
  if (parent?.kind === 'variable_declarator' || parent?.kind === 'assignment_expression') {
    const name = parent.parts[0]?.text ?? ''
    holders.push(...names.references(name))
  }
  for (const holder of holders) {
    const member = memberOf(holder.parent?.kind === 'parenthesized_expression' ? holder.parent.parent : holder.parent)
    if (member?.property.text !== 'verifyProvider' || rewriter.isReplaced(member.property)) continue
    rewriter.replace(member.property, 'verify')
    rewriter.count(member.property, 'verifyProvider')
  }
}

/**
 * Converts `providerWithMetadata(f, metadata)` to a function that returns an object with `contents` and `metadata`.
 */
function convertProvidersWithMetadata(migration: Migration): void {
  const { names, rewriter } = migration
  for (const node of rewriter.root.walk()) {
    if (node.kind !== 'call_expression' || names.exportOf(calleeOf(node)) !== 'providerWithMetadata') continue
    const [fn, metadata] = argumentsOf(node)
    if (!fn || !metadata) continue
    const { text } = fn
    const declared = isFunction(fn) ? fn : functionNamed(migration, text)
    const hasParameters = declared === undefined || parametersOf(declared).length > 0
    const parameter = hasParameters ? 'request' : ''
    rewriter.replace(node, () => {
      const called = isFunction(fn) ? `(${rewriter.render(fn)})` : rewriter.render(fn)
      return `async (${parameter}) => ({ contents: await ${called}(${parameter}), metadata: ${rewriter.render(metadata)} })`
    })
    rewriter.count(node, 'providerWithMetadata')
  }
}

/** Returns the function that the file declares with this name, or `undefined` if there is none. */
function functionNamed(migration: Migration, name: string): Syntax | undefined {
  for (const { parent } of migration.names.references(name)) {
    if (parent?.kind === 'function_declaration' && parent.parts[0]?.text === name) return parent
    const value =
      parent?.kind === 'variable_declarator' && parent.parts[0]?.text === name ? parent.parts.at(-1) : undefined
    if (isFunction(value)) return value
  }
  return undefined
}
