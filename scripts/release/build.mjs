// `npm run release:local [-- --out DIR] [--products npm,wheel,c] [--smoke] [--keep] [PLATFORM…]`: builds, checks, and packs everything that can
// be built on Linux x64, with the commands of the release workflow. Prints what was built, and what was left out and why. The result is for
// tests: releases come from the workflow, which also builds for macOS and Windows. With --smoke, only the native files of npm packages are
// built, with the quick profile `smoke`, for `npm run test:platforms -- --quick`. cargo's artifacts of a platform, about 2 GB, are deleted
// after its build unless --keep is given.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { targetFolder } from '../lib/capi.mjs'
import { checkPlatform, problemsOf } from '../lib/check-binary.mjs'
import { manifest, platformBy, platforms, root } from '../lib/project.mjs'
import { releaseTools } from '../lib/release-tools.mjs'
import { npmRun, run, StepFailed } from '../lib/run.mjs'
import { sbomFile, sbomText } from '../lib/sbom.mjs'
import { Steps } from '../lib/steps.mjs'
import { proofTargets } from '../lib/targets.mjs'

/** Why something is built only by the workflow. */
const NO_SDK = "Apple's SDK is required to link the frameworks Security, CoreFoundation, and SystemConfiguration."
const NO_MSVC = "Microsoft's linker and libraries are required."
const PRODUCTS = ['npm', 'wheel', 'c']

const { values, positionals } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, '.tmp', 'release') },
    products: { type: 'string', default: PRODUCTS.join() },
    smoke: { type: 'boolean' },
    keep: { type: 'boolean' },
  },
  allowPositionals: true,
})
const out = resolve(values.out)
const products = values.smoke ? ['npm'] : values.products.split(',')
const unknown = products.filter((product) => !PRODUCTS.includes(product))
if (unknown.length > 0) throw new Error(`unknown product: ${unknown.join(', ')}. Known: ${PRODUCTS.join(', ')}`)
const requested = positionals.length > 0 ? positionals.map((name) => platformBy('name', name)) : platforms
if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('This script runs on Linux x64.')

rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const steps = new Steps()
const leftOut = []
const releasable = []

await steps.run('Tools', async () => Object.assign(process.env, await releaseTools()))
await steps.run('Sources', checkSources)
if (products.includes('npm')) await steps.run('JavaScript', buildJavaScript, { needs: ['Sources'] })
for (const platform of requested) await buildPlatform(platform)
if (products.includes('wheel')) await steps.run('Source distribution', buildSdist, { needs: ['Tools'] })
if (products.includes('npm') && releasable.length > 0) await steps.run('npm packages', pack, { needs: ['JavaScript'] })
await steps.run('Checksums', writeChecksums)

steps.summary()
if (leftOut.length > 0) {
  console.log('\nLeft out:')
  for (const { what, reason } of leftOut) console.log(`  ${what}\n    ${reason}`)
}
console.log(`\n${listing()}\n\nFor tests only. Do not publish these files: the release workflow builds all platforms.`)
process.exitCode = steps.allPassed ? 0 : 1

async function checkSources() {
  await run(process.execPath, ['scripts/version.mjs', '--check'], { cwd: root })
  await run(process.execPath, ['scripts/notices.mjs', '--check'], { cwd: root })
  await run(process.execPath, ['scripts/platform-packages.mjs', '--check'], { cwd: root })
}

async function buildJavaScript() {
  await npmRun(root, 'build:js', { folded: true })
  // The smoke suite does not use it.
  if (!values.smoke) await npmRun(root, 'build:wasm', { folded: true })
}

