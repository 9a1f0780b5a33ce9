// Converts the life cycle of V2 contracts: setup, addInteraction, verify, finalize.
import { definition, itemsText, NotConvertible } from './chains.js'
import type { ContractInfo, Contracts } from './contracts.js'
import type { Migration } from './migration.js'
import { interactionText } from './parts.js'
import {
  argumentsOf,
  bare,
  bodyOf,
  type Chain,
  calleeOf,
  chainOf,
  functionAround,
  isAsync,
  isFunction,
  memberOf,
  parametersOf,
  type Syntax,
  statementAround,
} from './syntax.js'

const HOOKS = /^(before|after|beforeAll|afterAll|beforeEach|afterEach|setup|teardown|suiteSetup|suiteTeardown)$/
const BEFORE = /^(before|beforeAll|beforeEach|setup|suiteSetup)$/
const WITHOUT_COUNTERPART = ['setup', 'finalize', 'removeInteractions', 'writePact']
const INTERACTIONS = ['Interaction', 'GraphQLInteraction', 'ApolloGraphQLInteraction']

/** Converts the calls on V2 contracts. In the converted code, a variable contains the running mock server. */
export class V2Lifecycle {
  readonly #migration: Migration
  readonly #contracts: Contracts
  readonly #servers = new Map<ContractInfo, string>()
  /** Functions in which a contract is set up. When they run, the mock server is not running yet. */
  readonly #settingUp = new Set<Syntax | undefined>()
  readonly #removed = new Set<Syntax>()
  readonly #async = new Set<Syntax>()

  constructor(migration: Migration, contracts: Contracts) {
    this.#migration = migration
    this.#contracts = contracts
  }

  convert(chain: Chain, info: ContractInfo): unknown {
    const [first] = chain.links
    if (first === undefined) return
    if (first.name === 'addInteraction') return this.#addInteraction(chain, info)
    if (first.name === 'verify') return this.#verify(chain, info)
    if (!WITHOUT_COUNTERPART.includes(first.name)) return
    if (first.name === 'setup') this.#settingUp.add(functionAround(chain.node))
    if (chain.links.length === 1 && this.#remove(chain.node)) return
    // In pact-js, setup() resolves with options that contain the port.
    const port = info.serve.find((option) => /^port\b/.test(option))
    const isUsed = first.name === 'setup' && usesResult(chain)
    const isDeclared = chain.links.length === 1
    if (isUsed && (port === undefined || (isDeclared && !/^port: \d+$/.test(port)))) {
      throw new NotConvertible(
        'setup: the port is known after contract.serve(); use server.url there, or pass { port } to serve()',
      )
    }
    this.#migration.rewriter.replace(first.call, `Promise.resolve(${isUsed ? `{ ${port} }` : ''})`)
  }

  /** Declares the variable for a contract's mock server, unless it is already declared, and returns its name. */
  #server(info: ContractInfo): string {
    const found = info.server ?? this.#servers.get(info)
    if (found !== undefined) return found
    const { names, rewriter } = this.#migration
    const isTaken = (name: string) => names.isUsed(name) || [...this.#servers.values()].includes(name)
    const name =
      ['server', 'mockServer', 'pactServer'].find((each) => !isTaken(each)) ?? `${info.key.replace(/\W/g, '')}Server`
    this.#servers.set(info, name)
    if (info.declaration === undefined)
      throw new NotConvertible('keep the mock server that contract.serve() returns, and stop it after the test')
    const type = this.#migration.typed ? `: ${this.#migration.use('MockServer', true)}` : ''
    rewriter.after(info.declaration, `let ${name}${type}${rewriter.semicolon}`)
    return name
  }

  #addInteraction(chain: Chain, info: ContractInfo): unknown {
    const { rewriter } = this.#migration
    const [link] = chain.links
    const [argument] = link?.args ?? []
    if (link === undefined || argument === undefined) return
    const define = this.#definition(chain, argument)
    if (define === undefined) {
      throw new NotConvertible(
        'addInteraction: use contract.interaction({ description, states, request, response }), then server = await contract.serve()',
      )
    }
    const server = this.#server(info)
    const options = info.serve.length > 0 ? rewriter.inline(info.serve) : ''
    const serve = () => `${rewriter.render(chain.base)}.serve(${options})`
    rewriter.count(link.property, 'addInteraction')
    const statement = this.#wholeStatement(chain.node)
    const inside = functionAround(chain.node)
    if (chain.links.length === 1 && statement !== undefined && inside !== undefined && this.#canWait(inside)) {
      rewriter.replace(statement.expression, () => `${define()}${rewriter.semicolon}`)
      rewriter.after(statement.node, () => `${server} = await ${serve()}${rewriter.semicolon}`)
      this.#makeAsync(inside)
      return
    }
    const arrow = inside?.kind === 'arrow_function' && bodyOf(inside) === chain.node ? inside : undefined
    if (chain.links.length === 1 && arrow !== undefined) {
      this.#makeAsync(arrow)
      const indent = rewriter.indentOf(arrow)
      const line = `${rewriter.newline}${indent}${rewriter.indentUnit}`
      rewriter.replaceBody(chain.node, () => {
        const end = `${rewriter.semicolon}${rewriter.newline}${indent}}`
        return `{${line}${define()}${rewriter.semicolon}${line}${server} = await ${serve()}${end}`
      })
      return
    }
    if (!rewriter.precede(chain.node, define))
      throw new NotConvertible('addInteraction: define the interaction in a separate statement')
    rewriter.replace(link.call, () => `${serve()}.then((started) => { ${server} = started })`)
  }

