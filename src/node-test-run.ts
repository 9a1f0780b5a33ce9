// Derives which tests have ended from the events of node:test.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EndedTest, fileEnded, isPartOfNodeTest, runEnded, type Status } from './obsolete.js'
import type { NodeTestEvent } from './obsolete-reporters.js'

interface NodeTestData {
  readonly name: string
  readonly nesting: number
  readonly file?: string
  readonly skip?: unknown
  readonly details?: { readonly type?: string; readonly error?: unknown }
}

/**
 * A test file in a run of node:test. `tests` contains the tests of all files, with those of other files marked as
 * skipped.
 */
interface NodeTestFile {
  readonly file: string
  readonly tests: readonly EndedTest[]
  /** True if tests may be missing, because a filter was set or because the file failed outside of its tests. */
  readonly partial: boolean
  /** True if the file's process may have ended before its last test. */
  readonly crashed: boolean
}

/** The test files and tests in a run of node:test. */
export class NodeTestRun {
  /** The paths of the test files. The value is true if the file ended without an error outside of its tests. */
  readonly #files = new Map<string, boolean>()
  readonly #tests: (EndedTest & { readonly file: string | undefined })[] = []
  readonly #path: string[] = []

  take({ type, data }: NodeTestEvent): void {
    if (!isTest(data)) return
    const { name, nesting } = data
    const file = pathOf(data.file)
    // Since Node 22, the name of a file is relative.
    if (file !== undefined && resolve(name) === file) this.#file(type, file, data)
    else if (type === 'test:start') this.#path.splice(nesting, this.#path.length, name)
    else if (type === 'test:pass' || type === 'test:fail')
      this.#end(type === 'test:fail' ? 'failed' : 'passed', file, data)
  }

  #file(type: string, file: string, { details }: NodeTestData): void {
    const failed = type === 'test:fail' || (type === 'test:complete' && details?.error !== undefined)
    this.#files.set(file, (this.#files.get(file) ?? true) && !failed)
  }

  #end(status: Status, file: string | undefined, { name, nesting, skip, details }: NodeTestData): void {
    if (details?.type === 'suite') return
    // The same format as `fullName`, if this version of Node supports it.
    const full = hasFullNames ? [...this.#path.slice(0, nesting), name].join(' > ') : name
    this.#tests.push({ name: full, status: skip === undefined ? status : 'skipped', file })
  }

  /**
   * Returns the test files. Each file contains the tests of other files as skipped tests. Therefore, the interactions
   * of a test that an imported file defines are kept.
   */
  files(): NodeTestFile[] {
    return [...this.#files].map(([file, isSound]) => {
      const tests = this.#tests.map(({ name, status, file: place }) => {
        return { name, status: place === file ? status : 'skipped' } as const
      })
      return { file, tests, partial: isPartOfNodeTest() || !isSound, crashed: !isSound }
    })
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// Node 21 does not support `fullName`.
const hasFullNames = major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 16)

function isTest(data: unknown): data is NodeTestData {
  const { name, nesting } = (data ?? {}) as Partial<NodeTestData>
  return typeof name === 'string' && typeof nesting === 'number'
}

function pathOf(file: string | undefined): string | undefined {
  return file?.startsWith('file:') === true ? fileURLToPath(file) : file
}

/** A reporter for node:test. See `obsolete-reporters.ts`. */
export async function* nodeTestReporter(source: AsyncIterable<NodeTestEvent>): AsyncGenerator<string, void> {
  const run = new NodeTestRun()
  for await (const event of source) run.take(event)
  const files = run.files()
  const lines = []
  for (const { file, tests, partial } of files) lines.push(...(await fileEnded(file, tests, true, partial)))
  if (!isPartOfNodeTest() && files.length > 0) lines.push(...(await runEnded()))
  for (const line of lines) yield `${line}\n`
}
