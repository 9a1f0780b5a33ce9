// One test of a runner, with its contract, its mock server, and an error that combines the test's own error with mismatches.
import { sep } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { rejectCall } from '../arguments.js'
import { Contract, type InteractionKind, startServer } from '../contract.js'
import { ContractError, MismatchesError, ServeTimeoutError, withoutCode } from '../errors.js'
import type { Verdict } from '../generated/results.js'
import { contracts, nativeOf, servers } from '../handles.js'
import { MockServer } from '../mock-server.js'
import type { NativeInteraction } from '../native/binding.js'
import { origin } from '../origin.js'
import { setOwner } from '../owner.js'
import { endTest, mismatchesError } from '../run-test.js'
import { checkServerOptions, type SplitOptions, type TestServerOptions } from './options.js'
import { relativeFile } from './paths.js'

/**
 * A test's mock server. It starts on first use, for example when the test reads `url`, and serves the interactions that
 * are defined at that time.
 */
export type TestMockServer = MockServer & {
  /**
   * Starts the server if it is not running. Call it only to pass options, or if the server cannot start synchronously:
   * with a plugin, or with more than 200 interactions.
   */
  start(options?: TestServerOptions): Promise<MockServer>
}

/** The fixtures that `contractTest` provides to a test. */
export interface ContractFixtures {
  /** The test's contract. If the test passes, its interactions are written to the contract file. */
  readonly contract: Contract
  /** The mock server that serves the contract. It starts on first use. */
  readonly mockServer: TestMockServer
}

/** The running test. */
export interface RunningTest {
  /** The test's full name. `TestFile.end` must receive the same name. */
  readonly name: string
  /** The absolute path of the test file. `undefined` if it is unknown. */
  readonly file?: string | undefined
  /** The test's timeout in milliseconds. 0 means that there is no timeout, and `undefined` that it is unknown. */
  readonly timeout?: number | undefined
}

/** The outcome of a test as its runner reports it. */
export type TestOutcome =
  | { readonly status: 'passed' }
  | { readonly status: 'failed' | 'timedOut'; readonly error: unknown }
  /** The runner skipped or interrupted the test after it had started. */
  | { readonly status: 'skipped' }

/** The result of a session. */
export interface SessionResult {
  /**
   * The error with which the test must fail: the test's own error, possibly extended or replaced. `undefined` if the
   * test passed.
   */
  readonly error: unknown
  /** The requests that the mock server received, one per line. Empty if it received none. */
  readonly log: string
  /** The number of interactions that the test defined. */
  readonly interactions: number
}

/** How a test body ended: with a value, with an error, with a timeout, or because the session ended before it. */
type Settled<T> =
  | { readonly value: T }
  | { readonly cause: unknown }
  | { readonly timedOut: true }
  | { readonly ended: Promise<SessionResult> }

/** Maximum number of log lines in an error message. */
const LOG_LINES = 20

type Call = (...args: never[]) => unknown

interface Lazy {
  /** Returns the server, and starts it if it is not running. */
  running(): MockServer
  start(options: TestServerOptions | undefined, call: Call): Promise<MockServer>
}

/** The start functions of the lazy servers. */
const lazyServers = new WeakMap<object, Lazy>()

/**
 * Returns an object that starts a server on first use. A test receives this object before it defines its interactions.
 */
function lazyServer(running: Lazy['running'], start: Lazy['start']): TestMockServer {
  lazyPrototype ??= createLazyPrototype()
  const server = Object.create(lazyPrototype) as TestMockServer
  lazyServers.set(server, { running, start })
  return server
}

let lazyPrototype: object | undefined

/** Creates the prototype that forwards all members to the running server. Called only once, because it is slow. */
function createLazyPrototype(): object {
  const lazyOf = (server: object) => lazyServers.get(server) as Lazy
  const start = function (this: object, options?: TestServerOptions) {
    return lazyOf(this).start(options, start)
  }
  const properties: PropertyDescriptorMap = {
    start: { value: start },
    [Symbol.asyncDispose]: {
      value(this: object) {
        return lazyOf(this).running().stop()
      },
    },
  }
  for (const name of ['url', 'host', 'port', 'address', 'transport', 'caCertificate'] as const) {
    properties[name] = {
      get(this: object) {
        return lazyOf(this).running()[name]
      },
    }
  }
  for (const name of Object.getOwnPropertyNames(MockServer.prototype)) {
    const member = Object.getOwnPropertyDescriptor(MockServer.prototype, name)
    if (name === 'constructor' || member === undefined) continue
    properties[name] =
      member.get === undefined
        ? {
            value(this: object, ...args: unknown[]) {
              return member.value.apply(lazyOf(this).running(), args)
            },
          }
        : {
            get(this: object) {
              return member.get?.call(lazyOf(this).running())
            },
          }
  }
  return Object.create(MockServer.prototype, properties)
}