  /** Returns the code that defines the interaction in an argument, or `undefined` for unsupported expressions. */
  #definition(chain: Chain, argument: Syntax): (() => string) | undefined {
    const { names, rewriter } = this.#migration
    const contract = () => rewriter.render(chain.base)
    const built = this.#builtBy(argument)
    if (built !== undefined) {
      const base = built.base.kind === 'new_expression' ? names.exportOf(built.base.parts[0]) : undefined
      const isApollo = base === 'ApolloGraphQLInteraction'
      const defined = definition(this.#migration, built.links, 'HTTP')
      if (isApollo)
        throw new NotConvertible(
          'ApolloGraphQLInteraction: use withGraphQL({ query, variables: {}, operationName: null })',
        )
      return () => `${contract()}${itemsText(defined.items)}`
    }
    const text = interactionText(this.#migration, argument)
    return text && (() => `${contract()}.interaction(${text()})`)
  }

  /**
   * Returns the chain of `new Interaction()` to which an expression refers, either directly or through a constant that
   * is used only once.
   */
  #builtBy(argument: Syntax): Chain | undefined {
    const { names, rewriter } = this.#migration
    const isBuilder = (chain: Chain | undefined) =>
      chain?.base.kind === 'new_expression' && INTERACTIONS.includes(names.exportOf(chain.base.parts[0]) ?? '')
    const direct = chainOf(bare(argument), rewriter.source)
    if (isBuilder(direct)) return direct
    if (argument.kind !== 'identifier') return undefined
    const declarators = names.references(argument.text).map(({ parent }) => parent)
    const declarator = declarators.find(
      (each) => each?.kind === 'variable_declarator' && each.parts[0]?.text === argument.text,
    )
    const value = declarator?.parts.at(-1)
    const chain = value && chainOf(bare(value), rewriter.source)
    if (!isBuilder(chain) || declarators.length !== 2 || declarator?.parent === undefined) return undefined
    rewriter.remove(declarator.parent)
    return chain
  }

