// Checks that all runner adapters perform, with their error messages.
import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ContractError } from '../errors.js'
import { isOlder } from './older.js'

/** What an adapter states about itself and its test runner. */
export interface Adapter {
  /** The module that users import, such as `contract/vitest`. */
  readonly module: string
  /** The name of the test runner, such as `Vitest`. */
  readonly runner: string
  /** The runner's version, such as `3.2.4`. `undefined` if it is unknown; the version is then not checked. */
  readonly version?: string | undefined
  /** The oldest supported version, such as `3` or `1.45`. Newer versions are accepted even if they were not tested. */
  readonly oldest: string
  /** True if the runner runs the current test file. Default: true. */
  readonly isActive?: boolean | undefined
}

const ADAPTER = Symbol.for('contract.adapter')

/**
 * Registers the adapter for the current test file. Throws if the file uses another adapter, if a different runner runs the
 * file, or if the version of the runner is not supported.
 */
export function useAdapter({ module, runner, version, oldest, isActive = true }: Adapter): void {
  if (!isActive) {
    const active = runningRunner()
    const advice =
      active === undefined
        ? `Import it only in test files that ${runner} runs.`
        : `This file is run by ${active[0]}: import ${active[1]} instead.`
    throw new ContractError('ERR_CONTRACT_RUNNER', `${module} only works in ${runner}. ${advice}`)
  }
  if (version !== undefined && isOlder(version, oldest)) {
    throw new ContractError(
      'ERR_CONTRACT_RUNNER',
      `${module} requires ${runner} ${oldest} or later, found ${version}. Update ${runner}, or use Contract.serve() without an adapter.`,
    )
  }
  const globals = globalThis as Record<symbol, unknown>
  const other = globals[ADAPTER]
  if (other !== undefined && other !== module) {
    throw new ContractError(
      'ERR_CONTRACT_RUNNER',
      `${module} and ${other} are used in the same test file. Import contractTest from only one of them.`,
    )
  }
  Object.defineProperty(globalThis, ADAPTER, { value: module, configurable: true })
}

/**
 * Returns whether this runner runs the current test file. If no runner is detected, returns true for node:test, whose tests can
 * also run as a program, and for Playwright, which cannot be detected while it collects tests.
 */
export function isActiveIn(runner: string): boolean {
  const [active] = runningRunner() ?? []
  return active === runner || (active === undefined && (runner === 'node:test' || runner === 'Playwright'))
}

/**
 * Returns the name of the runner that runs the current test file, and the module of its adapter. Returns `undefined` if
 * no runner is detected.
 */
function runningRunner(): readonly [string, string] | undefined {
  const globals = globalThis as Record<string, unknown>
  const hasJestState = Object.getOwnPropertySymbols(globalThis).some(
    ({ description }) => description === 'JEST_STATE_SYMBOL',
  )
  if (globals.__vitest_worker__ !== undefined) return ['Vitest', 'contract/vitest']
  if (hasJestState) return ['Jest', 'contract/jest']
  if (process.env.TEST_WORKER_INDEX !== undefined) return ['Playwright', 'contract/playwright']
  const isBdd = typeof globals.specify === 'function' && typeof globals.context === 'function'
  const isTdd = typeof globals.suiteSetup === 'function' && typeof globals.suiteTeardown === 'function'
  if (isBdd || isTdd) return ['Mocha', 'contract/mocha']
  if (process.env.NODE_TEST_CONTEXT !== undefined) return ['node:test', 'contract/node-test']
  return undefined
}

/**
 * Throws if no contract file can be created in the directory. The directory itself need not exist, and is not created.
 */
export function checkDirectory(directory: string | URL): void {
  const path = resolve(String(directory).startsWith('file:') ? fileURLToPath(directory) : String(directory))
  let existing = path
  while (!exists(existing) && dirname(existing) !== existing) existing = dirname(existing)
  const problem = problemOf(existing)
  if (problem === undefined) return
  const location = existing === path ? '' : ` (${existing})`
  const [reason, fix] = problem
  throw new ContractError(
    'ERR_CONTRACT_FILE',
    `contractTest: the contract directory ${path}${location} ${reason}. ${fix}, or set the option "directory" or CONTRACT_OUTPUT_DIR.`,
  )
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A component of the path is a file.
    return false
  }
}

/**
 * Describes what is wrong with an existing directory, and how to fix it. Returns `undefined` if files can be created in
 * it.
 */
function problemOf(path: string): readonly [reason: string, fix: string] | undefined {
  if (!statSync(path).isDirectory()) return ['is not a directory', 'Remove the file']
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return [`is not writable (${(error as NodeJS.ErrnoException).code})`, 'Change its permissions']
  }
}
