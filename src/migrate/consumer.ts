// Converts calls on contracts: definitions of interactions, and calls that run tests.
import { type Definition, definition, type InteractionForm, itemsText, NotConvertible } from './chains.js'
import type { ContractInfo, Contracts } from './contracts.js'
import { messageHandler } from './messages.js'
import type { Migration } from './migration.js'
import { interactionText } from './parts.js'
import {
  argumentsOf,
  type Chain,
  calleeOf,
  chainOf,
  functionAround,
  isFunction,
  type Link,
  memberOf,
  outermostCall,
  parametersOf,
  patternOf,
  type Syntax,
} from './syntax.js'
import { V2Lifecycle } from './v2.js'

/** Converts all calls on contracts in the file. */
export function convertCalls(migration: Migration, contracts: Contracts): void {
  const chains = findChains(migration, contracts)
  const v2 = new V2Lifecycle(migration, contracts)
  const merged = new Set<Chain>()
  for (const [index, { chain, info }] of chains.entries()) {
    if (merged.has(chain)) continue
    try {
      if (info.kind === 'V2') v2.convert(chain, info)
      else convertChain(migration, chains, index, merged)
    } catch (error) {
      if (!(error instanceof NotConvertible)) throw error
      migration.rewriter.todo(chain.node, error.message)
    }
  }
  v2.finish()
}

interface FoundChain {
  readonly chain: Chain
  readonly info: ContractInfo
}

function findChains(migration: Migration, contracts: Contracts): FoundChain[] {
  const found: FoundChain[] = []
  for (const node of migration.rewriter.root.walk()) {
    if (node.kind !== 'call_expression' || outermostCall(node) !== node) continue
    const chain = chainOf(node, migration.rewriter.source)
    const info = chain && contracts.find(chain.base)
    if (chain !== undefined && info !== undefined) found.push({ chain, info })
  }
  return found
}

function convertChain(migration: Migration, chains: readonly FoundChain[], index: number, merged: Set<Chain>): unknown {
  const { chain, info } = chains[index] as FoundChain
  const { rewriter } = migration
  const [first] = chain.links
  if (first === undefined) return
  const contract = () => rewriter.render(chain.base)
  if (first.name === 'executeTest' && info.kind === 'V3') return serve(migration, chain, info)
  if (first.name === 'addInteraction' && info.kind === 'V3') return addInteraction(migration, chain, info)
  if (first.name === 'verify' && info.kind === 'message') {
    throw new NotConvertible("verify: use contract.verify(handler, 'Async') after uponReceiving(description, 'Async')")
  }
  const form = formOf(info, first)
  const segments = split(info, withFollowing(migration, chains, index, merged))
  for (const [at, links] of segments.entries()) {
    const defined = definition(migration, links, form)
    const text = () => `${contract()}${itemsText(defined.items)}`
    if (at < segments.length - 1) {
      if (!rewriter.precede(chain.node, text)) throw new NotConvertible('define one interaction per statement')
      continue
    }
    run(migration, { chain, info, form, defined, text, runsOthers: runsOtherChains(chains, { chain, info }) })
  }
  for (const link of chain.links)
    if (['addInteraction', 'uponReceiving', 'expectsToReceive'].includes(link.name))
      rewriter.count(link.property, link.name)
}

function formOf(info: ContractInfo, first: Link): InteractionForm {
  if (info.kind === 'message' || first.name === 'addAsynchronousInteraction') return 'Async'
  return first.name === 'addSynchronousInteraction' ? 'Sync' : 'HTTP'
}

/** Returns whether the chain's test also runs interactions that other chains define. */
function runsOtherChains(chains: readonly FoundChain[], { chain, info }: FoundChain): boolean {
  return chains.some(({ chain: other, info: its }) => {
    if (its !== info || other === chain || other.links.some(({ name }) => name === 'executeTest')) return false
    const enclosing = functionAround(other.node)
    return enclosing === undefined || enclosing.contains(chain.node) || !isTest(enclosing)
  })
}

/** Returns whether the function is the body of a test, that is, an argument of `it` or `test`. */
function isTest(func: Syntax): boolean {
  const call = func.parent?.kind === 'arguments' ? func.parent.parent : undefined
  return call !== undefined && /^(it|test|specify)\b/.test(calleeOf(call)?.text ?? '')
}

