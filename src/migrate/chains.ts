// Converts chains of calls that define an interaction.
import { convertMatchingRules } from './matching-rules.js'
import type { Migration } from './migration.js'
import { methodText, requestText, responseText } from './parts.js'
import {
  argumentsOf,
  bodyOf,
  calleeOf,
  chainOf,
  isFunction,
  type Link,
  memberNamed,
  membersOf,
  parametersOf,
  patternOf,
  type Syntax,
  stringOf,
} from './syntax.js'

/** A call in the converted code, such as `.withHeader('A', 'b')`. */
export interface Item {
  readonly separator: string
  readonly text: () => string
}

/** The converted calls that define one interaction, and the remaining calls of their chain. */
export interface Definition {
  readonly items: readonly Item[]
  /** The call that runs the test, such as `executeTest`. `undefined` if the chain has none. */
  readonly run: Link | undefined
  /** The `startTransport` call, which starts a plugin's mock server. `undefined` if the chain has none. */
  readonly transport: Link | undefined
  /** Calls that follow the test, such as `then`. */
  readonly rest: readonly Link[]
}

/** The kind of an interaction that pact-js code defines. */
export type InteractionForm = 'HTTP' | 'Async' | 'Sync'

/** Thrown if a chain cannot be converted. The message is an instruction for the user. */
export class NotConvertible extends Error {}

const RUN = ['executeTest', 'verify']

/**
 * Converts the calls of a chain that defines one interaction. Throws `NotConvertible` if a call has no counterpart.
 */
export function definition(migration: Migration, links: readonly Link[], form: InteractionForm): Definition {
  const runAt = links.findIndex(({ name }) => RUN.includes(name))
  const defining = runAt === -1 ? links : links.slice(0, runAt)
  const state: State = { migration, form, items: [], graphql: {}, responses: 0 }
  const begun = defining.filter(({ name }) => name === 'uponReceiving' || name === 'expectsToReceive')
  const opening = defining.find(({ name }) => name === 'addSynchronousInteraction')
  const [first] = begun.length > 0 ? begun : [opening]
  if (first === undefined || begun.length > 1) {
    throw new NotConvertible(
      'define the interaction in one chain that starts with uponReceiving(description), then run the command again',
    )
  }
  const [description] = first.args
  const start = hasComment(first.separator) ? first.separator : (defining[0]?.separator ?? '.')
  const kind = form === 'HTTP' ? '' : `, ${migration.rewriter.string(form)}`
  if (description === undefined) throw new NotConvertible('the description of the interaction is missing')
  push(state, start, () => `uponReceiving(${migration.rewriter.render(description)}${kind})`)
  for (const link of defining) convertLink(state, link)
  flushGraphQL(state, defining.at(-1)?.separator ?? '.')
  const transport = defining.find(({ name }) => name === 'startTransport')
  return { items: state.items, transport, run: links[runAt], rest: runAt === -1 ? [] : links.slice(runAt + 1) }
}

/** Returns converted calls as text. */
export function itemsText(items: readonly Item[]): string {
  return items.map(({ separator, text }) => separator + text()).join('')
}

interface State {
  readonly migration: Migration
  readonly form: InteractionForm
  readonly items: Item[]
  graphql: { query?: Syntax; variables?: Syntax; operation?: Syntax }
  /** Number of responses that the chain has defined so far. */
  responses: number
}

function push(state: State, separator: string, text: () => string): undefined {
  state.items.push({ separator, text })
}

function hasComment(separator: string): boolean {
  return separator.includes('//') || separator.includes('/*')
}

/**
 * Returns the separator in front of the second and later calls that replace one call: `separator` without its comments.
 */
function following(separator: string): string {
  return hasComment(separator) ? separator.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').replace(/\n\s*\n/g, '\n') : separator
}

