import { pathToFileURL } from 'node:url'
import { MismatchesError } from './errors.js'
import { AsyncMessageInteraction, HttpInteraction, SyncMessageInteraction } from './interaction.js'
import type { JsonObject, JsonValue } from './json.js'
import type { MessageError } from './message-error.js'
import { type MessageHandler, type MessageVerifyOptions, verifyMessages } from './message-verification.js'
import type { MessageKind } from './messages.js'
import { MockServer } from './mock-server.js'
import type { NativeContract } from './native/binding.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { origin } from './origin.js'
import { toJsonText } from './template.js'

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
    kind: 'HTTP' | 'Async' | 'Sync' = 'HTTP',
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

  /** The interactions as they stand, in the form of V4 files. */
  interactions(): JsonValue[] {
    return JSON.parse(unwrap(this.#native.interactions())) as JsonValue[]
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
    return verifyMessages(this.#native, handler, kind, options, {
      directory: this.#directory(),
      overwrite: this.#options.writeMode === 'overwrite',
      seed: this.#options.seed,
    })
  }

  /** Where files go at the end of a test; nowhere unless somebody says so. */
  #directory(): string | undefined {
    const directory = this.#options.directory ?? process.env.CONTRACT_OUTPUT_DIR
    return directory === undefined || directory === '' ? undefined : pathOf(directory)
  }

  #start(options: ServeOptions): MockServer {
    const started = this.#native.serve(
      JSON.stringify({
        host: options.host ?? options.addr,
        port: options.port,
        cors: options.cors,
        unexpectedFieldsAreErrors: (options.unexpectedFields ?? this.#options.unexpectedFields) === 'error',
        all: options.all ?? false,
        seed: options.seed ?? this.#options.seed,
        directory: this.#directory(),
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

/** A directory as a path; URLs are told by their shape, for under Jest they come from another realm. */
export function pathOf(directory: string | URL): string {
  if (typeof directory === 'string' && !directory.startsWith('file:')) return directory
  const url = new URL(String(directory))
  if (url.protocol !== 'file:') {
    check({
      kind: 'argument',
      code: 'ERR_CONTRACT_DIRECTORY',
      message: `a directory must be a path or a file: URL, got ${url}`,
    })
  }
  return filePath(url)
}

function filePath(url: URL): string {
  // fileURLToPath refuses URLs of another realm; one made here is of this one.
  const path = decodeURIComponent(url.pathname)
  const drive = pathToFileURL('/').pathname.length > 1
  return drive ? path.replace(/^\//, '') : path
}
