/**
 * The parts of a runner adapter. An adapter is one file, `src/RUNNER.ts`, that exports `contractTest(options)`:
 *
 * 1. Once per test file, it calls `useAdapter({ module, runner, version, oldest })`, `splitOptions(options)`, and
 *    `checkDirectory(split.contract.directory)`.
 * 2. Each time a test runs (including retries), it creates `new TestSession(split, { name, file, timeout })`. The
 *    session's properties `contract` and `mockServer` are the fixtures; they are created on first use. If the adapter
 *    calls the test body, it uses `await session.run(body)`, which throws the test's error. If the runner calls the
 *    test body, the adapter then calls `await session.end(outcome)` and replaces the test's error with the `error` of
 *    the result.
 * 3. For each test file, it creates `new TestFile(path)` before the first session, calls `passed(split, result)` for
 *    each session that passed, and calls `end(tests, { complete, partial })` after the last session. Test names in
 *    `tests` must be the same as the names of the sessions. If only the main process knows the results, the worker
 *    calls `flush()`, and the main process calls `TestRun.fileEnded(…)`.
 * 4. If the runner has hooks in its main process, the adapter creates `new TestRun()` before the workers start. After
 *    the last file, or after each round of watch mode, it calls `end({ complete })` and prints the returned lines to
 *    standard error. Finally, it calls `close()`.
 */
export { rejectCall } from '../arguments.js'
export { type EndedTest, isPartOfNodeTest, statusOf } from '../obsolete.js'
export type { MochaSuite } from '../obsolete-hooks.js'
export type { NodeTestEvent } from '../obsolete-reporters.js'
export { setRound, setRoundForWorkers } from '../provenance.js'
export { type Adapter, checkDirectory, isActiveIn, useAdapter } from './adapter.js'
export { type ContractAssertions, contractMatchers } from './matchers.js'
export { type ContractTestOptions, type SplitOptions, splitOptions, type TestServerOptions } from './options.js'
export { relativeFile } from './paths.js'
export { roundOfWorkers, TestFile, TestRun } from './run.js'
export {
  type ContractFixtures,
  type RunningTest,
  type SessionResult,
  type TestMockServer,
  type TestOutcome,
  TestSession,
} from './session.js'
