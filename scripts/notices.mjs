// Writes THIRD-PARTY-NOTICES.txt and its copy for the Python package: the licenses of all crates that are linked into
// the native library, the executable, the Python module and the C library on any supported platform. With --check, it
// only compares.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { manifest, noticesFile, root } from './lib/project.mjs'

const products = ['contract-napi', 'contract-launcher', 'contract-cli', 'contract-python', 'contract-capi']
const MIT = `MIT License

Copyright (c) HOLDERS

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`

const paths = [join(root, noticesFile), join(root, 'python', noticesFile)]
const expected = notices(linked())

if (process.argv.includes('--check')) {
  const stale = paths.filter((path) => !existsSync(path) || readFileSync(path, 'utf8') !== expected)
  if (stale.length === 0) process.exit(0)
  console.error(`These files do not match Cargo.lock:\n${stale.join('\n')}\nRun: node scripts/notices.mjs`)
  process.exit(1)
}
for (const path of paths) writeFileSync(path, expected)

/** Third-party crates in a product, sorted by name and version. */
function linked() {
  const targets = manifest.napi.targets.flatMap((target) => ['--filter-platform', target])
  const args = ['metadata', '--format-version', '1', '--locked', ...targets]
  const text = execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  const { packages, resolve } = JSON.parse(text)
  const byId = new Map(packages.map((one) => [one.id, one]))
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]))
  const isMacro = (one) => one.targets.some((target) => target.kind.includes('proc-macro'))
  const left = packages.filter((one) => products.includes(one.name)).map((one) => one.id)
  const found = new Set(left)
  while (left.length > 0) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(left.pop()).deps) {
      // Crates for builds and macros run on the build machine and are not distributed.
      if (found.has(pkg) || isMacro(byId.get(pkg)) || kinds.every(({ kind }) => kind !== null)) continue
      found.add(pkg)
      left.push(pkg)
    }
  }
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
  return [...found]
    .map((id) => byId.get(id))
    .filter((one) => one.source !== null)
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

function notices(crates) {
  const byText = new Map()
  const missing = []
  for (const crate of crates) {
    const texts =
      [licenseTexts(crate), ...siblings(crate, crates).map(licenseTexts)].find((one) => one.length > 0) ??
      apacheText(crate, crates)
    if (texts.length === 0) missing.push(`${crate.name} ${crate.version} (${crate.license})`)
    for (const text of texts) byText.set(text, [...(byText.get(text) ?? []), `${crate.name} ${crate.version}`])
  }
  if (missing.length > 0) {
    console.error(`No license text was found for:\n${missing.join('\n')}`)
    process.exit(1)
  }
  const list = crates.map(({ name, version, license, repository }) =>
    [`${name} ${version}`, license ?? 'see its license file', repository].filter(Boolean).join(' · '),
  )
  const rule = '-'.repeat(80)
  const sections = [...byText].map(([text, names]) => `${rule}\n${names.join(', ')}\n${rule}\n\n${text}\n`)
  const head = `${manifest.name} contains the following third-party software. Each license text below names the crates it applies to.`
  return `${head}\n\n${list.join('\n')}\n\n${sections.join('\n')}`
}

/** Returns the text of the Apache License, which has no copyright holders, from another crate. */
function apacheText({ license }, crates) {
  if (license !== 'Apache-2.0') return []
  const isApache = (text) => text.startsWith('Apache License') && text.includes('END OF TERMS AND CONDITIONS')
  const text = crates
    .filter((one) => one.license === license)
    .flatMap(licenseTexts)
    .find(isApache)
  return text === undefined ? [] : [text]
}

/** Identifies crates of one repository with one license. One of them may contain the text for all. */
function siblings({ repository, license }, crates) {
  return crates.filter((one) => repository && one.repository === repository && one.license === license)
}

/** Returns the license texts and notices in a crate, or only MIT if users can choose it. */
function licenseTexts(crate) {
  const folder = dirname(crate.manifest_path)
  const read = (name) =>
    readFileSync(join(folder, name), 'utf8')
      .replaceAll('\r\n', '\n')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trim()
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|unlicense|notice|copyright)/i.test(entry.name))
    .map((entry) => entry.name)
    .sort()
  if (crate.license_file && existsSync(join(folder, crate.license_file)) && !files.includes(crate.license_file))
    files.push(crate.license_file)
  const isNotice = (name) => /^(notice|copyright)/i.test(name)
  const mayChooseMit =
    /\bMIT\b/.test(crate.license ?? '') && /\bOR\b|\//.test(crate.license) && !/\bAND\b/.test(crate.license)
  const mit = files.filter((name) => /mit/i.test(name) && !isNotice(name))
  const chosen = mayChooseMit && mit.length > 0 ? [...mit, ...files.filter(isNotice)] : files
  const texts = chosen.map(read).filter((text) => text !== '')
  return texts.length > 0 ? texts : standardText(crate)
}

/** Returns the standard text for a crate that declares a license but contains no license file. */
function standardText({ license = '', authors, name }) {
  if (!/\bMIT\b/.test(license)) return []
  const holders =
    authors.length > 0 ? authors.map((author) => author.replace(/ <.*>$/, '')).join(', ') : `The ${name} authors`
  return [MIT.replace('HOLDERS', holders)]
}
