// Resolves the names in a file to pact-js classes, functions, and matchers.
import { argumentsOf, calleeOf, memberOf, type Syntax, stringOf } from './syntax.js'

/** A version of pact-js's interface, which is named after the Pact Specification. */
export type Generation = 'V2' | 'V3' | 'V4'

/** What an expression refers to: an export of pact-js, or an object that pact-js creates. */
export type Meaning =
  | { readonly is: 'module' }
  | { readonly is: 'jest-pact'; readonly name: string; readonly generation: 'V2' | 'V3' }
  | { readonly is: 'export'; readonly name: string }
  | { readonly is: 'matchers'; readonly generation: 'V2' | 'V3' }
  | { readonly is: 'matcher'; readonly name: string; readonly generation: 'V2' | 'V3' }

/** An import or `require` of pact-js. */
export interface ImportStatement {
  readonly statement: Syntax
  /** The local names that the statement declares. */
  readonly names: readonly Syntax[]
  readonly module: string
  /** True for the destructuring of an imported object, such as `const { like } = MatchersV3`. */
  readonly derived: boolean
}

const PACT = /^@pact-foundation\/pact(\/.*)?$/

/** The names in a file that refer to pact-js. */
export class Names {
  readonly imports: ImportStatement[] = []
  /** The file's own imports from `contract`: local names by exported name. */
  readonly existing = new Map<string, string>()
  /** The list of names in the file's own import from `contract`. `undefined` if it has none. */
  existingList: Syntax | undefined
  readonly #meanings = new Map<string, Meaning>()
  readonly #references = new Map<string, Syntax[]>()
  /** Names that are declared more than once, so that a use may refer to another declaration. */
  readonly #shadowed = new Set<string>()
  readonly #major: number

  /** `major` is the major version of pact-js, which determines what `Pact` and `Matchers` refer to. */
  constructor(root: Syntax, major: number) {
    this.#major = major
    for (const node of root.walk()) this.#read(node)
    for (const node of root.walk()) this.#derive(node)
  }

