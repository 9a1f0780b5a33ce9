/**
 * A reporter for node:test.
 *
 * @module contract/node-test/reporter
 */

import { isPartOfNodeTest, type NodeTestEvent, setRoundForWorkers, TestRun } from './adapters/index.js'
import { deferred } from './load-deferred.js'

// Node imports its reporters before it starts the test files.
const run = new TestRun()
setRoundForWorkers('node:test 0')

/**
 * A reporter for node:test that removes obsolete interactions from contract files, and prints which contracts were written.
 *
 * @example
 * // node --test --test-reporter=spec --test-reporter-destination=stdout
 * //   --test-reporter=contract/node-test/reporter --test-reporter-destination=stderr
 */
export default async function* contractReporter(source: AsyncIterable<NodeTestEvent>): AsyncGenerator<string, void> {
  let round = 0
  const { NodeTestRun } = deferred()
  let tests = new NodeTestRun()
  const end = async () => {
    const files = tests.files()
    for (const { file, tests, partial, crashed } of files) await run.fileEnded(file, tests, partial, crashed)
    // Later rounds of watch mode run only changed files.
    const lines = await run.end({ complete: round === 0 && files.length > 0 && !isPartOfNodeTest() })
    tests = new NodeTestRun()
    round += 1
    setRoundForWorkers(`node:test ${round}`)
    return lines.map((line) => `${line}\n`).join('')
  }
  for await (const event of source) {
    tests.take(event)
    if (event.type === 'test:watch:drained') yield await end()
  }
  yield await end()
  run.close()
}
