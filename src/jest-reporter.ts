/**
 * A reporter for Jest.
 *
 * @module contract/jest/reporter
 */

import { setRoundForWorkers, statusOf, TestRun } from './adapters/index.js'

interface JestConfig {
  readonly testNamePattern?: string
  readonly watch?: boolean
  readonly watchAll?: boolean
}

interface JestTestResult {
  readonly testFilePath: string
  readonly skipped?: boolean
  readonly testExecError?: { readonly message?: string } | null
  readonly testResults: readonly { readonly fullName: string; readonly status: string }[]
}

/**
 * A reporter for Jest that removes obsolete interactions from contract files, and prints which contracts were written.
 *
 * @example
 * // jest.config.js
 * module.exports = { reporters: ['default', 'contract/jest/reporter'] }
 */
export class ContractReporter {
  readonly #isPartial: boolean
  readonly #run = new TestRun()

  constructor(config?: JestConfig) {
    this.#isPartial = Boolean(config?.testNamePattern)
    // In watch mode, Jest creates a reporter for each run, before it starts the workers.
    if (config?.watch || config?.watchAll) setRoundForWorkers(`jest ${process.hrtime.bigint()}`)
  }

  /** Called by Jest at the end of each test file. */
  async onTestResult(_test: unknown, result: JestTestResult): Promise<void> {
    const tests = result.testResults.map(({ fullName, status }) => ({ name: fullName, status: statusOf(status) }))
    const partial = this.#isPartial || result.skipped === true || Boolean(result.testExecError)
    // Jest does not report a killed worker in any other way.
    const crashed = /\bworker process\b/.test(result.testExecError?.message ?? '')
    await this.#run.fileEnded(result.testFilePath, tests, partial, crashed)
  }

  /** Called by Jest at the end of the run. */
  async onRunComplete(_tests: unknown, results?: { readonly wasInterrupted?: boolean }): Promise<void> {
    const lines = await this.#run.end({ complete: !this.#isPartial && results?.wasInterrupted !== true })
    this.#run.close()
    // Standard output may contain a report.
    if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
  }
}

export default ContractReporter
