import { stripVTControlCharacters } from 'node:util'
import { type App, isAppObject, type RunningApp } from './app.js'
import { readable } from './arguments.js'
import { encoded, tryRead } from './encoded.js'
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
import { deferred } from './load-deferred.js'
import type { MessageFunction, MessageMapping } from './message-handlers.js'
import type { NativeVerification, NativeVerified } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { rejectPactJsCalls, VERIFIER_CALLS } from './pact-js-calls.js'
import { guardReceiver } from './receiver.js'
import { type ReportFormat, reportOf } from './reports.js'
import type { SuiteRunner } from './suite.js'
import { tagOf } from './template.js'
import { BrokerSelectorBuilder, type BrokerSourceOptions, type SelectorOptions } from './verifier/broker-source.js'
import { runContext } from './verifier/environment.js'
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

/** The result of a run: the object that the core returned, and its parsed report. */
interface Verified {
  readonly native: NativeVerified
  readonly report: VerificationReport
}

/**
 * A verifier, which replays contracts against a real provider.
 *
 * @example
 * await new Verifier('users')
 *   .addSource('./contracts')
 *   .addTransport({ url: 'http://127.0.0.1:8080' })
 *   .stateHandler({ 'user exists': async (action, { id }) => users.insert({ id }) })
 *   .verify()
 */
