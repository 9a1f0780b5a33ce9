import { tryRead } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { ListedInteraction } from './generated/results.js'

/** The functions of a test runner that `suite` uses, such as those of Jest, Vitest, Mocha, node:test, and Bun. */
export interface SuiteRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
  /** Registers a function that runs after all tests. Without it, the suite ends after the last test. */
  afterAll?(body: () => Promise<void>): unknown
  /** The name of `afterAll` in Mocha and node:test. */
  after?(body: () => Promise<void>): unknown
}

/** The steps of a verification that runs as a suite of tests. */
export interface SuiteSteps {
  start(): Promise<void>
  /** Verifies one interaction. Throws if it fails. Returns true if it fails but is pending. */
  verifyOne(index: number): Promise<boolean>
  stop(): Promise<void>
}

/** Throws if the argument is not a test runner. Called before any contract is read. */
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
    after?.call(runner, () => suite.stop())
    for (const group of groups) {
      const tests = [...listed.entries()].filter(([, { contract }]) => contract === group)
      runner.describe(tests[0]?.[1].group ?? '', () => {
        for (const [index, { title }] of tests) {
          // The function has no parameters: Jest would pass a callback and wait for it, and Vitest would look for fixtures.
          runner.it(title, async function (this: unknown) {
            // biome-ignore lint/complexity/noArguments: see above
            const contexts = [arguments[0], this]
            if (await suite.run(index, after === undefined)) markPending(contexts)
          })
        }
      })
    }
  })
}

/** Marks the running test as skipped: with `context.skip()` in Vitest and node:test, and `this.skip()` in Mocha. */
function markPending(contexts: readonly unknown[]): void {
  for (const context of contexts) {
    const skip = tryRead(() => (context as { skip?: unknown }).skip)
    if (typeof skip !== 'function') continue
    skip.call(context, 'pending: failed, not counted as a failure')
    return
  }
}

class Suite {
  readonly #steps: SuiteSteps
  readonly #total: number
  readonly #done = new Set<number>()
  #started: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(steps: SuiteSteps, total: number) {
    this.#steps = steps
    this.#total = total
  }

  /** Verifies interactions one at a time, even if tests run concurrently, because they share the provider's state. */
  run(index: number, stopAtEnd: boolean): Promise<boolean> {
    const run = this.#last.then(async () => {
      try {
        this.#started ??= this.#steps.start()
        await this.#started
        return await this.#steps.verifyOne(index)
      } finally {
        this.#done.add(index)
        if (stopAtEnd && this.#done.size === this.#total) await this.stop()
      }
    })
    this.#last = run.catch(() => false)
    return run
  }

  async stop(): Promise<void> {
    // A failed start has already cleaned up.
    await this.#started?.catch(() => {})
    this.#started = undefined
    await this.#steps.stop()
  }
}
