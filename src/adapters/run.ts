// Records the written contracts, the test files that ended, and the removed interactions of a run. Workers write notes, and the
// main process of the runner prints a summary.
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'
import { type EndedTest, fileEnded, runEnded } from '../obsolete.js'
import type { SplitOptions } from './options.js'
import type { SessionResult } from './session.js'

/**
 * The environment variable with the directory for notes about the current run. Workers inherit it from the main
 * process.
 */
const FOLDER = 'CONTRACT_RUN_NOTES'

interface WrittenContract {
  readonly consumer: string
  readonly provider: string
  readonly directory: string
  readonly interactions: number
}

type Note =
  | { readonly begun: string }
  | { readonly wrote: string; readonly contracts: readonly WrittenContract[] }
  | { readonly ended: string; readonly removed: readonly string[] }

function note(text: Note): boolean {
  const folder = process.env[FOLDER]
  if (!folder) return false
  try {
    appendFileSync(join(folder, `${process.pid}-${threadId}`), `${JSON.stringify(text)}\n`)
    return true
  } catch {
    // The run has already ended.
    return false
  }
}

/**
 * Returns the number of the current round of watch mode, for runners that start new workers in each round and have no
 * hook in their main process. Workers that run at the same time belong to the same round. Returns `undefined` outside
 * of a run.
 */
