// Checks the project in the current directory.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isOlder } from '../adapters/older.js'
import { VERSION } from '../native/build-constants.js'
import { executable } from '../native/executable.js'
import { firstUsable } from '../native/find.js'
import { NativeLoadError } from '../native/load-error.js'
import { packageFor } from '../native/locate.js'
import { isSupportedNode, OLDEST_NODE } from '../native/node-version.js'
import { currentPlatform } from '../native/platform.js'
import { type Check, failed, ok, skipped, warning } from './check.js'

export function checkNode(version = process.versions.node): Check {
  const text = `Node ${version}`
  if (isSupportedNode(version)) return ok('node', text)
  return failed('node', `${text} is not supported`, `Install Node ${OLDEST_NODE} or later.`)
}

interface Manifest {
  readonly version?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The contents of the project's `package.json`, and its directory. */
interface ProjectManifest {
  readonly folder: string
  readonly manifest: Manifest
}

/** Returns the nearest `package.json` at or above `start`, or `undefined` if there is none. */
function projectOf(start: string): ProjectManifest | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'package.json'))
    if (manifest !== undefined) return { folder, manifest }
    if (folder === dirname(folder)) return undefined
  }
}

function readManifest(file: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

/** Returns the manifest of a package that is installed in the project, or `undefined` if it is not installed. */
function installed(name: string, start: string): Manifest | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'node_modules', name, 'package.json'))
    if (manifest !== undefined || folder === dirname(folder)) return manifest
  }
}

/** Checks whether the project has installed this package in the same version as this command. */
export function checkPackage(start: string): Check {
  const project = projectOf(start)
  if (project === undefined) {
    return failed(
      'package',
      `package.json not found in ${start} or its parent directories`,
      'Run the command in your project, or create a project: npm init',
    )
  }
  const { manifest } = project
  const found = installed('contract', start)
  const own = realpathSync(join(__dirname, '..'))
  if (found === undefined && realpathSync(project.folder) !== own) {
    return failed(
      'package',
      'contract is not installed in this project',
      'Install it in this project; see docs/start/installation.md.',
    )
  }
  if (found !== undefined && found.version !== VERSION) {
    const fix = 'Run the command that is installed in the project: npx contract doctor'
    return warning('package', `this command is contract ${VERSION}, but the project has ${found.version}`, fix)
  }
  const isListed = [manifest.dependencies, manifest.devDependencies].some((list) => list?.contract !== undefined)
  if (found !== undefined && !isListed && realpathSync(project.folder) !== own) {
    const fix = 'Add it to "devDependencies" in package.json.'
    return warning('package', `contract ${VERSION} is installed, but package.json does not list it`, fix)
  }
  return ok('package', `contract ${VERSION}`)
}

/** Checks whether the native library exists and can be loaded. */
export function checkCore(): Check {
  try {
    const name = packageFor(currentPlatform().name)
    const library = firstUsable((file) => {
      const { version } = require(file) as { version(): string }
      if (version() !== VERSION)
        throw new Error(`its version is ${version()}, but the version of this package is ${VERSION}`)
      return file
    })
    return ok('core', process.env.CONTRACT_NATIVE_PATH ? `${library} (CONTRACT_NATIVE_PATH)` : name)
  } catch (error) {
    if (!(error instanceof NativeLoadError)) throw error
    const [, advice = ''] = error.message.split('To fix it:\n')
    const reason = error.attempts.map(({ reason }) => reason).join('; ')
    const fix = advice
      .replace(/\n?\[ERR_\w+\]$/, '')
      .replaceAll('  - ', '')
      .trim()
    return failed('core', `${packageFor(error.platform.name)} could not be loaded: ${reason}`, fix)
  }
}

/** Checks whether the executable of `contract verify` and `contract-broker` runs. */
export function checkExecutable(): Check {
  const reinstall = 'Delete node_modules and install again.'
  let path: string
  try {
    path = executable()
  } catch {
    return skipped('executable', 'not checked, because the native core is missing')
  }
  const { status, error, signal } = spawnSync(path, ['--version'], {
    argv0: 'contract',
    encoding: 'utf8',
    timeout: 20_000,
  })
  if (status === 0) return ok('executable', 'contract verify and contract-broker run')
  return failed(
    'executable',
    `${path} does not run: ${error?.message ?? (signal ? `signal ${signal}` : `exit code ${status}`)}`,
    reinstall,
  )
}

