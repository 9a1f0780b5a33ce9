// What the test runner allows the test that runs, for the core to end before it and say what was waited for.

/** Milliseconds that the running test has; 0 is without end, `undefined` what nobody knows. */
export function runnerTimeout(): number | undefined {
  const limit = jest() ?? vitest() ?? mocha() ?? nodeTest()
  return isLimit(limit) ? limit : undefined
}

interface Limited {
  readonly timeout?: number | null
}

/** The time limit of the test that runs, and when it was started, in milliseconds since 1970. */
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
 * The limit of the running test, as far as the runner says it. Hooks such as `beforeAll` have limits that Jest and Vitest do not
 * tell, and Mocha tells none at all: then there is none.
 */
export function runningTestLimit(): RunnerLimit {
  const jestTest = jestNow()?.currentlyRunningTest as JestTest | null | undefined
  const vitestTest = vitestNow()?.current as VitestTest | undefined
  const timeout = jestTest ? (jestTest.timeout ?? jestNow()?.testTimeout ?? 5000) : vitestTest && vitest()
  const started = jestTest ? jestTest.startedAt : vitestTest?.result?.startTime
  if (!isLimit(timeout)) return {}
  return { runnerTimeout: timeout, ...(typeof started === 'number' && { runnerStarted: started }) }
}

/** The test that runs, to be compared by identity; nothing where nobody knows. */
export function runningTest(): unknown {
  const { expect } = globalThis as { expect?: { getState?: () => { currentConcurrentTestName?: () => unknown } } }
  // Of tests that run side by side, runners say only which began last.
  if (expect?.getState?.().currentConcurrentTestName?.() !== undefined) return undefined
  const test = (jestNow()?.currentlyRunningTest ?? vitestNow()?.current) as { concurrent?: boolean } | null | undefined
  return test?.concurrent === true ? undefined : (test ?? undefined)
}

function isLimit(limit: unknown): limit is number {
  return Number.isInteger(limit) && (limit as number) >= 0 && (limit as number) <= 86_400_000
}

/** Jest keeps its state under a symbol of its own, which is there before any test, or never; `null` is never. */
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

/** Mocha says it to `this` of the test alone; this is what it is by default. */
function mocha(): number | undefined {
  const { specify, context } = globalThis as Record<string, unknown>
  return typeof specify === 'function' && typeof context === 'function' ? 2000 : undefined
}

function nodeTest(): number | undefined {
  return process.env.NODE_TEST_CONTEXT === undefined ? undefined : 0
}