export function roundOfWorkers(): number | undefined {
  const folder = process.env[FOLDER]
  if (!folder) return undefined
  const file = join(folder, 'rounds')
  try {
    // Another worker may have created the file, but not written its line yet.
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
    const workers = lines.map((line) => line.split(' ').map(Number))
    const [last = 0] = workers.at(-1) ?? []
    const isCurrent = workers.some(([round, pid = 0]) => round === last && isRunning(pid))
    const round = isCurrent ? last : last + 1
    appendFileSync(file, `${round} ${process.pid}\n`)
    return round
  } catch {
    // The run has already ended.
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** One test file of a run. An adapter creates it before the first session of the file and ends it after the last session. */
export class TestFile {
  readonly #file: string
  readonly #contracts = new Map<string, WrittenContract>()
  #isEnded = false

  constructor(file: string) {
    this.#file = file
    note({ begun: file })
  }

  /** Adds the interactions of a session that passed to the file's counts. */
  passed({ consumer, provider, contract }: SplitOptions, { interactions }: SessionResult): void {
    if (interactions === 0) return
    const option = contract.directory ?? '.'
    const directory = resolve(String(option).startsWith('file:') ? fileURLToPath(option) : String(option))
    const key = JSON.stringify([consumer, provider, directory])
    const before = this.#contracts.get(key)?.interactions ?? 0
    this.#contracts.set(key, { consumer, provider, directory, interactions: before + interactions })
  }

  /**
   * Passes the counts of written interactions to the main process. Adapters call this method instead of `end` if only
   * the main process knows the results of the tests.
   */
  flush(): void {
    if (this.#contracts.size > 0) note({ wrote: this.#file, contracts: [...this.#contracts.values()] })
    this.#contracts.clear()
  }

  /**
   * Removes the file's obsolete interactions. `tests` contains its tests with their results. `complete` is true if no
   * test is missing from `tests`. `partial` is true if only some of the file's tests were selected.
   */
  async end(tests: readonly EndedTest[], { complete = true, partial = false } = {}): Promise<void> {
    if (this.#isEnded) return
    this.#isEnded = true
    this.flush()
    const removed = await fileEnded(this.#file, tests, complete, partial)
    const isNoted = note({ ended: this.#file, removed })
    // There is no main process that prints a summary.
    if (!isNoted) for (const line of removed) console.info(line)
  }
}

/**
 * A test run. An adapter creates it in the runner's main process before the workers start, for example in a global
 * setup.
 */
export class TestRun {
  readonly #folder = mkdtempSync(join(tmpdir(), 'contract-run-'))
  /** Notes that this process did not write to the directory. */
  #own: Note[] = []

  constructor() {
    process.env[FOLDER] = this.#folder
  }

  /**
   * Like `TestFile.end`, for runners in which only the main process knows the results of a test file. `crashed` is true
   * if the file's process may have ended before its last test.
   */
  async fileEnded(file: string, tests: readonly EndedTest[], partial: boolean, crashed = false): Promise<void> {
    const removed = await fileEnded(file, tests, true, partial)
    // After a crash, only the notes of the file's process show whether it finished.
    if (!crashed) this.#own.push({ ended: file, removed })
  }

  /**
   * Ends the run, or a round of watch mode. If it was complete, removes the interactions of deleted test files. Returns
   * the lines of the summary, which the adapter prints to standard error.
   */
  async end({ complete }: { readonly complete: boolean }): Promise<readonly string[]> {
    const notes = [...this.#take(), ...this.#own]
    this.#own = []
    return summary(notes, complete ? await runEnded() : [])
  }

  /** Like `end`, but for a runner that crashed and is about to exit. Does not remove any interactions. */
  crash(): readonly string[] {
    return summary([...this.#take(), ...this.#own], [])
  }

  /** Deletes the directory with the notes. */
  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Returns the notes of all workers and deletes them. */
  #take(): Note[] {
    // Other files are needed until the end of the run.
    const names = readdirSync(this.#folder).filter((name) => /^\d+-\d+$/.test(name))
    const files = names.map((name) => join(this.#folder, name))
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    for (const file of files) rmSync(file, { force: true })
    return lines.flatMap(parsed)
  }
}

function summary(notes: readonly Note[], removedLater: readonly string[]): string[] {
  const removed = [...notes.flatMap((note) => ('ended' in note ? note.removed : [])), ...removedLater]
  const ended = new Set(notes.flatMap((note) => ('ended' in note ? [note.ended] : [])))
  const begun = new Set(notes.flatMap((note) => ('begun' in note ? [note.begun] : [])))
  const unfinished = [...begun].filter((file) => !ended.has(file)).sort()
  return [
    ...written(notes),
    ...removed,
    ...unfinished.map(
      (file) =>
        `contract: ${relative(process.cwd(), file)} did not finish. The interactions of its passed tests are in the contract, and no interactions were removed.`,
    ),
  ]
}

function parsed(line: string): Note[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Note]
  } catch {
    // A killed worker may leave an incomplete line.
    return []
  }
}

/** Returns one summary line for each written contract. */
function written(notes: readonly Note[]): string[] {
  const contracts = new Map<string, { readonly contract: WrittenContract; interactions: number; files: Set<string> }>()
  for (const note of notes) {
    if (!('wrote' in note)) continue
    for (const contract of note.contracts) {
      const key = JSON.stringify([contract.consumer, contract.provider, contract.directory])
      const known = contracts.get(key) ?? { contract, interactions: 0, files: new Set() }
      known.interactions += contract.interactions
      known.files.add(note.wrote)
      contracts.set(key, known)
    }
  }
  const lines = [...contracts.values()].map(({ contract, interactions, files }) => {
    const { consumer, provider } = contract
    const file = relative(process.cwd(), fileOf(contract))
    return `contract: ${consumer} → ${provider}: ${count(interactions, 'interaction')} from ${count(files.size, 'test file')} in ${file}`
  })
  return lines.sort()
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? '' : 's'}`
}

/** Returns the path of the contract file, or the directory if the file is not found. */
function fileOf({ consumer, provider, directory }: WrittenContract): string {
  const isWanted = (name: string) => {
    try {
      const document = JSON.parse(readFileSync(join(directory, name), 'utf8'))
      return document.consumer?.name === consumer && document.provider?.name === provider
    } catch {
      return false
    }
  }
  const names = readdirOf(directory).filter((name) => name.endsWith('.json'))
  const usual = `${consumer}-${provider}.json`
  const name = [usual, ...names].filter((name) => names.includes(name)).find(isWanted)
  return name === undefined ? directory : join(directory, name)
}

function readdirOf(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
