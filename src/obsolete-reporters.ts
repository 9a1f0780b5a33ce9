import { deferred } from './load-deferred.js'
import { endFile, endRun, statusOf } from './obsolete.js'
import { setRoundForWorkers } from './provenance.js'
import { guardReceiver } from './receiver.js'

interface JestTestResult {
  readonly testFilePath: string
  readonly skipped?: boolean
  readonly testExecError?: unknown
  readonly testResults: readonly { readonly fullName: string; readonly status: string }[]
}

/**
 * A reporter for Jest that removes obsolete interactions, like {@link removeObsolete} for other test runners. Export it from
 * a file, and add the file to `reporters`.
 *
 * @example
 * // obsolete-contracts.cjs, with reporters: ['default', './obsolete-contracts.cjs'] in Jest's configuration
 * module.exports = require('contract').JestReporter
 */
export class JestReporter {
  readonly #isPartial: boolean

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #isPartial in object)
  }

  constructor(config?: { readonly testNamePattern?: string; readonly watch?: boolean; readonly watchAll?: boolean }) {
    this.#isPartial = Boolean(config?.testNamePattern)
    // In watch mode, Jest creates a reporter for each run, before it starts the workers.
    if (config?.watch || config?.watchAll) setRoundForWorkers(`jest ${process.hrtime.bigint()}`)
  }

  /** Called by Jest at the end of each test file. */
  async onTestResult(_test: unknown, result: JestTestResult): Promise<void> {
    const tests = result.testResults.map(({ fullName, status }) => ({ name: fullName, status: statusOf(status) }))
    const partial = this.#isPartial || result.skipped === true || Boolean(result.testExecError)
    await endFile(result.testFilePath, tests, true, partial)
  }

  /** Called by Jest at the end of the run. */
  async onRunComplete(_tests: unknown, results?: { readonly wasInterrupted?: boolean }): Promise<void> {
    if (!this.#isPartial && results?.wasInterrupted !== true) await endRun()
  }
}

/** The members of node:test events that the reporter uses. */
export interface NodeTestEvent {
  readonly type: string
  readonly data: unknown
}

/**
 * A reporter for node:test that removes the interactions of tests that were deleted from a file, and prints the removed
 * interactions. Use it together with `removeObsolete`.
 *
 * @example
 * // contract-reporter.mjs, with --test-reporter=spec --test-reporter-destination=stdout
 * //   --test-reporter=./contract-reporter.mjs --test-reporter-destination=stderr
 * export { nodeTestReporter as default } from 'contract'
 */
export async function* nodeTestReporter(source: AsyncIterable<NodeTestEvent>): AsyncGenerator<string, void> {
  // This must be a generator function: node:test calls an ordinary function with `new`.
  yield* deferred().nodeTestReporter(source)
}