/** Test runners, with the oldest versions that adapters and the removal of obsolete interactions support. */
const RUNNERS = [
  { name: 'Jest', module: 'jest', oldest: '29' },
  { name: 'Vitest', module: 'vitest', oldest: '3' },
  { name: 'Mocha', module: 'mocha', oldest: '10' },
  { name: 'Playwright', module: '@playwright/test', oldest: '1.45' },
] as const

/** Checks which test runners are installed in the project, and whether their versions are supported. */
export function checkRunner(start: string): Check {
  const found = RUNNERS.flatMap((runner) => {
    const version = installed(runner.module, start)?.version
    return version === undefined ? [] : [{ ...runner, version }]
  })
  const { manifest } = projectOf(start) ?? {}
  const usesNode = Object.values(manifest?.scripts ?? {}).some((script) => /\bnode\b.*--test\b/.test(script))
  const names = [...found.map(({ name, version }) => `${name} ${version}`), ...(usesNode ? ['node --test'] : [])]
  const old = found.find(({ version, oldest }) => isOlder(version, oldest))
  if (old !== undefined) {
    const text = `${old.name} ${old.version} is older than ${old.oldest}, the oldest supported version`
    return warning('runner', text, `Update it: npm install --save-dev ${old.module}@latest`)
  }
  if (names.length > 0) return ok('runner', names.join(', '))
  const fix = 'Install Jest, Vitest, Mocha, or Playwright, or use node --test.'
  return warning('runner', 'no known test runner is installed', fix)
}

/** Checks whether contract files can be written, and whether existing contract files can be read. */
export function checkDirectory(start: string, environment: NodeJS.ProcessEnv): Check {
  const configured = environment.CONTRACT_OUTPUT_DIR
  const existing = ['contracts', 'pacts', join('pact', 'pacts')].find((name) => existsSync(join(start, name)))
  const name = configured || existing
  if (name === undefined) {
    if (isWritable(start)) return ok('directory', 'no contract directory yet; the first test that passes creates it')
    return failed('directory', `${start} is not writable`, 'Change its permissions, or set CONTRACT_OUTPUT_DIR.')
  }
  const folder = resolve(start, name)
  const label = configured ? `${name} (CONTRACT_OUTPUT_DIR)` : name
  if (!existsSync(folder)) {
    const parent = nearest(folder)
    if (isWritable(parent)) return ok('directory', `${label} does not exist yet; the first test that passes creates it`)
    return failed(
      'directory',
      `${label} does not exist, and ${parent} is not writable`,
      'Create the directory, or set CONTRACT_OUTPUT_DIR.',
    )
  }
  if (!statSync(folder).isDirectory())
    return failed('directory', `${label} is not a directory`, 'Remove the file, or set CONTRACT_OUTPUT_DIR.')
  if (!isWritable(folder)) {
    return failed('directory', `${label} is not writable`, `Change its permissions: chmod u+w ${name}`)
  }
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const broken = files.find((file) => readContract(join(folder, file)) === undefined)
  if (broken !== undefined) {
    const fix = 'Restore the file from version control, or delete it and run the tests.'
    return failed('directory', `${join(name, broken)} is not a JSON object`, fix)
  }
  return ok('directory', `${label} is writable, ${files.length} contract ${files.length === 1 ? 'file' : 'files'}`)
}

function readContract(file: string): object | undefined {
  const value: unknown = readManifest(file)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder))
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    // An administrator can write everywhere, but other users cannot.
    return (statSync(path).mode & 0o222) !== 0
  } catch {
    return false
  }
}

/** Checks whether pact-js is still installed. Returns `undefined` if it is not. */
export function checkPactJs(start: string): Check | undefined {
  const version = installed('@pact-foundation/pact', start)?.version
  if (version === undefined) return undefined
  const fix = 'Convert your tests: npx contract migrate pact-js. Then: npm uninstall @pact-foundation/pact'
  return warning('pact-js', `@pact-foundation/pact ${version} is installed`, fix)
}
