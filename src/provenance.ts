import { native } from './native/load.js'

/** A test file, and a test in it as far as it is known. */
export interface CurrentTest {
  readonly file?: string
  readonly test?: string
}

let current: (() => CurrentTest) | undefined
let names: readonly string[] | undefined

/** From now on this says which test runs. */
export function tellCurrentTest(tell: () => CurrentTest): void {
  current = tell
}

/** Who writes a contract file, for the core: the run, and the test as far as it is known. */
export function writer(): string {
  const isKept = process.env.CONTRACT_REMOVE_OBSOLETE === 'false'
  const test = isKept ? {} : (current ?? testOfJest)()
  return JSON.stringify({ run: runFacts(), ...test })
}

const ROUND = 'CONTRACT_RUN_ROUND'
let ownRound: string | undefined

/** From now on tests are of another round of a run that goes on, as in watch mode. */
export function tellRound(round: string | undefined): void {
  ownRound = round
}

/** The same for the workers that this process starts. */
export function tellRoundToWorkers(round: string): void {
  process.env[ROUND] = round
}

/** What tells the run that this process belongs to. In Jest the environment is not that of the process. */
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
  /** Under `test.concurrent` the other is the name of the test that was started last. */
  readonly currentConcurrentTestName?: () => string | undefined
}

/** Jest tells both, unless its globals are switched off. */
function testOfJest(): CurrentTest {
  const { expect } = globalThis as { expect?: { getState?: () => JestState } }
  return typeof expect?.getState === 'function' ? testOfState(expect.getState()) : {}
}

/** What the `expect` of Jest and of Vitest knows. */
export function testOfState({ testPath, currentTestName, currentConcurrentTestName }: JestState): CurrentTest {
  const test = currentConcurrentTestName?.() ?? currentTestName
  return { ...(testPath && { file: testPath }), ...(test && { test }) }
}
