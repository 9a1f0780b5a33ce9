// Converts matching rules in object literals.
import type { Migration } from './migration.js'
import { type Member, memberNamed, membersOf, type Syntax } from './syntax.js'

/**
 * Converts `{ body: [{ path, rules }] }` to `{ body: { path: matcher } }`. Returns `undefined` for other expressions.
 */
export function convertMatchingRules(migration: Migration, node: Syntax): (() => string) | undefined {
  const members = membersOf(node)
  if (members === undefined) return undefined
  const parts: { readonly member: Member; readonly text: () => string }[] = []
  for (const member of members) {
    const text = rulesOfPart(migration, member.value)
    if (text === undefined) return undefined
    parts.push({ member, text })
  }
  const { rewriter } = migration
  return () =>
    rewriter.object(node, (item) => {
      const part = parts.find(({ member }) => member.node === item)
      return part && rewriter.member(part.member, part.member.name, part.text())
    })
}

function rulesOfPart(migration: Migration, node: Syntax): (() => string) | undefined {
  const { rewriter } = migration
  const entries: { readonly path: Syntax | undefined; readonly rules: () => string }[] = []
  for (const item of node.kind === 'array' ? node.parts : [node]) {
    const members = membersOf(item)
    const rules = members && memberNamed(members, 'rules')
    const path = members && memberNamed(members, 'path')
    if (rules === undefined || rules.value.kind !== 'array') return undefined
    const matchers = rules.value.parts
    const text = () => {
      const [only] = matchers
      return matchers.length === 1 && only ? rewriter.render(only) : `{ matchers: ${rewriter.render(rules.value)} }`
    }
    entries.push({ path: path?.value, rules: text })
  }
  const [first] = entries
  if (first?.path === undefined) return entries.length === 1 ? first?.rules : undefined
  if (entries.some(({ path }) => path === undefined)) return undefined
  return () =>
    rewriter.inline(
      entries.map(({ path, rules }) => `${keyText(path as Syntax, rewriter.render(path as Syntax))}: ${rules()}`),
    )
}

function keyText(path: Syntax, text: string): string {
  return path.kind === 'string' ? text : `[${text}]`
}
