// Converts message handlers.
import { handlerOf, NotConvertible } from './chains.js'
import type { ContractInfo } from './contracts.js'
import type { Migration } from './migration.js'
import { bodyOf, isFunction, type Link, memberOf, parametersOf, patternOf, type Syntax } from './syntax.js'

/**
 * Returns the arguments of `verify` for a message handler of pact-js. Throws `NotConvertible` if the handler is missing
 * or cannot be converted.
 */
export function messageHandler(
  migration: Migration,
  run: Link,
  info: ContractInfo,
  form: 'HTTP' | 'Async' | 'Sync',
): () => string {
  const { rewriter } = migration
  const [handler] = run.args
  if (handler === undefined) throw new NotConvertible(`${run.name}: the handler is missing`)
  const kind = rewriter.string(form)
  const wrapped = handlerOf(migration, handler)
  if (wrapped !== undefined) {
    rewriter.count(run.property, run.name)
    return () => `${migration.use('bodyHandler')}(${rewriter.render(wrapped)}), ${kind}`
  }
  const text = form === 'Sync' ? syncHandler(migration, handler) : asyncHandler(migration, handler, info)
  rewriter.count(run.property, run.name)
  // pact-js ignores the return value of the handler.
  return form === 'Sync' ? () => `${text()}, ${kind}, { checkResponse: false }` : () => `${text()}, ${kind}`
}

const WHOLE = {
  Async: 'the handler receives (body, metadata, message) instead of the whole message',
  Sync: 'the handler receives (body, metadata, message): body is the request, and message.responses contains the responses',
}

/** Converts a handler that receives the whole message. Only its contents and metadata may be used. */
function asyncHandler(migration: Migration, handler: Syntax, info: ContractInfo): () => string {
  const { rewriter } = migration
  if (isFunction(handler) && parametersOf(handler).length === 0) return () => rewriter.render(handler)
  const parameter = soleParameter(handler)
  if (!isFunction(handler) || parameter === undefined) throw new NotConvertible(`verify: ${WHOLE.Async}`)
  const inner = info.kind === 'V4' ? ['contents', 'content'] : ['contents']
  const replacements: [Syntax, 'body' | 'metadata'][] = []
  if (parameter.kind === 'object_pattern' && info.kind === 'message') {
    const members = parameter.parts.map(({ text }) => text)
    if (members.some((name) => name !== 'contents' && name !== 'metadata'))
      throw new NotConvertible(`verify: ${WHOLE.Async}`)
    return () =>
      withParameters(
        migration,
        handler,
        `(contents${migration.typed ? ': any' : ''}${members.includes('metadata') ? ', metadata' : ''})`,
      )
  }
  if (parameter.kind !== 'identifier') throw new NotConvertible(`verify: ${WHOLE.Async}`)
  if (uses(handler, 'body', 'metadata')) throw new NotConvertible(`verify: ${WHOLE.Async}`)
  for (const node of bodyOf(handler)?.walk() ?? []) {
    if (node.kind !== 'identifier' || node.text !== parameter.text) continue
    const member = memberOf(node.parent)
    if (member?.object !== node) throw new NotConvertible(`verify: ${WHOLE.Async}`)
    if (member.property.text === 'metadata') {
      replacements.push([node.parent as Syntax, 'metadata'])
      continue
    }
    let used = node
    for (const name of inner) {
      const next = memberOf(used.parent)
      if (next?.property.text !== name) throw new NotConvertible(`verify: ${WHOLE.Async}`)
      used = used.parent as Syntax
    }
    replacements.push([used, 'body'])
  }
  for (const [node, name] of replacements) rewriter.replace(node, name)
  const hasMetadata = replacements.some(([, name]) => name === 'metadata')
  const type = migration.typed ? ': any' : ''
  return () => withParameters(migration, handler, hasMetadata ? `(body${type}, metadata)` : `(body${type})`)
}

/**
 * Converts a handler for a synchronous message, in which `m.Request.content` and `m.Response[0].content` are bytes.
 */
function syncHandler(migration: Migration, handler: Syntax): () => string {
  const { rewriter } = migration
  const parameter = soleParameter(handler)
  if (isFunction(handler) && parametersOf(handler).length === 0) return () => rewriter.render(handler)
  if (!isFunction(handler) || parameter?.kind !== 'identifier') throw new NotConvertible(`executeTest: ${WHOLE.Sync}`)
  if (uses(handler, '_body', 'message')) throw new NotConvertible(`executeTest: ${WHOLE.Sync}`)
  const replacements: [Syntax, string][] = []
  for (const node of bodyOf(handler)?.walk() ?? []) {
    if (node.kind !== 'identifier' || node.text !== parameter.text) continue
    const found = [...ancestors(node)].find(({ text }) => /^\w+\.(Request|Response\[\d+\])\.content$/.test(text))
    if (found === undefined) throw new NotConvertible(`executeTest: ${WHOLE.Sync}`)
    const index = /\[(\d+)\]/.exec(found.text)?.[1]
    const place = index === undefined ? 'message.raw' : `message.responses[${index}]${migration.typed ? '!' : ''}.raw`
    replacements.push([found, `Buffer.from(${place})`])
  }
  for (const [node, text] of replacements) rewriter.replace(node, text)
  const list = replacements.length === 0 ? '()' : '(_body, _metadata, message)'
  return () => withParameters(migration, handler, list)
}

/** Returns whether the function's body contains one of these names. */
function uses(handler: Syntax, ...names: string[]): boolean {
  const parameter = soleParameter(handler)?.text
  return [...handler.walk()].some(
    ({ kind, text }) => kind === 'identifier' && text !== parameter && names.includes(text),
  )
}

function* ancestors(node: Syntax): Generator<Syntax> {
  for (let at: Syntax | undefined = node; at !== undefined; at = at.parent) yield at
}

function soleParameter(handler: Syntax): Syntax | undefined {
  const parameters = isFunction(handler) ? parametersOf(handler) : []
  return parameters.length === 1 ? patternOf(parameters[0] as Syntax) : undefined
}

/** Returns the text of a function whose parameters are replaced by `list`. */
function withParameters(migration: Migration, handler: Syntax, list: string): string {
  const { rewriter } = migration
  const parameters = handler.child('formal_parameters') ?? handler.parts[0]
  if (parameters === undefined) return rewriter.renderChildren(handler)
  rewriter.replace(parameters, list)
  return rewriter.renderChildren(handler)
}
