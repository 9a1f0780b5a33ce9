// The modules of a crate do not import each other in circles. Imports of files are counted, so that no re-export in
// `mod.rs` hides a circle.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

const crates = join(__dirname, '..', 'crates')

function rustFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? rustFiles(path) : entry.name.endsWith('.rs') ? [path] : []
  })
}

/** The names behind `crate::`, single or in braces. */
function imported(text: string): string[] {
  const code = text.replace(/#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*/, '').replace(/\/\/.*/g, '')
  return [...code.matchAll(/\bcrate::(\w+|\{[^;]*?\})/g)].flatMap(([, names = '']) =>
    names.startsWith('{') ? [...names.matchAll(/[{,]\s*(\w+)/g)].map(([, name = '']) => name) : [names],
  )
}

/** The top-level modules of a crate with the modules that they import. */
function graph(source: string): Map<string, Set<string>> {
  const modules = readdirSync(source)
    .filter((name) => name.endsWith('.rs') || !name.includes('.'))
    .map((name) => name.replace(/\.rs$/, ''))
    .filter((name) => name !== 'lib' && name !== 'main')
  return new Map(
    modules.map((module) => {
      const files = [join(source, `${module}.rs`)].filter((path) => statSync(path, { throwIfNoEntry: false }))
      const folder = join(source, module)
      if (statSync(folder, { throwIfNoEntry: false })) files.push(...rustFiles(folder))
      const names = files.flatMap((path) => imported(readFileSync(path, 'utf8')))
      return [module, new Set(names.filter((name) => name !== module && modules.includes(name)))]
    }),
  )
}

/** A path from the module back to itself. */
function circle(edges: Map<string, Set<string>>, start: string): string[] | undefined {
  const seen = new Set<string>()
  const waiting = [[start]]
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    for (const next of edges.get(way.at(-1) ?? '') ?? []) {
      if (next === start) return [...way, start]
      if (!seen.has(next)) waiting.push([...way, next])
      seen.add(next)
    }
  }
  return undefined
}

test.each(readdirSync(crates))('the modules of %s form no circle', (crate) => {
  const edges = graph(join(crates, crate, 'src'))
  const circles = [...edges.keys()].map((module) => circle(edges, module)).filter((way) => way !== undefined)
  expect(circles).toEqual([])
})
