import { tryRead } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { ListedInteraction } from './generated/results.js'
import { endedTests, noteEnded, playwrightTest } from './suite-progress.js'

/** The functions of a test runner that `suite` uses, such as those of Jest, Vitest, Playwright, Mocha, node:test, and Bun. */
export interface SuiteRunner {
  readonly describe: ((name: string, body: () => void) => unknown) & {
    /** Playwright's function that sets the mode in which the tests of a suite run. */
    configure?(options: { readonly mode: 'default' }): unknown
  }
  it(name: string, body: () => Promise<void>): unknown
  /**
   * Registers a function that runs after all tests of the suite. If it is missing, the verification ends after the last
   * test.
   */
  afterAll?(body: () => Promise<void>): unknown
  /** The same function as `afterAll`, under its name in Mocha and node:test. */
  after?(body: () => Promise<void>): unknown
}

/** The steps of a verification in which each interaction is a test. */
export interface SuiteSteps {
  start(): Promise<void>
  /** Verifies the interaction at `index`. Throws if it fails. Resolves with true if it fails but is pending. */
  verifyOne(index: number): Promise<boolean>
  /**
   * Ends the verification. If `publish` is true, publishes the results; all interactions must then have been verified.
   */
  stop(publish: boolean): Promise<void>
}

/** Throws if the argument does not have the functions of a test runner. Called before any contract is read. */
export function checkRunner(runner: SuiteRunner): void {
  if (tryRead(() => typeof runner.describe === 'function' && typeof runner.it === 'function')) return
  throw new ContractArgumentError(
    'ERR_CONTRACT_OPTIONS',
    'suite: pass the functions of the test runner: suite({ describe, it, afterAll })',
    { operation: 'suite', argument: 'runner' },
  )
}

/** Declares a test for each interaction. */
export function declare(runner: SuiteRunner, title: string, listed: readonly ListedInteraction[], steps: SuiteSteps) {
  const suite = new Suite(steps, listed.length)
  const after = runner.afterAll ?? runner.after
  const groups = [...new Set(listed.map(({ contract }) => contract))]
  runner.describe(title, () => {
    // The tests share the provider's state, so they must not run in several workers.
    runner.describe.configure?.({ mode: 'default' })
    after?.call(runner, () => suite.stop())
    for (const group of groups) {
      const tests = [...listed.entries()].filter(([, { contract }]) => contract === group)
      runner.describe(tests[0]?.[1].group ?? '', () => {
        for (const [index, { title }] of tests) {
          // The function has no parameters: Jest would pass a callback and wait for it, and Vitest would look for fixtures.
          runner.it(title, async function (this: unknown) {
            // biome-ignore lint/complexity/noArguments: see above
            const [first, second] = arguments
            if (await suite.run(index, after === undefined, second)) markPending([first, second, this])
          })
        }
      })
    }
  })
}

const PENDING = 'pending: failed, not counted as a failure'

/**
 * Marks the running test as skipped: with `context.skip()` in Vitest and node:test, `testInfo.skip()` in Playwright, and
 * `this.skip()` in Mocha.
 */
function markPending(contexts: readonly unknown[]): void {
  for (const context of contexts) {
    const skip = tryRead(() => (context as { skip?: unknown }).skip)
    if (typeof skip !== 'function') continue
    if (playwrightTest(context) === undefined) skip.call(context, PENDING)
    else skip.call(context, true, PENDING)
    return
  }
}

class Suite {
  readonly #steps: SuiteSteps
  readonly #total: number
  readonly #done = new Set<number>()
  #started: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()
  /** Playwright's information about the most recent test. `undefined` in other runners. */
  #playwright: ReturnType<typeof playwrightTest>
  /** True if the most recent test failed. Playwright then runs the remaining tests in a new worker. */
  #hasFailed = false

  constructor(steps: SuiteSteps, total: number) {
    this.#steps = steps
    this.#total = total
  }

  /**
   * Verifies an interaction after all earlier calls have ended. Interactions are verified one at a time even if the
   * tests run concurrently, because they share the provider's state.
   */
  run(index: number, stopAtEnd: boolean, info: unknown): Promise<boolean> {
    const run = this.#last.then(async () => {
      this.#playwright = playwrightTest(info)
      let isPassed = false
      try {
        const isPending = await this.#verify(index)
        isPassed = true
        return isPending
      } finally {
        this.#done.add(index)
        this.#note(index, isPassed)
        if (stopAtEnd && this.#done.size === this.#total) await this.stop()
      }
    })
    this.#last = run.catch(() => false)
    return run
  }

  async #verify(index: number): Promise<boolean> {
    this.#started ??= this.#steps.start()
    await this.#started
    return await this.#steps.verifyOne(index)
  }

  #note(index: number, isPassed: boolean): void {
    if (this.#playwright === undefined) return
    this.#hasFailed = !isPassed
    if (!this.#isRetried()) noteEnded(this.#playwright, index)
  }

  /** Returns whether Playwright will run the most recent test again, in another worker. */
  #isRetried(): boolean {
    if (this.#playwright === undefined || !this.#hasFailed) return false
    return this.#playwright.retry < this.#playwright.project.retries
  }

  /** Returns whether another worker will run the remaining tests of this suite and publish the results. */
  #isReplaced(): boolean {
    if (this.#playwright === undefined || !this.#hasFailed) return false
    return this.#isRetried() || this.#done.size < this.#total
  }

  async stop(): Promise<void> {
    await this.#verifyRest()
    const isReplaced = this.#isReplaced()
    // A failed start has already cleaned up.
    await this.#started?.catch(() => {})
    this.#started = undefined
    await this.#steps.stop(!isReplaced)
  }

  /**
   * If this worker runs the last test, verifies the interactions of earlier workers again. Playwright starts a new
   * worker after each failed test, and only a worker with the results of all interactions can publish them.
   */
  async #verifyRest(): Promise<void> {
    if (this.#playwright === undefined || this.#isRetried() || this.#done.size === this.#total) return
    const ended = endedTests(this.#playwright)
    if (ended.size < this.#total) return
    for (const index of ended) {
      // Failures were reported by their own tests.
      if (this.#done.has(index)) continue
      await this.#verify(index).catch(() => false)
      this.#done.add(index)
    }
  }
}
