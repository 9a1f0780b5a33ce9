// The list of third-party crates that packages with native code contain (CycloneDX), and the rules for their licenses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { version } from 'contract'
import { checkout, run } from './project.ts'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly { readonly expression: string }[]
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
}

interface Bom {
  readonly specVersion: string
  readonly metadata: { readonly component: { readonly 'bom-ref': string; readonly version: string } }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

const printed = run(checkout, process.execPath, [join('scripts', 'sbom.mjs')])
const bom = JSON.parse(printed.stdout) as Bom
const lock = readFileSync(join(checkout, 'Cargo.lock'), 'utf8')

test('it lists every linked crate with its checksum', () => {
  const notices = readFileSync(join(checkout, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  const linked = [...notices.matchAll(/^(\S+ \S+) · /gm)].map(([, crate]) => crate)
  expect(bom.components.map(({ name, version: number }) => `${name} ${number}`)).toEqual(linked)
  for (const { name, version: number, purl, hashes } of bom.components) {
    expect(purl).toBe(`pkg:cargo/${name}@${number}`)
    expect(hashes).toEqual([{ alg: 'SHA-256', content: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect(lock).toMatch(
      new RegExp(
        `name = "${name}"\nversion = "${number.replaceAll('+', '\\+')}"\nsource = .*\nchecksum = "${hashes[0]?.content}"`,
      ),
    )
  }
})

test('its dependencies connect the product with every crate', () => {
  const own = bom.metadata.component['bom-ref']
  expect(own).toBe(`contract@${version}`)
  const known = [own, ...bom.components.map((one) => one['bom-ref'])]
  expect(new Set(known).size).toBe(known.length)
  expect(bom.dependencies.map(({ ref }) => ref)).toEqual(known)
  const edges = new Map(bom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  expect([...edges.values()].flat().filter((ref) => !known.includes(ref))).toEqual([])
  const http = bom.components.find(({ name }) => name === 'http-body')
  expect(edges.get(http?.purl ?? '')).toEqual([
    expect.stringMatching(/^pkg:cargo\/bytes@1/),
    expect.stringMatching(/^pkg:cargo\/http@1/),
  ])
})

test('it is the same on every call and contains no path of this machine', () => {
  expect(run(checkout, process.execPath, [join('scripts', 'sbom.mjs')])).toEqual(printed)
  expect(printed.stdout).not.toContain(checkout)
})

test('deny.toml allows the license of every crate', () => {
  const rules = readFileSync(join(checkout, 'deny.toml'), 'utf8')
  const [, list = ''] = /^allow = \[\n([^\]]*)\]/m.exec(rules) ?? []
  const allowed = new Set([...list.matchAll(/"(.*)"/g)].map(([, id]) => id))
  expect(allowed.size).toBeGreaterThan(5)
  /** All alternatives of one part must be allowed, for each part that is joined by AND. */
  const isAllowed = (expression: string) =>
    expression
      .replaceAll(/[()]/g, '')
      .split(' AND ')
      .every((part) => part.split(' OR ').some((id) => allowed.has(id)))
  expect(isAllowed('GPL-3.0 OR MIT')).toBe(true)
  expect(isAllowed('(GPL-3.0 OR AGPL-3.0) AND MIT')).toBe(false)
  const rejected = bom.components.filter(({ licenses = [] }) => !isAllowed(licenses[0]?.expression ?? ''))
  expect(rejected.map(({ name, licenses }) => ({ name, licenses }))).toEqual([])
  // No license is allowed that no crate needs.
  const used = bom.components.flatMap(({ licenses = [] }) => licenses[0]?.expression.split(/ AND | OR |[()]/) ?? [])
  expect([...allowed].filter((id) => !used.includes(id ?? ''))).toEqual([])
})
