// Converts matchers.
import type { Migration } from './migration.js'
import { argumentsOf, calleeOf, memberNamed, membersOf, type Syntax, stringOf } from './syntax.js'

/** Matchers of pact-js, with the matchers that have the same arguments. */
const SAME: Readonly<Record<string, string>> = {
  arrayContaining: 'arrayContaining',
  atLeastLike: 'atLeastLike',
  atLeastOneLike: 'atLeastOneLike',
  atMostLike: 'atMostLike',
  constrainedArrayLike: 'constrainedArrayLike',
  decimal: 'decimal',
  eachKeyLike: 'eachKeyLike',
  eachValueMatches: 'eachValueMatches',
  email: 'email',
  equal: 'equal',
  hexadecimal: 'hexadecimal',
  includes: 'includes',
  integer: 'integer',
  ipv4Address: 'ipv4Address',
  ipv6Address: 'ipv6Address',
  iso8601Date: 'iso8601Date',
  iso8601DateTime: 'iso8601DateTime',
  iso8601DateTimeWithMillis: 'iso8601DateTimeWithMillis',
  iso8601Time: 'iso8601Time',
  like: 'like',
  nullValue: 'null',
  number: 'number',
  rfc1123Timestamp: 'rfc1123Timestamp',
  somethingLike: 'like',
  uuid: 'uuid',
}

/** The examples that pact-js uses if none is passed. */
const EXAMPLES = {
  V2: { boolean: 'true', string: "'iloveorange'", integer: '13', decimal: '13.01' },
  V3: { boolean: 'true', string: "'some string'" },
} as const

/** Matchers whose first two arguments must be swapped. */
const FORMATS = ['date', 'time', 'datetime', 'timestamp']

export function convertMatchers(migration: Migration): void {
  const { names, rewriter } = migration
  for (const node of rewriter.root.walk()) {
    const meaning = names.meaningOf(node)
    if (meaning?.is !== 'matcher' || isDeclaration(node) || rewriter.isReplaced(node)) continue
    const call = node.parent
    if (call?.kind !== 'call_expression' || calleeOf(call) !== node) {
      if (node.parent?.kind !== 'member_expression') {
        const hint = `${meaning.name} is passed as a function: pass (value) => match.${SAME[meaning.name] ?? meaning.name}(value)`
        rewriter.todo(node, hint)
      }
      continue
    }
    if (meaning.name === 'reify' || meaning.name === 'extractPayload') {
      rewriter.replace(node, migration.use('example'))
      rewriter.count(call, meaning.name)
      continue
    }
    const converted = matcher(migration, meaning.name, meaning.generation, call)
    if ('todo' in converted) {
      rewriter.todo(call, converted.todo)
      continue
    }
    migration.use('match')
    rewriter.replace(call, () => `${migration.use('match')}.${converted.text()}`)
    rewriter.count(call, meaning.name)
  }
}

/** Returns whether the identifier is part of a declaration, as opposed to a use. */
function isDeclaration(node: Syntax): boolean {
  const kinds = ['import_specifier', 'object_pattern', 'pair_pattern', 'import_clause', 'namespace_import']
  return (
    kinds.includes(node.parent?.kind ?? '') ||
    (node.parent?.kind === 'variable_declarator' && node.parent.parts[0] === node)
  )
}

type Converted = { readonly text: () => string } | { readonly todo: string }

function matcher(migration: Migration, name: string, generation: 'V2' | 'V3', call: Syntax): Converted {
  const { rewriter } = migration
  const args = argumentsOf(call)
  const [first, second] = args
  const render = (node: Syntax) => rewriter.render(node)
  const list = call.child('arguments')
  const types = call.child('type_arguments')?.text ?? ''
  const text = (template: () => string): Converted => ({ text: template })

  const preset = EXAMPLES[generation][name as 'string' | 'boolean']
  if (args.length === 0 && preset !== undefined) {
    const example = preset.startsWith("'") ? rewriter.string(preset.slice(1, -1)) : preset
    return text(() => `${name}(${example})`)
  }
  if (name === 'string' || name === 'boolean') return text(() => `${name}${list ? render(list) : '()'}`)
  if (FORMATS.includes(name) && first && second) {
    return text(() => `${name}(${render(second)}, ${formatOption(render(first))})`)
  }
  if (FORMATS.includes(name) && first) return text(() => `${name}(undefined, ${formatOption(render(first))})`)
  if (name === 'regex' || name === 'term') return regex(migration, generation, args)
  if (name === 'eachLike') return eachLike(migration, generation, args)
  if (name === 'matchStatus' && first && second) {
    const accepted = statusClass(migration, second)
    return text(() => `status(${accepted ?? render(second)}, ${render(first)})`)
  }
  if (name === 'eachKeyMatches' && first) {
    return text(
      () =>
        `eachKeyMatches(${render(first)}, ${second ? render(second) : `${migration.use('match')}.str(${rewriter.string('key')})`})`,
    )
  }
  if (name === 'fromProviderState' && first && second) {
    return text(() => `fromProviderState(${render(first)}, ${render(second)}, { loose: true })`)
  }
  if ((name === 'url' || name === 'url2') && first) return url(migration, name, first, second)
  if (name === 'contentType') {
    return { todo: 'contentType: use match.contentType(type, example), where the example is the content in base64' }
  }
  const same = SAME[name]
  if (same !== undefined && list !== undefined)
    return text(() => `${same}${types && same !== 'like' ? '' : types}${render(list)}`)
  return { todo: `${name}: contract has no equivalent matcher; see "Matchers" in the documentation` }
}

