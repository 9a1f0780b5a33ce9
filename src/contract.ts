import { type NamedValues, pairs, refuseUnknown } from './arguments.js'
import { pathOf } from './directory.js'
import { HttpInteraction, type RequestDefinition, type ResponseDefinition } from './http-interaction.js'
import type { JsonObject, JsonValue } from './json.js'
import type { MessageError } from './message-error.js'
import { AsyncMessageInteraction, SyncMessageInteraction } from './message-interaction.js'
import { type MessageHandler, type MessageVerifyOptions, verifyMessages } from './message-verification.js'
import type { MessageKind } from './messages.js'
import { MockServer } from './mock-server.js'
import type { NativeContract, NativeInteraction } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { origin } from './origin.js'
import { writer } from './provenance.js'
import { runTest } from './run-test.js'
import { type Matcher, toJsonText } from './template.js'

/** Versions of the specification that contract files are written in; any case, with or without `V`. */
export type Specification = 'V2' | 'V3' | 'V4' | (string & {})

/** What a contract does unless a call says otherwise. */
export interface ContractOptions {
  /** The version that files are written in. Default: `V4`. */
  readonly specification?: Specification
  /**
   * Where `serve` writes the contract file at its end. Default: the environment variable CONTRACT_OUTPUT_DIR; without
   * either, `serve` writes none.
   */
  readonly directory?: string | URL
  /**
   * `overwrite` begins the file anew, once for each run of the tests: workers of Jest, Vitest, Mocha and node:test belong to
   * one run, and so do all processes with the same CONTRACT_RUN_ID. Default: `merge`.
   */
  readonly writeMode?: 'merge' | 'overwrite'
  /** Whether body fields that the contract does not name fail the test. Default: `ignore`. */
  readonly unexpectedFields?: 'ignore' | 'error'
  /** Makes generated values the same in every run. */
  readonly seed?: number
  /** Milliseconds that the function given to `serve` may take; 0 is without end. Default: 60000. */
  readonly timeout?: number
  /** Milliseconds to wait for others who write the contract file. Default: 4000. */
  readonly lockTimeout?: number
  /**
   * Whether interactions that no test defines any more go from the file, where the runner was given to `removeObsolete`.
   * Default: true, unless CONTRACT_REMOVE_OBSOLETE is `false`.
   */
  readonly removeObsolete?: boolean
}

/** Bounds of a mock server. A request beyond those of size is refused, which fails the test with an error that names the bound. */
export interface ServerLimits {
  /** Largest body of a request in bytes; a larger one is answered 413. Default: 67108864 (64 MiB). */
  readonly bodySize?: number
  /** Largest head of a request in bytes, at least 8192; a larger one is answered 431. Default: 65536 (64 KiB). */
  readonly headerSize?: number
  /** Most headers of a request; one with more is answered 431. Default: 100. */
  readonly headerCount?: number
  /** Bytes generated for one response; beyond them the examples stand, which the log says. Default: 67108864 (64 MiB). */
  readonly generatedSize?: number
  /** Connections open at a time; further ones are answered 503. Default: 4096. */
  readonly connections?: number
  /** Milliseconds to send the head of a request, from its first byte. Default: 30000. */
  readonly headerTimeout?: number
  /** Milliseconds in which nothing moves on a connection. Default: 300000. */
  readonly idleTimeout?: number
  /** Milliseconds to send the body of a request and take the answer. Default: 600000. */
  readonly requestTimeout?: number
  /** Milliseconds for a TLS handshake. Default: 10000. */
  readonly handshakeTimeout?: number
  /** Milliseconds that a request in flight has left when the server stops. Default: 500. */
  readonly stopTimeout?: number
}

/** A certificate with its chain and its key, as PEM. */
export interface ServerTlsOptions {
  readonly cert: string | Uint8Array
  readonly key: string | Uint8Array
}

