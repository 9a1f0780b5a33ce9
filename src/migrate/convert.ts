// Converts one source file.
import { convertCalls } from './consumer.js'
import { Contracts, convertConstructors, findTyped } from './contracts.js'
import { rewriteImports } from './imports.js'
import { convertJestPact } from './jest-pact.js'
import { convertMatchers } from './matchers.js'
import { Migration } from './migration.js'
import { Names } from './names.js'
import { type Place, Rewriter, TODO } from './rewriter.js'
import type { Syntax } from './syntax.js'
import { convertVerifiers } from './verifier.js'

/** The result of converting one file. */
export interface Conversion {
  readonly text: string
  readonly converted: readonly Place[]
  readonly remaining: readonly Place[]
}

/** A parser for source files. It throws if the file has syntax errors. */
export type Parse = (source: string) => Syntax

/** Types of pact-js, with the types of this package that replace them. */
const TYPES: Readonly<Record<string, string>> = {
  GraphQLPactV3: 'Contract',
  InteractionObject: 'InteractionDefinition',
  MessageConsumerPact: 'Contract',
  PactV2: 'Contract',
  PactV3: 'Contract',
  PactV4: 'Contract',
  V3Interaction: 'InteractionDefinition',
  V3MockServer: 'MockServer',
  V3Request: 'RequestDefinition',
  V3Response: 'ResponseDefinition',
  V4MockServer: 'MockServer',
  V4Request: 'RequestDefinition',
  V4Response: 'ResponseDefinition',
  Verifier: 'Verifier',
  VerifierOptions: 'VerifierOptions',
}

/**
 * Converts a source file that uses pact-js. `major` is the major version of pact-js. `typed` is true for TypeScript.
 */
export function convert(source: string, parse: Parse, major: number, typed: boolean): Conversion {
  const root = parse(source)
  const rewriter = new Rewriter(source, root)
  const names = new Names(root, major)
  const migration = new Migration(rewriter, names, typed)
  if (names.imports.length === 0) return { text: source, converted: [], remaining: [] }
  const contracts = new Contracts()
  convertMatchers(migration)
  convertConstructors(migration, contracts)
  convertJestPact(migration, contracts)
  findTyped(migration, contracts)
  convertCalls(migration, contracts)
  convertVerifiers(migration)
  convertTypes(migration, contracts)
  const text = rewriter.result()
  const { text: complete, kept } = rewriteImports(text, parse(text), major, migration.imported, typed)
  const remaining = [...rewriter.remaining]
  if (kept.length > 0 && !complete.includes(TODO)) return withKept(complete, kept, rewriter)
  return { text: complete, converted: rewriter.converted, remaining }
}

function convertTypes(migration: Migration, contracts: Contracts): void {
  const { names, rewriter } = migration
  for (const node of rewriter.root.walk()) {
    const name = node.kind === 'type_identifier' ? names.exportOf(node) : undefined
    const type = name === undefined ? undefined : TYPES[name]
    if (type === undefined || node.parent?.kind === 'import_specifier') continue
    const declarator = node.parent?.parent
    const holder = declarator?.parts[0]
    const isVariable = declarator?.kind === 'variable_declarator' || /_parameter$/.test(declarator?.kind ?? '')
    if (type === 'Contract' && isVariable && holder?.kind === 'identifier' && contracts.find(holder) === undefined) {
      rewriter.todo(node, `${holder.text}: the contract is created elsewhere; convert the calls on it`)
      continue
    }
    const value = declarator?.kind === 'variable_declarator' ? declarator.parts.at(-1) : undefined
    if (name === 'VerifierOptions' && value?.kind === 'object' && !rewriter.isReplaced(value)) {
      rewriter.todo(
        node,
        'VerifierOptions: pass the options to new Verifier() in this file, then run the command again',
      )
      continue
    }
    rewriter.replace(node, migration.use(type, true))
    rewriter.count(node, `type ${name}`)
  }
}

/** If pact-js names are still used and the file contains no instructions yet, adds an instruction to their import. */
function withKept(text: string, kept: readonly string[], rewriter: Rewriter): Conversion {
  const comment = `${TODO}${kept.join(', ')}: convert the remaining uses`
  const lines = text.split('\n')
  const at = lines.findIndex(
    (line) => /@pact-foundation\/pact|jest-pact/.test(line) && /import|require|from/.test(line),
  )
  const place = { line: at + 1, text: comment.slice(TODO.length) }
  let start = at
  while (start > 0 && !/^\s*(import|const|var|let)\b/.test(lines[start] ?? '')) start -= 1
  if (lines[start - 1]?.trim() !== comment) lines.splice(start, 0, comment)
  return { text: lines.join('\n'), converted: rewriter.converted, remaining: [place] }
}
