import { native } from './native/load.js'

/** The running test. `file` is its test file, and `test` its name. A member is absent if it is unknown. */
export interface CurrentTest {
  readonly file?: string
  readonly test?: string
}

let current: (() => CurrentTest) | undefined
let names: readonly string[] | undefined

/** Sets the function that returns the running test. Default: a function that asks Jest. */
export function setCurrentTest(getCurrentTest: () => CurrentTest): void {
  current = getCurrentTest
}

/** Returns the running test, as far as it is known. */
export function currentTest(): CurrentTest {
  return (current ?? testOfJest)()
}

/**
 * Returns JSON text that identifies the test run and the running test. The core stores both with the interactions that
 * it writes.
 *
 * @param known - the test that owns the contract, if any
 */
export function writer(known?: CurrentTest): string {
  const isKept = process.env.CONTRACT_REMOVE_OBSOLETE === 'false'
  const test = isKept ? {} : (known ?? currentTest())
  return JSON.stringify({ run: runFacts(), ...test })
}

const ROUND = 'CONTRACT_RUN_ROUND'
let ownRound: string | undefined

/** Sets the current round of watch mode, for runners in which the same process runs the tests of all rounds. */
export function setRound(round: string | undefined): void {
  ownRound = round
}

/** Sets the current round of watch mode in the environment of workers that this process starts. */
export function setRoundForWorkers(round: string): void {
  process.env[ROUND] = round
}

/**
 * Returns the facts from which the core determines to which test run this process belongs. Reads `process.env` on each
 * call, because Jest replaces it.
 */
export function runFacts(): object {
  names ??= native.runVariables()
  const variables: Record<string, string> = {}
  for (const name of names) {
    const value = name === ROUND ? (ownRound ?? process.env[name]) : process.env[name]
    if (value) variables[name] = value
  }
  return { variables, channel: process.connected === true, parent: process.ppid }
}

interface JestState {
  readonly testPath?: string
  readonly currentTestName?: string
  /**
   * The name of the current test. It is required for `test.concurrent`, in which `currentTestName` is the name of the
   * test that started last.
   */
  readonly currentConcurrentTestName?: () => string | undefined
}

/** Returns the test that Jest is running. Requires Jest's option `injectGlobals`. */
function testOfJest(): CurrentTest {
  const { expect } = globalThis as { expect?: { getState?: () => JestState } }
  return typeof expect?.getState === 'function' ? testOfState(expect.getState()) : {}
}

/** Returns the running test, based on the state of `expect` in Jest or Vitest. */
export function testOfState({ testPath, currentTestName, currentConcurrentTestName }: JestState): CurrentTest {
  const test = currentConcurrentTestName?.() ?? currentTestName
  return { ...(testPath && { file: testPath }), ...(test && { test }) }
}
