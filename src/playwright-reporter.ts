/**
 * A reporter for Playwright.
 *
 * @module contract/playwright/reporter
 */

import { readFileSync } from 'node:fs'
import { type EndedTest, TestRun } from './adapters/index.js'

interface TestCase {
  readonly location: { readonly file: string }
  titlePath(): readonly string[]
  outcome(): 'skipped' | 'expected' | 'unexpected' | 'flaky'
}

interface Suite {
  allTests(): readonly TestCase[]
}

interface Config {
  readonly shard?: unknown
}

/**
 * A reporter for Playwright that removes obsolete interactions from contract files, and prints which contracts were written.
 *
 * @example
 * // playwright.config.ts
 * import { defineConfig } from '@playwright/test'
 *
 * export default defineConfig({ reporter: [['list'], ['contract/playwright/reporter']] })
 */
export class ContractReporter {
  readonly #run = new TestRun()
  #suite: Suite | undefined
  #isPartial = false

  /** Returns false, so that Playwright also prints with its own reporter. */
  printsToStdio(): boolean {
    return false
  }

  /** Called by Playwright before the first test. `suite` contains only the selected tests. */
  onBegin(config: Config, suite: Suite): void {
    this.#suite = suite
    this.#isPartial = Boolean(config.shard) || hasFilter(process.argv)
  }

  /** Called by Playwright after the last test. */
  async onEnd({ status }: { readonly status: string }): Promise<void> {
    const isComplete = status === 'passed' || status === 'failed'
    for (const [file, tests] of this.#files()) {
      await this.#run.fileEnded(file, tests, this.#isPartial || !isComplete || hasOnly(file))
    }
    const lines = await this.#run.end({ complete: isComplete && !this.#isPartial })
    this.#run.close()
    // Standard output may contain a report.
    if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
  }

  #files(): Map<string, EndedTest[]> {
    const files = new Map<string, EndedTest[]>()
    for (const test of this.#suite?.allTests() ?? []) {
      const { file } = test.location
      const outcome = test.outcome()
      const isPassed = outcome === 'expected' || outcome === 'flaky'
      const status = isPassed ? 'passed' : outcome === 'skipped' ? 'skipped' : 'failed'
      // The first names are the root, the project, and the file.
      const name = test.titlePath().slice(3).join(' > ')
      files.set(file, [...(files.get(file) ?? []), { name, status }])
    }
    return files
  }
}

/**
 * Returns whether the command line selects tests by name or file. Playwright does not pass these options to reporters.
 */
function hasFilter(args: readonly string[]): boolean {
  return args.some((argument) => /^(--grep|-g|--last-failed|--only-changed|--test-list)|:\d+$/.test(argument))
}

/** Returns whether the file uses `test.only`. Playwright does not tell reporters about it. */
function hasOnly(file: string): boolean {
  try {
    return /\.only\b/.test(readFileSync(file, 'utf8'))
  } catch {
    return true
  }
}

export default ContractReporter
