// What the test runner allows the test that runs, for the core to end before it and say what was waited for.

/** Milliseconds that the running test has; 0 is without end, `undefined` what nobody knows. */
export function runnerTimeout(): number | undefined {
  const limit = jest() ?? vitest() ?? mocha() ?? nodeTest()
  return limit !== undefined && Number.isInteger(limit) && limit >= 0 && limit <= 86_400_000 ? limit : undefined
}

interface Limited {
  readonly timeout?: number
}

/** Jest keeps its state under a symbol of its own, which is there before any test, or never; `null` is never. */
let jestState: symbol | null | undefined

function jest(): number | undefined {
  if (jestState === undefined)
    jestState =
      Object.getOwnPropertySymbols(globalThis).find(({ description }) => description === 'JEST_STATE_SYMBOL') ?? null
  if (jestState === null) return undefined
  const state = (globalThis as Record<symbol, unknown>)[jestState] as {
    readonly currentlyRunningTest?: Limited | null
    readonly testTimeout?: number
  }
  return state.currentlyRunningTest?.timeout ?? state.testTimeout
}

function vitest(): number | undefined {
  const worker = (globalThis as Record<string, unknown>).__vitest_worker__ as
    | { readonly current?: Limited; readonly config?: { readonly testTimeout?: number } }
    | undefined
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