  #read(node: Syntax): void {
    if (
      /^(shorthand_property_|type_)?identifier$/.test(node.kind) ||
      node.kind === 'shorthand_property_identifier_pattern'
    ) {
      const list = this.#references.get(node.text) ?? []
      this.#references.set(node.text, list)
      list.push(node)
    }
    if (node.kind === 'import_statement') this.#import(node)
    if (node.kind === 'variable_declarator') this.#require(node)
  }

  #import(statement: Syntax): void {
    const module = stringOf(statement.child('string'))
    const clause = statement.child('import_clause')
    if (module === 'contract') this.#readExisting(clause?.child('named_imports'))
    if (module === undefined || !isPact(module) || clause === undefined) return
    const names: Syntax[] = []
    for (const part of clause.parts) {
      if (part.kind === 'identifier') names.push(this.#bind(part, { is: 'module' }))
      if (part.kind === 'namespace_import' && part.parts[0]) names.push(this.#bind(part.parts[0], { is: 'module' }))
      for (const specifier of part.kind === 'named_imports' ? part.parts : []) {
        const [imported, local = imported] = specifier.parts
        if (imported && local) names.push(this.#bind(local, this.#exported(imported.text, module)))
      }
    }
    this.imports.push({ statement, names, module, derived: false })
  }

  #require(declarator: Syntax): void {
    const [target, value] = [declarator.parts[0], declarator.parts.at(-1)]
    if (target === undefined || value === undefined || target === value) return
    const called = calleeOf(value)
    const module = called?.text === 'require' ? stringOf(argumentsOf(value)[0]) : undefined
    if (module === 'contract' && target.kind === 'object_pattern') this.#readExisting(target)
    if (module === undefined || !isPact(module)) return
    this.#bindPattern(declarator, target, (name) => this.#exported(name, module), { is: 'module' }, module, false)
  }

  #readExisting(list: Syntax | undefined): void {
    if (list === undefined) return
    if (list.parent?.parent?.child('type') === undefined) this.existingList = list
    for (const part of list.parts) {
      const names = part.parts.length === 0 ? [part] : part.parts
      const [exported, local = exported] = names
      if (exported && local) this.existing.set(exported.text, local.text)
    }
  }

  #bindPattern(
    declarator: Syntax,
    target: Syntax,
    member: (name: string) => Meaning,
    whole: Meaning,
    module: string,
    derived: boolean,
  ): void {
    const statement = declarator.parent
    if (statement === undefined || statement.parts.length !== 1) return
    const names: Syntax[] = []
    if (target.kind === 'identifier') names.push(this.#bind(target, whole))
    for (const part of target.kind === 'object_pattern' ? target.parts : []) {
      if (part.kind === 'shorthand_property_identifier_pattern') names.push(this.#bind(part, member(part.text)))
      const [rest] = part.kind === 'rest_pattern' ? part.parts : []
      if (rest !== undefined) names.push(this.#bind(rest, whole))
      const [key, local] = part.parts
      if (part.kind === 'pair_pattern' && key && local?.kind === 'identifier')
        names.push(this.#bind(local, member(key.text)))
      // const { MatchersV3: { like } } = require('@pact-foundation/pact')
      if (part.kind === 'pair_pattern' && key && local?.kind === 'object_pattern') {
        for (const inner of local.parts) names.push(this.#bind(inner, memberMeaning(member(key.text), inner.text)))
      }
    }
    this.imports.push({ statement, names, module, derived })
  }

  #derive(node: Syntax): void {
    if (node.kind !== 'variable_declarator') return
    const [target, value] = [node.parts[0], node.parts.at(-1)]
    if (target === undefined || value === undefined || target === value) return
    const meaning = this.meaningOf(value)
    if (meaning?.is !== 'matchers' && meaning?.is !== 'module') return
    this.#bindPattern(node, target, (name) => this.#member(meaning, name), meaning, '', true)
  }

  #bind(name: Syntax, meaning: Meaning): Syntax {
    if (this.#meanings.has(name.text)) this.#shadowed.add(name.text)
    this.#meanings.set(name.text, meaning)
    return name
  }

  #exported(name: string, module: string): Meaning {
    if (module.startsWith('jest-pact')) {
      return { is: 'jest-pact', name, generation: module.includes('v3') ? 'V3' : 'V2' }
    }
    switch (name) {
      case 'default':
        return { is: 'module' }
      case 'MatchersV3':
        return { is: 'matchers', generation: 'V3' }
      case 'MatchersV2':
        return { is: 'matchers', generation: 'V2' }
      case 'Matchers':
        return { is: 'matchers', generation: this.#major >= 16 || /\/v[34]/.test(module) ? 'V3' : 'V2' }
      case 'Pact':
        return { is: 'export', name: this.#major >= 16 ? 'PactV4' : 'PactV2' }
      default:
        return { is: 'export', name }
    }
  }

  #member(meaning: Meaning, name: string): Meaning {
    return meaning.is === 'module' ? this.#exported(name, '') : memberMeaning(meaning, name)
  }

  /** Returns what an expression refers to, or `undefined` if it is not from pact-js. */
  meaningOf(node: Syntax | undefined): Meaning | undefined {
    if (node === undefined) return undefined
    if (/identifier/.test(node.kind)) return this.isShadowed(node) ? undefined : this.#meanings.get(node.text)
    const member = memberOf(node)
    const meaning = member && this.meaningOf(member.object)
    if (member === undefined || meaning === undefined) return undefined
    return meaning.is === 'module' || meaning.is === 'matchers'
      ? this.#member(meaning, member.property.text)
      : undefined
  }

  /** Returns the name of the pact-js export to which an expression refers, or `undefined` if there is none. */
  exportOf(node: Syntax | undefined): string | undefined {
    const meaning = this.meaningOf(node)
    return meaning?.is === 'export' ? meaning.name : undefined
  }

  /**
   * Returns whether a local variable or parameter has the same name, so that the identifier does not refer to the
   * import.
   */
  isShadowed(node: Syntax): boolean {
    return this.#shadowed.has(node.text) || this.isHidden(node)
  }

  /** Returns whether a parameter has the same name, so that the identifier does not refer to the import. */
  isHidden(node: Syntax): boolean {
    for (let scope = node.parent; scope !== undefined; scope = scope.parent) {
      const parameters = scope.child('formal_parameters')
      const names = parameters === undefined ? [] : [...parameters.walk()]
      if (names.some(({ kind, text }) => text === node.text && /identifier/.test(kind) && kind !== 'type_identifier'))
        return true
      if (
        scope.kind === 'arrow_function' &&
        scope.parts[0]?.kind === 'identifier' &&
        scope.parts[0].text === node.text
      ) {
        return true
      }
    }
    return false
  }

  /** Returns all identifiers with this name, including declarations. */
  references(name: string): readonly Syntax[] {
    return this.#references.get(name) ?? []
  }

  /** Returns whether an identifier in the file has this name. */
  isUsed(name: string): boolean {
    return this.#references.has(name)
  }
}

function memberMeaning(meaning: Meaning, name: string): Meaning {
  return meaning.is === 'matchers' ? { is: 'matcher', name, generation: meaning.generation } : { is: 'export', name }
}

/** Returns whether a module belongs to pact-js or jest-pact. */
export function isPact(module: string): boolean {
  return PACT.test(module) || /^jest-pact(\/.*)?$/.test(module)
}
