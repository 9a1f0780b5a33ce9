import { stripVTControlCharacters } from 'node:util'
import { type App, checkedApp, isAppObject, type RunningApp } from './app.js'
import { readable } from './arguments.js'
import { encoded, seen } from './encoded.js'
import { VerificationError } from './errors.js'
import { explain, Functions } from './functions.js'
import type {
  FilterOptions,
  MessageHandlerOptions,
  PluginOptions,
  PublishOptions,
  RedirectOptions,
  SourceOptions,
  StateHandlerOptions,
  TlsOptions,
  VerifyRunOptions,
} from './generated/options.js'
import type { VerificationReport } from './generated/report.js'
import type { Cause, ListedInteraction } from './generated/results.js'
import type { MessageFunction, MessageMapping } from './message-handlers.js'
import type { NativeVerification, NativeVerified } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { type ReportFormat, reportOf } from './reports.js'
import { checkRunner, declare, type SuiteRunner } from './suite.js'
import { tagOf } from './template.js'
import { startApps, stopApps } from './verifier/apps.js'
import { BrokerSelectorBuilder, type BrokerSourceOptions, type SelectorOptions } from './verifier/broker-source.js'
import { surroundings } from './verifier/environment.js'
import type {
  AfterEach,
  AppTransport,
  BeforeEach,
  BrokerSourceArgument,
  HeaderValue,
  Source,
  TransportArgument,
  VerifierOptions,
} from './verifier/options.js'
import type { RequestFilter } from './verifier/request.js'
import type { StateFunction, StateHandlers, StateMapping } from './verifier/states.js'
import { decrypted } from './verifier/tls.js'

/** What the core has to say about a run. */
interface Verified {
  readonly native: NativeVerified
  readonly report: VerificationReport
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
  readonly #core: NativeVerification
  readonly #functions = new Functions()
  readonly #apps: App[]
  #last: Verified | undefined
  /** How often a broker was named as source. */
  #brokers: number

  constructor(provider: string, options: VerifierOptions = {}) {
    const { apps, given } = readable('Verifier', () => atOnce(options))
    this.#core = this.#functions.hand({ provider, options: given }, (text) => unwrap(native.createVerification(text)))
    this.#apps = apps
    this.#brokers = seen(() => options.brokerSource) === undefined ? 0 : 1
    this.provider = provider
  }