/** How one mock server behaves. */
export interface ServeOptions {
  /** The address to listen on; `localhost` is 127.0.0.1 and ::1. Default: 127.0.0.1. */
  readonly host?: string
  /** The same, as other languages call it. */
  readonly addr?: string
  /** The port. Default: a free one. */
  readonly port?: number
  /** Both speak HTTP/1.1 and HTTP/2. Default: `http`; with `tls` it is `https`. */
  readonly transport?: 'http' | 'https'
  /** The certificate for https. Default: one of the server's own, see `MockServer.caCertificate`. */
  readonly tls?: ServerTlsOptions
  /** Whether pre-flight requests of browsers are answered. Default: true. */
  readonly cors?: boolean
  /** Whether a connection serves several requests; if not, answers say `Connection: close`. Default: true. */
  readonly keepAlive?: boolean
  /** Bounds of size and time. */
  readonly limits?: ServerLimits
  /** Whether body fields that the contract does not name fail the test. Default: that of the contract. */
  readonly unexpectedFields?: 'ignore' | 'error'
  /**
   * Whether interactions that match the same request answer one after another, in the order of their definition: each
   * once, or as its `times` say, and the last one from then on. Else the one that answered less often answers. Default:
   * false.
   */
  readonly inOrder?: boolean
  /** Exactly these interactions, whether or not they were served before. Default: those defined since the last time. */
  readonly only?: readonly HttpInteraction[]
  /** Serves interactions of earlier calls again, too. Default: false. */
  readonly all?: boolean
  /** Whether mismatches are thrown at the end. Default: true; else they are on the server object. */
  readonly raises?: boolean
  /** Whether mismatches are printed at the end by `console.error`, thrown or not. Default: false. */
  readonly verbose?: boolean
  /**
   * Milliseconds that the function may take; 0 is without end. Fake timers of a test do not touch it. Default: 60000.
   */
  readonly timeout?: number
  /** Makes generated values the same in every run. Default: that of the contract. */
  readonly seed?: number
}

/** The kinds of interactions. */
export type InteractionKind = 'HTTP' | 'Async' | 'Sync'

/** An HTTP interaction as one object. */
export interface InteractionDefinition {
  /** Description and provider states together name the interaction. */
  readonly description: string
  /** The states that the provider must be in. */
  readonly states?: readonly (string | StateDefinition)[]
  readonly request: RequestDefinition
  readonly response: ResponseDefinition
  /** Comments (V4). */
  readonly comments?: JsonObject
  /** A name for other parts to refer to (V4). */
  readonly key?: string
  /** Whether the provider need not honour it yet (V4). */
  readonly pending?: boolean
  /** The name of the test that defines it (V4). */
  readonly testName?: string
}

/** A provider state with parameters. */
export interface StateDefinition {
  readonly name: string
  readonly parameters?: JsonObject
}

/** What interactions have unless they say otherwise. */
export interface Defaults {
  readonly request?: {
    readonly method?: string
    readonly query?: NamedValues
    readonly headers?: NamedValues
  }
  readonly response?: {
    readonly status?: number | Matcher<number>
    readonly headers?: NamedValues
  }
}

/** The test: gets the server, and its value becomes that of `serve`. */
export type ServeCallback<T> = (server: MockServer) => T | Promise<T>

/**
 * What one consumer expects of one provider. Serves any number of tests: each `serve` takes the interactions that were
 * defined since the last one.
 *
 * @example
 * const contract = new Contract('web', 'users', { directory: './contracts' })
 * contract
 *   .uponReceiving('a request for user 123')
 *   .given('user exists', { parameters: { id: 123 } })
 *   .withRequest('GET', '/users/123')
 *   .willRespondWith(200)
 *   .withBody({ id: match.int(123), name: match.str('Alice') })
 * await contract.serve(async (server) => {
 *   const user = await fetch(`${server.url}/users/123`)
 * })
 */
export class Contract {
  readonly #native: NativeContract
  readonly #options: ContractOptions
  /** The consumer's name. */
  readonly consumer: string
  /** The provider's name. */
  readonly provider: string

  constructor(consumer: string, provider: string, options: ContractOptions = {}) {
    this.#native = unwrap(native.createContract(nameOf('consumer', consumer), nameOf('provider', provider)))
    this.#options = options
    this.consumer = consumer
    this.provider = provider
    if (options.specification !== undefined) this.withSpecification(options.specification)
  }

  /** The version that files are written in. */
  get specification(): string {
    return this.#native.specification
  }

