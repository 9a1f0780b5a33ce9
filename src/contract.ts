import {
  operationText,
  optionsData,
  partData,
  pathData,
  pluginData,
  readable,
  rejectCall,
  textData,
} from './arguments.js'
import { encoded, tryRead } from './encoded.js'
import type { Defaults, InteractionDefinition, PluginReference } from './generated/definitions.js'
import type { ContractOptions, MessageVerifyOptions, ServeOptions } from './generated/options.js'
import { callContext, contracts, interactions, nativeOf } from './handles.js'
import { HttpInteraction } from './http-interaction.js'
import type { JsonObject, JsonValue } from './json.js'
import { deferred } from './load-deferred.js'
import { withoutUndefined } from './matcher-calls.js'
import type { MessageError } from './message-error.js'
import { AsyncMessageInteraction, SyncMessageInteraction } from './message-interaction.js'
import type { MessageHandler } from './message-verification.js'
import type { MessageKind } from './messages.js'
import { MockServer } from './mock-server.js'
import type { NativeContract, NativeInteraction } from './native/binding.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import { origin } from './origin.js'
import { ownerOf } from './owner.js'
import { CONTRACT_CALLS, rejectPactJsCalls } from './pact-js-calls.js'
import { guardReceiver } from './receiver.js'
import { nameOfTest, runTest } from './run-test.js'
import { tagOf } from './template.js'
import { type ContractVariant, splitVariants, type VariantOptions, type VariantSet, withVariants } from './variants.js'

/**
 * A version of the Pact Specification for contract files: `V2`, `V3`, or `V4`. Not case-sensitive; the `V` is optional.
 */
export type Specification = 'V2' | 'V3' | 'V4' | (string & {})

/**
 * The kind of an interaction: HTTP, asynchronous message (`Async`), or synchronous message with responses (`Sync`).
 */
export type InteractionKind = 'HTTP' | 'Async' | 'Sync'

/** Options for `Contract.variants`. */
export interface VariantsOptions extends Omit<ServeOptions, 'raises' | 'variants'> {
  /**
   * The set of variants, or options with the kinds of variants. Default: the contract's option, then the environment
   * variable `CONTRACT_VARIANTS`, then `default`.
   */
  readonly variants?: VariantSet | Omit<VariantOptions, 'max' | 'pairs' | 'unread'> | undefined
}

/** The test that `serve` runs against the mock server. `serve` returns its result. */
export type ServeCallback<T> = (server: MockServer) => T | Promise<T>

