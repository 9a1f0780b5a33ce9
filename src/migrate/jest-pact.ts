// Converts jest-pact: `pactWith(options, (provider) => { … })` becomes `describe` with a contract.
import { type Contracts, contractText } from './contracts.js'
import type { Migration } from './migration.js'
import {
  argumentsOf,
  bodyOf,
  calleeOf,
  isFunction,
  memberNamed,
  memberOf,
  parametersOf,
  patternOf,
  type Syntax,
  stringOf,
} from './syntax.js'

const DIRECTORY = './pact/pacts'
const HINT = 'use describe() and new Contract(consumer, provider, options)'

/** Converts all jest-pact calls of the file. */
export function convertJestPact(migration: Migration, contracts: Contracts): void {
  const { names, rewriter } = migration
  for (const node of rewriter.root.walk()) {
    if (node.kind !== 'call_expression') continue
    const callee = calleeOf(node)
    const member = memberOf(callee)
    const meaning = names.meaningOf(member?.object) ?? names.meaningOf(callee)
    if (meaning?.is !== 'jest-pact') continue
    const modifier = member === undefined ? '' : `.${member.property.text}`
    if (meaning.name === 'getProviderBaseUrl') continue
    const problem = convertPactWith(migration, contracts, node, meaning.name, meaning.generation, modifier)
    if (problem !== undefined) rewriter.todo(node, problem)
  }
}

function convertPactWith(
  migration: Migration,
  contracts: Contracts,
  call: Syntax,
  name: string,
  generation: 'V2' | 'V3',
  modifier: string,
): string | undefined {
  const { rewriter } = migration
  const [options, callback] = argumentsOf(call)
  const isMessage = /message/i.test(name)
  if (!/PactWith$/i.test(name) || options === undefined || !isFunction(callback)) return `${name}: ${HINT}`
  const converted = contractText(migration, isMessage ? 'message' : generation, options, DIRECTORY)
  if ('todo' in converted) return converted.todo
  const members = migration.members(options) ?? []
  const [parameter] = parametersOf(callback).map(patternOf)
  const body = bodyOf(callback)
  if (body?.kind !== 'statement_block' || (parameter !== undefined && parameter.kind !== 'identifier'))
    return `${name}: ${HINT}`
  const names = ['consumer', 'provider'].map((each) => memberNamed(members, each)?.value)
  const title = () => titleOf(migration, names)
  const focus = name.startsWith('x') ? '.skip' : name.startsWith('f') ? '.only' : modifier
  rewriter.count(call, name)
  const kind = isMessage ? 'message' : generation
  const key = generation === 'V3' && !isMessage ? undefined : parameter?.text
  const constants: (() => string)[] = []
  if (key !== undefined) {
    const lines = serverLines(migration, kind, key, converted.text)
    constants.push(...lines.texts)
    contracts.add({
      key,
      kind,
      scope: body,
      declaration: undefined,
      server: lines.server,
      serve: converted.serve,
      fixedUrl: converted.fixedUrl,
    })
  } else if (parameter !== undefined) {
    const shared = convertInner(migration, contracts, body, parameter.text, converted)
    if (typeof shared === 'string') return shared
    constants.push(...shared)
  }
  rewriter.replace(call, () => `describe${focus}(${title()}, () => ${withLines(migration, body, constants)})`)
  return undefined
}

/**
 * Returns the first lines of a converted suite: the contract, and for V2 also the mock server and the hook that stops
 * it.
 */
function serverLines(
  migration: Migration,
  kind: 'V2' | 'V3' | 'message',
  key: string,
  text: () => string,
): { readonly texts: readonly (() => string)[]; readonly server: string | undefined } {
  const contract = () => `const ${key} = ${text()}`
  if (kind !== 'V2') return { texts: [contract], server: undefined }
  const server =
    ['server', 'mockServer', 'pactServer'].find((name) => !migration.names.isUsed(name)) ?? 'contractServer'
  const type = migration.typed ? `: ${migration.use('MockServer', true)}` : ''
  return { texts: [contract, () => `let ${server}${type}`, () => `afterEach(() => ${server}?.stop())`], server }
}

