// Shared state for the conversion of one file.
import type { Names } from './names.js'
import type { Rewriter } from './rewriter.js'
import { bare, type Member, membersOf, type Syntax } from './syntax.js'

/** The names that converted code imports from `contract`. A local name can differ. */
export type Imported = 'Contract' | 'MockServer' | 'Verifier' | 'bodyHandler' | 'example' | 'match' | (string & {})

export class Migration {
  readonly rewriter: Rewriter
  readonly names: Names
  /** True if the file is TypeScript, so that converted code contains type annotations. */
  readonly typed: boolean
  readonly #imported = new Map<string, { readonly local: string; type: boolean }>()

  constructor(rewriter: Rewriter, names: Names, typed: boolean) {
    this.rewriter = rewriter
    this.names = names
    this.typed = typed
  }

  /** Adds an import from `contract` and returns its local name. */
  use(name: Imported, type = false): string {
    const found = this.#imported.get(name)
    if (found !== undefined) {
      found.type &&= type
      return found.local
    }
    const existing = this.names.existing.get(name)
    if (existing !== undefined) return existing
    const ownName = this.names.isUsed(name) && this.names.exportOf(this.names.references(name)[0]) !== name
    const local = ownName
      ? `${name === 'match' ? 'contractMatch' : `Contract${name[0]?.toUpperCase()}${name.slice(1)}`}`
      : name
    this.#imported.set(name, { local, type })
    return local
  }

  /** The names that converted code imports from `contract`. */
  get imported(): readonly { readonly name: string; readonly local: string; readonly type: boolean }[] {
    return [...this.#imported]
      .map(([name, { local, type }]) => ({ name, local, type }))
      .sort((a, b) => compare(a.name, b.name))
  }

  /**
   * Returns the object literal to which an expression refers, either directly or through a constant in this file.
   * `uses` is the number of other expressions that refer to the constant.
   */
  literal(
    node: Syntax | undefined,
  ): { readonly object: Syntax; readonly declarator: Syntax | undefined; readonly uses: number } | undefined {
    if (node === undefined) return undefined
    const direct = bare(node)
    if (direct.kind === 'object') return { object: direct, declarator: undefined, uses: 0 }
    if (direct.kind !== 'identifier') return undefined
    const references = this.names.references(direct.text).filter(({ kind }) => kind !== 'type_identifier')
    const declarators = references
      .map(({ parent }) => parent)
      .filter((parent) => parent?.kind === 'variable_declarator')
    const [declarator] = declarators.filter((each) => each?.parts[0]?.text === direct.text)
    const value = declarator?.parts.at(-1)
    if (declarator === undefined || value === undefined || declarators.length !== 1) return undefined
    if (declarator.parent?.child('const') === undefined) return undefined
    const object = bare(value)
    return object.kind === 'object' ? { object, declarator, uses: references.length - 2 } : undefined
  }

  /** Returns the members of the object literal to which an expression refers, or `undefined` for other expressions. */
  members(node: Syntax | undefined): readonly Member[] | undefined {
    return membersOf(this.literal(node)?.object)
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}
