// Finds the timeout of the running test, so that the core can stop before the test runner does and report the reason.

/**
 * Returns the timeout of the running test in milliseconds. 0 means that there is no timeout, and `undefined` that it is
 * unknown.
 */
export function runnerTimeout(): number | undefined {
  const limit = jest() ?? vitest() ?? mocha() ?? nodeTest()
  return isLimit(limit) ? limit : undefined
}

interface Limited {
  readonly timeout?: number | null
}

/**
 * The timeout of the running test in milliseconds, and the time at which the test started, in milliseconds since
 * 1970-01-01 UTC.
 */
export interface RunnerLimit {
  readonly runnerTimeout?: number
  readonly runnerStarted?: number
}

interface JestTest extends Limited {
  readonly startedAt?: number | null
}

interface VitestTest extends Limited {
  readonly result?: { readonly startTime?: number }
}

/**
 * Returns the timeout and the start of the running test, as far as they are known. They are unknown in hooks of Jest
 * and Vitest, and in Mocha.
 */
export function runningTestLimit(): RunnerLimit {
  const jestTest = jestNow()?.currentlyRunningTest as JestTest | null | undefined
  const vitestTest = vitestNow()?.current as VitestTest | undefined
  const timeout = jestTest ? (jestTest.timeout ?? jestNow()?.testTimeout ?? 5000) : vitestTest && vitest()
  const started = jestTest ? jestTest.startedAt : vitestTest?.result?.startTime
  if (!isLimit(timeout)) return {}
  return { runnerTimeout: timeout, ...(typeof started === 'number' && { runnerStarted: started }) }
}

/** Returns an object that identifies the running test, or `undefined` if the runner does not expose it. */
export function runningTest(): unknown {
  const { expect } = globalThis as { expect?: { getState?: () => { currentConcurrentTestName?: () => unknown } } }
  // For concurrent tests, runners expose only the test that started last.
  if (expect?.getState?.().currentConcurrentTestName?.() !== undefined) return undefined
  const test = (jestNow()?.currentlyRunningTest ?? vitestNow()?.current) as { concurrent?: boolean } | null | undefined
  return test?.concurrent === true ? undefined : (test ?? undefined)
}

function isLimit(limit: unknown): limit is number {
  return Number.isInteger(limit) && (limit as number) >= 0 && (limit as number) <= 86_400_000
}

/**
 * The symbol under which Jest stores its state on `globalThis` before the first test. `null` outside of Jest, and
 * `undefined` before the first search.
 */
let jestState: symbol | null | undefined

interface JestState {
  readonly currentlyRunningTest?: Limited | null
  readonly testTimeout?: number
}

function jestNow(): JestState | undefined {
  if (jestState === undefined)
    jestState =
      Object.getOwnPropertySymbols(globalThis).find(({ description }) => description === 'JEST_STATE_SYMBOL') ?? null
  if (jestState === null) return undefined
  return (globalThis as Record<symbol, unknown>)[jestState] as JestState
}

function jest(): number | undefined {
  const state = jestNow()
  return state?.currentlyRunningTest?.timeout ?? state?.testTimeout
}

interface VitestWorker {
  readonly current?: Limited
  readonly config?: { readonly testTimeout?: number }
}

function vitestNow(): VitestWorker | undefined {
  return (globalThis as Record<string, unknown>).__vitest_worker__ as VitestWorker | undefined
}

function vitest(): number | undefined {
  const worker = vitestNow()
  return worker?.current?.timeout ?? worker?.config?.testTimeout
}

/** Returns Mocha's default, because Mocha exposes the timeout only as a member of the test's `this`. */
function mocha(): number | undefined {
  const { specify, context } = globalThis as Record<string, unknown>
  return typeof specify === 'function' && typeof context === 'function' ? 2000 : undefined
}

function nodeTest(): number | undefined {
  return process.env.NODE_TEST_CONTEXT === undefined ? undefined : 0
}