/**
 * One run of one test; a retry is a new session. An adapter creates a session before the test, passes `contract` and
 * `mockServer` to the test, and calls either `run` with the test body, or `end` with the outcome that the runner
 * reports.
 */
export class TestSession implements ContractFixtures {
  readonly #options: SplitOptions
  readonly #test: RunningTest
  readonly #started = performance.now()
  #contract: Contract | undefined
  #mockServer: TestMockServer | undefined
  #server: MockServer | undefined
  #starting: Promise<MockServer> | undefined
  /** Servers for unused interactions, which start when the session ends. */
  readonly #lateServers: MockServer[] = []
  #ended: Promise<SessionResult> | undefined
  #interactions = 0
  /** The number of interactions that were defined but not used, by kind. */
  readonly #unused = new Map<string, number>()
  /** The number of HTTP interactions that were defined when the server was already running. */
  #late = 0
  /** True if this session calls the test body and enforces its timeout. */
  #runs = false
  /** The call site of the first interaction: `file:line:column`. Empty if there is none. */
  #place = ''
  #onStart: (server: MockServer) => void = () => {}
  #onEnd: () => void = () => {}

  constructor(options: SplitOptions, test: RunningTest) {
    this.#options = options
    this.#test = test
  }

  /** The test's contract, which is created on first use. */
  get contract(): Contract {
    if (this.#contract !== undefined) return this.#contract
    this.#enter('contract')
    const { consumer, provider, contract: options } = this.#options
    const contract = new Contract(consumer, provider, options)
    const { name, file, timeout } = this.#test
    setOwner(nativeOf(contracts, contract), {
      current: { test: name, ...(file !== undefined && { file }) },
      timeout,
      enter: (call) => this.#enter(call),
      defined: (interaction, kind, place) => {
        if (this.#place === '') this.#place = place
        this.#defined(contract, interaction, kind)
      },
      claimed: (kind) => this.#claimed(kind),
    })
    this.#contract = contract
    return contract
  }

  /** The test's mock server, which starts on first use. */
  get mockServer(): TestMockServer {
    this.#mockServer ??= lazyServer(
      () => this.#running(),
      (options, call) => this.#start(options, call),
    )
    return this.#mockServer
  }

  #enter(call: string): void {
    if (this.#ended === undefined) return
    const name = JSON.stringify(this.#test.name)
    rejectCall(
      call,
      `the test ${name} has ended. "contract" and "mockServer" belong to one test. Use them only inside the test, and await all promises that it creates`,
    )
  }

  #defined(contract: Contract, interaction: NativeInteraction, kind: InteractionKind): void {
    this.#interactions += 1
    const key = String(kind).toLowerCase()
    this.#unused.set(key, (this.#unused.get(key) ?? 0) + 1)
    if (this.#server !== undefined && key === 'http') this.#late += 1
    // Comments require V4.
    if (contract.specification !== 'V4') return
    const { name, file } = this.#test
    interaction.apply(JSON.stringify({ test_name: { name } }))
    if (file === undefined) return
    interaction.apply(JSON.stringify({ add_reference: { group: 'test', name: 'file', value: relativeFile(file) } }))
  }

  #claimed(kind: InteractionKind | 'All'): void {
    const key = String(kind).toLowerCase()
    if (key === 'all') this.#unused.clear()
    else this.#unused.delete(key)
    if (key === 'all' || key === 'http') this.#late = 0
  }

  #running(): MockServer {
    if (this.#server !== undefined) return this.#server
    this.#enter('mockServer')
    const started = this.#starting ?? startServer(this.contract, this.#serverOptions(), '', false)
    if (started instanceof MockServer) return this.#use(started)
    this.#starting ??= started.then((server) => this.#use(server))
    this.#starting.catch(() => {})
    return rejectCall(
      'mockServer',
      'the server starts asynchronously because the contract is large or uses a plugin. Call await mockServer.start() before you use it',
    )
  }

  async #start(options: TestServerOptions | undefined, call: Call): Promise<MockServer> {
    if (this.#server === undefined && this.#starting === undefined) {
      this.#enter('mockServer.start')
      if (options !== undefined) checkServerOptions('mockServer.start', options)
      const started = startServer(this.contract, { ...this.#serverOptions(), ...options }, origin(call), false)
      if (started instanceof MockServer) return this.#use(started)
      this.#starting = started.then((server) => this.#use(server))
    } else if (options !== undefined) {
      rejectCall('mockServer.start', 'the server is already running. Pass options before the first use of mockServer')
    }
    return this.#server ?? (this.#starting as Promise<MockServer>)
  }

  #serverOptions(): object {
    const { timeout } = this.#test
    if (timeout === undefined || this.#runs) return this.#options.server
    // The runner enforces its own timeout, so the error must report that timeout. The core accepts at most one day.
    return { ...this.#options.server, timeout: Math.min(timeout, 86_400_000) }
  }

  #use(server: MockServer): MockServer {
    this.#server = server
    this.#onStart(server)
    return server
  }

  /** Calls the test body and ends the session. Throws the error with which the test must fail. */
  async run<T>(body: (fixtures: ContractFixtures) => T | Promise<T>): Promise<T | undefined> {
    this.#runs = true
    const settled = await this.#settle(body)
    if ('ended' in settled) {
      // The adapter ended the session during the test, because it was skipped or the runner stopped it.
      const { error } = await settled.ended
      if (error !== undefined) throw error
      return undefined
    }
    const outcome: TestOutcome =
      'value' in settled
        ? { status: 'passed' }
        : 'timedOut' in settled
          ? { status: 'timedOut', error: undefined }
          : { status: 'failed', error: settled.cause }
    const { error } = await this.end(outcome)
    if (error !== undefined || !('value' in settled)) throw error
    return settled.value
  }

  /**
   * Calls the test body. Once the mock server has started, its timeout applies, counted from the start of the session.
   * Without a mock server, only the runner's own timeout applies.
   */
  async #settle<T>(body: (fixtures: ContractFixtures) => T | Promise<T>): Promise<Settled<T>> {
    let timer: NodeJS.Timeout | undefined
    const ended = new Promise<void>((resolve) => {
      this.#onEnd = resolve
    })
    const late = new Promise<{ readonly timedOut: true }>((resolve) => {
      this.#onStart = (server) => {
        // Shorter than the runner's own timeout, so that the error can explain the timeout.
        const { timeout } = nativeOf(servers, server)
        if (timeout === 0) return
        const rest = Math.max(timeout - (performance.now() - this.#started), 0)
        timer = setTimeout(() => resolve({ timedOut: true }), rest)
      }
    })
    try {
      return await Promise.race([
        (async () => ({ value: await body(this) }))(),
        late,
        // Wrapped in an object, because the promise must not be awaited here.
        ended.then(() => ({ ended: this.#ended as Promise<SessionResult> })),
      ])
    } catch (cause) {
      return { cause }
    } finally {
      this.#onStart = () => {}
      clearTimeout(timer)
    }
  }

  /**
   * Stops the mock server, and writes the interactions if the test passed. Afterwards, the interactions are no longer
   * served.
   */
  end(outcome: TestOutcome): Promise<SessionResult> {
    this.#ended ??= this.#end(outcome)
    this.#onEnd()
    return this.#ended
  }

  async #end(outcome: TestOutcome): Promise<SessionResult> {
    const isPassed = outcome.status === 'passed'
    const own = 'error' in outcome ? outcome.error : undefined
    const notes = isPassed ? await this.#serveUnused() : []
    this.#forgetUnused()
    const used = [...new Set([this.#server, ...this.#lateServers])].filter((server) => server !== undefined)
    const result = new Result(own, this.#interactions, used)
    if (used.length === 0) return notes.length === 0 ? result : result.with(this.#addCallSite(unusedError(notes)))
    const ending = { passed: 'passed', failed: 'failed', timedOut: 'timed_out', skipped: 'failed' }[outcome.status]
    let verdict: Verdict
    try {
      verdict = await endTest(used, { end: ending, name: `The test ${JSON.stringify(this.#test.name)}`, atOnce: false })
    } catch (error) {
      // For example, the contract file could not be written. The error of a failed test takes precedence.
      return result.with(isPassed ? this.#addCallSite(error) : own)
    }
    if (outcome.status === 'skipped') return result
    const error = this.#combined(verdict, own, notes, result)
    return error === own ? result : result.with(this.#addCallSite(error))
  }

  /**
   * Starts a server for HTTP interactions that the test defined but did not use, so that they are reported as missing
   * requests. Returns advice for the error message.
   */
  async #serveUnused(): Promise<readonly string[]> {
    const messages = [...this.#unused].filter(([kind]) => kind !== 'http')
    const notes = messages.map(([kind, count]) => {
      const name = kind === 'async' ? 'Async' : 'Sync'
      return `The test did not verify ${count === 1 ? 'a message' : `${count} messages`} that it defined. Call await contract.verify(handler, '${name}').`
    })
    if (!this.#unused.has('http')) return notes
    if (this.#late > 0) {
      return [
        ...notes,
        'The test defined interactions after the first use of mockServer, which serves only interactions defined before. Define all interactions first.',
      ]
    }
    this.#lateServers.push(await startServer(this.contract, this.#serverOptions(), '', false))
    return [...notes, 'The test did not use the mock server. Pass mockServer.url to the client as its base URL.']
  }

  /** Marks unused interactions as used, because the core would otherwise warn that they were never served. */
  #forgetUnused(): void {
    if (this.#contract !== undefined && this.#unused.size > 0) nativeOf(contracts, this.#contract).interactions()
  }

  /**
   * Adds the call site of the first interaction to the stack of an error that was created after the test, so that the
   * runner displays it.
   */
  #addCallSite(error: unknown): unknown {
    if (this.#place === '' || !(error instanceof Error)) return error
    const { stack = '', message } = error
    const start = stack.indexOf(message) + message.length
    const frames = stack.slice(start).split('\n')
    const userFrames = frames.filter((frame) => frame !== '' && !frame.includes(__dirname + sep))
    error.stack = [stack.slice(0, start), `    at ${this.#place}`, ...userFrames].join('\n')
    return error
  }

  #combined(verdict: Verdict, own: unknown, notes: readonly string[], result: SessionResult): unknown {
    const { mismatched, late } = verdict
    // Thrown by `mockServer.verify()` or `stop()`, so it already contains the mismatches.
    if (own instanceof MismatchesError) return own
    const timeout = late === null ? [] : [new ServeTimeoutError(lateText(late.text), late.timeout, late.logs)]
    const cause = own ?? timeout[0]
    if (mismatched === null) {
      if (notes.length > 0) return unusedError(notes)
      return timeout.length > 0 ? combinedTimeout(timeout[0] as ServeTimeoutError, own, result.log) : own
    }
    const appendix = [...notes, ...logLines(result.log)].join('\n')
    const extended = (text: string) => (appendix === '' ? text : `${text.trimEnd()}\n${appendix}\n`)
    const whole = { ...mismatched, text: extended(mismatched.text), coloured: extended(mismatched.coloured) }
    return mismatchesError(whole, cause === undefined ? {} : { cause })
  }
}

class Result implements SessionResult {
  readonly error: unknown
  readonly interactions: number
  readonly #servers: readonly MockServer[]

  constructor(error: unknown, interactions: number, servers: readonly MockServer[]) {
    this.error = error
    this.interactions = interactions
    this.#servers = servers
  }

  /** The log of all servers. It is only needed after a failure, so it is not read before. */
  get log(): string {
    const lines = this.#servers.flatMap((server) => server.logs.split('\n'))
    return lines.filter((line) => line !== '' && !/^\S+ INFO {2}(listening on |stopped$)/.test(line)).join('\n')
  }

  with(error: unknown): Result {
    return new Result(error, this.interactions, this.#servers)
  }
}

/** Returns the last lines of a log with a heading, for an error message. */
function logLines(log: string): string[] {
  const lines = log.split('\n').filter((line) => line !== '')
  if (lines.length === 0) return []
  const lastLines = lines.slice(-LOG_LINES)
  const title =
    lastLines.length < lines.length ? `Log of the mock server (last ${LOG_LINES} lines):` : 'Log of the mock server:'
  return ['', title, ...lastLines.map((line) => `  ${line}`)]
}

/** Replaces the advice in the core's timeout message, which refers to `serve`, with advice for tests. */
function lateText(text: string): string {
  const [first = ''] = text.split('\n')
  return `${first}\nIt is probably waiting for an event that never occurs. If it needs more time, increase the timeout of the test in the test runner.`
}

function combinedTimeout({ message, timeout, logs }: ServeTimeoutError, own: unknown, log: string): ServeTimeoutError {
  const text = [withoutCode(message), ...logLines(log)].join('\n')
  const error = new ServeTimeoutError(text, timeout, logs)
  return own === undefined ? error : Object.assign(error, { cause: own })
}

function unusedError(notes: readonly string[]): ContractError {
  return new ContractError('ERR_CONTRACT_UNUSED', notes.join('\n'))
}
