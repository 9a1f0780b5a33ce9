import { MismatchesError } from './errors.js'
import {
  AsyncMessageInteraction,
  HttpInteraction,
  type NamedValues,
  pairs,
  type RequestDefinition,
  type ResponseDefinition,
  refuseUnknown,
  SyncMessageInteraction,
} from './interaction.js'
import type { JsonObject, JsonValue } from './json.js'
import { MockServer } from './mock-server.js'
import type { NativeContract } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { origin } from './origin.js'
import { pathOf } from './path.js'
import { type Matcher, toJsonText } from './template.js'

export { pathOf }

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
  /** `overwrite` begins the file anew, once per process. Default: `merge`. */
  readonly writeMode?: 'merge' | 'overwrite'
  /** Whether body fields that the contract does not name fail the test. Default: `ignore`. */
  readonly unexpectedFields?: 'ignore' | 'error'
  /** Makes generated values the same in every run. */
  readonly seed?: number
}

/** How one mock server behaves. */
export interface ServeOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** The same, as other languages call it. */
  readonly addr?: string
  /** The port. Default: a free one. */
  readonly port?: number
  /** Whether pre-flight requests of browsers are answered. Default: true. */
  readonly cors?: boolean
  /** Whether body fields that the contract does not name fail the test. Default: that of the contract. */
  readonly unexpectedFields?: 'ignore' | 'error'
  /** Serves interactions of earlier calls again, too. Default: false. */
  readonly all?: boolean
  /** Whether mismatches are thrown at the end. Default: true; else they are on the server object. */
  readonly raises?: boolean
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
        return new HttpInteraction(interaction)
    }
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
    const interaction = new HttpInteraction(native)
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
    const server = this.#start(options)
    return callback === undefined ? server : runTest(server, callback, options.raises ?? true)
  }

  /** `serve`, and then `writeFile`: a test that passes has its contract on disk wherever that is. */
  async executeTest<T>(callback: ServeCallback<T>): Promise<T>
  async executeTest<T>(options: ServeOptions, callback: ServeCallback<T>): Promise<T>
  async executeTest<T>(first: ServeOptions | ServeCallback<T>, second?: ServeCallback<T>): Promise<T> {
    const options = typeof first === 'function' ? {} : first
    const value = await this.serve(options, (typeof first === 'function' ? first : second) as ServeCallback<T>)
    await this.writeFile()
    return value
  }

  #start(options: ServeOptions): MockServer {
    const directory = this.#options.directory ?? process.env.CONTRACT_OUTPUT_DIR
    const started = this.#native.serve(
      JSON.stringify({
        host: options.host ?? options.addr,
        port: options.port,
        cors: options.cors,
        unexpectedFieldsAreErrors: (options.unexpectedFields ?? this.#options.unexpectedFields) === 'error',
        all: options.all ?? false,
        seed: options.seed ?? this.#options.seed,
        directory: directory === undefined || directory === '' ? undefined : pathOf(directory),
        overwrite: this.#options.writeMode === 'overwrite',
      }),
    )
    return new MockServer(unwrap(started), options.raises ?? true)
  }

  /**
   * Writes the contract file: interactions that passed and those never served, never one that failed. Gives its path.
   *
   * @param directory - default: that of the contract, else CONTRACT_OUTPUT_DIR, else the current directory
   */
  async writeFile(directory?: string | URL, { overwrite }: { readonly overwrite?: boolean } = {}): Promise<string> {
    const chosen = directory ?? this.#options.directory ?? process.env.CONTRACT_OUTPUT_DIR ?? '.'
    const anew = overwrite ?? this.#options.writeMode === 'overwrite'
    return unwrap(await this.#native.writeFile(pathOf(chosen), anew))
  }
}

async function runTest<T>(server: MockServer, callback: ServeCallback<T>, raises: boolean): Promise<T> {
  let value: T
  try {
    value = await callback(server)
  } catch (error) {
    const { text, mismatches, matched } = await server.end(false)
    // A test that broke off leaves requests undone: that is its consequence. Requests that did not match may be its cause.
    if (matched || !raises || mismatches.every(({ type }) => type === 'missing-request')) throw error
    throw new MismatchesError(text, mismatches, { cause: error })
  }
  const { text, mismatches, matched } = await server.end(true)
  if (!matched && raises) throw new MismatchesError(text, mismatches)
  return value
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