  /** Chooses the version that files are written in. */
  withSpecification(version: Specification): this {
    check(this.#native.withSpecification(version))
    return this
  }

  /** Entries for the metadata of the file, under a name of your own. */
  withMetadata(namespace: string, entries: JsonObject): this {
    check(this.#native.withMetadata(namespace, toJsonText(entries, 'withMetadata')))
    return this
  }

  /** Begins an interaction. Description and provider states together name it. */
  uponReceiving(description: string, kind?: 'HTTP'): HttpInteraction
  uponReceiving(description: string, kind: 'Async'): AsyncMessageInteraction
  uponReceiving(description: string, kind: 'Sync'): SyncMessageInteraction
  uponReceiving(
    description: string,
    kind: InteractionKind = 'HTTP',
  ): HttpInteraction | AsyncMessageInteraction | SyncMessageInteraction {
    const interaction = unwrap(this.#native.uponReceiving(description, kind, origin(this.uponReceiving)))
    switch (kind) {
      case 'Async':
        return new AsyncMessageInteraction(interaction)
      case 'Sync':
        return new SyncMessageInteraction(interaction)
      default:
        return this.#http(interaction)
    }
  }

  #http(interaction: NativeInteraction): HttpInteraction {
    return new HttpInteraction(interaction, (options, test) => this.serve(options, test))
  }

  /**
   * An HTTP interaction as one object, for those who prefer data to calls.
   *
   * @example
   * contract.interaction({
   *   description: 'a request for user 123',
   *   states: [{ name: 'user exists', parameters: { id: 123 } }],
   *   request: { path: '/users/123' },
   *   response: { status: 200, body: { id: match.int(123) } },
   * })
   */
  interaction(definition: InteractionDefinition): HttpInteraction {
    const { description, states, request, response, comments, key, pending, testName, ...unknown } = definition
    refuseUnknown(
      'interaction',
      unknown,
      'an interaction has description, states, request, response, comments, key, pending and testName',
    )
    const native = unwrap(this.#native.uponReceiving(description, 'HTTP', origin(this.interaction)))
    const interaction = this.#http(native)
    for (const state of states ?? []) {
      if (typeof state === 'string') interaction.given(state)
      else interaction.given(state.name, state.parameters && { parameters: state.parameters })
    }
    interaction.withRequest(request).willRespondWith(response)
    for (const [name, comment] of Object.entries(comments ?? {})) interaction.setComment(name, comment)
    if (key !== undefined) interaction.setKey(key)
    if (pending !== undefined) interaction.setPending(pending)
    if (testName !== undefined) interaction.testName(testName)
    return interaction
  }

  /**
   * What the interactions defined from now on have unless they say otherwise; replaces earlier defaults. A header or a
   * query parameter that an interaction sets itself takes the place of the default of that name.
   */
  defaults({ request, response, ...unknown }: Defaults): this {
    const { method, query, headers, ...unknownRequest } = request ?? {}
    const { status, headers: responseHeaders, ...unknownResponse } = response ?? {}
    refuseUnknown('defaults', unknown, 'there are defaults of the request and the response')
    refuseUnknown('defaults', unknownRequest, 'a request has defaults of method, query and headers')
    refuseUnknown('defaults', unknownResponse, 'a response has defaults of status and headers')
    const document = {
      request: {
        ...(method !== undefined && { method }),
        query: [...pairs(query ?? {})],
        headers: [...pairs(headers ?? {})],
      },
      response: { ...(status !== undefined && { status }), headers: [...pairs(responseHeaders ?? {})] },
    }
    check(this.#native.defaults(toJsonText(document, 'defaults')))
    return this
  }

  /** The interactions as they stand, in the form of V4 files: of one kind, or all of them. */
  interactions(kind: InteractionKind | 'All' = 'All'): JsonValue[] {
    return JSON.parse(unwrap(this.#native.interactions(kind === 'All' ? null : kind))) as JsonValue[]
  }

  /**
   * Plays the provider for the interactions defined since the last time.
   *
   * With a function: runs it, stops, checks, writes the contract file if there is a directory, and gives the function's
   * value. Throws `MismatchesError` when the consumer did something else; its `cause` is the error of the function, if
   * that threw, too. Without a function: gives the running server, to be stopped by `await using` or `stop()`.
   */
  serve<T>(callback: ServeCallback<T>): Promise<T>
  serve<T>(options: ServeOptions, callback: ServeCallback<T>): Promise<T>
  serve(options?: ServeOptions): Promise<MockServer>
  async serve<T>(first: ServeOptions | ServeCallback<T> = {}, second?: ServeCallback<T>): Promise<T | MockServer> {
    const callback = typeof first === 'function' ? first : second
    const options = typeof first === 'function' ? {} : first
    const place = callback === undefined ? '' : origin(this.serve)
    const server = this.start(options)
    if (callback === undefined) return server
    return runTest([{ server, title: this.title }], () => callback(server), nameOfTest('serve', callback, place))
  }

  /** @internal */
  get title(): string {
    return `${this.consumer} → ${this.provider}`
  }

  /** @internal Starts a server. */
  start(options: ServeOptions): MockServer {
    const { addr, only, raises = true, verbose = false, tls, ...own } = options
    const given = {
      unexpectedFields: this.#options.unexpectedFields,
      seed: this.#options.seed,
      timeout: this.#options.timeout,
      host: addr,
      tls: tls && defined({ cert: pem(tls.cert), key: pem(tls.key) }),
      ...defined(own),
      directory: this.#directory(),
      overwrite: this.#options.writeMode === 'overwrite',
    }
    const interactions = only?.map((interaction) => HttpInteraction.nativeOf(interaction))
    const started = this.#native.serve(toJsonText(defined(given), 'serve'), interactions, writer(this.#options))
    return new MockServer(unwrap(started), { raises, verbose })
  }

  /**
   * Hands each message that was defined since the last time to the handler, one after the other: the contents as JSON
   * parsed, text or bytes, the metadata, and the whole message. Then those that passed are written into the file, as `serve`
   * does.
   *
   * What the handler of a synchronous message returns is compared with the response that the contract defines; `undefined` is
   * not.
   *
   * @example
   * contract
   *   .uponReceiving('an order was placed', 'Async')
   *   .withBody({ id: match.int(7), total: match.number(19.0) })
   *   .withMetadata({ topic: 'orders' })
   * await contract.verify((order: OrderPlaced, { topic }) => invoices.add(order), 'Async')
   *
   * @returns the failures, when `raises` is false; else an empty list
   * @throws MessageVerificationError with one entry for each message that failed
   */
  verify<T = unknown>(
    handler: MessageHandler<T>,
    kind: MessageKind,
    options: MessageVerifyOptions = {},
  ): Promise<readonly MessageError[]> {
    return verifyMessages(
      this.#native,
      handler,
      kind,
      options,
      {
        directory: this.#directory(),
        overwrite: this.#options.writeMode === 'overwrite',
        seed: this.#options.seed,
      },
      writer(this.#options),
    )
  }

  /** Where files go at the end of a test; nowhere unless somebody says so. */
  #directory(): string | undefined {
    const directory = this.#options.directory ?? process.env.CONTRACT_OUTPUT_DIR
    return directory === undefined || directory === '' ? undefined : pathOf(directory)
  }

  /**
   * Writes the contract file: interactions that passed and those never served, never one that failed. Gives its path.
   *
   * @param directory - default: that of the contract, else CONTRACT_OUTPUT_DIR, else the current directory
   */
  async writeFile(directory?: string | URL, { overwrite }: { readonly overwrite?: boolean } = {}): Promise<string> {
    const chosen = directory ?? this.#options.directory ?? process.env.CONTRACT_OUTPUT_DIR ?? '.'
    const anew = overwrite ?? this.#options.writeMode === 'overwrite'
    return unwrap(await this.#native.writeFile(pathOf(chosen), anew, writer(this.#options)))
  }
}

/** @internal How an error names a test that was given to a function of this package. */
export function nameOfTest(call: string, callback: (...args: never[]) => unknown, place: string): string {
  const own = callback.name === '' ? '' : ` ${JSON.stringify(callback.name)}`
  return `The function${own} given to ${call}${place === '' ? '' : ` at ${place}`}`
}

/** Without members that are undefined, which stand for absent ones. */
function defined(options: object): object {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'limits' ? defined(value) : value]))
}

/** PEM is ASCII. By tag: under Jest bytes come from another realm. */
function pem(text: string | Uint8Array): string {
  const isBytes = Object.prototype.toString.call(text) === '[object Uint8Array]'
  return isBytes ? Buffer.from(text as Uint8Array).toString('latin1') : (text as string)
}

function nameOf(role: string, name: unknown): string {
  if (typeof name === 'string') return name
  check({
    kind: 'argument',
    code: 'ERR_CONTRACT_NAME',
    message: `the ${role}'s name must be a text, got ${typeof name}`,
  })
  return ''
}
