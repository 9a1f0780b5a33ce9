import { seen } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { ListedInteraction } from './generated/results.js'

/** What a test runner has to offer: that of Jest, Vitest, Mocha, node:test, Bun and the like. */
export interface SuiteRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
  /** Called with what is to be done after all tests; without it, it is done after the last one. */
  afterAll?(body: () => Promise<void>): unknown
  /** The same, as Mocha and node:test call it. */
  after?(body: () => Promise<void>): unknown
}

/** One verification in pieces: begun by the first test that runs, ended after the last. */
export interface SuiteSteps {
  start(): Promise<void>
  /** Throws if the provider does not honour the interaction; true if it does not, but that is pending. */
  verifyOne(index: number): Promise<boolean>
  stop(): Promise<void>
}

/** Refuses what is no runner before anything is read. */
export function checkRunner(runner: SuiteRunner): void {
  if (seen(() => typeof runner.describe === 'function' && typeof runner.it === 'function')) return
  throw new ContractArgumentError(
    'ERR_CONTRACT_OPTIONS',
    'suite: it needs the functions of a test runner: suite({ describe, it, afterAll })',
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
          // Without parameters: Jest would pass a callback and wait for it, and Vitest would look for fixtures.
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

/** Marks the running test as skipped, where the runner can do that: `context.skip()` in Vitest and node:test, `this` in Mocha. */
function markPending(contexts: readonly unknown[]): void {
  for (const context of contexts) {
    const skip = seen(() => (context as { skip?: unknown }).skip)
    if (typeof skip !== 'function') continue
    skip.call(context, 'pending: failed, which does not fail the build')
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

  /** One after another, whatever the runner does: they share the provider's state. */
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
    // What could not be started has cleaned up after itself.
    await this.#started?.catch(() => {})
    this.#started = undefined
    await this.#steps.stop()
  }
}
