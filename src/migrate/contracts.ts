// Finds the contracts that a file creates with pact-js, and converts their constructors.
import type { Migration } from './migration.js'
import {
  argumentsOf,
  bare,
  functionAround,
  type Member,
  memberNamed,
  type Syntax,
  statementAround,
  stringOf,
} from './syntax.js'

export type Kind = 'V2' | 'V3' | 'V4' | 'message'

/** A contract that the file creates or receives. */
export interface ContractInfo {
  /** The variable or property that contains the contract, such as `provider` or `this.provider`. */
  readonly key: string
  readonly kind: Kind
  /** The node in which the variable is visible. */
  readonly scope: Syntax
  /** The statement that declares the variable. `undefined` if there is none, as for a parameter. */
  readonly declaration: Syntax | undefined
  /** For V2, the name of the variable that contains the running mock server. `undefined` if it is not declared yet. */
  readonly server?: string | undefined
  /** Options that become options of `serve`, each as the text of an object member. */
  readonly serve: readonly string[]
  /** An expression for the mock server's base URL. `undefined` if the options set no port. */
  readonly fixedUrl: string | undefined
}

const CLASSES: Readonly<Record<string, Kind>> = {
  PactV2: 'V2',
  PactV3: 'V3',
  PactV4: 'V4',
  GraphQLPactV3: 'V3',
  MessageConsumerPact: 'message',
}

/** The contracts that a file creates or receives as typed variables. */
export class Contracts {
  readonly all: ContractInfo[] = []

  add(info: ContractInfo): void {
    this.all.push(info)
  }

  /** Returns the contract to which an expression refers, or `undefined` if it is not a contract. */
  find(node: Syntax | undefined): ContractInfo | undefined {
    if (node === undefined) return undefined
    const text = bare(node).text
    const matches = this.all.filter(({ key, scope }) => key === text && scope.contains(node))
    return matches.sort((a, b) => a.scope.end - a.scope.start - (b.scope.end - b.scope.start))[0]
  }
}

/** Converts constructor calls such as `new PactV3(…)`. */
export function convertConstructors(migration: Migration, contracts: Contracts): void {
  const { names, rewriter } = migration
  for (const node of rewriter.root.walk()) {
    const name = node.kind === 'new_expression' ? names.exportOf(node.parts[0]) : undefined
    const kind = name === undefined ? undefined : CLASSES[name]
    if (kind === undefined) continue
    const [options] = argumentsOf(node)
    const converted = contractText(migration, kind, options, './pacts')
    if ('todo' in converted) {
      rewriter.todo(node, converted.todo)
      continue
    }
    const holder = holderOf(migration, node)
    if (holder === undefined) {
      rewriter.todo(node, 'assign the contract to a variable, then run the command again')
      continue
    }
    if (holder.declaration !== undefined && isExported(migration, holder)) {
      rewriter.todo(node, `${holder.key} is exported: convert the files that import it`)
    }
    contracts.add({ ...holder, kind, serve: converted.serve, fixedUrl: converted.fixedUrl })
    rewriter.replace(node, converted.text)
    rewriter.count(node, `new ${name}`)
  }
}

/** Returns whether the variable is exported, so that other files can use it. */
function isExported(
  migration: Migration,
  holder: { readonly key: string; readonly declaration: Syntax | undefined },
): boolean {
  if (holder.declaration?.kind === 'export_statement') return true
  return migration.names.references(holder.key).some((reference) => {
    const assignment = reference.above('assignment_expression')
    return reference.parent?.kind === 'export_specifier' || /^(module\.)?exports\b/.test(assignment?.text ?? '')
  })
}