function convertLink(state: State, link: Link): unknown {
  const { migration } = state
  const { rewriter } = migration
  const { name, args, separator } = link
  const [first, second, third, fourth] = args
  const render = (node: Syntax) => rewriter.render(node)
  const list = () => render(link.call.child('arguments') as Syntax)
  const same = (as = name) => push(state, separator, () => `${as}${list()}`)
  switch (name) {
    case 'addInteraction':
    case 'addAsynchronousInteraction':
    case 'addSynchronousInteraction':
    case 'addGraphQLInteraction':
    case 'uponReceiving':
    case 'startTransport':
      return
    case 'expectsToReceive':
      return second === undefined ? undefined : builder(state, link, second)
    case 'given':
      return convertGiven(state, link)
    case 'pending':
    case 'testName':
    case 'usingPlugin':
      return same()
    case 'reference':
      return same('addReference')
    case 'comment':
      return comment(state, link)
    case 'withRequest':
      return withRequest(state, link)
    case 'withResponse':
      push(state, separator, () => 'willRespondWith()')
      return first === undefined ? undefined : builder(state, link, first)
    case 'withCompleteRequest':
      return first && part(state, link, first)
    case 'withCompleteResponse':
      return first && part(state, link, first)
    case 'willRespondWith':
      return willRespondWith(state, link)
    case 'withRequestBinaryFile':
    case 'withResponseBinaryFile': {
      if (!first || !second || !third) throw new NotConvertible(`${name}: use withBinaryFile(file, contentType)`)
      part(state, link, first)
      return push(state, following(separator), () => `withBinaryFile(${render(third)}, ${render(second)})`)
    }
    case 'withRequestMultipartFileUpload':
    case 'withResponseMultipartFileUpload': {
      if (!first || !second || !third || !fourth) throw new NotConvertible(`${name}: use withMultipartFile(name, file)`)
      part(state, link, first)
      return multipart(state, following(separator), [second, third, fourth, args[4]])
    }
    case 'withRequestMatchingRules':
    case 'withResponseMatchingRules': {
      if (!first || !second) throw new NotConvertible(`${name}: use withMatchingRules(rules)`)
      const rules = convertMatchingRules(migration, second)
      if (rules === undefined) throw new NotConvertible(`${name}: use withMatchingRules({ body: { path: matcher } })`)
      part(state, link, first)
      return push(state, following(separator), () => `withMatchingRules(${rules()})`)
    }
    case 'withOperation':
      if (first) state.graphql.operation = first
      return
    case 'withVariables':
      if (first) state.graphql.variables = first
      return
    case 'withQuery':
    case 'withMutation':
      if (first) state.graphql.query = first
      return
    case 'withContent':
      return push(state, separator, () => `withJsonBody${list()}`)
    case 'withTextContent':
      return push(state, separator, () => `withBody${list()}`)
    case 'withBinaryContent':
      return push(state, separator, () => `withBinaryBody${list()}`)
    case 'withMetadata':
    case 'withPluginContents':
      return same()
    default:
      throw new NotConvertible(`${name}: convert this call; see "Moving from pact-js" in the documentation`)
  }
}

function convertGiven(state: State, link: Link): unknown {
  const { rewriter } = state.migration
  const [first, second] = link.args
  if (first === undefined) throw new NotConvertible('given: the name of the state is missing')
  if (second !== undefined) {
    return push(state, link.separator, () => `givenWith${rewriter.render(link.call.child('arguments') as Syntax)}`)
  }
  const members = membersOf(first)
  if (members === undefined) return push(state, link.separator, () => `given(${rewriter.render(first)})`)
  const name = memberNamed(members, 'name')
  const parameters = memberNamed(members, 'params')
  if (!name) throw new NotConvertible('given: use given(name) or givenWith(name, parameters)')
  push(state, link.separator, () =>
    parameters
      ? `givenWith(${rewriter.render(name.value)}, ${rewriter.render(parameters.value)})`
      : `given(${rewriter.render(name.value)})`,
  )
}

function comment(state: State, link: Link): unknown {
  const { rewriter } = state.migration
  const [first] = link.args
  const members = membersOf(first)
  const key = members && memberNamed(members, 'key')
  const value = members && memberNamed(members, 'value')
  if (key && value)
    return push(
      state,
      link.separator,
      () => `setComment(${rewriter.render(key.value)}, ${rewriter.render(value.value)})`,
    )
  if (first === undefined || !['string', 'template_string'].includes(first.kind)) {
    throw new NotConvertible('comment: use addTextComment(text) or setComment(key, value)')
  }
  push(state, link.separator, () => `addTextComment(${rewriter.render(first)})`)
}

