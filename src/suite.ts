import type { VerificationReport } from './report.js'

/** What a test runner has to offer: that of Jest, Vitest, Mocha, node:test, Bun and the like. */
export interface SuiteRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
  /** Called with what is to be done after all tests; without it, it is done after the last one. */
  afterAll?(body: () => Promise<void>): unknown
  /** The same, as Mocha and node:test call it. */
  after?(body: () => Promise<void>): unknown
}

/** An interaction that becomes a test. */
export interface ListedInteraction {
  readonly consumer: string
  /** The number of its contract. */
  readonly contract: number
  readonly description: string
  readonly states: readonly string[]
  readonly pending: boolean
}

/** One verification in pieces: begun by the first test that runs, ended after the last. */
export interface SuiteSteps {
  start(): Promise<void>
  /** Throws if the provider does not honour the interaction. */
  verifyOne(index: number): Promise<VerificationReport>
  stop(): Promise<void>
}

/** Declares a test for each interaction. */
export function declare(
  runner: SuiteRunner,
  provider: string,
  listed: readonly ListedInteraction[],
  steps: SuiteSteps,
) {
  const suite = new Suite(steps, listed.length)
  const after = runner.afterAll ?? runner.after
  runner.describe(`provider ${provider}`, () => {
    after?.call(runner, () => suite.stop())
    for (const group of byContract(listed)) {
      runner.describe(`honours the contract with ${group[0]?.interaction.consumer}`, () => {
        for (const [i, title] of titles(group.map(({ interaction }) => interaction)).entries()) {
          const index = group[i]?.index ?? 0
          runner.it(title, () => suite.run(index, after === undefined))
        }
      })
    }
  })
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
  run(index: number, stopAtEnd: boolean): Promise<void> {
    const run = this.#last.then(async () => {
      try {
        this.#started ??= this.#steps.start()
        await this.#started
        await this.#steps.verifyOne(index)
      } finally {
        this.#done.add(index)
        if (stopAtEnd && this.#done.size === this.#total) await this.stop()
      }
    })
    this.#last = run.catch(() => {})
    return run
  }

  async stop(): Promise<void> {
    // What could not be started has cleaned up after itself.
    await this.#started?.catch(() => {})
    this.#started = undefined
    await this.#steps.stop()
  }
}

function byContract(listed: readonly ListedInteraction[]) {
  const groups = new Map<number, { index: number; interaction: ListedInteraction }[]>()
  for (const [index, interaction] of listed.entries()) {
    const group = groups.get(interaction.contract) ?? []
    groups.set(interaction.contract, group)
    group.push({ index, interaction })
  }
  return groups.values()
}

/** Runners report tests by their titles, so none stands twice. */
function titles(interactions: readonly ListedInteraction[]): string[] {
  const seen = new Map<string, number>()
  return interactions.map(({ description, states, pending }) => {
    const given = states.length > 0 ? `, given ${states.join(' and ')}` : ''
    const title = `${description}${given}${pending ? ' [pending]' : ''}`
    const count = (seen.get(title) ?? 0) + 1
    seen.set(title, count)
    return count > 1 ? `${title} (${count})` : title
  })
}