/** Adds variables and parameters that have a pact-js type and whose contracts are created elsewhere. */
export function findTyped(migration: Migration, contracts: Contracts): void {
  const { names, rewriter } = migration
  for (const node of rewriter.root.walk()) {
    const name = node.kind === 'type_identifier' ? names.exportOf(node) : undefined
    const kind = name === undefined ? undefined : CLASSES[name]
    const declarator = node.parent?.parent
    const holder = declarator?.parts[0]
    if (kind === undefined || kind === 'V2' || node.parent?.kind !== 'type_annotation' || holder?.kind !== 'identifier')
      continue
    const isParameter = /_parameter$/.test(declarator?.kind ?? '')
    if ((!isParameter && declarator?.kind !== 'variable_declarator') || contracts.find(holder) !== undefined) continue
    const scope = isParameter ? functionAround(holder) : statementAround(holder)?.parent
    if (scope === undefined) continue
    if (!isParameter || contracts.all.length === 0)
      rewriter.todo(node, `${holder.text}: convert the code that creates this contract`)
    contracts.add({ key: holder.text, kind, scope, declaration: undefined, serve: [], fixedUrl: undefined })
  }
}

function holderOf(
  migration: Migration,
  node: Syntax,
): { readonly key: string; readonly scope: Syntax; readonly declaration: Syntax | undefined } | undefined {
  let outer = node
  while (outer.parent && bare(outer.parent) === bare(outer) && outer.parent.kind !== outer.kind) outer = outer.parent
  const parent = outer.parent
  const { root } = migration.rewriter
  if (parent?.kind === 'variable_declarator') {
    const declaration = parent.parent
    const scope = declaration && statementAround(declaration)?.parent
    const exported = declaration?.parent?.kind === 'export_statement' ? declaration.parent : declaration
    return { key: parent.parts[0]?.text ?? '', scope: scope ?? root, declaration: exported }
  }
  if (parent?.kind === 'public_field_definition' || parent?.kind === 'field_definition') {
    const name = parent.child('property_identifier', 'private_property_identifier')
    return name && { key: `this.${name.text}`, scope: root, declaration: undefined }
  }
  if (parent?.kind !== 'assignment_expression') return undefined
  const key = parent.parts[0]?.text ?? ''
  const declarator = migration.names
    .references(key)
    .map((reference) => reference.parent)
    .find((each) => each?.kind === 'variable_declarator' && each.parts[0]?.text === key)
  const declaration = declarator?.parent
  const scope = declaration && statementAround(declaration)?.parent
  return { key, scope: scope ?? root, declaration }
}

export type ConvertedContract =
  | { readonly text: () => string; readonly serve: readonly string[]; readonly fixedUrl: string | undefined }
  | { readonly todo: string }

/** Options that are removed, because the converted code does not need them. */
const DROPPED = ['logLevel', 'log', 'timeout', 'logDir', 'logFileName', 'monkeypatch']

/** Converts the options of a constructor to a call of `new Contract(…)` and options for `serve`. */
export function contractText(
  migration: Migration,
  kind: Kind,
  options: Syntax | undefined,
  directory: string,
): ConvertedContract {
  const { rewriter } = migration
  const literal = migration.literal(options)
  const members = migration.members(options)
  if (options === undefined || literal === undefined || members === undefined) {
    return { todo: "use new Contract(consumer, provider, { directory: './pacts', unexpectedFields: 'error' })" }
  }
  const consumer = memberNamed(members, 'consumer')
  const provider = memberNamed(members, 'provider')
  if (!consumer || !provider) return { todo: 'use new Contract(consumer, provider, options) with both names' }
  const serve: string[] = []
  const texts = new Map<Syntax, (() => string) | undefined>()
  for (const member of members) {
    const converted = option(migration, kind, member, serve)
    if (converted !== undefined && 'todo' in converted) return converted
    texts.set(member.node, converted?.text)
  }
  const shared = literal.declarator !== undefined && literal.uses > 0
  if (literal.declarator !== undefined) {
    if (shared) return { todo: `use new Contract(consumer, provider, options); ${options.text} has other uses` }
    const statement = literal.declarator.parent
    if (statement !== undefined) rewriter.remove(statement)
  }
  const added: string[] = []
  if (kind === 'V2' && !memberNamed(members, 'spec')) added.push(`specification: ${rewriter.string('V2')}`)
  if ((kind === 'V3' || kind === 'message') && !memberNamed(members, 'spec'))
    added.push(`specification: ${rewriter.string('V3')}`)
  if (!memberNamed(members, 'dir')) added.push(`directory: ${rewriter.string(directory)}`)
  // pact-js reports additional fields in request bodies.
  if (kind !== 'message') added.push(`unexpectedFields: ${rewriter.string('error')}`)
  const text = () => {
    const more = rewriter.object(literal.object, (node) => texts.get(node)?.(), added)
    const names = `${rewriter.render(consumer.value)}, ${rewriter.render(provider.value)}`
    return `new ${migration.use('Contract')}(${names}, ${more})`
  }
  return { text, serve, fixedUrl: fixedUrl(migration, members) }
}