/**
 * Adds a call with an object, either `withRequest` or `willRespondWith`, depending on the name of the original call.
 */
function part(state: State, link: Link, object: Syntax): unknown {
  const { migration } = state
  if (link.name.includes('Response') || link.name === 'willRespondWith') {
    flushGraphQL(state, link.separator)
    const response = responseText(migration, object)
    return push(state, link.separator, () => `willRespondWith(${response()})`)
  }
  const request = requestText(migration, object)
  push(state, link.separator, () => `withRequest(${request()})`)
}

function withRequest(state: State, link: Link): unknown {
  const { rewriter } = state.migration
  const [first, second, third] = link.args
  if (first === undefined) throw new NotConvertible('withRequest: the request is missing')
  if (state.form === 'Sync') return builder(state, link, first)
  if (second === undefined) return part(state, link, first)
  push(state, link.separator, () => `withRequest(${methodText(state.migration, first)}, ${rewriter.render(second)})`)
  if (third !== undefined) builder(state, link, third)
}

function willRespondWith(state: State, link: Link): unknown {
  const { migration } = state
  const [first, second] = link.args
  if (first === undefined) throw new NotConvertible('willRespondWith: the response is missing')
  const literal = migration.literal(first)
  if (second === undefined && literal !== undefined) return part(state, link, first)
  flushGraphQL(state, link.separator)
  push(state, link.separator, () => `willRespondWith(${migration.rewriter.render(first)})`)
  if (second !== undefined) builder(state, link, second)
}

/** Combines the GraphQL calls so far, which can follow `withRequest` in any order, into one call. */
function flushGraphQL(state: State, separator: string): undefined {
  const { query, variables, operation } = state.graphql
  if (query === undefined) {
    if (variables || operation)
      throw new NotConvertible('GraphQL: the query is missing; use withGraphQL({ query, variables, operationName })')
    return
  }
  const { rewriter } = state.migration
  state.graphql = {}
  push(state, following(separator), () => {
    const members = [member('query', rewriter.render(query))]
    if (variables) members.push(member('variables', rewriter.render(variables)))
    if (operation) members.push(member('operationName', rewriter.render(operation)))
    return `withGraphQL(${rewriter.inline(members)})`
  })
}

function member(name: string, value: string): string {
  return name === value ? name : `${name}: ${value}`
}

function multipart(state: State, separator: string, args: readonly (Syntax | undefined)[]): undefined {
  const { rewriter } = state.migration
  const [type, file, name, boundary] = args.map((node) => (node === undefined ? '' : rewriter.render(node)))
  const members = [member('contentType', type ?? ''), ...(boundary ? [member('boundary', boundary)] : [])]
  push(state, separator, () => `withMultipartFile(${name}, ${file}, ${rewriter.inline(members)})`)
}

