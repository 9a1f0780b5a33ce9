import { deferred } from './load-deferred.js'

/** The hooks that `removeObsolete` uses in Mocha and node:test. */
export interface HookRunner {
  // biome-ignore lint/suspicious/noExplicitAny: each runner calls its hooks with different arguments
  beforeEach(hook: (this: any, ...args: any[]) => unknown): unknown
  // biome-ignore lint/suspicious/noExplicitAny: as above
  afterEach(hook: (this: any, ...args: any[]) => unknown): unknown
  // biome-ignore lint/suspicious/noExplicitAny: as above
  after(hook: (this: any, ...args: any[]) => unknown): unknown
}

/** The Vitest exports that `removeObsolete` uses. */
export interface VitestRunner {
  // biome-ignore lint/suspicious/noExplicitAny: the arguments of a hook differ between versions
  afterAll(hook: (...args: any[]) => unknown): unknown
  readonly expect: { getState(): { readonly testPath?: string; readonly currentTestName?: string } }
  /** Required in watch mode, together with {@link vitestRuns} as a global setup. */
  // biome-ignore lint/suspicious/noExplicitAny: Vitest's own type lists the keys that a project declares
  inject?(key: any): unknown
}

/** The exports of `@jest/globals` that `removeObsolete` uses. */
export interface JestRunner {
  readonly expect: { getState(): { readonly testPath?: string; readonly currentTestName?: string } }
}

/**
 * Removes obsolete interactions from contract files: interactions that no test defines anymore. Call this function once per
 * test file, outside of tests and suites, with the exports of the test runner. For Jest, use {@link JestReporter} instead; you
 * need this function only if `injectGlobals` is false.
 *
 * An interaction is removed if the test file that wrote it ran completely, and the test that wrote it either passed without
 * defining it or no longer exists. Interactions of skipped and failed tests are kept, as are interactions that another test
 * file or tool also writes. If only some of the tests ran, nothing is removed.
 *
 * Interactions of deleted test files are removed when the next test file of the same contract ends, and at the end of a run
 * of Jest, Mocha, Vitest with {@link vitestRuns}, or node:test with {@link nodeTestReporter}. Vitest also needs `vitestRuns`
 * in watch mode, and node:test also needs `nodeTestReporter` to detect tests that were deleted from a file.
 *
 * @example
 * // Vitest, in a setup file; see also vitestRuns
 * import { afterAll, expect, inject } from 'vitest'
 * removeObsolete({ afterAll, expect, inject })
 * @example
 * // Jest with injectGlobals: false, in a file of setupFilesAfterEnv
 * import { expect } from '@jest/globals'
 * removeObsolete({ expect })
 * @example
 * // Mocha, in a file for --require
 * export const mochaHooks: Record<string, () => unknown> = {}
 * removeObsolete({
 *   beforeEach: (hook) => (mochaHooks.beforeEach = hook),
 *   afterEach: (hook) => (mochaHooks.afterEach = hook),
 *   after: (hook) => (mochaHooks.afterAll = hook),
 * })
 * @example
 * // node:test, in a file for --import
 * import { beforeEach, afterEach, after } from 'node:test'
 * removeObsolete({ beforeEach, afterEach, after })
 */
export function removeObsolete(runner: HookRunner | VitestRunner | JestRunner): void {
  deferred().removeObsolete(runner)
}

/** What Vitest passes to a global setup. */
export interface VitestProject {
  // biome-ignore lint/suspicious/noExplicitAny: Vitest's own type lists the keys that a project declares
  provide(key: any, value: any): void
  onTestsRerun?(listener: () => unknown): void
}

/**
 * A global setup for Vitest. `removeObsolete` requires it in watch mode, and to remove interactions of deleted test files at
 * the end of a run.
 *
 * @example
 * // contract-runs.js, with globalSetup: ['./contract-runs.js'] in Vitest's configuration
 * export { vitestRuns as default } from 'contract'
 */
export function vitestRuns(project: VitestProject): () => Promise<void> {
  return deferred().vitestRuns(project)
}