function formatOption(format: string): string {
  return format === 'format' ? '{ format }' : `{ format: ${format} }`
}

function regex(migration: Migration, generation: 'V2' | 'V3', args: readonly Syntax[]): Converted {
  const { rewriter } = migration
  const [first, second] = args
  if (generation === 'V2') {
    const members = membersOf(first)
    const generate = members && memberNamed(members, 'generate')
    const pattern = members && memberNamed(members, 'matcher')
    if (!generate || !pattern) return { todo: 'term: use match.regex(example, pattern)' }
    return { text: () => `regex(${rewriter.render(generate.value)}, ${patternText(migration, pattern.value)})` }
  }
  if (!first || !second) return { todo: 'regex: use match.regex(example, pattern)' }
  return { text: () => `regex(${rewriter.render(second)}, ${patternText(migration, first)})` }
}

/** Converts a pattern. A string becomes a `RegExp` if its syntax is not supported by Rust's `regex` crate. */
function patternText(migration: Migration, pattern: Syntax): string {
  const text = migration.rewriter.render(pattern)
  const isString = pattern.kind === 'string' || pattern.kind === 'template_string'
  return isString && /\(\?<?[=!]|\\\\[1-9]/.test(text) ? `new RegExp(${text})` : text
}

function eachLike(migration: Migration, generation: 'V2' | 'V3', args: readonly Syntax[]): Converted {
  const { rewriter } = migration
  const [template, size] = args
  if (template === undefined) return { todo: 'eachLike: the template is missing' }
  const name = 'eachLike'
  if (size === undefined || size.text === '1') return { text: () => `${name}(${rewriter.render(template)})` }
  if (generation === 'V2') return { text: () => `${name}(${rewriter.render(template)}, ${rewriter.render(size)})` }
  const empty = size.text === '0' ? ', allowEmpty: true' : ''
  return { text: () => `${name}(${rewriter.render(template)}, { min: ${rewriter.render(size)}${empty} })` }
}

/**
 * Converts a class of status codes, such as `HTTPResponseStatusClass.Success`. Returns `undefined` for other
 * expressions.
 */
function statusClass(migration: Migration, node: Syntax): string | undefined {
  const names: Readonly<Record<string, string>> = {
    information: 'info',
    Information: 'info',
    success: 'success',
    Success: 'success',
    redirect: 'redirect',
    Redirect: 'redirect',
    clientError: 'clientError',
    ClientError: 'clientError',
    serverError: 'serverError',
    ServerError: 'serverError',
    nonError: 'nonError',
    NonError: 'nonError',
    error: 'error',
    Error: 'error',
  }
  const name = stringOf(node) ?? (/HTTPResponseStatusClass\.(\w+)$/.exec(node.text)?.[1] || '')
  const found = names[name]
  return found === undefined ? undefined : migration.rewriter.string(found)
}

function url(migration: Migration, name: string, first: Syntax, second: Syntax | undefined): Converted {
  const { rewriter } = migration
  const parts = name === 'url' ? first : second
  if (parts === undefined || [...parts.walk()].some(({ kind }) => kind === 'regex' || kind === 'new_expression')) {
    const hint = `${name}: replace each RegExp with match.regex(example, pattern), and use match.url({ path: [...], base })`
    return { todo: hint }
  }
  if (name === 'url' || first.text === 'null' || first.text === 'undefined') {
    return { text: () => `url({ path: ${rewriter.render(parts)} })` }
  }
  // match.url replaces the base with the address of the mock server; url2 keeps the base.
  const base = stringOf(first)
  const found = parts.kind === 'array' ? parts.parts.map((part) => urlPart(migration, part)) : []
  if (base === undefined || found.length === 0 || found.includes(undefined)) {
    return { todo: 'url2: use match.regex(example, pattern) with the whole URL' }
  }
  const example = found.map((part) => `/${part?.example}`).join('')
  const pattern = found.map((part) => `\\/${part?.pattern}`).join('')
  return { text: () => `regex(${rewriter.string(base + example)}, /.*${pattern}/)` }
}

/** Returns the example and the pattern for one literal part of a URL. */
function urlPart(
  migration: Migration,
  part: Syntax,
): { readonly example: string; readonly pattern: string } | undefined {
  const text = stringOf(part)
  if (text !== undefined) return { example: text, pattern: text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&') }
  const meaning = part.kind === 'call_expression' ? migration.names.meaningOf(calleeOf(part)) : undefined
  if (meaning?.is !== 'matcher' || meaning.name !== 'regex' || meaning.generation !== 'V3') return undefined
  const [pattern, example] = argumentsOf(part)
  // Escapes in a string literal are doubled.
  const source = pattern?.kind === 'string' ? pattern.text.slice(1, -1).replaceAll('\\\\', '\\') : undefined
  const value = stringOf(example)
  return source === undefined || value === undefined || source.includes('/')
    ? undefined
    : { example: value, pattern: source }
}