/** Returns the links of a V3 chain, followed by the links of the statements that continue it. */
function withFollowing(migration: Migration, chains: readonly FoundChain[], index: number, merged: Set<Chain>): Link[] {
  const { chain, info } = chains[index] as FoundChain
  const links = [...chain.links]
  if (info.kind !== 'V3' && info.kind !== 'message') return links
  const complete = () =>
    links.some(({ name }) =>
      /^(willRespondWith|withResponse|executeTest|verify|withContent|withTextContent|withBinaryContent)/.test(name),
    )
  const rest: Syntax[] = []
  let previous = chain
  for (let next = index + 1; !complete() && next < chains.length; next += 1) {
    const following = chains[next] as FoundChain
    if (following.info !== info || !follows(previous.node, following.chain.node)) break
    const [first] = following.chain.links
    if (first === undefined || ['executeTest', 'addInteraction', 'verify'].includes(first.name)) break
    const separator = chain.links[0]?.separator ?? '.'
    links.push(...following.chain.links.map((link, at) => (at === 0 ? { ...link, separator } : link)))
    merged.add(following.chain)
    rest.push(following.chain.node.parent as Syntax)
    previous = following.chain
  }
  for (const statement of rest) migration.rewriter.remove(statement)
  return links
}

/** Returns whether two calls are consecutive statements. */
function follows(first: Syntax, second: Syntax): boolean {
  const [before, after] = [first.parent, second.parent]
  if (
    before?.kind !== 'expression_statement' ||
    after?.kind !== 'expression_statement' ||
    before.parent !== after.parent
  )
    return false
  const siblings = before.parent?.parts ?? []
  return siblings.indexOf(after) === siblings.indexOf(before) + 1
}

/** Splits the links of a V3 chain into one list for each interaction. */
function split(info: ContractInfo, links: readonly Link[]): Link[][] {
  if (info.kind !== 'V3') return [[...links]]
  const segments: Link[][] = [[]]
  let responded = false
  for (const link of links) {
    if (responded && ['given', 'uponReceiving'].includes(link.name)) {
      segments.push([])
      responded = false
    }
    if (/^(willRespondWith|withResponse)/.test(link.name)) responded = true
    segments.at(-1)?.push(link)
  }
  return segments
}

interface Running {
  readonly chain: Chain
  readonly info: ContractInfo
  readonly form: InteractionForm
  readonly defined: Definition
  readonly text: () => string
  /** True if the test also runs interactions that other chains define. */
  readonly runsOthers: boolean
}

/** Replaces a chain by the converted definition and the call that runs its test. */
function run(migration: Migration, running: Running): unknown {
  const { rewriter } = migration
  const { chain, info, form, defined, text, runsOthers } = running
  const node = chain.links.at(-1)?.call as Syntax
  const rest = () =>
    defined.rest
      .map(({ separator, call, name }) => `${separator}${name}${rewriter.render(call.child('arguments') as Syntax)}`)
      .join('')
  const { run } = defined
  if (run === undefined) {
    // A definition is not a promise.
    const awaited = node.parent?.kind === 'await_expression' ? node.parent : node
    return rewriter.replace(awaited, () => text() + rest())
  }
  if (defined.transport !== undefined) {
    const call = withTransport(migration, defined.transport, run)
    if (!rewriter.precede(node, text))
      throw new NotConvertible('startTransport: define the message in a separate statement')
    return rewriter.replace(node, () => `${rewriter.render(chain.base)}.serve(${call()})${rest()}`)
  }
  if (form !== 'HTTP' || run.name === 'verify') {
    const handler = messageHandler(migration, run, info, form)
    if (!rewriter.precede(node, text))
      throw new NotConvertible(`${run.name}: define the message in a separate statement`)
    return rewriter.replace(
      node,
      () =>
        `${rewriter.render(chain.base)}.verify(${rewriter.shiftedText(node, handler(), run.property, node)})${rest()}`,
    )
  }
  const test = run.args[0]
  if (test === undefined) throw new NotConvertible('executeTest: the test function is missing')
  checkServerId(migration, test)
  rewriter.count(run.property, 'executeTest')
  const isSplit = runsOthers && rewriter.precede(node, text)
  const args = () => {
    const last = isSplit ? rewriter.shifted(test, run.property, node) : rewriter.render(test)
    return [...(info.serve.length > 0 ? [rewriter.inline(info.serve)] : []), last].join(', ')
  }
  if (isSplit) {
    return rewriter.replace(node, () => `${rewriter.render(chain.base)}.serve(${args()})${rest()}`)
  }
  rewriter.replace(node, () => `${text()}${run.separator}executeTest(${args()})${rest()}`)
}

