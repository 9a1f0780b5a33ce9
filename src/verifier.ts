import { stripVTControlCharacters } from 'node:util'
import { ContractArgumentError, VerificationError } from './errors.js'
import type { JsonObject } from './json.js'
import {
  isMessageHandlers,
  type MessageFunction,
  type MessageHandlerOptions,
  MessageHandlers,
  type MessageMapping,
} from './message-handlers.js'
import type { NativeVerification } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import type { VerificationReport } from './report.js'
import { type ReportFormat, writeReport } from './reports.js'
import { declare, type ListedInteraction, type SuiteRunner } from './suite.js'
import { colours, command } from './terminal.js'
import { Callbacks } from './verifier/callbacks.js'
import { environment, showsProgress } from './verifier/environment.js'
import {
  type AfterEach,
  apply,
  type BeforeEach,
  type FilterOptions,
  type HeaderValue,
  type Source,
  type SourceOptions,
  type TlsOptions,
  type TransportArgument,
  type VerifierOptions,
} from './verifier/options.js'
import { refused } from './verifier/refused.js'
import type { RequestFilter } from './verifier/request.js'
import { sourceOf } from './verifier/sources.js'
import type { StateFunction, StateHandlerOptions, StateHandlers, StateMapping } from './verifier/states.js'
import { tlsOf } from './verifier/tls.js'
import {
  type AppToStart,
  appOf,
  isApp,
  type ListeningApp,
  startApps,
  stopApps,
  type Transport,
  transportOf,
} from './verifier/transports.js'

/** Options of one run. */
export interface VerifyRunOptions {
  /** Stops at the first failure; what comes after it is reported as skipped. */
  readonly exitFirst?: boolean
  /** Verifies only what failed the last time, if anything did. */
  readonly lastFailed?: boolean
  /** How many interactions without states run at a time. Default: 1. */
  readonly concurrency?: number
  /** Whether the terminal shows how far a long run is. Default: on a terminal, outside of test runners. */
  readonly progress?: boolean
}

/** What the core has to say about a run. */
interface Verified {
  readonly report: VerificationReport
  readonly text: string
  readonly log: readonly string[]
}

/**
 * Replays contracts against a real provider.
 *
 * @example
 * await new Verifier('users')
 *   .addSource('./contracts')
 *   .addTransport({ url: 'http://127.0.0.1:8080' })
 *   .stateHandler({ 'user exists': async (action, { id }) => { … } })
 *   .verify()
 */
export class Verifier {
  /** The provider's name: contracts with it are verified. */
  readonly provider: string
  readonly #sources: JsonObject[] = []
  readonly #transports: Transport[] = []
  readonly #apps: AppToStart[] = []
  readonly #callbacks = new Callbacks()
  /** Options that cross as they are. */
  #options: JsonObject = {}
  #filter: JsonObject = {}
  #consumers: readonly string[] = []
  #tls: JsonObject = {}
  #coloured: boolean | undefined
  #core: NativeVerification | undefined
  #last: Verified | undefined
  #suite: NativeVerification | undefined

  constructor(provider: string, options: VerifierOptions = {}) {
    if (typeof provider !== 'string' || provider.trim() === '') {
      throw new ContractArgumentError('ERR_CONTRACT_NAME', 'the provider needs a name')
    }
    this.provider = provider
    const { stateHandlerOptions, ...others } = options
    if (stateHandlerOptions !== undefined && others.stateHandler === undefined) {
      throw refused('Verifier', 'stateHandlerOptions are about a stateHandler, and there is none')
    }
    apply(others, {
      sources: (sources) => sources.map((source) => this.addSource(source)),
      transports: (transports) => transports.map((transport) => this.addTransport(transport)),
      stateHandler: (handler) => this.stateHandler(handler as StateMapping, stateHandlerOptions),
      stateHandlerOptions: () => {},
      messageHandler: (handler) => this.messageHandler(handler),
      filter: (filter) => this.filter(filter),
      filterConsumers: (names) => this.filterConsumers(...names),
      customHeaders: (headers) => this.addCustomHeaders(headers),
      requestFilter: (filter) => this.requestFilter(filter),
      beforeEach: (hook) => this.beforeEach(hook),
      afterEach: (hook) => this.afterEach(hook),
      requestTimeout: (milliseconds) => this.setRequestTimeout(milliseconds),
      callbackTimeout: (milliseconds) => this.setCallbackTimeout(milliseconds),
      bodyLimit: (bytes) => this.setBodyLimit(bytes),
      sourceLimit: (bytes) => this.setSourceLimit(bytes),
      tls: (tls) => this.tls(tls),
      disableSslVerification: (disabled) => this.disableSslVerification(disabled),
      httpVersion: (version) => this.setHttpVersion(version),
      followRedirects: (follow) => this.followRedirects(follow),
      errorOnEmptyContract: (enabled) => this.setErrorOnEmptyContract(enabled),
      colouredOutput: (enabled) => this.setColouredOutput(enabled),
    })
  }

