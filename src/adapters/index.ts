/**
 * What a runner adapter is made of. An adapter is one file, `src/RUNNER.ts`, that exports `contractTest(options)`:
 *
 * 1. `useAdapter({ module, runner, version, oldest })` once per test file, then `const options = splitOptions(given)` and
 *    `checkDirectory(options.contract.directory)`.
 * 2. For each attempt of each test: `new TestSession(options, { name, file, timeout })`. Its `contract` and `mockServer` are
 *    the fixtures; both are created on first use. If the adapter calls the body of the test, `await session.run(body)` does
 *    everything else and throws the one error of the test. If the runner calls it, the adapter calls
 *    `await session.end(outcome)` afterwards and replaces the error of the test by `error` of the result.
 * 3. For each test file: `new TestFile(path)` before its first session, `passed(options, result)` for each session that
 *    passed, `end(tests, { complete, partial })` after the last. The names of the tests must be those of the sessions. If
 *    only the main process knows the results, the worker calls `flush()` and the main process `TestRun.fileEnded(…)`.
 * 4. In the main process of the runner, if it has hooks there: `new TestRun()` before workers start, `end({ complete })`
 *    after the last file (in watch mode after each round), with the returned lines printed to standard error; then `close()`.
 */
export { rejectCall } from '../arguments.js'
export type { EndedTest } from '../obsolete.js'
export { type NodeTestEvent, NodeTestRun } from '../obsolete-reporters.js'
export { setRound, setRoundForWorkers } from '../provenance.js'
export { isPartOfNodeTest, type MochaSuite, mochaFiles, statusOf } from '../remove-obsolete.js'
export { type Adapter, checkDirectory, isActiveIn, useAdapter } from './adapter.js'
export { type ContractAssertions, contractMatchers } from './matchers.js'
export { type ContractTestOptions, type SplitOptions, splitOptions, type TestServerOptions } from './options.js'
export { relativeFile } from './paths.js'
export { TestFile, TestRun } from './run.js'
export {
  type ContractFixtures,
  type RunningTest,
  type SessionResult,
  type TestMockServer,
  type TestOutcome,
  TestSession,
} from './session.js'