  /** Hands a call over to the core, which checks it. */
  #said(operation: string, given: unknown): this {
    this.#functions.hand({ [operation]: given }, (text) => check(this.#core.say(text)))
    return this
  }

  /**
   * Contracts to verify: a file, a directory with all that is below it, a pattern such as `contracts/**\/*-users.json`, an
   * http or https URL, or a contract as an object or JSON text. Contracts of other providers are left out.
   */
  addSource(source: Source, options: SourceOptions = {}): this {
    return this.#said('addSource', { source, options })
  }

  /**
   * A broker that is asked for the contracts of the provider; a repeated call replaces. What is not given comes from
   * `CONTRACT_BROKER_BASE_URL`, `_USERNAME`, `_PASSWORD` and `_TOKEN`, or behind them from the same names with `PACT_BROKER_`;
   * credentials of one kind silence those of the other in the environment. With `selector: true` it begins a builder of what is
   * chosen, which has to come to its end with `build()`; otherwise the broker chooses what is on main branches, deployed or
   * released.
   *
   * @example
   * await new Verifier('orders')
   *   .brokerSource({ url: 'https://broker.example.com', selector: true })
   *   .includePending()
   *   .providerBranch('main')
   *   .consumerVersion({ mainBranch: true })
   *   .consumerVersion({ deployedOrReleased: true })
   *   .build()
   *   .setPublishOptions({ version: commit, branch: 'main' })
   *   .addTransport({ url: 'http://127.0.0.1:8080' })
   *   .verify()
   */
  brokerSource(options: BrokerSourceOptions & { readonly selector: true }): BrokerSelectorBuilder<this>
  brokerSource(options?: (BrokerSourceOptions & { readonly selector?: SelectorOptions | false }) | string | URL): this
  brokerSource(options?: BrokerSourceArgument): this | BrokerSelectorBuilder<this> {
    this.#said('brokerSource', { options })
    this.#brokers += 1
    const begins = seen(() => (options as { readonly selector?: unknown } | undefined)?.selector === true)
    if (!begins) return this
    const source = this.#brokers
    return new BrokerSelectorBuilder(this, (call, given) => this.#said('select', { source, call: { [call]: given } }))
  }

  /**
   * Publishes the result of each contract that a broker gave, with what came out for each interaction, as that of a version of
   * the provider. The version is put on its branch and gets its tags first. Results of contracts in files are not published.
   * What cannot be published fails the verification. With a filter it is refused.
   *
   * With `'auto'` as version, it, the branch and the page of the build are what continuous integration and git say.
   * `CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS=false` keeps a run from publishing, such as that of a developer.
   */
  setPublishOptions(options: PublishOptions): this
  setPublishOptions(version: string, branch?: string): this
  setPublishOptions(options: PublishOptions | string, branch?: string): this {
    return this.#said('setPublishOptions', { options, branch })
  }

  /**
   * A way to reach the provider: its base URL, the parts of one, or the application itself, which then listens while a
   * verification runs. Several have different names; interactions say which they use, most of them `http`. Message handlers
   * are understood as by `messageHandler`.
   */
  addTransport(transport: TransportArgument): this {
    const app = appOf(transport)
    this.#said('addTransport', { transport: withoutApp(transport) })
    if (app !== undefined) this.#apps.push(app)
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
  messageHandler(handlers: MessageFunction | MessageMapping, options: MessageHandlerOptions = {}): this {
    return this.#said('messageHandler', { handlers, options })
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
    return this.#said('stateHandler', { handler, options })
  }

  /**
   * Verifies only interactions for which all of this holds. A pattern alone is searched in the description, a second one in the
   * names of provider states; an empty text as the second means interactions without states. A repeated call replaces.
   */
  filter(filter: FilterOptions): this
  filter(description: string | RegExp | undefined, state?: string | RegExp | undefined): this
  filter(first: FilterOptions | string | RegExp | undefined, state?: string | RegExp): this {
    const filter = state === undefined ? first : { ...(first !== undefined && { description: first }), state }
    return this.#said('filter', { filter })
  }

  /** Verifies only contracts of these consumers; none means all. */
  filterConsumers(...names: string[]): this {
    return this.#said('filterConsumers', { names })
  }

  /** A header for every request to the provider; a function makes it afresh each time. It replaces that of the contract. */
  addCustomHeader(name: string, value: HeaderValue): this {
    return this.#said('addCustomHeader', { name, value })
  }

  /** Headers for every request to the provider. */
  addCustomHeaders(headers: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, HeaderValue]>): this {
    return this.#said('addCustomHeaders', { headers: listed(headers) })
  }

  /**
   * Changes each request before it is sent, with the interaction and the values of its states at hand. Several run in the
   * order in which they were added.
   */
  requestFilter(filter: RequestFilter): this {
    return this.#said('requestFilter', { filter })
  }

  /** Called before each interaction. What it throws fails the interaction. */
  beforeEach(hook: BeforeEach): this {
    return this.#said('beforeEach', { hook })
  }

  /** Called after each interaction with its result. What it throws fails the interaction. */
  afterEach(hook: AfterEach): this {
    return this.#said('afterEach', { hook })
  }

  /** How long one request may take, in milliseconds, from connecting to the last byte of the answer. Default: 5000. */
  setRequestTimeout(milliseconds: number): this {
    return this.#said('setRequestTimeout', { milliseconds })
  }

  /** How long one call of a handler, filter, hook or header function may take, in milliseconds. Default: 30000. */
  setCallbackTimeout(milliseconds: number): this {
    return this.#said('setCallbackTimeout', { milliseconds })
  }

  /** Most bytes of an answer, decompressed. Default: 64 MiB. */
  setBodyLimit(bytes: number): this {
    return this.#said('setBodyLimit', { bytes })
  }

  /** Most bytes that generators make for one request or message; beyond them the interaction fails. Default: 64 MiB. */
  setGeneratedSize(bytes: number): this {
    return this.#said('setGeneratedSize', { bytes })
  }

  /**
   * Most bytes that the regular expressions of one response or message take when they are compiled; beyond them the interaction
   * fails. Default: 256 MiB.
   */
  setPatternSize(bytes: number): this {
    return this.#said('setPatternSize', { bytes })
  }

  /** Most directories that one source leads through; a search that goes on fails. Default: 100000. */
  setDirectoryLimit(count: number): this {
    return this.#said('setDirectoryLimit', { count })
  }

  /** Most bytes of one contract. Default: 64 MiB. */
  setSourceLimit(bytes: number): this {
    return this.#said('setSourceLimit', { bytes })
  }

  /** Certificates, for the provider, its state URL and contracts behind URLs. */
  tls(options: TlsOptions): this {
    return this.#said('tls', decrypted(options))
  }

  /** Accepts any certificate. */
  disableSslVerification(disabled = true): this {
    return this.#said('disableSslVerification', { disabled })
  }

  /** Speaks this version of HTTP only. Default: 1.1, and 2 where TLS negotiates it. */
  setHttpVersion(version: '1.1' | '2'): this {
    return this.#said('setHttpVersion', { version })
  }

  /** Whether it is an error that there is nothing to verify for this provider. Default: true. */
  setErrorOnEmptyContract(enabled = true): this {
    return this.#said('setErrorOnEmptyContract', { enabled })
  }

  /** The same as `setErrorOnEmptyContract`. */
  setErrorOnEmptyPact(enabled = true): this {
    return this.setErrorOnEmptyContract(enabled)
  }

  /**
   * Whether redirects of the provider are followed. Default: true. To another scheme, host or port, headers that may hold
   * credentials do not go along unless `credentials` is true: those whose names say so, such as `Authorization`, `Cookie` and
   * `X-Api-Key`, custom headers, and what the request filter added or changed.
   */
  followRedirects(follow = true, options: RedirectOptions = {}): this {
    return this.#said('followRedirects', { follow, options })
  }

  /**
   * Where the plugins are that contracts name, and how long they are waited for. Those of a contract are started when the first of
   * its interactions is verified, and end with the verification; nothing is started by a path that stands in a contract.
   */
  setPlugins(options: PluginOptions): this {
    return this.#said('setPlugins', options)
  }

  /**
   * Prints nothing besides the error of a run that failed. By default pending failures, notices of the broker, warnings and what
   * was published are printed on standard error when a verification ends; `output()` and `results` have them in any case.
   */
  setQuiet(enabled = true): this {
    return this.#said('setQuiet', { enabled })
  }

  /** Whether texts are coloured. Default: on a terminal. */
  setColouredOutput(enabled = true): this {
    return this.#said('setColouredOutput', { enabled })
  }

  /** The same as `setColouredOutput`. */
  setColoredOutput(enabled = true): this {
    return this.setColouredOutput(enabled)
  }

  /**
   * Runs the verification.
   *
   * In a test of Jest or Vitest it ends before the time limit of the test: the interaction that is running then fails with
   * `ERR_CONTRACT_TIMEOUT`, and the rest is skipped. Many interactions need a higher limit, as with `test(name, fn, 60_000)`.
   *
   * @throws {VerificationError} if an interaction failed; its `cause` is what a handler of yours threw, if that was the reason
   * @throws {BrokerError} if the contracts could not be fetched from a broker; the code says why
   */
  async verify(options: VerifyRunOptions = {}): Promise<VerificationReport> {
    const apps = await startApps(this.#apps)
    const done = this.#functions.listen()
    try {
      const run = this.#core.run(encoded(options), surroundings(apps), this.#functions.core)
      this.#last = this.#understood(unwrap(await run))
      print(this.#last)
      return passed(this.#last, apps)
    } finally {
      done()
      await stopApps(apps)
    }
  }

  /** Fetches contracts from URLs and brokers now, as `suite` requires. */
  async prepare(): Promise<this> {
    check(await this.#core.prepare(surroundings()))
    return this
  }

  /**
   * Does the same as `prepare` and blocks this thread meanwhile: for test files in CommonJS, which have no top-level await. The
   * broker must not run in this process.
   */
  prepareSync(): this {
    check(this.#core.prepareHere(surroundings()))
    return this
  }

  /**
   * Declares one test for each interaction, with the functions of a test runner. Contracts behind URLs and in brokers must be
   * fetched before, at the top level of the module: by `await verifier.prepare()`, or by `verifier.prepareSync()` in CommonJS.
   * Results are published after the last test, if all ran. Vitest, Mocha and node:test show pending failures as skipped tests;
   * Jest has no such thing, and shows them as passed. They are printed after the last test in any case.
   *
   * @example
   * import { afterAll, describe, it } from 'vitest'
   * new Verifier('users').addSource('./contracts').addTransport({ app }).suite({ describe, it, afterAll })
   */
  suite(runner: SuiteRunner): void {
    checkRunner(runner)
    const listed = JSON.parse(unwrap(this.#core.interactions(surroundings()))) as ListedInteraction[]
    let apps: readonly RunningApp[] = []
    let done = () => {}
    declare(runner, `provider ${this.provider}`, listed, {
      start: async () => {
        apps = await startApps(this.#apps)
        done = this.#functions.listen()
        try {
          check(this.#core.start(surroundings(apps), this.#functions.core))
        } catch (error) {
          done()
          await stopApps(apps)
          throw error
        }
      },
      verifyOne: async (index) => {
        const one = this.#understood(unwrap(await this.#core.verifyOne(index, surroundings(apps))))
        return passed(one, apps).summary.pending > 0
      },
      stop: async () => {
        try {
          const finished = await this.#core.finish(surroundings(apps))
          this.#lastOf()
          const last = finished && this.#understood(unwrap(finished))
          if (last) print(last)
          // What interactions failed by, their own tests have said.
          if (last?.report.publication?.error !== undefined) passed(last, apps)
        } finally {
          this.#core.close()
          this.#lastOf()
          done()
          done = () => {}
          await stopApps(apps)
        }
      },
    })
  }

  /** What the last run found; nothing before the first. */
  get results(): VerificationReport | undefined {
    return this.#lastOf()?.report
  }

  /** What the last run has to say to people; empty before the first. */
  output(options: { readonly stripAnsi?: boolean | undefined } = {}): string {
    const text = this.#lastOf()?.native.text ?? ''
    return seen(() => options.stripAnsi) ? stripVTControlCharacters(text) : text
  }

  /** What the core logged in the last run; the last lines of it. */
  get logs(): readonly string[] {
    return this.#lastOf()?.native.log ?? []
  }

  /** Writes what the last run found to a file: JSON, JUnit's XML, Markdown, HTML or annotations for GitHub. */
  async writeReport(format: ReportFormat, path: string | URL): Promise<void> {
    unwrap(await this.#core.writeReport(encoded(format), encoded(path)))
  }

  #lastOf(): Verified | undefined {
    const last = this.#core.last()
    if (last && this.#last?.native.report !== last.report) this.#last = this.#understood(last)
    return last ? this.#last : undefined
  }

  #understood(native: NativeVerified): Verified {
    const report = reportOf(native.report, ({ contracts }) => {
      for (const { contract, interaction, teardown, token } of JSON.parse(native.causes) as Cause[]) {
        const reported = contracts[contract]?.interactions[interaction]
        const error = teardown ? reported?.teardownError : reported?.error
        if (error) explain(error, this.#functions.thrown(token))
      }
    })
    return { native, report }
  }
}

/** Through the console of the test runner, which knows the test file that it belongs to. */
function print({ native: { notes } }: Verified): void {
  if (notes != null) console.error(notes)
}

function passed({ native, report }: Verified, apps: readonly RunningApp[]): VerificationReport {
  if (!native.failures) return report
  const cause = causeOf(report) ?? apps.flatMap(({ errors }) => errors)[0]
  const { failures, text: output, log: logs } = native
  throw new VerificationError(failures, report, { output, logs, ...(cause !== undefined && { cause }) })
}

/** The first error that the user's own code threw, with its stack. */
function causeOf(report: VerificationReport): unknown {
  const errors = report.contracts.flatMap(({ interactions }) =>
    interactions.flatMap(({ error, teardownError, status }) => (status === 'failed' ? [error, teardownError] : [])),
  )
  return errors.find((error) => error?.cause !== undefined)?.cause
}

/** The application of a transport that is one; what can be none is refused. */
function appOf(transport: unknown): App | undefined {
  if (isAppObject(transport)) return transport
  const isApp = seen(() => tagOf(transport) === 'Object' && 'app' in (transport as object))
  return isApp === true ? checkedApp((transport as AppTransport).app) : undefined
}

/** A transport as the core takes it, which knows applications by their places. */
function withoutApp(transport: unknown): unknown {
  if (isAppObject(transport)) return { app: true }
  return appOf(transport) === undefined ? transport : { ...(transport as AppTransport), app: true }
}

/** Options with what they hold as the calls of their names hand it over, and the applications among it. */
function atOnce(options: VerifierOptions): { readonly given: unknown; readonly apps: App[] } {
  if (tagOf(options) !== 'Object') return { given: options, apps: [] }
  const { customHeaders, tls, transports } = options
  const others = { customHeaders: listed(customHeaders), tls: decrypted(tls as TlsOptions) }
  if (!Array.isArray(transports)) return { given: { ...options, ...others }, apps: [] }
  return {
    given: { ...options, ...others, transports: transports.map(withoutApp) },
    apps: transports.flatMap((transport) => appOf(transport) ?? []),
  }
}

/** Pairs, where something that is no list gives them. */
function listed(headers: unknown): unknown {
  const isIterable = () => typeof headers === 'object' && headers !== null && Symbol.iterator in headers
  return seen(() => (isIterable() ? [...(headers as Iterable<unknown>)] : headers)) ?? headers
}