  /**
   * Contracts to verify: a file, a directory with all that is below it, a pattern such as `contracts/**\/*-users.json`, an
   * http or https URL, or a contract as an object or JSON text. Contracts of other providers are left out.
   */
  addSource(source: Source, options: SourceOptions = {}): this {
    const native = sourceOf(source, options)
    this.#check({ sources: [native] })
    this.#sources.push(native)
    // What was read before is not all any more.
    this.#core = undefined
    return this
  }

  /**
   * A way to reach the provider: its base URL, the parts of one, or the application itself, which then listens while a
   * verification runs. Several have different names; interactions say which they use, most of them `http`. Message handlers
   * are understood as by `messageHandler`.
   */
  addTransport(transport: TransportArgument): this {
    if (transport === null || !['string', 'object', 'function'].includes(typeof transport)) {
      throw refused('addTransport', 'a transport is a base URL, the parts of one, { app } or message handlers')
    }
    if (isMessageHandlers(transport)) return this.messageHandler(transport)
    if (isApp(transport)) this.#apps.push(this.#named(appOf(transport)))
    else {
      const native = this.#named(transportOf(transport))
      this.#check({ transports: [native] })
      this.#transports.push(native)
    }
    return this
  }

  /**
   * Who makes the messages that contracts expect, in this process: functions or messages by description, or one function for
   * all that have none of their own. Repeated calls add up.
   *
   * @example
   * await new Verifier('orders')
   *   .addSource('./contracts')
   *   .messageHandler({
   *     'an order was placed': () => orderPlaced(sampleOrder),
   *     'a shipping label': () => ({ contents: label, contentType: 'application/x-label', metadata: { carrier: 'DHL' } }),
   *   })
   *   .verify()
   */
  messageHandler(handlers: MessageFunction | MessageMapping, options?: MessageHandlerOptions): this {
    this.#callbacks.messages ??= new MessageHandlers()
    this.#callbacks.messages.add(handlers, options)
    return this
  }

  #named<T extends { readonly name: string }>(transport: T): T {
    if ([...this.#transports, ...this.#apps].some(({ name }) => name === transport.name)) {
      throw refused(
        'addTransport',
        `there is a transport ${JSON.stringify(transport.name)} already; give it another protocol`,
      )
    }
    return transport
  }

  /**
   * Who brings the provider into the states that interactions need: handlers by state, a function for all states, or a URL
   * of the provider. Handlers run in this process; the values that they return feed generators and request filters.
   * Handlers by state may be given in several calls.
   *
   * @typeParam States - with it, the parameters of each state are checked: `stateHandler<{ 'user exists': { id: number } }>(…)`
   */
  stateHandler(handler: StateFunction | string | URL, options?: StateHandlerOptions): this
  stateHandler(handler: StateMapping, options?: StateHandlerOptions): this
  stateHandler<States extends object>(handler: StateHandlers<States>, options?: StateHandlerOptions): this
  stateHandler(handler: StateFunction | StateMapping | string | URL, options: StateHandlerOptions = {}): this {
    this.#callbacks.states.add(handler, options)
    this.#check({ states: this.#callbacks.states.options ?? {} })
    return this
  }

  /** Verifies only interactions for which all of this holds; a pattern alone is found in the description. A repeated
   * call replaces. */
  filter(filter: FilterOptions | string | RegExp): this {
    const isPattern = typeof filter === 'string' || Object.prototype.toString.call(filter) === '[object RegExp]'
    const { description, state, ...rest } = isPattern ? { description: filter as string } : (filter as FilterOptions)
    const native = { ...rest, ...pattern('description', description), ...pattern('state', state) } as JsonObject
    this.#check({ filter: native })
    this.#filter = native
    return this
  }

  /** Verifies only contracts of these consumers; none means all. */
  filterConsumers(...names: string[]): this {
    const other = names.find((name) => typeof name !== 'string')
    if (other !== undefined) throw refused('filterConsumers', `names are texts, got ${JSON.stringify(other)}`)
    this.#consumers = names
    return this
  }

  /** A header for every request to the provider; a function makes it afresh each time. It replaces that of the contract. */
  addCustomHeader(name: string, value: HeaderValue): this {
    if (typeof value !== 'string' && typeof value !== 'function') {
      throw refused('addCustomHeader', `the value of ${name} must be text or a function, got ${typeof value}`)
    }
    this.#check({ headers: [headerOf(name, value)] })
    this.#callbacks.headers.set(name, value)
    return this
  }

