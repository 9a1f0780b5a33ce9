import { native } from './native/load.js'

/** The current test file and the name of the current test, if known. */
export interface CurrentTest {
  readonly file?: string
  readonly test?: string
}

let current: (() => CurrentTest) | undefined
let names: readonly string[] | undefined

/** Sets the function that returns the current test. */
export function setCurrentTest(getCurrentTest: () => CurrentTest): void {
  current = getCurrentTest
}

/** Returns the current test, as far as it is known. */
export function currentTest(): CurrentTest {
  return (current ?? testOfJest)()
}

/**
 * Returns the run and, if known, the test. The core records them as the origin of written interactions.
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

/** Sets the current round of watch mode, because one process runs the tests repeatedly. */
export function setRound(round: string | undefined): void {
  ownRound = round
}

/** Sets the round for the workers that this process starts. */
export function setRoundForWorkers(round: string): void {
  process.env[ROUND] = round
}

/** Returns data that identifies the run of this process. Reads `process.env` on each call, because Jest replaces it. */
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
  /** Required for `test.concurrent`, because `currentTestName` is then the name of the test that started last. */
  readonly currentConcurrentTestName?: () => string | undefined
}

/** Returns Jest's current test. Requires Jest's option `injectGlobals`. */
function testOfJest(): CurrentTest {
  const { expect } = globalThis as { expect?: { getState?: () => JestState } }
  return typeof expect?.getState === 'function' ? testOfState(expect.getState()) : {}
}

/** Returns the current test from the state of `expect` in Jest and Vitest. */
export function testOfState({ testPath, currentTestName, currentConcurrentTestName }: JestState): CurrentTest {
  const test = currentConcurrentTestName?.() ?? currentTestName
  return { ...(testPath && { file: testPath }), ...(test && { test }) }
}
