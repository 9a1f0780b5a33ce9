import {
  operationText,
  optionsData,
  partData,
  pathData,
  pluginData,
  readable,
  refuseCall,
  textData,
} from './arguments.js'
import { encoded } from './encoded.js'
import type { Defaults, InteractionDefinition, PluginReference } from './generated/definitions.js'
import type { ContractOptions, MessageVerifyOptions, ServeOptions } from './generated/options.js'
import { behind, contracts, interactions, surroundings } from './handles.js'
import { HttpInteraction } from './http-interaction.js'
import type { JsonObject, JsonValue } from './json.js'
import { present } from './made.js'
import type { MessageError } from './message-error.js'
import { AsyncMessageInteraction, SyncMessageInteraction } from './message-interaction.js'
import { type MessageHandler, verifyMessages } from './message-verification.js'
import type { MessageKind } from './messages.js'
import { MockServer } from './mock-server.js'
import type { NativeContract, NativeInteraction } from './native/binding.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { origin } from './origin.js'
import { nameOfTest, runTest } from './run-test.js'
import { tagOf } from './template.js'

/** Versions of the specification that can be written; in any case, with or without `V`. */
export type Specification = 'V2' | 'V3' | 'V4' | (string & {})

/** Kinds of interactions. */
export type InteractionKind = 'HTTP' | 'Async' | 'Sync'

/** The test. Receives the server; `serve` returns its result. */
export type ServeCallback<T> = (server: MockServer) => T | Promise<T>

