// The published test cases of the Pact Specification, and those of this project, in the WebAssembly build.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from '@jest/globals'

interface Case {
  readonly match: boolean
}
type Outcome = { readonly compared?: { readonly mismatches: readonly object[] }; readonly failed?: { message: string } }
interface Engine {
  Instance: { create(): Promise<{ call<T>(document: object): { readonly document: T } }> }
}

const dist = join(__dirname, '..', '..', 'dist')
const fixtures = join(__dirname, '..', '..', 'fixtures', 'matching')
const folders: [string, string | undefined, number][] = [
  ['published', process.env.CONTRACT_SPEC_CASES, 100],
  ['own', fixtures, 10],
]

/** The part and the version are the names of folders, as in crates/matching/tests/support/cases.rs. */
function partOf(file: string): { part: string; version: string } | undefined {
  const names = file.split(sep).slice(0, -1).reverse()
  const part = names.find((name) => ['request', 'response', 'message'].includes(name))
  const version = names.map((name) => /^(?:version-|[vV])(\d.*)$/.exec(name)?.[1]).find((found) => found !== undefined)
  return part === undefined ? undefined : { part, version: version ?? '4' }
}

test.each(folders)('the %s cases have the same result as in the native build', async (name, folder, least) => {
  if (folder === undefined) {
    process.stderr.write(`CONTRACT_SPEC_CASES is not set: the ${name} cases were NOT run in the WebAssembly build.\n`)
    return
  }
  const { Instance } = require(join(dist, 'engine.cjs')) as Engine
  const engine = await Instance.create()
  const failed: string[] = []
  let count = 0
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const kind = partOf(join(folder, path))
    if (kind === undefined || !path.endsWith('.json')) continue
    // The text is passed on unchanged, because JavaScript would change numbers such as 1.0.
    const text = readFileSync(join(folder, path), 'utf8').replace(/^\uFEFF/, '')
    const { match } = JSON.parse(text) as Case
    const { document } = engine.call<Outcome>({ compare: { ...kind, text } })
    count += 1
    const found = document.compared?.mismatches
    if (found === undefined || (found.length === 0) !== match) failed.push(`${path}: ${JSON.stringify(document)}`)
  }
  expect(failed).toEqual([])
  expect(count).toBeGreaterThan(least)
})