  /** Headers for every request to the provider. */
  addCustomHeaders(headers: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, HeaderValue]>): this {
    const pairs = Symbol.iterator in headers ? headers : Object.entries(headers as Record<string, HeaderValue>)
    for (const [name, value] of pairs as Iterable<readonly [string, HeaderValue]>) this.addCustomHeader(name, value)
    return this
  }

  /**
   * Changes each request before it is sent, with the interaction and the values of its states at hand. Several run in the
   * order in which they were added.
   */
  requestFilter(filter: RequestFilter): this {
    this.#callbacks.requestFilters.push(functionOf('requestFilter', filter))
    return this
  }

  /** Called before each interaction. What it throws fails the interaction. */
  beforeEach(hook: BeforeEach): this {
    this.#callbacks.before.push(functionOf('beforeEach', hook))
    return this
  }

  /** Called after each interaction with its result. What it throws fails the interaction. */
  afterEach(hook: AfterEach): this {
    this.#callbacks.after.push(functionOf('afterEach', hook))
    return this
  }

  /** How long one request may take, in milliseconds, from connecting to the last byte of the answer. Default: 5000. */
  setRequestTimeout(milliseconds: number): this {
    return this.#set('setRequestTimeout', 'requestTimeout', milliseconds)
  }

  /** How long one call of a handler, filter, hook or header function may take, in milliseconds. Default: 30000. */
  setCallbackTimeout(milliseconds: number): this {
    return this.#set('setCallbackTimeout', 'callbackTimeout', milliseconds)
  }

  /** Most bytes of an answer, decompressed. Default: 64 MiB. */
  setBodyLimit(bytes: number): this {
    return this.#set('setBodyLimit', 'bodyLimit', bytes)
  }

  /** Most bytes of one contract. Default: 64 MiB. */
  setSourceLimit(bytes: number): this {
    return this.#set('setSourceLimit', 'sourceLimit', bytes)
  }

  #set(call: string, name: string, value: number): this {
    if (!(value > 0 && value <= Number.MAX_SAFE_INTEGER)) throw refused(call, `${value} is no number above zero`)
    this.#options = { ...this.#options, [name]: Math.ceil(value) }
    return this
  }

  /** Certificates, for the provider, its state URL and contracts behind URLs. */
  tls(options: TlsOptions): this {
    const tls = tlsOf(options)
    this.#check({ tls })
    this.#tls = { ...this.#tls, ...tls }
    return this
  }

  /** Accepts any certificate. */
  disableSslVerification(disabled = true): this {
    this.#tls = { ...this.#tls, insecure: disabled }
    return this
  }

  /** Speaks this version of HTTP only. Default: 1.1, and 2 where TLS negotiates it. */
  setHttpVersion(version: '1.1' | '2'): this {
    this.#check({ httpVersion: String(version) })
    this.#options = { ...this.#options, httpVersion: String(version) }
    return this
  }

  /** Whether it is an error that there is nothing to verify for this provider. Default: true. */
  setErrorOnEmptyContract(enabled = true): this {
    this.#options = { ...this.#options, allowEmpty: !enabled }
    return this
  }

  /** The same as `setErrorOnEmptyContract`. */
  setErrorOnEmptyPact(enabled = true): this {
    return this.setErrorOnEmptyContract(enabled)
  }

  /** Whether redirects of the provider are followed. Default: true. */
  followRedirects(follow = true): this {
    this.#options = { ...this.#options, followRedirects: follow }
    return this
  }

  /** Whether texts are coloured. Default: on a terminal. */
  setColouredOutput(enabled = true): this {
    this.#coloured = enabled
    return this
  }

  /** The same as `setColouredOutput`. */
  setColoredOutput(enabled = true): this {
    return this.setColouredOutput(enabled)
  }

  /**
   * Runs the verification. Throws `VerificationError` when the provider does not honour a contract; its `cause` is what a
   * handler of yours threw, if that was why.
   */
  async verify(run: VerifyRunOptions = {}): Promise<VerificationReport> {
    const { exitFirst = false, lastFailed = false, concurrency, progress = showsProgress() } = run
    if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0)) {
      throw refused('verify', `concurrency must be a whole number above zero, got ${concurrency}`)
    }
    const core = this.#verification()
    const apps = await startApps(this.#apps)
    const done = this.#callbacks.listen(core)
    try {
      const options = this.#native({ exitFirst, lastFailed, concurrency, progress }, apps)
      const verified = this.#understood(unwrap(await core.run(options)))
      this.#suite = undefined
      this.#last = verified
      return passed(verified, apps)
    } finally {
      done()
      await stopApps(apps)
    }
  }

  /** Reads all sources now, also those behind URLs: `suite` needs them before it can declare tests. */
  async prepare(): Promise<this> {
    check((await this.#verification().gather(this.#native({}))) as Parameters<typeof check>[0])
    return this
  }

  /**
   * Declares one test for each interaction, in the words of the test runner at hand. Sources behind URLs need
   * `await verifier.prepare()` before, at the top level of the module.
   *
   * @example
   * import { afterAll, describe, it } from 'vitest'
   * new Verifier('users').addSource('./contracts').addTransport({ app }).suite({ describe, it, afterAll })
   */
  suite(runner: SuiteRunner): void {
    const core = this.#verification()
    const listed = JSON.parse(unwrap(core.interactions(this.#native({})))) as ListedInteraction[]
    let apps: readonly ListeningApp[] = []
    let done = () => {}
    declare(runner, this.provider, listed, {
      start: async () => {
        apps = await startApps(this.#apps)
        try {
          check(core.start(this.#native({}, apps)))
        } catch (error) {
          await stopApps(apps)
          throw error
        }
        done = this.#callbacks.listen(core)
        this.#suite = core
      },
      verifyOne: async (index) => passed(this.#understood(unwrap(await core.verifyOne(index))), apps),
      stop: async () => {
        this.#last = this.#verified()
        this.#suite = undefined
        done()
        done = () => {}
        await stopApps(apps)
      },
    })
  }

  /** What the last run found; nothing before the first. */
  get results(): VerificationReport | undefined {
    return this.#verified()?.report
  }

  /** What the last run has to say to people; empty before the first. */
  output({ stripAnsi = false }: { readonly stripAnsi?: boolean } = {}): string {
    const text = this.#verified()?.text ?? ''
    return stripAnsi ? stripVTControlCharacters(text) : text
  }

  /** What the core logged in the last run; the last lines of it. */
  get logs(): readonly string[] {
    return this.#verified()?.log ?? []
  }

  #verified(): Verified | undefined {
    const text = this.#suite?.report()
    return text ? this.#understood(text) : this.#last
  }

  #native(run: object, apps: readonly ListeningApp[] = []): string {
    return JSON.stringify({
      ...this.#options,
      ...run,
      provider: this.provider,
      sources: this.#sources,
      transports: [...this.#transports, ...apps.map(({ name, url }) => ({ name, url }))],
      headers: Array.from(this.#callbacks.headers, ([name, value]) => headerOf(name, value)),
      states: this.#callbacks.states.options,
      messages: this.#callbacks.messages?.options,
      requestFilter: this.#callbacks.requestFilters.length > 0,
      before: this.#callbacks.before.length > 0,
      after: this.#callbacks.after.length > 0,
      filter: { ...this.#filter, consumers: this.#consumers },
      tls: this.#tls,
      colour: this.#coloured ?? colours(),
      command: command(),
      environment: environment(),
    })
  }

  #check(options: object): void {
    check(native.checkVerification(JSON.stringify({ provider: this.provider, ...options })))
  }

  #verification(): NativeVerification {
    this.#core ??= new native.NativeVerification()
    return this.#core
  }

  /** Writes what the last run found to a file: JSON, JUnit's XML, Markdown, HTML or annotations for GitHub. */
  async writeReport(format: ReportFormat, path: string | URL): Promise<void> {
    const report = this.results
    if (report === undefined) {
      throw new ContractArgumentError('ERR_CONTRACT_REPORT', 'writeReport: there is no report yet; call verify first')
    }
    await writeReport(report, format, path)
  }

  #understood(text: string): Verified {
    const verified = JSON.parse(text) as Verified
    for (const { interactions } of verified.report.contracts) {
      for (const interaction of interactions) this.#callbacks.explain(interaction)
    }
    return verified
  }
}

function passed({ report, text, log }: Verified, apps: readonly ListeningApp[]): VerificationReport {
  if (report.success) return report
  const cause = causeOf(report) ?? apps.flatMap(({ errors }) => errors)[0]
  throw new VerificationError(text, report, { logs: log, ...(cause !== undefined && { cause }) })
}

/** The first error that the user's own code threw, with its stack. */
function causeOf(report: VerificationReport): unknown {
  const errors = report.contracts.flatMap(({ interactions }) =>
    interactions.flatMap(({ error, teardownError, status }) => (status === 'failed' ? [error, teardownError] : [])),
  )
  return errors.find((error) => error?.cause !== undefined)?.cause
}

function headerOf(name: string, value: HeaderValue): JsonObject {
  return typeof value === 'string' ? { name, value } : { name }
}

function functionOf<F>(call: string, value: F): F {
  if (typeof value === 'function') return value
  throw refused(call, `it takes a function, got ${value === null ? 'null' : typeof value}`)
}

function pattern(name: string, value: string | RegExp | undefined): JsonObject {
  if (value === undefined) return {}
  if (typeof value === 'string') return { [name]: value }
  return { [name]: unwrap<string>(native.regexFromJavascript(value.source, value.flags)) }
}
