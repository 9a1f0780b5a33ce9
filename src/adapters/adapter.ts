// Misuse that all runner adapters detect, each with one message.
import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ContractError } from '../errors.js'

/** A runner adapter. */
export interface Adapter {
  /** What users import: `contract/vitest`. */
  readonly module: string
  /** The name of the test runner: `Vitest`. */
  readonly runner: string
  /** The version of the runner, if it is known. */
  readonly version?: string | undefined
  /** The oldest supported major version. Newer ones than those that were tested are accepted. */
  readonly oldest: number
  /** Whether the runner runs the current test file. Default: true. */
  readonly isActive?: boolean | undefined
}

const ADAPTER = Symbol.for('contract.adapter')

/**
 * Registers the adapter for the current test file. Throws if another adapter is in use, if the runner is not the one that
 * the adapter is for, or if its version is not supported.
 */
export function useAdapter({ module, runner, version, oldest, isActive = true }: Adapter): void {
  if (!isActive) {
    const found = runningRunner()
    const advice =
      found === undefined
        ? `Import it only in test files that ${runner} runs.`
        : `This file is run by ${found[0]}: import ${found[1]} instead.`
    throw new ContractError('ERR_CONTRACT_RUNNER', `${module} only works in ${runner}. ${advice}`)
  }
  const major = Number.parseInt(version ?? '', 10)
  if (major < oldest) {
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
      `${module} and ${other} are used in the same test file. Import contractTest from one of them only.`,
    )
  }
  Object.defineProperty(globalThis, ADAPTER, { value: module, configurable: true })
}

/**
 * Whether this runner runs the current test file. Tests of node:test can also be run as a program, and Playwright cannot be
 * recognized while it collects tests.
 */
export function isActiveIn(runner: string): boolean {
  const [found] = runningRunner() ?? []
  return found === runner || (found === undefined && (runner === 'node:test' || runner === 'Playwright'))
}

/** The runner of the current test file and its adapter, if they can be recognized. */
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

/** Throws if the contract file cannot be created in the directory. Does not create it. */
export function checkDirectory(directory: string | URL): void {
  const path = resolve(String(directory).startsWith('file:') ? fileURLToPath(directory) : String(directory))
  let existing = path
  while (!exists(existing) && dirname(existing) !== existing) existing = dirname(existing)
  const problem = problemOf(existing)
  if (problem === undefined) return
  const where = existing === path ? '' : ` (${existing})`
  throw new ContractError(
    'ERR_CONTRACT_FILE',
    `contractTest: the contract directory ${path}${where} ${problem}. Change its permissions, or set the option "directory" or CONTRACT_OUTPUT_DIR.`,
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

function problemOf(path: string): string | undefined {
  if (!statSync(path).isDirectory()) return 'is not a directory'
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return `is not writable (${(error as NodeJS.ErrnoException).code})`
  }
}
