// The modules of a crate do not import each other in cycles. Each import is followed through re-exports to the module
// that defines the name, and the modules of each folder are compared, so that neither `lib.rs` nor `mod.rs` hides a cycle.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const crates = join(__dirname, '..', 'crates')
const useStatement = /(?<=^|\n)\s*(pub(?:\([^)]*\))?\s+)?use ([^;]+);/g

/** Segments of a path, starting at the root of the crate. */
type Path = string[]

interface Module {
  text: string
  /** What the module imports or names by its path. */
  uses: Path[]
  /** The imported and re-exported names with the paths that they refer to. */
  names: Map<string, Path>
  /** Modules of which all names are imported. */
  globs: Path[]
}

const key = (path: Path): string => path.join('::')

/** The code without comments and unit tests. */
function code(file: string): string {
  const text = readFileSync(file, 'utf8').replace(/\/\/.*/g, '')
  return text.replace(/#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*/, '')
}

/** The paths of a `use` with braces. */
function expanded(tree: string, prefix = ''): string[] {
  const start = tree.indexOf('{')
  if (start < 0) return tree.trim() === '' ? [] : [prefix + tree.replace(/\s+as\s+.*/, '').trim()]
  const inner = tree.slice(start + 1, tree.lastIndexOf('}'))
  const parts = ['']
  let depth = 0
  for (const character of inner) {
    depth += character === '{' ? 1 : character === '}' ? -1 : 0
    if (character === ',' && depth === 0) parts.push('')
    else parts.push(parts.pop() + character)
  }
  return parts.flatMap((part) => expanded(part, prefix + tree.slice(0, start).trim()))
}

/** The modules of a crate. Files that exist only for tests are left out. */
function modules(source: string): Map<string, Module> {
  const all = new Map<string, Module>()
  const walk = (folder: string, path: Path): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name)
      if (entry.isDirectory()) walk(file, [...path, entry.name])
      if (!entry.name.endsWith('.rs')) continue
      const name = entry.name.slice(0, -3)
      const isRoot = name === 'mod' || (path.length === 0 && (name === 'lib' || name === 'main'))
      const own = isRoot ? path : [...path, name]
      const text = (all.get(key(own))?.text ?? '') + code(file)
      all.set(key(own), { text, uses: [], names: new Map(), globs: [] })
    }
  }
  walk(source, [])
  for (const [name, module] of all) {
    for (const [, test = ''] of module.text.matchAll(/#\[cfg\(test\)\]\s*mod (\w+);/g)) {
      const path = key(name === '' ? [test] : [name, test])
      for (const other of [...all.keys()]) if (other === path || other.startsWith(`${path}::`)) all.delete(other)
    }
  }
  return all
}

/** The path from the root of the crate, or undefined if the path leads to another crate. */
function absolute(path: string, module: string, all: Map<string, Module>): Path | undefined {
  const segments = path.split('::').map((segment) => segment.trim())
  const here = module === '' ? [] : module.split('::')
  const ups = segments.findIndex((segment) => segment !== 'super')
  if (segments[0] === 'crate') return segments.slice(1)
  if (segments[0] === 'self') return [...here, ...segments.slice(1)]
  if (ups > 0) return [...here.slice(0, here.length - ups), ...segments.slice(ups)]
  return all.has(key([...here, ...segments.slice(0, 1)])) ? [...here, ...segments] : undefined
}

function readImports(all: Map<string, Module>): void {
  for (const [name, module] of all) {
    for (const [, isPublic, tree = ''] of module.text.matchAll(useStatement)) {
      for (const text of expanded(tree)) {
        const path = absolute(text, name, all)
        if (path === undefined) continue
        const last = path.at(-1) ?? ''
        const target = last === 'self' || last === '*' ? path.slice(0, -1) : path
        if (last === '*') module.globs.push(target)
        else module.names.set(target.at(-1) ?? '', target)
        if (isPublic === undefined) module.uses.push(target)
      }
    }
    for (const [text] of module.text.replace(useStatement, '\n').matchAll(/\b(?:crate|super|self)(?:::\w+)+/g)) {
      module.uses.push(absolute(text, name, all) ?? [])
    }
  }
}

/** The module that defines what the path names. A name that refers to itself, such as a macro, ends the search. */
function defining(path: Path, all: Map<string, Module>, steps = 20): string {
  let length = 0
  while (length < path.length && all.has(key(path.slice(0, length + 1)))) length++
  const module = key(path.slice(0, length))
  const name = path[length]
  const found = all.get(module)
  if (name === undefined || found === undefined) return module
  const other = found.names.get(name)
  if (other !== undefined && steps > 0) return defining([...other, ...path.slice(length + 1)], all, steps - 1)
  const declares = new RegExp(`(fn|struct|enum|trait|type|const|static|macro_rules!) ${name}\\b`)
  const glob = found.globs.find((target) => declares.test(all.get(key(target))?.text ?? ''))
  return glob === undefined ? module : key(glob)
}

/** The imports between the modules of a folder. Modules below them count as their parts. */
function edges(folder: Path, all: Map<string, Module>): Map<string, Set<string>> {
  const child = (name: string): string | undefined => {
    const path = name === '' ? [] : name.split('::')
    return key(path.slice(0, folder.length)) === key(folder) ? path[folder.length] : undefined
  }
  const found = new Map<string, Set<string>>()
  for (const [name, module] of all) {
    const from = child(name)
    if (from === undefined) continue
    const targets = found.get(from) ?? new Set<string>()
    for (const use of module.uses) {
      const to = child(defining(use, all))
      if (to !== undefined && to !== from) targets.add(to)
    }
    found.set(from, targets)
  }
  return found
}

/** A path from the module back to itself. */
function circle(imports: Map<string, Set<string>>, start: string): string[] | undefined {
  const seen = new Set<string>()
  const waiting = [[start]]
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, start]
      if (!seen.has(next)) waiting.push([...way, next])
      seen.add(next)
    }
  }
  return undefined
}

function circles(source: string): string[] {
  const all = modules(source)
  readImports(all)
  const folders = new Set(
    [...all.keys()].flatMap((name) => name.split('::').map((_, at, path) => key(path.slice(0, at)))),
  )
  return [...folders].flatMap((folder) => {
    const imports = edges(folder === '' ? [] : folder.split('::'), all)
    const ways = [...imports.keys()].map((module) => circle(imports, module))
    return ways.filter((way) => way !== undefined).map((way) => `${folder}: ${way.join(' → ')}`)
  })
}

test.each(readdirSync(crates))('the modules of %s do not form a cycle', (crate) => {
  const source = join(crates, crate, 'src')
  expect(existsSync(source) ? circles(source) : []).toEqual([])
})