/**
 * Converts `startTransport('grpc', host).executeTest((transport) => …)`. In the converted code, the test receives the
 * mock server.
 */
function withTransport(migration: Migration, transport: Link, run: Link): () => string {
  const { rewriter } = migration
  const [name, host, config] = transport.args
  const [test] = run.args
  const [server, message] = isFunction(test) ? parametersOf(test).map(patternOf) : []
  if (
    name === undefined ||
    test === undefined ||
    message !== undefined ||
    (server !== undefined && server.kind !== 'identifier')
  ) {
    throw new NotConvertible("startTransport: use contract.serve({ transport: 'grpc', host }, (server) => …)")
  }
  for (const node of test.walk()) {
    // The address of a mock server includes the port.
    const member = memberOf(node)
    if (member?.object.text === server?.text && member?.property.text === 'address')
      rewriter.replace(member.property, 'host')
  }
  const options = [`transport: ${rewriter.render(name)}`]
  if (host !== undefined) options.push(`host: ${rewriter.render(host)}`)
  if (config !== undefined) options.push(`transportConfig: ${rewriter.render(config)}`)
  rewriter.count(transport.property, 'startTransport')
  return () => `${rewriter.inline(options)}, ${rewriter.shifted(test, run.property, run.call)}`
}

/** Converts `provider.executeTest(fn)` of V3. */
function serve(migration: Migration, chain: Chain, info: ContractInfo): unknown {
  const { rewriter } = migration
  const [link] = chain.links
  const test = link?.args[0]
  if (link === undefined || test === undefined) return
  checkServerId(migration, test)
  rewriter.replace(link.property, 'serve')
  if (info.serve.length > 0) {
    const list = link.call.child('arguments') as Syntax
    rewriter.replace(list, () => `(${rewriter.inline(info.serve)}, ${rewriter.renderChildren(list).slice(1)}`)
  }
  rewriter.count(link.property, 'executeTest')
}

/** Adds a comment to each use of `mockserver.id`, which has no counterpart. */
function checkServerId(migration: Migration, test: Syntax): void {
  const parameter = isFunction(test)
    ? test
        .child('formal_parameters')
        ?.parts[0]?.text.replace(/[:=].*/s, '')
        .trim()
    : undefined
  const name = parameter ?? (test.kind === 'arrow_function' ? test.parts[0]?.text : undefined)
  if (name === undefined) return
  for (const node of test.walk()) {
    if (node.kind === 'member_expression' && node.text === `${name}.id`) {
      migration.rewriter.todo(node, 'id: a mock server has no ID; use its unique url')
    }
  }
}

/** Converts `provider.addInteraction({ … })` of V3, which `executeTest` can follow. */
function addInteraction(migration: Migration, chain: Chain, info: ContractInfo): unknown {
  const { rewriter } = migration
  const last = chain.links.at(-1)
  const adding = chain.links.filter(({ name }) => name === 'addInteraction')
  const runs = chain.links.find(({ name }) => name === 'executeTest')
  if (chain.links.length !== adding.length + (runs ? 1 : 0) || last === undefined) {
    throw new NotConvertible('addInteraction: use contract.interaction({ description, states, request, response })')
  }
  const texts = adding.map((link) => {
    const [argument] = argumentsOf(link.call)
    const text = argument && interactionText(migration, argument)
    if (argument === undefined || text === undefined) {
      throw new NotConvertible('addInteraction: use contract.interaction({ description, states, request, response })')
    }
    rewriter.count(link.property, 'addInteraction')
    return () =>
      `${rewriter.render(chain.base)}.interaction(${rewriter.shiftedText(argument, text(), link.property, chain.base)})`
  })
  const final = runs === undefined ? texts.pop() : undefined
  for (const text of texts) {
    if (!rewriter.precede(chain.node, text))
      throw new NotConvertible('addInteraction: add the interaction in a separate statement')
  }
  if (runs === undefined) return rewriter.replace(last.call, () => final?.() ?? '')
  const list = runs.call.child('arguments') as Syntax
  const options = info.serve.length > 0 ? `${rewriter.inline(info.serve)}, ` : ''
  rewriter.replace(last.call, () => `${rewriter.render(chain.base)}.serve(${options}${rewriter.render(list).slice(1)}`)
  rewriter.count(runs.property, 'executeTest')
}