  #verify(chain: Chain, info: ContractInfo): void {
    const [link] = chain.links
    if (link === undefined) return
    const { rewriter } = this.#migration
    rewriter.replace(link.call, `${this.#server(info)}.stop()`)
    rewriter.count(link.property, 'verify')
  }

  /**
   * Returns the statement that consists of a call, optionally with `await` or `return`. Returns `undefined` if the call
   * is only a part of its statement.
   */
  #wholeStatement(call: Syntax): { readonly node: Syntax; readonly expression: Syntax } | undefined {
    let outer = call
    if (outer.parent?.kind === 'await_expression') outer = outer.parent
    const node = outer.parent
    if (node === undefined || (node.kind !== 'expression_statement' && node.kind !== 'return_statement'))
      return undefined
    return statementAround(call) === node ? { node, expression: node } : undefined
  }

  /** Returns whether the function that contains the node is async or can be made async. */
  #canWait(inside: Syntax): boolean {
    return isAsync(inside) || parametersOf(inside).length === 0 || this.#async.has(inside)
  }

  #makeAsync(inside: Syntax): void {
    if (isAsync(inside) || this.#async.has(inside)) return
    this.#async.add(inside)
    const { rewriter } = this.#migration
    if (inside.kind === 'method_definition') throw new NotConvertible('addInteraction: make the method async')
    rewriter.replace(inside, () => `async ${rewriter.renderChildren(inside)}`)
  }

  /**
   * Removes a call that is no longer needed: its statement, or the hook that contains nothing else. Returns false if it
   * is part of other code.
   */
  #remove(call: Syntax): boolean {
    const { rewriter } = this.#migration
    const inside = functionAround(call)
    const outer = call.parent?.kind === 'await_expression' ? call.parent : call
    if (inside !== undefined && bodyOf(inside) === outer) {
      const hook = this.#hookOf(inside)
      if (hook === undefined) return false
      this.#removed.add(hook)
      rewriter.remove(hook)
      return true
    }
    const statement = this.#wholeStatement(call)
    if (statement === undefined) return false
    this.#removed.add(statement.node)
    rewriter.remove(statement.node)
    return true
  }

  /** Returns the statement of the hook that contains the node, such as `beforeAll(() => …)`. */
  #hookOf(inside: Syntax): Syntax | undefined {
    const call = inside.parent?.kind === 'arguments' ? inside.parent.parent : undefined
    const name = call && calleeOf(call)?.text
    const statement = call?.parent?.kind === 'expression_statement' ? call.parent : undefined
    return name !== undefined && HOOKS.test(name) ? statement : undefined
  }

  /** Converts the remaining uses of `mockService`, and removes hooks that have become empty. */
  finish(): void {
    const { rewriter } = this.#migration
    for (const node of rewriter.root.walk()) this.#address(node)
    for (const statement of this.#removed) {
      const inside = functionAround(statement)
      const body = inside && bodyOf(inside)
      if (
        inside === undefined ||
        body?.kind !== 'statement_block' ||
        !body.parts.every((part) => this.#removed.has(part))
      )
        continue
      if (body.children.some(({ kind }) => kind === 'comment')) continue
      const hook = this.#hookOf(inside)
      if (hook !== undefined) rewriter.remove(hook)
    }
  }

  #address(node: Syntax): void {
    const { rewriter } = this.#migration
    const info = this.#contracts.find(this.#addressOf(node))
    if (info === undefined) return
    const inside = functionAround(node)
    const isEarly = inside === undefined || functionsAround(node).some((each) => this.#isBeforeTests(each, node))
    if (!isEarly && inside !== undefined && (info.server !== undefined || this.#servers.has(info))) {
      rewriter.replace(node, `${this.#server(info)}.url`)
      rewriter.count(node, 'mockService.baseUrl')
    } else if (info.fixedUrl !== undefined) {
      rewriter.replace(node, info.fixedUrl)
      rewriter.count(node, 'mockService.baseUrl')
    } else {
      rewriter.todo(node, 'mockService.baseUrl: use the url of the server that contract.serve() returns')
    }
  }

  /**
   * Returns the contract whose address is read: `provider` in `provider.mockService.baseUrl` or
   * `getProviderBaseUrl(provider)`.
   */
  #addressOf(node: Syntax): Syntax | undefined {
    const called = node.kind === 'call_expression' ? this.#migration.names.meaningOf(calleeOf(node)) : undefined
    if (called?.is === 'jest-pact' && called.name === 'getProviderBaseUrl') return argumentsOf(node)[0]
    const member = memberOf(node)
    const service = member && memberOf(bare(member.object))
    return member?.property.text === 'baseUrl' && service?.property.text === 'mockService' ? service.object : undefined
  }

  /** Returns whether the node is in a function that runs before the mock server starts. */
  #isBeforeTests(inside: Syntax, node: Syntax): boolean {
    const started = (where: Syntax) =>
      [...where.walk()].some((each) => each.text === 'addInteraction' && each.start < node.start)
    if (this.#settingUp.has(inside)) return !started(inside)
    const hook = this.#hookOf(inside)
    const name = hook && calleeOf(hook.parts[0] as Syntax)?.text
    if (hook === undefined || name === undefined || !BEFORE.test(name)) return false
    // An earlier hook of the same suite has started it.
    const earlier = hook.parent?.parts.slice(0, hook.parent.parts.indexOf(hook)) ?? []
    const hooks = earlier.filter((each) =>
      BEFORE.test(each.parts[0] === undefined ? '' : (calleeOf(each.parts[0])?.text ?? '')),
    )
    return ![inside, ...hooks].some(started)
  }
}

/** Returns whether a variable or the parameter of a callback receives the value with which a call resolves. */
function usesResult(chain: Chain): boolean {
  const [, then] = chain.links
  const callback = then?.args[0]
  if (then !== undefined) return then.name === 'then' && (!isFunction(callback) || parametersOf(callback).length > 0)
  const outer = chain.node.parent?.kind === 'await_expression' ? chain.node.parent : chain.node
  return outer.parent?.kind === 'variable_declarator' || outer.parent?.kind === 'assignment_expression'
}

function functionsAround(node: Syntax): Syntax[] {
  const inside = functionAround(node)
  return inside === undefined ? [] : [inside, ...functionsAround(inside)]
}
