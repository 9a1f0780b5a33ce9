// Rewrites the imports of a converted file: removes unused pact-js names, and imports `contract`.
import type { Migration } from './migration.js'
import { type ImportStatement, Names } from './names.js'
import { Rewriter } from './rewriter.js'
import type { Syntax } from './syntax.js'

type Imported = Migration['imported']

/** Rewrites the imports of a file. Returns the new source, and the pact-js names that are still used. */
export function rewriteImports(
  source: string,
  root: Syntax,
  major: number,
  imported: Imported,
  typed: boolean,
): { readonly text: string; readonly kept: readonly string[] } {
  const rewriter = new Rewriter(source, root)
  const names = new Names(root, major)
  const replaced = new Set(imported.map(({ local }) => local))
  const removed: Syntax[] = []
  const kept: string[] = []
  const isUsed = (name: Syntax) =>
    !replaced.has(name.text) &&
    names
      .references(name.text)
      .some(
        (each) =>
          each !== name &&
          !removed.some((statement) => statement.contains(each)) &&
          !isDeclared(each, names) &&
          !names.isHidden(each),
      )
  // Derived names are processed first, because they use the imports.
  const [derived, direct] = [true, false].map((is) => names.imports.filter((each) => each.derived === is))
  for (const entry of [...(derived ?? []).reverse(), ...(direct ?? [])]) {
    const unused = entry.names.filter((name) => !isUsed(name))
    kept.push(...entry.names.filter((name) => !entry.derived && !unused.includes(name)).map(({ text }) => text))
    if (unused.length === entry.names.length) removed.push(entry.statement)
    else if (unused.length > 0) replaceList(rewriter, entry, unused)
  }
  const line = importLine(rewriter, names, imported, typed)
  const [first] = direct ?? []
  if (names.existingList !== undefined && imported.length > 0) extend(rewriter, names.existingList, imported, typed)
  else if (line !== undefined && first !== undefined) {
    if (removed.includes(first.statement)) rewriter.replace(first.statement, line)
    else rewriter.before(first.statement, line)
  }
  for (const statement of removed) if (!rewriter.isReplaced(statement)) rewriter.remove(statement)
  return { text: rewriter.result(), kept }
}

/** Returns whether the identifier is a name in an import. */
function isDeclared(node: Syntax, names: Names): boolean {
  return names.imports.some((entry) => entry.names.includes(node))
}

/** Removes unused names from an import. */
function replaceList(rewriter: Rewriter, entry: ImportStatement, unused: readonly Syntax[]): void {
  const lists = [...entry.statement.walk()].filter(({ kind }) => kind === 'named_imports' || kind === 'object_pattern')
  const [list] = lists
  if (list === undefined) return
  rewriter.replace(list, () =>
    rewriter.object(list, (item) => (unused.some((name) => item.contains(name)) ? undefined : rewriter.render(item))),
  )
}

function importLine(rewriter: Rewriter, names: Names, imported: Imported, typed: boolean): string | undefined {
  if (imported.length === 0) return undefined
  const isModule = names.imports.some(({ statement, derived }) => !derived && statement.kind === 'import_statement')
  const from = rewriter.string('contract')
  if (!isModule) {
    const values = imported.filter(({ type }) => !type || !typed)
    return `const { ${values.map((each) => alias(each, ': ')).join(', ')} } = require(${from})${rewriter.semicolon}`
  }
  const onlyTypes = imported.every(({ type }) => type)
  const list = imported.map((each) => `${each.type && !onlyTypes ? 'type ' : ''}${alias(each, ' as ')}`).join(', ')
  return `import ${onlyTypes ? 'type ' : ''}{ ${list} } from ${from}${rewriter.semicolon}`
}

function alias({ name, local }: Imported[number], between: string): string {
  return name === local ? name : `${name}${between}${local}`
}

/** Adds names to an existing import of `contract`. */
function extend(rewriter: Rewriter, list: Syntax, imported: Imported, typed: boolean): void {
  const isModule = list.kind === 'named_imports'
  const added = imported
    .filter(({ type }) => isModule || !type)
    .map((each) => `${each.type && typed ? 'type ' : ''}${alias(each, isModule ? ' as ' : ': ')}`)
  rewriter.replace(list, () => rewriter.object(list, (item) => rewriter.render(item), added))
}