/** Converts a callback that defines a request or response into calls of the chain. */
function builder(state: State, link: Link, callback: Syntax): undefined {
  if (callback.text === 'undefined') return
  const { source } = state.migration.rewriter
  const [parameter, more] = isFunction(callback) ? parametersOf(callback).map(patternOf) : []
  const body = isFunction(callback) ? bodyOf(callback) : undefined
  if (parameter?.kind !== 'identifier' || more !== undefined || body === undefined) {
    throw new NotConvertible(
      `${link.name}: replace the callback with calls in the chain, such as withHeaders(…).withJsonBody(…)`,
    )
  }
  const statements = body.kind === 'statement_block' ? body.children.filter(({ named }) => named) : [body]
  let comments: string[] = []
  for (const statement of statements) {
    if (statement.kind === 'comment') {
      comments.push(statement.text)
      continue
    }
    const expression = ['expression_statement', 'return_statement'].includes(statement.kind)
      ? statement.parts[0]
      : statement
    if (statement.kind === 'return_statement' && expression?.text === parameter.text) continue
    const chain = expression?.kind === 'call_expression' ? chainOf(expression, source) : undefined
    if (chain === undefined || chain.base.text !== parameter.text) {
      throw new NotConvertible(
        `${link.name}: the callback contains statements other than calls on its parameter; replace it with calls such as withHeaders(…).withJsonBody(…)`,
      )
    }
    for (const inner of chain.links) {
      const own = [...comments, ...(inner.separator.match(/\/\/.*|\/\*[\s\S]*?\*\//g) ?? [])]
      comments = []
      built(state, commented(state, link, own), inner)
    }
    trail(
      state,
      statement.children.filter(({ kind }) => kind === 'comment').map(({ text }) => text),
    )
  }
  trail(state, comments)
}

/** Adds comments after the last call. They are block comments, so that code can follow on the same line. */
function trail(state: State, comments: readonly string[]): void {
  const last = state.items.at(-1)
  if (last === undefined || comments.length === 0) return
  const blocks = comments.map((text) => (text.startsWith('//') ? `/* ${text.slice(2).trim()} */` : text))
  state.items[state.items.length - 1] = { ...last, text: () => `${last.text()} ${blocks.join(' ')}` }
}

/** Returns a copy of a link that writes comments in front of its converted calls. */
function commented(state: State, link: Link, comments: readonly string[]): Link {
  if (comments.length === 0) return link
  const { rewriter } = state.migration
  const separator = following(link.separator)
  const extra = separator.includes('\n') ? '' : rewriter.indentUnit
  const line = `${rewriter.newline}${rewriter.indentOf(link.property)}${extra}`
  return { ...link, separator: `${comments.map((text) => line + text).join('')}${line}.`, hasOwnComments: true }
}

function built(state: State, outer: Link, link: Link): unknown {
  const { migration } = state
  const { rewriter } = migration
  const separator = outer.hasOwnComments ? outer.separator : following(outer.separator)
  const [first, second, third, fourth] = link.args
  const list = link.call.child('arguments') as Syntax
  const text = (node: Syntax) => rewriter.shifted(node, link.property, outer.property)
  const add = (make: () => string) => push(state, separator, make)
  switch (link.name) {
    case 'query':
      return add(() => `withQueryParameters${text(list)}`)
    case 'headers':
      return add(() => `withHeaders${text(list)}`)
    case 'jsonBody':
    case 'withJSONContent':
      return add(() => `withJsonBody${text(list)}`)
    case 'withMetadata':
      return add(() => `withMetadata${text(list)}`)
    case 'xmlBody':
      if (first === undefined || (stringOf(first) === undefined && first.kind !== 'template_string')) {
        throw new NotConvertible('xmlBody: use withXmlBody(xml.element(name, attributes, ...children))')
      }
      return add(() => `withXmlBody${text(list)}`)
    case 'binaryFile':
      if (!first || !second) break
      return add(() => `withBinaryFile(${rewriter.render(second)}, ${rewriter.render(first)})`)
    case 'multipartBody':
      if (!first || !second || !third) break
      return multipart(state, separator, [first, second, third, fourth])
    case 'body':
    case 'withContent': {
      if (!first || !second) break
      const bytes = stringOf(first) === 'application/octet-stream' ? 'bytes' : 'contentType'
      const options = [member('contentType', rewriter.render(first)), `match: ${rewriter.string(bytes)}`]
      return add(() => `withBinaryBody(${text(second)}, ${rewriter.inline(options)})`)
    }
    case 'matchingRules':
    case 'withMatchingRules': {
      const rules = first && convertMatchingRules(migration, first)
      if (first === undefined || rules === undefined) break
      return add(() => `withMatchingRules(${rewriter.shiftedText(first, rules(), link.property, outer.property)})`)
    }
    case 'pluginContents':
      if (!first || !second) break
      return add(() => `withPluginContents(${rewriter.render(second)}, ${rewriter.render(first)})`)
  }
  throw new NotConvertible(`${link.name}: convert this call; see "Moving from pact-js" in the documentation`)
}

/** Returns the handler that a pact-js function such as `asynchronousBodyHandler(…)` wraps. */
export function handlerOf(migration: Migration, node: Syntax): Syntax | undefined {
  const name = node.kind === 'call_expression' ? migration.names.exportOf(calleeOf(node)) : undefined
  return name !== undefined && /^(v4)?(a?)synchronousBodyHandler$/i.test(name) ? argumentsOf(node)[0] : undefined
}