function option(
  migration: Migration,
  kind: Kind,
  member: Member,
  serve: string[],
): { readonly text: () => string } | { readonly todo: string } | undefined {
  const { rewriter } = migration
  const value = () => rewriter.render(member.value)
  const { name } = member
  switch (name) {
    case 'consumer':
    case 'provider':
      return undefined
    case 'dir':
      return { text: () => rewriter.member(member, 'directory') }
    case 'spec': {
      const version = specification(member.value)
      if (version === undefined) return { todo: "spec: use the specification option: 'V2', 'V3', or 'V4'" }
      if (version === 'V4') return undefined
      return { text: () => rewriter.member(member, 'specification', rewriter.string(version)) }
    }
    case 'pactfileWriteMode':
      return writeMode(migration, member)
    case 'port':
      if (member.value.text !== '0') serve.push(member.form === 'shorthand' ? 'port' : `port: ${value()}`)
      return undefined
    case 'host':
    case 'cors':
      serve.push(rewriter.member(member))
      return undefined
    case 'tls':
    case 'ssl': {
      const https = `transport: ${rewriter.string('https')}`
      if (member.value.text === 'true') serve.push(https)
      else if (member.value.text !== 'false')
        return { todo: `${name}: pass { transport: 'https' } to serve() or executeTest()` }
      return undefined
    }
    default:
      if (DROPPED.includes(name)) return undefined
      if (name === 'sslcert' || name === 'sslkey') {
        return { todo: 'sslcert, sslkey: pass { tls: { cert, key } } with the content of the PEM files to serve()' }
      }
      return { todo: `the ${name} option of ${kind === 'message' ? 'MessageConsumerPact' : 'Pact'} has no counterpart` }
  }
}

function writeMode(
  migration: Migration,
  member: Member,
): { readonly text: () => string } | { readonly todo: string } | undefined {
  const mode = stringOf(member.value)
  if (mode === 'merge' || mode === 'update') return undefined
  if (mode === undefined) return { todo: "pactfileWriteMode: use the writeMode option: 'merge' or 'overwrite'" }
  return { text: () => migration.rewriter.member(member, 'writeMode') }
}

function specification(value: Syntax): string | undefined {
  const version = /^(?:.*SPECIFICATION_VERSION_V)?([234])$/.exec(value.text)?.[1]
  return version === undefined ? undefined : `V${version}`
}

/**
 * Returns an expression for the mock server's base URL, built from the options of a V2 contract. Returns `undefined` if
 * they set no port.
 */
function fixedUrl(migration: Migration, members: readonly Member[]): string | undefined {
  const port = memberNamed(members, 'port')?.value
  const host = memberNamed(members, 'host')?.value
  const name = host === undefined ? '127.0.0.1' : stringOf(host)
  const secure = ['tls', 'ssl'].some((each) => memberNamed(members, each)?.value.text === 'true')
  const origin = `${secure ? 'https' : 'http'}://${name}`
  if (port === undefined || name === undefined || port.text === '0') return undefined
  if (port.kind === 'number') return migration.rewriter.string(`${origin}:${port.text}`)
  return /identifier/.test(port.kind) ? `\`${origin}:\${${port.text}}\`` : undefined
}