/**
 * A contract between one consumer and one provider. Any number of tests can use it: each call to `serve` serves the
 * interactions that were defined since the previous call.
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
  readonly #check: VariantOptions['check']
  /** The name of the consumer. */
  readonly consumer: string
  /** The name of the provider. */
  readonly provider: string

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #native in object)
    // biome-ignore lint/complexity/noThisInStatic: as above
    rejectPactJsCalls(this, CONTRACT_CALLS)
  }

  constructor(consumer: string, provider: string, options?: ContractOptions) {
    const variants = tryRead(() => options?.variants)
    const { data, check } = splitVariants('new Contract', variants)
    const own = data === variants ? options : { ...options, variants: data }
    this.#native = unwrap(native.createContract(encoded({ consumer, provider, options: own })))
    this.#check = check
    contracts.set(this, this.#native)
    this.consumer = consumer
    this.provider = provider
  }

  /** The specification version of the contract file, such as `V4`. */
  get specification(): string {
    return this.#native.specification
  }

  /** Sets the specification version of the contract file: `V2`, `V3`, or `V4`. Default: `V4`. */
  withSpecification(version: Specification): this {
    return this.#apply('with_specification', { version })
  }

  /** Adds metadata to the contract file under the key `namespace`. */
  withMetadata(namespace: string, entries: JsonObject): this {
    return this.#apply('with_metadata', { namespace, entries })
  }

  /**
   * Starts a plugin for the contract, or reuses a running one, and returns when it is ready. The plugin runs as long as the
   * contract exists.
   *
   * @throws {ContractArgumentError} `ERR_CONTRACT_PLUGIN` if the plugin is not installed or does not start
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

  /**
   * Starts an interaction. The combination of its description and its provider states must be unique in the contract.
   *
   * @param kind - `HTTP`, `Async` (message without a response), or `Sync` (message with responses). Default: `HTTP`
   */
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
    const interaction = this.#begin('uponReceiving', text, origin(this.uponReceiving), kind)
    switch (String(kind).toLowerCase()) {
      case 'async':
        return new AsyncMessageInteraction(interaction)
      case 'sync':
        return new SyncMessageInteraction(interaction)
      default:
        return this.#http(interaction)
    }
  }

  #http(interaction: NativeInteraction): HttpInteraction {
    return new HttpInteraction(interaction, (options, test, place) => this.#run('executeTest', options, test, place))
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
    const data = readable('interaction', () => interactionData(definition))
    return this.#http(this.#begin('interaction', operationText('interaction', {}, data), origin(this.interaction)))
  }

  #begin(call: string, operation: string, place: string, kind: InteractionKind = 'HTTP'): NativeInteraction {
    const owner = ownerOf(this.#native)
    owner?.enter(call)
    const interaction = unwrap(this.#native.apply(operation, place)) as NativeInteraction
    owner?.defined(interaction, kind, place)
    return interaction
  }

  /**
   * Sets defaults for interactions that are defined later, and replaces earlier defaults. If an interaction sets a
   * header or query parameter with the same name, the default does not apply.
   */
  defaults(defaults: Defaults): this {
    const data = readable('defaults', () => partsOf('defaults', defaults))
    return this.#apply('defaults', {}, data)
  }

  /**
   * Returns all interactions defined so far, in the format of V4 contract files.
   *
   * @param kind - the kind of interactions to return: `HTTP`, `Async`, `Sync`, or `All`. Default: `All`
   */
  interactions(kind: InteractionKind | 'All' = 'All'): JsonValue[] {
    ownerOf(this.#native)?.claimed(kind)
    return JSON.parse(
      unwrap(this.#native.interactions(kind === 'All' ? null : textData('interactions', 'kind', kind))),
    ) as JsonValue[]
  }

  /**
   * Starts a mock server for the interactions that were defined since the last call.
   *
   * With a callback, `serve` runs the callback, stops the server, checks the received requests, writes the contract file if
   * a directory is set, and returns the result of the callback. Without a callback, `serve` returns the running server, which
   * you must stop with `await using` or `stop()`. If a scope with `await using` throws and there are mismatches, JavaScript
   * throws a `SuppressedError` whose `error` is the `MismatchesError` and whose `suppressed` is the error of the scope.
   *
   * With `variants`, the callback also runs against the other responses that the contract allows, for example with null
   * or an empty array.
   *
   * @throws {MismatchesError} if the requests do not match the contract; `cause` is the error of the callback, if it threw
   * @throws {VariantsError} if the callback passes with the example and fails with another response that the contract
   * allows
   * @throws {ServeTimeoutError} if the callback takes longer than the timeout
   * @throws {MockServerError} if the server cannot be started
   */
  serve<T>(callback: ServeCallback<T>): Promise<T>
  serve<T>(options: ServeOptions, callback: ServeCallback<T>): Promise<T>
  serve(options?: ServeOptions): Promise<MockServer>
  async serve<T>(first?: ServeOptions | ServeCallback<T>, second?: ServeCallback<T>): Promise<T | MockServer> {
    nativeOf(contracts, this)
    const place = origin(this.serve)
    if (typeof first !== 'function' && second === undefined) return startServer(this, first ?? {}, place, true)
    const test = (typeof first === 'function' ? first : second) as ServeCallback<T>
    return this.#run('serve', typeof first === 'function' ? {} : (first ?? {}), test, place)
  }

  async #run<T>(call: string, options: ServeOptions, test: ServeCallback<T>, place: string): Promise<T> {
    const started = startServer(this, options, place, false, test)
    const server = started instanceof MockServer ? started : await started
    const check = splitVariants(call, options.variants).check ?? this.#check
    return runTest(
      [server],
      withVariants(server, () => test(server), check),
      nameOfTest(call, test, place),
    )
  }

  /**
   * Returns the responses that the contract allows for the interactions that were defined since the last call, so that
   * you can define one test for each response. The first one is the example. Each test serves all of these
   * interactions, and the response of one of them varies. The interactions are written to the contract file once all
   * these tests have passed.
   *
   * @example
   * for (const { name, serve } of contract.variants()) {
   *   test(name, () => serve((server) => showOrder(server.url)))
   * }
   *
   * @throws {ContractArgumentError} if an option is invalid, or if there is nothing to serve
   */
  variants(options: VariantsOptions = {}): ContractVariant[] {
    const native = nativeOf(contracts, this)
    const owner = ownerOf(native)
    const place = origin(this.variants)
    try {
      owner?.enter('variants')
      const { only, ...settings } = optionsData('variants', options)
      const { data, check } = splitVariants('variants', settings.variants)
      const rest = 'variants' in settings ? { ...settings, variants: data } : settings
      const selected = only === undefined ? null : interactionsOf('variants', only)
      const suite = unwrap(native.variants(encoded(rest), selected, callContext(place, native)))
      owner?.claimed('HTTP')
      const context = (at: string) => {
        owner?.enter('serve')
        return callContext(at, native)
      }
      return deferred().listVariants(suite, check ?? this.#check, context, origin)
    } catch (error) {
      // As in `startServer`.
      native.retire()
      throw error
    }
  }

  /**
   * Calls `handler` with each message that was defined since the last call, one at a time. The arguments are the parsed
   * contents, the metadata, and the complete message. Writes the messages that passed to the contract file.
   *
   * For a synchronous message, compares the value returned by the handler with the response in the contract, unless the
   * value is `undefined`.
   *
   * @example
   * contract
   *   .uponReceiving('an order was placed', 'Async')
   *   .withBody({ id: match.int(7), total: match.number(19.0) })
   *   .withMetadata({ topic: 'orders' })
   * await contract.verify((order: OrderPlaced, { topic }) => invoices.add(order), 'Async')
   *
   * @returns the failures if `raises` is false, otherwise an empty array
   * @throws {MessageVerificationError} if a message fails; `errors` contains one error for each failed message
   */
  verify<T = unknown>(
    handler: MessageHandler<T>,
    kind: MessageKind,
    options: MessageVerifyOptions = {},
  ): Promise<readonly MessageError[]> {
    return deferred().verifyMessages(this.#native, handler, kind, options)
  }

  /**
   * Writes the interactions that passed or were never served to the contract file, and returns the path of the file.
   *
   * @param directory - default: the contract's `directory`, the environment variable `CONTRACT_OUTPUT_DIR`, or the
   * current directory, whichever is set first
   * @throws {ContractFileError} if the file cannot be written
   */
  async writeFile(
    directory?: string | URL,
    options: { readonly overwrite?: boolean | undefined } = {},
  ): Promise<string> {
    const text = operationText('write_file', { directory: pathData(directory) }, options)
    ownerOf(this.#native)?.claimed('All')
    return unwrap(await this.#native.writeFile(text, callContext('', this.#native)))
  }
}

/**
 * @internal Starts a server for the interactions defined since the last call. If `watched` is true, a warning is
 * printed if the server is never stopped.
 */
export function startServer(
  contract: Contract,
  options: object,
  place: string,
  watched: boolean,
  test: unknown = () => {},
): MockServer | Promise<MockServer> {
  const native = nativeOf(contracts, contract)
  const owner = ownerOf(native)
  try {
    owner?.enter('serve')
    if (typeof test !== 'function') rejectCall('serve', `the callback must be a function, received ${tagOf(test)}`)
    const { only, ...settings } = optionsData('serve', options)
    const rest =
      'variants' in settings ? { ...settings, variants: splitVariants('serve', settings.variants).data } : settings
    if (watched && rest.variants !== undefined && rest.variants !== 'off') {
      rejectCall('serve', '"variants" requires a callback, which runs once for each answer')
    }
    const selected = only === undefined ? null : interactionsOf('serve', only)
    const started = native.serve(encoded(rest), selected, callContext(place, native), watched)
    // A plugin's transport also serves synchronous messages.
    owner?.claimed(rest.transport === undefined ? 'HTTP' : 'All')
    // The core compiles large sets on another thread. The interactions of this server are already selected.
    return 'then' in started
      ? started.then((server) => new MockServer(unwrap(server)))
      : new MockServer(unwrap(started))
  } catch (error) {
    // The interactions of a failed call must not reach the next test.
    native.retire()
    throw error
  }
}

function interactionsOf(call: string, only: unknown): NativeInteraction[] {
  const found = Array.isArray(only) ? only.map((interaction) => interactions.get(interaction)) : [undefined]
  if (found.includes(undefined)) rejectCall(call, '"only" must be an array of interactions')
  return found as NativeInteraction[]
}

/** Converts the request and the response of an interaction that is defined as one object. */
function partsOf(call: string, definition: unknown): unknown {
  if (tagOf(definition) !== 'Object') return definition
  const { request, response, ...rest } = definition as Record<string, unknown>
  return withoutUndefined({ ...rest, request: partData(call, request), response: partData(call, response) })
}

function interactionData(definition: InteractionDefinition): unknown {
  if (tagOf(definition) !== 'Object') return definition
  const { states, ...rest } = definition
  const stateData = Array.isArray(states) ? states.map(withoutUndefined) : states
  return partsOf('interaction', { ...rest, states: stateData })
}