async function buildPlatform(platform) {
  const { name, os, target } = platform
  if (os === 'darwin') return void leftOut.push({ what: `${name}: everything`, reason: NO_SDK })
  const built = os === 'win32' ? Object.keys(proofTargets).find((key) => proofTargets[key] === target) : target
  const needs = ['Tools']
  await steps.run(`Rust target for ${name}`, () => run('rustup', ['target', 'add', built]), { needs })
  if (products.includes('npm')) {
    const isBuilt = await steps.run(`Native files for ${name}`, () => buildNative(platform, built), { needs })
    if (os === 'win32') {
      const reason = `${NO_MSVC} Instead, npm/${name} was built for ${built}, to run the tests in Wine.`
      leftOut.push({ what: `${name}: npm package`, reason })
    } else if (isBuilt && !values.smoke) releasable.push(platform)
  }
  if (os === 'win32') {
    leftOut.push({ what: `${name}: wheel, C archive`, reason: NO_MSVC })
  } else {
    if (products.includes('wheel')) await steps.run(`Wheel for ${name}`, () => buildWheel(platform), { needs })
    if (products.includes('c')) await steps.run(`C archive for ${name}`, () => buildC(platform), { needs })
  }
  if (!values.keep) rmSync(join(targetFolder(root), built), { recursive: true, force: true })
}

async function buildNative(platform, target) {
  const profile = values.smoke ? ['--profile', 'smoke'] : []
  const hasStandalone = platform.abi === 'musl' && !values.smoke
  const standalone = hasStandalone ? ['--standalone'] : []
  const options = ['--target', target, '--zig', '--auditable', ...profile, ...standalone]
  await run(process.execPath, ['scripts/build-native.mjs', ...options], { cwd: root })
  failOn(checkPlatform(platform, { auditable: true }))
  if (hasStandalone) failOn(checkPlatform(platform, { auditable: true, standalone: true }))
}

async function buildWheel(platform) {
  const compatibility = platform.abi === 'musl' ? 'musllinux_1_2' : 'manylinux2014'
  const folder = join(out, 'wheels', platform.name)
  const options = ['--target', platform.target, '--zig', '--compatibility', compatibility, '--auditable']
  await run(process.execPath, ['scripts/build-wheel.mjs', ...options, '--out', folder], { cwd: root })
  const [wheel] = readdirSync(folder)
  const unpacked = join(out, 'unpacked')
  execFileSync('python3', ['-m', 'zipfile', '--extract', join(folder, wheel), unpacked])
  const modules = readdirSync(join(unpacked, 'contract')).filter((name) => /^_native.*\.so$/.test(name))
  assertSound(
    modules.map((name) => join(unpacked, 'contract', name)),
    platform,
  )
  rmSync(unpacked, { recursive: true })
}

async function buildC(platform) {
  const archive = join(out, 'c', `contract-c-${manifest.version}-${platform.name}.tar.gz`)
  const options = ['--target', platform.target, '--zig', '--auditable', '--archive', archive]
  await run(process.execPath, ['scripts/build-capi.mjs', ...options], { cwd: root })
  assertSound([join(targetFolder(root), platform.target, 'release', 'libcontract_capi.so')], platform)
}

async function buildSdist() {
  await run('maturin', ['sdist', '--out', join(out, 'wheels')], { cwd: join(root, 'python') })
}

async function pack() {
  const selected = releasable.flatMap(({ name }) => ['--platform', name])
  await run(process.execPath, ['scripts/pack.mjs', ...selected, join(out, 'npm')], { cwd: root })
}

function writeChecksums() {
  writeFileSync(join(out, sbomFile), sbomText())
  const lines = files().map((name) => `${digest(join(out, name))}  ${name}`)
  writeFileSync(join(out, 'SHA256SUMS'), `${lines.join('\n')}\n`)
}

function assertSound(paths, platform) {
  if (paths.length === 0) throw new StepFailed('no native file was found')
  failOn(paths.map((file) => ({ file, problems: problemsOf(file, platform, { auditable: true }) })))
}

function failOn(checked) {
  const lines = checked.flatMap(({ file, problems }) =>
    problems.map((problem) => `${relative(root, file)}: ${problem}`),
  )
  if (lines.length > 0) throw new StepFailed(lines.join('\n'))
}

function files() {
  const all = readdirSync(out, { recursive: true, withFileTypes: true })
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => relative(out, join(entry.parentPath, entry.name)))
    .sort()
}

function digest(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function listing() {
  return files()
    .map((name) => `${(statSync(join(out, name)).size / 2 ** 20).toFixed(1).padStart(6)} MiB  ${name}`)
    .join('\n')
}