/** Returns the text of a block with lines inserted at its beginning. */
function withLines(migration: Migration, body: Syntax, lines: readonly (() => string)[]): string {
  const { rewriter } = migration
  const rest = rewriter.renderChildren(body).slice(1)
  const first = body.parts[0]
  const indent = first === undefined ? rewriter.indentOf(body) + rewriter.indentUnit : rewriter.indentOf(first)
  const isOneLine = !/^[ \t]*\r?\n/.test(rest)
  const added = lines.map((line) => `${rewriter.newline}${indent}${line()}${rewriter.semicolon}`).join('')
  return `{${added}${isOneLine && added ? `${rewriter.newline}${indent}` : ''}${isOneLine && added ? rest.trimStart() : rest}`
}

/** Converts `interaction('title', ({ provider, execute }) => { … })` in the body of `pactWith` of V3. */
function convertInner(
  migration: Migration,
  contracts: Contracts,
  body: Syntax,
  suite: string,
  contract: { readonly text: () => string; readonly serve: readonly string[]; readonly fixedUrl: string | undefined },
): string | (() => string)[] {
  const { rewriter } = migration
  const suites: { call: Syntax; block: Syntax; provider: string; execute: string | undefined }[] = []
  for (const node of body.walk()) {
    if (node.kind !== 'identifier' || node.text !== suite) continue
    const call = node.parent
    const [title, callback] = call?.kind === 'call_expression' ? argumentsOf(call) : []
    const [pattern] = isFunction(callback) ? parametersOf(callback).map(patternOf) : []
    const block = isFunction(callback) ? bodyOf(callback) : undefined
    if (
      call === undefined ||
      title === undefined ||
      pattern?.kind !== 'object_pattern' ||
      block?.kind !== 'statement_block'
    ) {
      return `pactWith: ${HINT}`
    }
    const local = (name: string) => localName(pattern, name)
    suites.push({ call, block, provider: local('provider') ?? 'provider', execute: local('execute') })
  }
  const [first] = suites
  if (first === undefined) return []
  const isShared = suites.every(({ provider }) => provider === first.provider)
  const constant = (name: string) => () => `const ${name} = ${contract.text()}`
  const rest = {
    kind: 'V3' as const,
    declaration: undefined,
    server: undefined,
    serve: contract.serve,
    fixedUrl: contract.fixedUrl,
  }
  if (isShared) contracts.add({ key: first.provider, scope: body, ...rest })
  for (const { call, block, provider, execute } of suites) {
    if (!isShared) contracts.add({ key: provider, scope: block, ...rest })
    if (execute !== undefined)
      for (const node of block.walk()) convertExecute(migration, node, execute, provider, contract.serve)
    const title = argumentsOf(call)[0] as Syntax
    rewriter.replace(call, () => {
      const lines = isShared ? [] : [constant(provider)]
      return `describe(${rewriter.render(title)}, () => ${withLines(migration, block, lines)})`
    })
    rewriter.count(call, 'pactWith suite')
  }
  return isShared ? [constant(first.provider)] : []
}

/**
 * Returns the local name that a destructuring pattern gives to a member, or `undefined` if the pattern does not contain
 * it.
 */
function localName(pattern: Syntax, name: string): string | undefined {
  for (const part of pattern.parts) {
    if (part.text === name) return name
    if (part.kind === 'pair_pattern' && part.parts[0]?.text === name) return part.parts[1]?.text
  }
  return undefined
}

/** Converts `execute(title, fn)` to a test in which the contract is served. */
function convertExecute(
  migration: Migration,
  node: Syntax,
  execute: string,
  provider: string,
  serve: readonly string[],
): void {
  const { rewriter } = migration
  if (node.kind !== 'call_expression' || calleeOf(node)?.text !== execute) return
  const [title, fn] = argumentsOf(node)
  if (!title || !fn) return
  const options = serve.length > 0 ? `${rewriter.inline(serve)}, ` : ''
  rewriter.replace(
    node,
    () => `it(${rewriter.render(title)}, () => ${provider}.serve(${options}${rewriter.render(fn)}))`,
  )
  rewriter.count(node, 'execute')
}

function titleOf(migration: Migration, names: readonly (Syntax | undefined)[]): string {
  const [consumer, provider] = names.map((node) => stringOf(node))
  if (consumer !== undefined && provider !== undefined)
    return migration.rewriter.string(`Pact between ${consumer} and ${provider}`)
  const [first, second] = names.map(
    (node) => stringOf(node) ?? `\${${node === undefined ? '' : migration.rewriter.render(node)}}`,
  )
  return `\`Pact between ${first} and ${second}\``
}
