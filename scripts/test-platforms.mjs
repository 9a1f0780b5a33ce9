// `npm run test:platforms [-- --quick] [PLATFORM…]`: installs the packed packages of each platform that was built and can run on Linux x64 in
// an empty project, and runs the smoke suite there with each version of Node (scripts/lib/runtimes.mjs). Also tests that unsupported
// versions of Node and packages of another platform are rejected. `npm run release:local` builds the platforms. With --quick, files that
// must not be released are accepted, too: development builds, and Windows builds by zig. With --here, only the platform of this machine
// is tested, on any system, with the Node that runs this script. With --artifacts DIR, the wheels and C archives in the output directory of
// release:local are tested, too. The last line is `N passed, N failed`.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { artifactTests } from './lib/artifact-tests.mjs'
import { nativeFiles, platformBy, quickBuildMark, root } from './lib/project.mjs'
import { run, StepFailed } from './lib/run.mjs'
import { ownNode, rejections, runtimes } from './lib/runtimes.mjs'

const tools = join(root, '.tmp', 'platforms')
const smoke = join(root, 'scripts', 'smoke')
/** The maximum size of an installation, in MiB (docs/decisions/0019). */
const LARGEST = 28

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, here: { type: 'boolean' }, artifacts: { type: 'string' } },
  allowPositionals: true,
})
if (values.artifacts !== undefined && !existsSync(values.artifacts))
  throw new Error(`The directory ${values.artifacts} does not exist. Run: npm run release:local`)
if (values.artifacts !== undefined && values.here) throw new Error('--artifacts and --here cannot be combined.')
const packages = mkdtempSync(join(tmpdir(), 'contract-packages-'))
process.on('exit', () => rmSync(packages, { recursive: true, force: true }))
const results = []
if (values.here) results.push(await test(await thisPlatform(), ownNode))
else await testAll()
const passed = results.filter(Boolean).length
console.log(`\n${passed} passed, ${results.length - passed} failed`)
process.exitCode = passed === results.length ? 0 : 1

async function testAll() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('All platforms are tested on Linux x64. On other platforms, pass --here.')
  }
  const requested = positionals.length > 0 ? positionals : Object.keys(runtimes)
  for (const name of requested) {
    const platform = platformBy('name', name)
    if (runtimes[name] === undefined)
      throw new Error(`${name} cannot run here. Known: ${Object.keys(runtimes).join(', ')}`)
    if (values.artifacts !== undefined) testArtifacts(platform)
    const obstacle = obstacleTo(platform)
    if (obstacle !== undefined) {
      if (positionals.length > 0) throw new Error(`npm/${name} ${obstacle}. Run: npm run release:local -- ${name}`)
      console.log(`NOT TESTED: npm/${name} ${obstacle}`)
      continue
    }
    for (const runtime of runtimes[name]) results.push(await test(platform, runtime))
  }
  for (const { installed, runtime, message } of rejections) {
    const platform = platformBy('name', installed)
    if (!requested.includes(installed) || obstacleTo(platform) !== undefined) continue
    results.push(await test(platform, runtime, ['rejected.mjs', message]))
  }
}

/** Tests the wheel and the C archive of a platform. */
function testArtifacts(platform) {
  for (const { title, run, obstacle, isMissing = false } of artifactTests(platform, {
    artifacts: resolve(values.artifacts),
    tools,
  })) {
    if (obstacle !== undefined) {
      console.log(`\n${isMissing ? '✗' : '-'} ${platform.name}: ${title}: ${obstacle}`)
      if (isMissing) results.push(false)
      continue
    }
    console.log(`\n▸ ${platform.name}: ${title}`)
    const folder = mkdtempSync(join(tmpdir(), 'contract-artifact-'))
    try {
      run(folder)
      results.push(true)
    } catch (error) {
      console.error(`✗ ${error.message}`)
      results.push(false)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Detects the platform like the package, which knows the C library. */
async function thisPlatform() {
  const { default: launch } = await import('../dist/launch.cjs')
  return platformBy('name', launch.currentPlatform().name)
}

/** Returns why the files of a platform cannot be tested. */
function obstacleTo(platform) {
  const isThere = nativeFiles(platform).every((file) => existsSync(join(root, 'npm', platform.name, file)))
  if (!isThere) return 'is not built'
  const mark = quickBuildMark(platform)
  if (values.quick || !existsSync(mark)) return undefined
  return `must not be released (${readFileSync(mark, 'utf8').trim()}), and is tested only with --quick`
}

/** Installs the packages and a version of Node in an empty project, and runs a script there: by default, the smoke suite. */
async function test(platform, runtime, [script, ...args] = ['smoke.mjs']) {
  console.log(`\n▸ ${platform.name} with ${runtime.title}`)
  const folder = mkdtempSync(join(tmpdir(), 'contract-platform-'))
  try {
    const tarballs = packed(platform)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
    // Without --force, npm rejects packages for other systems.
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--force']
    await run('npm', ['install', ...quiet, ...tarballs, ...runtime.packages], { cwd: folder })
    checkSize(platform, folder)
    for (const file of readdirSync(smoke)) cpSync(join(smoke, file), join(folder, file))
    runtime.run([script, ...args], { folder, tools })
    return true
  } catch (error) {
    console.error(error instanceof StepFailed || error.status !== undefined ? `✗ ${error.message}` : error)
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Checks the size of both packages on disk. With --quick, only prints it. */
function checkSize(platform, folder) {
  const sizes = ['contract', platform.packageName].map((name) => sizeOf(join(folder, 'node_modules', name)))
  const total = (sizes[0] + sizes[1]) / 2 ** 20
  console.log(`installed: ${total.toFixed(1)} MiB`)
  if (total > LARGEST && !values.quick)
    throw new StepFailed(`The packages have ${total.toFixed(1)} MiB. The maximum is ${LARGEST} MiB.`)
}

function sizeOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** The tarballs of a platform, which are packed once. */
function packed(platform) {
  const folder = join(packages, platform.name)
  if (!existsSync(folder)) {
    const quick = values.quick ? ['--quick'] : []
    const args = [join(root, 'scripts', 'pack.mjs'), '--platform', platform.name, ...quick, folder]
    execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const all = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.tgz'))
  return all.map((name) => join(folder, name))
}
