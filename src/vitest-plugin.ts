/**
 * A plugin for Vitest.
 *
 * @module contract/vitest/plugin
 */

import { join, resolve } from 'node:path'
import { endRun } from './vitest-global.js'

/** Options for the plugin. */
export interface ContractPluginOptions {
  /**
   * Directories with contract files. Vitest does not watch them, because writing a contract file would start a new run.
   * Default: the environment variable `CONTRACT_OUTPUT_DIR`, or `contracts`.
   */
  readonly directories?: readonly string[] | undefined
}

/** The members of Vitest that the plugin uses. */
interface VitestContext {
  readonly vitest: {
    readonly config: {
      readonly testNamePattern?: unknown
      readonly shard?: unknown
      readonly changed?: unknown
      readonly related?: unknown
      readonly reporters: unknown[]
    }
    readonly filenamePattern?: readonly string[] | undefined
  }
}

/** A plugin for Vite and Vitest, with those members that this package uses. */
export interface ContractPlugin {
  name: string
  config(): { test: object; server: { watch: { ignored: string[] } } }
  // biome-ignore lint/suspicious/noExplicitAny: Vitest's own type differs between versions
  configureVitest(context: any): void
}

/**
 * Creates a plugin for Vitest's configuration. The plugin removes the interactions of deleted test files, prints a summary of
 * the written contracts, and is required for watch mode.
 *
 * @example
 * // vitest.config.ts
 * import { contractPlugin } from 'contract/vitest/plugin'
 * import { defineConfig } from 'vitest/config'
 *
 * export default defineConfig({ plugins: [contractPlugin()] })
 */
export function contractPlugin({ directories }: ContractPluginOptions = {}): ContractPlugin {
  const ignored = (directories ?? [process.env.CONTRACT_OUTPUT_DIR || 'contracts']).map((path) => `${resolve(path)}/**`)
  return {
    name: 'contract',
    config: () => ({
      test: { setupFiles: [join(__dirname, 'vitest-setup.js')], globalSetup: [join(__dirname, 'vitest-global.cjs')] },
      server: { watch: { ignored } },
    }),
    configureVitest({ vitest }: VitestContext) {
      const { reporters } = vitest.config
      if (reporters.some((reporter) => reporter instanceof SummaryReporter)) return
      reporters.push(new SummaryReporter(vitest))
    },
  }
}

/** A reporter that ends the run in Vitest's main process and prints the summary. */
class SummaryReporter {
  readonly #vitest: VitestContext['vitest']
  #rounds = 0

  constructor(vitest: VitestContext['vitest']) {
    this.#vitest = vitest
  }

  async onTestRunEnd(_modules: unknown, errors: readonly unknown[], reason: string): Promise<void> {
    this.#rounds += 1
    const { config, filenamePattern } = this.#vitest
    const { testNamePattern, shard, changed, related } = config
    const filters = [testNamePattern, shard, changed, related, filenamePattern?.length || undefined]
    const isFiltered = filters.some((filter) => filter !== undefined && filter !== false)
    // Later rounds of watch mode run only changed files.
    await endRun(!isFiltered && this.#rounds === 1 && errors.length === 0 && reason !== 'interrupted')
  }
}
