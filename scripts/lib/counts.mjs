// Runs and counts the tests of cargo, jest, and pytest.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { workEnvironment } from './cargo.mjs'
import { run, StepFailed } from './run.mjs'

/** Counts the tests that passed and failed in all runs. */
export class Counts {
  passed = 0
  failed = 0
  #failures = []

  /**
   * Runs a step. A step that fails without a failing test, for example because something does not compile, counts as
   * one failure.
   */
  async counting(work) {
    const before = this.failed
    try {
      await work()
    } catch (error) {
      if (this.failed === before) this.failed += 1
      throw error
    }
  }

  /** Runs all tests of cargo, or those that `args` select, with additional variables. Selecting no test is an error. */
  async cargo(root, args = ['--workspace', '--no-fail-fast', '--', '--quiet'], variables = {}) {
    const before = this.passed + this.failed
    const onLine = (line) => {
      const result = /^test result: .*?(\d+) passed; (\d+) failed;/.exec(line)
      if (result) this.#add(Number(result[1]), Number(result[2]))
    }
    const env = { ...workEnvironment(), ...variables }
    await run('cargo', ['test', ...args], { cwd: root, env, onLine })
    if (this.passed + this.failed === before) throw new StepFailed(`no test matches: cargo test ${args.join(' ')}`)
  }

  /** Runs the tests of one project of jest.config.mjs, with additional options of Jest. */
  async jest(root, project, options = []) {
    const report = join(root, '.tmp', `jest-${project}.json`)
    mkdirSync(join(root, '.tmp'), { recursive: true })
    rmSync(report, { force: true })
    const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
    try {
      const args = [jest, '--selectProjects', project, '--json', '--outputFile', report, ...options]
      await run(process.execPath, args, { cwd: root })
    } finally {
      // The file is missing if jest failed before it ran tests.
      if (existsSync(report)) {
        const results = JSON.parse(readFileSync(report, 'utf8'))
        this.#add(results.numPassedTests, results.numFailedTests + results.numRuntimeErrorTestSuites)
        this.#failures.push(...failuresOf(results))
      }
    }
  }

  /** Runs the tests of the Python package with the pytest of an environment in which the package is installed. */
  async pytest(root, python) {
    const onLine = (line) => {
      // `3 failed, 120 passed, 1 error in 12.3s`
      const result = /^=* ?((?:\d+ [a-z]+,? ?)+) in [\d.]+s/.exec(line)
      if (!result) return
      const count = (name) => Number(new RegExp(`(\\d+) ${name}`).exec(result[1])?.[1] ?? 0)
      // Skipped tests have verified nothing.
      this.#add(count('passed'), count('failed') + count('errors?') + count('skipped'))
    }
    await run(python, ['-m', 'pytest', '--quiet'], { cwd: join(root, 'python'), onLine })
  }

  /** Counts the last line of a program: `N passed, N failed`. */
  closing(line) {
    const result = /^(\d+) passed, (\d+) failed$/.exec(line)
    if (result) this.#add(Number(result[1]), Number(result[2]))
  }

  /** Counts passed tests. */
  passing(count) {
    this.#add(count, 0)
  }

  /** Prints the failed tests of jest again, with the start of each message, because the steps after them may print much. */
  printFailures() {
    if (this.#failures.length > 0) console.error(`\nFailed tests\n${this.#failures.join('\n')}`)
  }

  /** Prints the plain last line, which CI reads. */
  toString() {
    return `${this.passed} passed, ${this.failed} failed`
  }

  #add(passed, failed) {
    this.passed += passed
    this.failed += failed
  }
}

const MESSAGE_LINES = 30

/** The failed tests in a report of jest. */
function failuresOf({ testResults }) {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    const start = (text) => stripVTControlCharacters(text).split('\n').slice(0, MESSAGE_LINES).join('\n')
    if (failed.length > 0) {
      return failed.map((test) => `✗ ${test.fullName} (${name})\n${start(test.failureMessages.join('\n'))}`)
    }
    return assertionResults.length === 0 && message !== '' ? [`✗ ${name}\n${start(message)}`] : []
  })
}
