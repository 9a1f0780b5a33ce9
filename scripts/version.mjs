// Sets the version of the project in all places: `version.mjs 0.2.0`. Also dates the first heading of CHANGELOG.md. With --check, it only
// checks that all places agree. Pre-releases are `-alpha.N`, `-beta.N`, and `-rc.N`, because other forms have no equivalent for Python.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './lib/root.mjs'

const VERSION = /^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$/
const UNRELEASED = 'not released yet'

/** The version in the spelling of Python (PEP 440). */
function pythonVersion(version) {
  const [, release, stage, number] = VERSION.exec(version)
  const letters = { alpha: 'a', beta: 'b', rc: 'rc' }
  return stage === undefined ? release : `${release}${letters[stage]}${number}`
}

/** Sets the version of the packages of the workspace in Cargo.lock. Only packages from elsewhere have a source. */
function inCargoLock(text, version) {
  const blocks = text.split(/(?=^\[\[package\]\]$)/m)
  const own = (block) => /^name = "contract(?:-[a-z-]+)?"$/m.test(block) && !/^source = /m.test(block)
  return blocks
    .map((block) => (own(block) ? block.replace(/^version = ".*"$/m, `version = "${version}"`) : block))
    .join('')
}

function inPackageLock(text, version) {
  const lock = JSON.parse(text)
  for (const entry of [lock, lock.packages[''], lock.packages['packages/plugin']]) entry.version = version
  return `${JSON.stringify(lock, null, 2)}\n`
}

const inJson = (text, version) => text.replace(/^( {2}"version": ").*(",)$/m, `$1${version}$2`)
const inToml = (text, version) => text.replace(/^(version = ").*(")$/m, `$1${version}$2`)

/** The files with the version, and how to write it there. */
const places = {
  'package.json': inJson,
  'packages/plugin/package.json': inJson,
  'package-lock.json': inPackageLock,
  'Cargo.toml': inToml,
  'Cargo.lock': inCargoLock,
  'python/pyproject.toml': (text, version) => inToml(text, pythonVersion(version)),
}

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true })
if (values.check) check(JSON.parse(read('package.json')).version)
else if (positionals.length === 1 && VERSION.test(positionals[0])) set(positionals[0])
else {
  console.error('Usage: node scripts/version.mjs VERSION | --check\nVERSION is, for example, 0.2.0 or 0.2.0-rc.1.')
  process.exitCode = 2
}

function check(version) {
  const stale = Object.entries(places).filter(([path, write]) => read(path) !== write(read(path), version))
  const problems = stale.map(([path]) => `${path}: the version is not ${version}`)
  const [, heading] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? []
  if (heading !== version) problems.push(`CHANGELOG.md: the first heading is for ${heading}, not for ${version}`)
  if (problems.length === 0) return
  console.error(`${problems.join('\n')}\nRun: node scripts/version.mjs VERSION`)
  process.exitCode = 1
}

function set(version) {
  for (const [path, write] of Object.entries(places)) writeFileSync(join(root, path), write(read(path), version))
  writeFileSync(join(root, 'CHANGELOG.md'), inChangelog(read('CHANGELOG.md'), version))
  // Reads the version from package.json.
  execFileSync(process.execPath, [join(root, 'scripts', 'platform-packages.mjs')])
  console.log(`The version is ${version}. Read the first section of CHANGELOG.md, and run npm test before you commit.`)
}

function inChangelog(text, version) {
  const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})`
  const [first] = /^## .*$/m.exec(text) ?? []
  if (first === undefined) return `${text.trimEnd()}\n\n${heading}\n`
  const isOpen = first.endsWith(`(${UNRELEASED})`) || first.startsWith(`## ${version} `)
  return text.replace(first, isOpen ? heading : `${heading}\n\n${first}`)
}

function read(path) {
  return readFileSync(join(root, path), 'utf8')
}
