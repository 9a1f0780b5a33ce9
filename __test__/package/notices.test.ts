// The licenses of all linked crates are in every package with native code.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { temporaryDirectory } from '../support/temporary.ts'
import { checkout, run } from './project.ts'

const name = 'THIRD-PARTY-NOTICES.txt'

test('the notices are complete and up to date', () => {
  const checked = run(checkout, process.execPath, [join('scripts', 'notices.mjs'), '--check'])
  // Cargo may report on standard error that it waits or downloads.
  expect(checked).toMatchObject({ status: 0 })
})

test('each crate is listed above a license text', () => {
  const text = readFileSync(join(checkout, name), 'utf8')
  const crates = [...text.matchAll(/^(\S+ \S+) · /gm)].map(([, crate]) => crate ?? '')
  expect(crates.length).toBeGreaterThan(150)
  for (const crate of ['serde 1', 'tokio 1', 'rustls 0', 'tonic 0', 'pyo3 0']) {
    expect(crates.filter((one) => one.startsWith(crate))).not.toEqual([])
  }
  const headings = [...text.matchAll(/^-{80}\n(.*)\n-{80}\n\n\S/gm)].flatMap(([, names]) => (names ?? '').split(', '))
  expect(crates.filter((crate) => !headings.includes(crate))).toEqual([])
})

test('the packages of all platforms, the wheel and the C library have them', () => {
  for (const platform of readdirSync(join(checkout, 'npm'))) {
    const { files } = JSON.parse(readFileSync(join(checkout, 'npm', platform, 'package.json'), 'utf8'))
    expect(files).toContain(name)
  }
  expect(readFileSync(join(checkout, 'python', 'pyproject.toml'), 'utf8')).toContain(
    `license-files = ["LICENSE", "${name}"]`,
  )
  const [built, prefix] = [temporaryDirectory(), temporaryDirectory()]
  for (const library of ['so', 'a', 'dylib', 'dll', 'dll.lib']) {
    for (const prefix of ['libcontract_capi', 'contract_capi']) writeFileSync(join(built, `${prefix}.${library}`), '')
  }
  const code = `import('./scripts/lib/capi.mjs').then(({ layOut }) => layOut(${JSON.stringify([checkout, built, prefix]).slice(1, -1)}))`
  expect(run(checkout, process.execPath, ['-e', code])).toMatchObject({ status: 0, stderr: '' })
  for (const file of ['LICENSE', name])
    expect(existsSync(join(prefix, 'share', 'licenses', 'contract', file))).toBe(true)
})