export class Verifier {
  /** The name of the provider. Only contracts for this provider are verified. */
  readonly provider: string
  readonly #core: NativeVerification
  readonly #functions = new Functions()
  readonly #apps: App[]
  #last: Verified | undefined
  /** Number of brokers set so far. A selector builder contains its broker's number. */
  #brokers: number

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #core in object)
    // biome-ignore lint/complexity/noThisInStatic: as above
    rejectPactJsCalls(this, VERIFIER_CALLS)
  }

  constructor(provider: string, options: VerifierOptions = {}) {
    const { apps, settings } = readable('Verifier', () => constructorOptions(options))
    this.#core = this.#functions.pass({ provider, options: settings }, (text) =>
      unwrap(native.createVerification(text)),
    )
    this.#apps = apps
    this.#brokers = tryRead(() => options.brokerSource) === undefined ? 0 : 1
    this.provider = provider
  }

  /** Performs an operation in the core, which validates the arguments. */
  #call(operation: string, args: unknown): this {
    this.#functions.pass({ [operation]: args }, (text) => check(this.#core.apply(text)))
    return this
  }

  /**
   * Adds contracts to verify: a file, a directory (searched recursively), a glob pattern such as
   * `contracts/**\/*-users.json`, an `http` or `https` URL, or a contract as an object or JSON text. Contracts for
   * other providers are skipped.
   */
  addSource(source: Source, options: SourceOptions = {}): this {
    return this.#call('addSource', { source, options })
  }

  /**
   * Sets the broker from which the provider's contracts are fetched, and replaces a broker set earlier. Missing options
   * are read from `CONTRACT_BROKER_BASE_URL`, `CONTRACT_BROKER_USERNAME`, `CONTRACT_BROKER_PASSWORD`, and
   * `CONTRACT_BROKER_TOKEN`, then from the same names with the prefix `PACT_BROKER_`. `token` overrides a user name and
   * password from the environment, and vice versa.
   *
   * With `selector: true`, returns a builder that selects consumer versions; call `build()` on it at the end. By default, the
   * latest versions on main branches and all deployed or released versions are selected.
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
    this.#call('brokerSource', { options })
    this.#brokers += 1
    const hasBuilder = tryRead(() => (options as { readonly selector?: unknown } | undefined)?.selector === true)
    if (!hasBuilder) return this
    const source = this.#brokers
    return new BrokerSelectorBuilder(this, (call, args) => this.#call('select', { source, call: { [call]: args } }))
  }

  /**
   * Publishes the results of all contracts that were fetched from a broker as results of a provider version. Creates
   * the version, its branch, and its tags if they do not exist. Does not publish results of contracts from files. If
   * publishing fails, the verification fails. Cannot be combined with `filter`.
   *
   * With the version `'auto'`, the version, branch, and build URL are detected from the CI system or git. Set
   * `CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS=false` to disable publishing, for example on a developer's machine.
   */
  setPublishOptions(options: PublishOptions): this
  setPublishOptions(version: string, branch?: string): this
  setPublishOptions(options: PublishOptions | string, branch?: string): this {
    return this.#call('setPublishOptions', { options, branch })
  }

  /**
   * Adds a transport, over which the provider is called: a base URL, the parts of a URL, or the application itself,
   * which listens while a verification runs. Each interaction names its transport (default: `http`), so each transport
   * needs a different name (`protocol`). If you pass a function or an object of message handlers, `messageHandler` is
   * called with it.
   */
  addTransport(transport: TransportArgument): this {
    const app = appOf(transport)
    this.#call('addTransport', { transport: withoutApp(transport) })
    if (app !== undefined) this.#apps.push(app)
    return this
  }

  /**
   * Registers message handlers: an object that maps message descriptions to functions or fixed messages, or one
   * function for all descriptions without a handler. Handlers run in this process. Repeated calls add handlers.
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
    return this.#call('messageHandler', { handlers, options })
  }

  /**
   * Registers provider state handlers: an object that maps state names to functions, one function for all states, or a
   * URL of the provider to which states are sent with POST. Functions run in this process, and generators and request
   * filters can use the values that they return. Repeated calls with an object add handlers.
   *
   * @typeParam States - the parameter types by state name: `stateHandler<{ 'user exists': { id: number } }>(…)`
   */
  stateHandler(handler: StateFunction | string | URL, options?: StateHandlerOptions): this
  stateHandler(handler: StateMapping, options?: StateHandlerOptions): this
  stateHandler<States extends object>(handler: StateHandlers<States>, options?: StateHandlerOptions): this
  stateHandler(handler: StateFunction | StateMapping | string | URL, options: StateHandlerOptions = {}): this {
    return this.#call('stateHandler', { handler, options })
  }

  /**
   * Verifies only interactions that match all criteria, and replaces a filter set earlier. `description` and `state`
   * are regular expressions that match any part of the description and of a provider state's name. An empty string as
   * `state` selects interactions without provider states.
   */
  filter(filter: FilterOptions): this
  filter(description: string | RegExp | undefined, state?: string | RegExp | undefined): this
  filter(first: FilterOptions | string | RegExp | undefined, state?: string | RegExp): this {
    const filter = state === undefined ? first : { ...(first !== undefined && { description: first }), state }
    return this.#call('filter', { filter })
  }

  /**
   * Verifies only the contracts of these consumers, and replaces names set earlier. Without names, verifies the
   * contracts of all consumers.
   */
  filterConsumers(...names: string[]): this {
    return this.#call('filterConsumers', { names })
  }

  /**
   * Sets a header in every request to the provider. It replaces the header in the contract. A function as the value is
   * called for each request.
   */
  addCustomHeader(name: string, value: HeaderValue): this {
    return this.#call('addCustomHeader', { name, value })
  }

  /**
   * Sets multiple headers in every request to the provider, as an object or as name-value pairs. See `addCustomHeader`.
   */
  addCustomHeaders(headers: Readonly<Record<string, HeaderValue>> | Iterable<readonly [string, HeaderValue]>): this {
    return this.#call('addCustomHeaders', { headers: headerPairs(headers) })
  }

  /**
   * Adds a function that can change each request before it is sent. The function receives the request and its context:
   * the interaction and the values of its provider states. Filters run in the order in which they were added.
   */
  requestFilter(filter: RequestFilter): this {
    return this.#call('requestFilter', { filter })
  }

  /** Adds a hook that runs before each interaction. If the hook throws, the interaction fails. */
  beforeEach(hook: BeforeEach): this {
    return this.#call('beforeEach', { hook })
  }

  /**
   * Adds a hook that runs after each interaction and receives its result. If the hook throws, the interaction fails.
   */
  afterEach(hook: AfterEach): this {
    return this.#call('afterEach', { hook })
  }

  /** Sets the timeout for one request, from connecting to the last byte of the response, in milliseconds. Default: 5000. */
  setRequestTimeout(milliseconds: number): this {
    return this.#call('setRequestTimeout', { milliseconds })
  }

  /** Sets the timeout for one call to a handler, filter, hook, or header function, in milliseconds. Default: 30000. */
  setCallbackTimeout(milliseconds: number): this {
    return this.#call('setCallbackTimeout', { milliseconds })
  }

  /** Sets the maximum size of a decompressed response, in bytes. Default: 64 MiB. */
  setBodyLimit(bytes: number): this {
    return this.#call('setBodyLimit', { bytes })
  }

  /** Sets the maximum size of the values generated for one request or message, in bytes. Default: 64 MiB. */
  setGeneratedSize(bytes: number): this {
    return this.#call('setGeneratedSize', { bytes })
  }

  /**
   * Sets the maximum size of the regular expressions compiled for one response or message, in bytes. Default: 256 MiB.
   */
  setPatternSize(bytes: number): this {
    return this.#call('setPatternSize', { bytes })
  }

  /** Sets the maximum number of directories that are searched for one source. Default: 100000. */
  setDirectoryLimit(count: number): this {
    return this.#call('setDirectoryLimit', { count })
  }

  /** Sets the maximum size of one contract, in bytes. Default: 64 MiB. */
  setSourceLimit(bytes: number): this {
    return this.#call('setSourceLimit', { bytes })
  }

  /** Sets the maximum total size of the contracts for one verification, in bytes. Default: 512 MiB. */
  setTotalSourceLimit(bytes: number): this {
    return this.#call('setTotalSourceLimit', { bytes })
  }

  /**
   * Sets certificates for connections to the provider, to the URL that sets up its states, and to URLs of contracts.
   */
  tls(options: TlsOptions): this {
    return this.#call('tls', decrypted(options))
  }

  /** Accepts any server certificate without verification. With `false`, certificates are verified again. */
  disableSslVerification(disabled = true): this {
    return this.#call('disableSslVerification', { disabled })
  }

  /**
   * Sets the HTTP version of all requests. By default, requests use HTTP/1.1, or HTTP/2 if the server selects it during
   * the TLS handshake.
   */
  setHttpVersion(version: '1.1' | '2'): this {
    return this.#call('setHttpVersion', { version })
  }

  /** Sets whether the verification fails if no contract for this provider is found. Default: true. */
  setErrorOnEmptyContract(enabled = true): this {
    return this.#call('setErrorOnEmptyContract', { enabled })
  }

  /** Alias of `setErrorOnEmptyContract`. */
  setErrorOnEmptyPact(enabled = true): this {
    return this.setErrorOnEmptyContract(enabled)
  }

  /**
   * Sets whether to follow redirects from the provider. Default: true. If a redirect changes the scheme, host, or port,
   * the following headers are not sent unless `credentials` is true: headers with credentials such as `Authorization`,
   * `Cookie`, and `X-Api-Key`, custom headers, and headers that a request filter added or changed.
   */
  followRedirects(follow = true, options: RedirectOptions = {}): this {
    return this.#call('followRedirects', { follow, options })
  }

  /**
   * Sets the plugin directories and timeouts. The plugins of a contract start before its first interaction and stop at
   * the end of the verification. Paths in contract files are never executed.
   */
  setPlugins(options: PluginOptions): this {
    return this.#call('setPlugins', options)
  }

  /**
   * Disables printing of pending failures, broker notices, warnings, and published results, which are printed to
   * standard error at the end of a run by default. `output()` and `results` always contain this information. A failed
   * run still throws an error.
   */
  setQuiet(enabled = true): this {
    return this.#call('setQuiet', { enabled })
  }

  /** Sets whether to color the output. Default: true if standard error is a terminal. */
  setColouredOutput(enabled = true): this {
    return this.#call('setColouredOutput', { enabled })
  }

  /** Alias of `setColouredOutput`. */
  setColoredOutput(enabled = true): this {
    return this.setColouredOutput(enabled)
  }

  /**
   * Runs the verification.
   *
   * In a Jest or Vitest test, the verification stops before the timeout of the test: the current interaction fails with
   * `ERR_CONTRACT_TIMEOUT`, and the remaining interactions are skipped. If there are many interactions, set a longer timeout, for
   * example with `test(name, fn, 60_000)`.
   *
   * @returns the report if the verification succeeded
   * @throws {VerificationError} if an interaction failed or results could not be published; `cause` is the first error
   * that a handler or an application threw, if any
   * @throws {BrokerError} if the contracts could not be fetched from a broker; see `code`
   */
  async verify(options: VerifyRunOptions = {}): Promise<VerificationReport> {
    const apps = await startApps(this.#apps)
    const done = this.#functions.listen()
    try {
      const run = this.#core.run(encoded(options), runContext(apps), this.#functions.core)
      this.#last = this.#parse(unwrap(await run))
      print(this.#last)
      return passed(this.#last, apps)
    } finally {
      done()
      await stopApps(apps)
    }
  }

  /** Reads all sources, including URLs and brokers. If there are URLs or brokers, `suite` requires this. */
  async prepare(): Promise<this> {
    check(await this.#core.prepare(runContext()))
    return this
  }

  /**
   * Same as `prepare`, but blocks the thread. Use it in CommonJS test files, which do not support top-level await. The
   * broker must not run in this process, because it could not respond.
   */
  prepareSync(): this {
    check(this.#core.prepareHere(runContext()))
    return this
  }

  /**
   * Declares one test for each interaction, using the functions of a test runner. If there are contracts from URLs or brokers,
   * call `await verifier.prepare()` first at the top level of the module, or `verifier.prepareSync()` in CommonJS. Results are
   * published after the last test if all tests ran. Vitest, Playwright, Mocha, and node:test show pending failures as
   * skipped tests; Jest shows them as passed. Pending failures are also printed after the last test.
   *
   * @example
   * import { afterAll, describe, it } from 'vitest'
   * new Verifier('users').addSource('./contracts').addTransport({ app }).suite({ describe, it, afterAll })
   */
  suite(runner: SuiteRunner): void {
    deferred().checkRunner(runner)
    const listed = JSON.parse(unwrap(this.#core.interactions(runContext()))) as ListedInteraction[]
    let apps: readonly RunningApp[] = []
    let done = () => {}
    deferred().declare(runner, `provider ${this.provider}`, listed, {
      start: async () => {
        apps = await startApps(this.#apps)
        done = this.#functions.listen()
        try {
          check(this.#core.start(runContext(apps), this.#functions.core))
        } catch (error) {
          done()
          await stopApps(apps)
          throw error
        }
      },
      verifyOne: async (index) => {
        const verified = this.#parse(unwrap(await this.#core.verifyOne(index, runContext(apps))))
        return passed(verified, apps).summary.pending > 0
      },
      stop: async (publish) => {
        try {
          const finished = publish ? await this.#core.finish(runContext(apps)) : null
          this.#lastOf()
          const last = finished && this.#parse(unwrap(finished))
          if (last) print(last)
          // Failed interactions were already reported by their own tests.
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

  /** The report of the last run, or `undefined` before the first run. */
  get results(): VerificationReport | undefined {
    return this.#lastOf()?.report
  }

  /** Returns the output of the last run, or an empty string before the first run. */
  output(options: { readonly stripAnsi?: boolean | undefined } = {}): string {
    const text = this.#lastOf()?.native.text ?? ''
    return tryRead(() => options.stripAnsi) ? stripVTControlCharacters(text) : text
  }

  /** The last lines that the core logged during the last run. */
  get logs(): readonly string[] {
    return this.#lastOf()?.native.log ?? []
  }

  /** Writes the report of the last run to a file. Missing directories are created. */
  async writeReport(format: ReportFormat, path: string | URL): Promise<void> {
    unwrap(await this.#core.writeReport(encoded(format), encoded(path)))
  }

  #lastOf(): Verified | undefined {
    const last = this.#core.last()
    if (last && this.#last?.native.report !== last.report) this.#last = this.#parse(last)
    return last ? this.#last : undefined
  }

  #parse(native: NativeVerified): Verified {
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

/** Prints the notes of a run to the console, because test runners attribute console output to the test file. */
function print({ native: { notes } }: Verified): void {
  if (notes != null) console.error(notes)
}

// Most verifications have no applications, and do not load the code for them.
async function startApps(apps: readonly App[]): Promise<readonly RunningApp[]> {
  return apps.length === 0 ? [] : await deferred().startApps(apps)
}

async function stopApps(apps: readonly RunningApp[]): Promise<void> {
  if (apps.length > 0) await deferred().stopApps(apps)
}

function passed({ native, report }: Verified, apps: readonly RunningApp[]): VerificationReport {
  if (!native.failures) return report
  const cause = causeOf(report) ?? apps.flatMap(({ errors }) => errors)[0]
  const { failures, text: output, log: logs } = native
  throw new VerificationError(failures, report, { output, logs, ...(cause !== undefined && { cause }) })
}

/** Returns the first error that the user's handlers, filters, or hooks threw. */
function causeOf(report: VerificationReport): unknown {
  const errors = report.contracts.flatMap(({ interactions }) =>
    interactions.flatMap(({ error, teardownError, status }) => (status === 'failed' ? [error, teardownError] : [])),
  )
  return errors.find((error) => error?.cause !== undefined)?.cause
}

/**
 * Returns a transport's application, or `undefined` if it has none. Throws if its `app` member is not an application.
 */
function appOf(transport: unknown): App | undefined {
  if (isAppObject(transport)) return transport
  const isApp = tryRead(() => tagOf(transport) === 'Object' && 'app' in (transport as object))
  return isApp === true ? deferred().checkedApp((transport as AppTransport).app) : undefined
}

/** Replaces the application of a transport by `true`, because the core knows applications only by their index. */
function withoutApp(transport: unknown): unknown {
  if (isAppObject(transport)) return { app: true }
  return appOf(transport) === undefined ? transport : { ...(transport as AppTransport), app: true }
}

/** Converts the constructor's options for the core, and collects the applications in them. */
function constructorOptions(options: VerifierOptions): { readonly settings: unknown; readonly apps: App[] } {
  if (tagOf(options) !== 'Object') return { settings: options, apps: [] }
  const { customHeaders, tls, transports } = options
  const converted = { customHeaders: headerPairs(customHeaders), tls: decrypted(tls as TlsOptions) }
  if (!Array.isArray(transports)) return { settings: { ...options, ...converted }, apps: [] }
  return {
    settings: { ...options, ...converted, transports: transports.map(withoutApp) },
    apps: transports.flatMap((transport) => appOf(transport) ?? []),
  }
}

/** Converts an iterable of headers to an array of pairs. Returns any other value unchanged. */
function headerPairs(headers: unknown): unknown {
  const isIterable = () => typeof headers === 'object' && headers !== null && Symbol.iterator in headers
  return tryRead(() => (isIterable() ? [...(headers as Iterable<unknown>)] : headers)) ?? headers
}