/**
 * A contract: what one consumer expects of one provider. Use it for any number of tests; each call of `serve` takes the
 * interactions that were defined since the last call.
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
  /** The name of the consumer. */
  readonly consumer: string
  /** The name of the provider. */
  readonly provider: string

  constructor(consumer: string, provider: string, options?: ContractOptions) {
    this.#native = unwrap(native.createContract(encoded({ consumer, provider, options })))
    contracts.set(this, this.#native)
    this.consumer = consumer
    this.provider = provider
  }

  /** The specification version of the contract file. */
  get specification(): string {
    return this.#native.specification
  }

  /** Sets the specification version of the contract file. */
  withSpecification(version: Specification): this {
    return this.#apply('with_specification', { version })
  }

  /** Adds metadata to the contract file, in a namespace of your own. */
  withMetadata(namespace: string, entries: JsonObject): this {
    return this.#apply('with_metadata', { namespace, entries })
  }

  /**
   * Starts a plugin for the contract, or reuses one that already runs. It runs as long as the contract exists. Returns
   * when the plugin is ready.
   *
   * @throws ContractArgumentError (`ERR_CONTRACT_PLUGIN`) when it is not installed or does not start
   */
  usingPlugin(plugin: PluginReference): this
  usingPlugin(name: string, version?: string | undefined): this
  usingPlugin(plugin: PluginReference | string, version?: string): this {
    return this.#apply('using_plugin', pluginData('usingPlugin', plugin, version))
  }

  #apply(name: string, args: Readonly<Record<string, unknown>>, options?: unknown): this {
    unwrap(this.#native.apply(operationText(name, args, options), ''))
    return this
  }

  /** Starts an interaction. Its description and provider states together must be unique in the contract. */
  uponReceiving(description: string, kind?: 'HTTP'): HttpInteraction
  uponReceiving(description: string, kind: 'Async'): AsyncMessageInteraction
  uponReceiving(description: string, kind: 'Sync'): SyncMessageInteraction
  uponReceiving(
    description: string,
    kind: InteractionKind,
  ): HttpInteraction | AsyncMessageInteraction | SyncMessageInteraction
  uponReceiving(
    description: string,
    kind: InteractionKind = 'HTTP',
  ): HttpInteraction | AsyncMessageInteraction | SyncMessageInteraction {
    const text = operationText('upon_receiving', { description, kind })
    const begun = unwrap(this.#native.apply(text, origin(this.uponReceiving))) as NativeInteraction
    switch (String(kind).toLowerCase()) {
      case 'async':
        return new AsyncMessageInteraction(begun)
      case 'sync':
        return new SyncMessageInteraction(begun)
      default:
        return this.#http(begun)
    }
  }

  #http(begun: NativeInteraction): HttpInteraction {
    return new HttpInteraction(begun, (options, test, place) => this.#run('executeTest', options, test, place))
  }

  /**
   * Defines an HTTP interaction as one object.
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
    const given = readable('interaction', () => interactionData(definition))
    const begun = this.#native.apply(operationText('interaction', {}, given), origin(this.interaction))
    return this.#http(unwrap(begun) as NativeInteraction)
  }

  /**
   * Sets defaults for interactions that are defined from now on; replaces earlier defaults. A header or query parameter
   * that an interaction sets itself overrides the default of the same name.
   */
  defaults(defaults: Defaults): this {
    const given = readable('defaults', () => partsOf('defaults', defaults))
    return this.#apply('defaults', {}, given)
  }

  /** Returns the defined interactions in the form of V4 files: of one kind, or all. */
  interactions(kind: InteractionKind | 'All' = 'All'): JsonValue[] {
    return JSON.parse(
      unwrap(this.#native.interactions(kind === 'All' ? null : textData('interactions', 'kind', kind))),
    ) as JsonValue[]
  }

  /**
   * Starts a mock server for the interactions that were defined since the last call.
   *
   * With a callback: runs it, stops the server, checks what was received, writes the contract file if there is a
   * directory, and returns the result of the callback. Throws `MismatchesError` if the consumer sent other requests;
   * its `cause` is the error of the callback, if it threw as well. Without a callback: returns the running server, to
   * be stopped by `await using` or `stop()`. If a scope with `await using` throws and there are mismatches, JavaScript
   * throws a `SuppressedError`: the `MismatchesError` is its `error`, the error of the scope its `suppressed`.
   */
  serve<T>(callback: ServeCallback<T>): Promise<T>
  serve<T>(options: ServeOptions, callback: ServeCallback<T>): Promise<T>
  serve(options?: ServeOptions): Promise<MockServer>
  async serve<T>(first?: ServeOptions | ServeCallback<T>, second?: ServeCallback<T>): Promise<T | MockServer> {
    behind(contracts, this)
    const place = origin(this.serve)
    if (typeof first !== 'function' && second === undefined) return startServer(this, first ?? {}, place, true)
    const test = (typeof first === 'function' ? first : second) as ServeCallback<T>
    return this.#run('serve', typeof first === 'function' ? {} : (first ?? {}), test, place)
  }

  async #run<T>(call: string, options: ServeOptions, test: ServeCallback<T>, place: string): Promise<T> {
    const started = startServer(this, options, place, false, test)
    const server = started instanceof MockServer ? started : await started
    return runTest([server], () => test(server), nameOfTest(call, test, place))
  }

  /**
   * Calls the handler with each message that was defined since the last call, one after another: parsed contents,
   * metadata, and the complete message. Messages that passed are written to the contract file.
   *
   * For a synchronous message, the value that the handler returns is compared with the response in the contract, unless
   * it is `undefined`.
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
    return verifyMessages(this.#native, handler, kind, options)
  }

  /**
   * Writes the contract file with the interactions that passed and those that were never served, never with one that
   * failed. Returns its path.
   *
   * @param directory - default: that of the contract, else CONTRACT_OUTPUT_DIR, else the current directory
   */
  async writeFile(
    directory?: string | URL,
    options: { readonly overwrite?: boolean | undefined } = {},
  ): Promise<string> {
    const text = operationText('write_file', { directory: pathData(directory) }, options)
    return unwrap(await this.#native.writeFile(text, surroundings()))
  }
}

/** @internal Starts a server for what the contract has to serve, as it stands now; `watched` if nobody is bound to stop it. */
export function startServer(
  contract: Contract,
  options: object,
  place: string,
  watched: boolean,
  test: unknown = () => {},
): MockServer | Promise<MockServer> {
  const native = behind(contracts, contract)
  try {
    if (typeof test !== 'function') refuseCall('serve', `the test must be a function, got ${tagOf(test)}`)
    const { only, ...given } = optionsData('serve', options)
    const chosen = only === undefined ? null : interactionsOf(only)
    const started = native.serve(encoded(given), chosen, surroundings(place), watched)
    // Where there is much to make ready, the core does that on a thread of its own; whose interactions they are is settled.
    return 'then' in started
      ? started.then((server) => new MockServer(unwrap(server)))
      : new MockServer(unwrap(started))
  } catch (error) {
    // What a refused call would have served is not for the next test.
    native.retire()
    throw error
  }
}

function interactionsOf(only: unknown): NativeInteraction[] {
  const found = Array.isArray(only) ? only.map((one) => interactions.get(one)) : [undefined]
  if (found.includes(undefined)) refuseCall('serve', 'only must be a list of interactions')
  return found as NativeInteraction[]
}

/** The same with what iterables hold in place of them. */
function partsOf(call: string, definition: unknown): unknown {
  if (tagOf(definition) !== 'Object') return definition
  const { request, response, ...rest } = definition as Record<string, unknown>
  return present({ ...rest, request: partData(call, request), response: partData(call, response) })
}

function interactionData(definition: InteractionDefinition): unknown {
  if (tagOf(definition) !== 'Object') return definition
  const { states, ...rest } = definition
  const given = Array.isArray(states) ? states.map(present) : states
  return partsOf('interaction', { ...rest, states: given })
}
