// Converts requests, responses, and whole interactions in object literals.
import type { Migration } from './migration.js'
import { type Member, memberNamed, membersOf, type Syntax, stringOf } from './syntax.js'

/** Converts a request. If the expression is a constant in this file, converts the constant's declaration. */
export function requestText(migration: Migration, node: Syntax): () => string {
  return objectText(migration, node, (member) => {
    if (member.name === 'method' && member.form === 'pair') {
      return migration.rewriter.member(member, 'method', methodText(migration, member.value))
    }
    const isText = member.value.kind === 'template_string' || stringOf(member.value) !== undefined
    if (member.name === 'query' && isText) {
      return migration.rewriter.member(
        member,
        'query',
        `new URLSearchParams(${migration.rewriter.render(member.value)})`,
      )
    }
    return undefined
  })
}

/** Converts a response. */
export function responseText(migration: Migration, node: Syntax): () => string {
  return objectText(migration, node, () => undefined)
}

/** Converts members of an object literal. For a constant, converts its declaration and returns its name. */
function objectText(migration: Migration, node: Syntax, change: (member: Member) => string | undefined): () => string {
  const { rewriter } = migration
  const literal = migration.literal(node)
  const members = membersOf(literal?.object)
  if (literal === undefined || members === undefined) return () => rewriter.render(node)
  const text = () =>
    rewriter.object(literal.object, (item) => {
      const member = members.find((each) => each.node === item)
      return (member && change(member)) ?? rewriter.render(item)
    })
  if (literal.declarator === undefined) return text
  rewriter.replace(literal.object, text)
  return () => rewriter.render(node)
}

/** Converts the argument of `addInteraction` in V2 and V3. Returns `undefined` for unsupported expressions. */
export function interactionText(migration: Migration, node: Syntax): (() => string) | undefined {
  const { rewriter } = migration
  const literal = migration.literal(node)
  const members = membersOf(literal?.object)
  if (literal === undefined || members === undefined) return undefined
  if (literal.declarator !== undefined && hasMemberUse(migration, node)) return undefined
  const known = ['state', 'states', 'uponReceiving', 'withRequest', 'willRespondWith']
  if (members.some(({ name }) => !known.includes(name)) || !memberNamed(members, 'uponReceiving')) return undefined
  const request = memberNamed(members, 'withRequest')
  const response = memberNamed(members, 'willRespondWith')
  const requestValue = request && requestText(migration, request.value)
  const responseValue = response && responseText(migration, response.value)
  const states = memberNamed(members, 'states')
  const statesValue = states && statesText(migration, states.value)
  if (states && statesValue === undefined) return undefined
  const text = () =>
    rewriter.object(literal.object, (item) => {
      const member = members.find((each) => each.node === item)
      switch (member?.name) {
        case 'state':
          return member.value.text === 'undefined' || member.value.text === 'null'
            ? undefined
            : `states: [${rewriter.render(member.value)}]`
        case 'states':
          return rewriter.member(member, 'states', statesValue?.())
        case 'uponReceiving':
          return rewriter.member(member, 'description')
        case 'withRequest':
          return rewriter.member(member, 'request', requestValue?.())
        case 'willRespondWith':
          return rewriter.member(member, 'response', responseValue?.())
        default:
          return rewriter.render(item)
      }
    })
  if (literal.declarator === undefined) return text
  if (!rewriter.isReplaced(literal.object)) rewriter.replace(literal.object, text)
  return () => rewriter.render(node)
}

/** Returns whether other code reads members of the constant by the names that the conversion changes. */
function hasMemberUse(migration: Migration, node: Syntax): boolean {
  return migration.names
    .references(node.text)
    .some(({ parent }) => parent?.kind === 'member_expression' || parent?.kind === 'spread_element')
}

/** Converts an array of states, `[{ description, parameters }]`. */
function statesText(migration: Migration, node: Syntax): (() => string) | undefined {
  const { rewriter } = migration
  if (node.kind !== 'array') return undefined
  for (const item of node.parts) {
    const members = membersOf(item)
    if (members === undefined) {
      if (item.kind !== 'string') return undefined
      continue
    }
    rewriter.replace(item, () =>
      rewriter.object(item, (part) => {
        const member = members.find((each) => each.node === part)
        return member?.name === 'description' ? rewriter.member(member, 'name') : rewriter.render(part)
      }),
    )
  }
  return () => rewriter.renderChildren(node)
}

/** Converts an HTTP method. `HTTPMethods.GET` becomes the string `GET`. */
export function methodText(migration: Migration, method: Syntax): string {
  const name = /HTTPMethods?\.(\w+)$/.exec(method.text)?.[1]
  return name === undefined ? migration.rewriter.render(method) : migration.rewriter.string(name)
}
