import { stripVTControlCharacters } from 'node:util'
import { pathOf } from './directory.js'
import { ContractArgumentError, VerificationError } from './errors.js'
import type { JsonObject } from './json.js'
import {
  isMessageHandlers,
  type MessageFunction,
  type MessageHandlerOptions,
  MessageHandlers,
  type MessageMapping,
} from './message-handlers.js'
import type { NativeCall } from './native/binding.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'
import type { VerificationReport } from './report.js'
import { toJsonText } from './template.js'
import { colours } from './terminal.js'

/** Whether a state is entered or left. */
export type StateAction = 'setup' | 'teardown'

/** What a state handler may give back: values for generators and filters, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
export type StateValues = JsonObject | undefined | null | void

/** Handles all states. */
export type StateFunction = (
  state: string,
  action: StateAction,
  parameters: JsonObject,
) => StateValues | Promise<StateValues>

/** Handles one state: a function of action and parameters, or one for each action. */
export type StateMappingValue =
  // biome-ignore lint/suspicious/noExplicitAny: each handler states the type of its own parameters
  | ((action: StateAction, parameters: any) => StateValues | Promise<StateValues>)
  | {
      // biome-ignore lint/suspicious/noExplicitAny: each handler states the type of its own parameters
      readonly setup?: (parameters: any) => StateValues | Promise<StateValues>
      // biome-ignore lint/suspicious/noExplicitAny: each handler states the type of its own parameters
      readonly teardown?: (parameters: any) => StateValues | Promise<StateValues>
    }

/** Handlers by state. */
export type StateMapping = Readonly<Record<string, StateMappingValue>>

/** Options of `stateHandler`. */
export interface StateHandlerOptions {
  /** Whether states are torn down. Default: false; handlers with a `teardown` of their own always are. */
  readonly teardown?: boolean
  /** For a URL: whether the state goes into the body of the request, or into its query. */
  readonly body?: boolean
}

/** A way to reach the provider. */
export interface TransportOptions {
  /** The base URL; or its parts below. */
  readonly url?: string | URL
  /** The name that interactions know it by. Default: `http`. */
  readonly protocol?: string
  /** Default: `http`. */
  readonly scheme?: string
  /** Default: 127.0.0.1. */
  readonly host?: string
  readonly port?: number
  /** Put in front of every path. */
  readonly path?: string
}

/** Which interactions are verified. */
export interface FilterOptions {
  /** Found anywhere in the description. */
  readonly description?: string | RegExp
  /** Found anywhere in the name of a state. */
  readonly state?: string | RegExp
  /** Only interactions without states. */
  readonly noState?: boolean
  /** A key, a broker's id or a fingerprint of a report. */
  readonly id?: string
  readonly kind?: 'HTTP' | 'Async' | 'Sync'
}

/** Options of one run. */
export interface VerifyRunOptions {
  /** Stops at the first failure. */
  readonly exitFirst?: boolean
  /** How many interactions without states run at a time. Default: 1. */
  readonly concurrency?: number
}

type Source = { readonly path: string } | { readonly json: string; readonly name?: string }

interface States {
  readonly options: JsonObject
  readonly handle: StateFunction | undefined
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
  readonly #sources: Source[] = []
  readonly #transports: { name: string; url: string }[] = []
  readonly #headers = new Map<string, string | (() => string | Promise<string>)>()
  #filter: JsonObject = {}
  #consumers: readonly string[] = []
  #states: States | undefined
  #messages: MessageHandlers | undefined
  #requestTimeout: number | undefined
  #allowEmpty = false
  #followRedirects = true
  #coloured: boolean | undefined
  #output = ''

  constructor(provider: string) {
    if (typeof provider !== 'string' || provider.trim() === '') {
      throw new ContractArgumentError('ERR_CONTRACT_NAME', 'the provider needs a name')
    }
    this.provider = provider
  }

  /** Contracts to verify: a file, a directory with all that is below it, or a contract as an object or JSON text. */
  addSource(source: string | URL | { readonly json: JsonObject | string; readonly name?: string }): this {
    if (typeof source === 'object' && 'json' in source) {
      const json = typeof source.json === 'string' ? source.json : toJsonText(source.json, 'addSource')
      this.#sources.push(source.name === undefined ? { json } : { json, name: source.name })
    } else {
      this.#sources.push({ path: pathOf(source) })
    }
    return this
  }

  /** A way to reach the provider: its base URL, its parts, or message handlers as for `messageHandler`. */
  addTransport(transport: string | URL | TransportOptions | MessageFunction | MessageMapping): this {
    if (isMessageHandlers(transport)) return this.messageHandler(transport)
    this.#transports.push(transportOf(transport))
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
    this.#messages ??= new MessageHandlers()
    this.#messages.add(handlers, options)
    return this
  }

  /**
   * Who brings the provider into the states that interactions need: a function for all states, handlers by state, or a URL
   * of the provider. Handlers run in this process; what they return feeds generators.
   */
  stateHandler(handler: StateFunction | StateMapping | string | URL, options: StateHandlerOptions = {}): this {
    this.#states = statesOf(handler, options)
    return this
  }

  /** Verifies only interactions for which all of this holds; a repeated call replaces. */
  filter(filter: FilterOptions | string): this {
    const { description, state, ...rest } = typeof filter === 'string' ? { description: filter } : filter
    this.#filter = { ...rest, ...pattern('description', description), ...pattern('state', state) } as JsonObject
    return this
  }

  /** Verifies only contracts of these consumers; none means all. */
  filterConsumers(...names: string[]): this {
    this.#consumers = names
    return this
  }

  /** A header for every request to the provider; a function makes it afresh each time. */
  addCustomHeader(name: string, value: string | (() => string | Promise<string>)): this {
    this.#headers.set(name, value)
    return this
  }

  /** Headers for every request to the provider. */
  addCustomHeaders(headers: Readonly<Record<string, string>> | Iterable<readonly [string, string]>): this {
    const pairs = Symbol.iterator in headers ? headers : Object.entries(headers as Record<string, string>)
    for (const [name, value] of pairs as Iterable<readonly [string, string]>) this.addCustomHeader(name, value)
    return this
  }

  /** How long one request may take, in milliseconds. Default: 5000. */
  setRequestTimeout(milliseconds: number): this {
    if (!(milliseconds > 0)) {
      throw new ContractArgumentError(
        'ERR_CONTRACT_OPTIONS',
        `setRequestTimeout: ${milliseconds} is no time in milliseconds`,
      )
    }
    this.#requestTimeout = Math.ceil(milliseconds)
    return this
  }

  /** Whether it is an error that there is nothing to verify for this provider. Default: true. */
  setErrorOnEmptyContract(enabled = true): this {
    this.#allowEmpty = !enabled
    return this
  }

  /** Whether redirects of the provider are followed. Default: true. */
  followRedirects(follow = true): this {
    this.#followRedirects = follow
    return this
  }

  /** Whether texts are coloured. Default: on a terminal. */
  setColouredOutput(enabled = true): this {
    this.#coloured = enabled
    return this
  }

  /** Runs the verification. Throws `VerificationError` when the provider does not honour a contract. */
  async verify({ exitFirst = false, concurrency }: VerifyRunOptions = {}): Promise<VerificationReport> {
    const errors = new Map<number, unknown>()
    const verification = new native.NativeVerification((call) => {
      this.#answer(call).then(
        (value) => verification.settle(call.id, value, null),
        (error) => {
          errors.set(call.id, error)
          verification.settle(call.id, null, messageOf(error))
        },
      )
    })
    const options = {
      provider: this.provider,
      sources: this.#sources,
      transports: this.#transports,
      headers: Array.from(this.#headers, ([name, value]) => (typeof value === 'string' ? { name, value } : { name })),
      states: this.#states?.options,
      messages: this.#messages?.options,
      filter: { ...this.#filter, consumers: this.#consumers },
      requestTimeout: this.#requestTimeout,
      followRedirects: this.#followRedirects,
      exitFirst,
      concurrency,
      allowEmpty: this.#allowEmpty,
      colour: this.#coloured ?? colours(),
    }
    const { report, text } = JSON.parse(unwrap(await verification.run(JSON.stringify(options)))) as {
      report: VerificationReport
      text: string
    }
    this.#output = text
    if (!report.success) throw new VerificationError(text, report, causeOf(report, errors))
    return report
  }

  /** What the last run has to say to people; empty before the first. */
  output({ stripAnsi = false }: { readonly stripAnsi?: boolean } = {}): string {
    return stripAnsi ? stripVTControlCharacters(this.#output) : this.#output
  }

  async #answer({ kind, payload }: NativeCall): Promise<string> {
    const data = JSON.parse(payload) as JsonObject
    switch (kind) {
      case 'state': {
        const values = await this.#states?.handle?.(
          data.state as string,
          data.action as StateAction,
          data.parameters as JsonObject,
        )
        return toJsonText(values ?? null, `the values of the state ${JSON.stringify(data.state)}`)
      }
      case 'message':
        return (this.#messages ?? new MessageHandlers()).answer(data)
      case 'header': {
        const value = this.#headers.get(data.name as string)
        return JSON.stringify(typeof value === 'function' ? await value() : (value ?? ''))
      }
      default:
        throw new Error(`there is nothing to call for ${kind}`)
    }
  }
}

function transportOf(transport: string | URL | TransportOptions): { name: string; url: string } {
  if (typeof transport === 'string' || 'href' in transport) return { name: 'http', url: String(transport) }
  const { url, protocol = 'http', scheme = 'http', host = '127.0.0.1', port, path = '' } = transport
  if (url === undefined) {
    return { name: protocol, url: `${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}` }
  }
  for (const part of ['scheme', 'host', 'port', 'path'] as const) {
    if (transport[part] !== undefined) {
      throw new ContractArgumentError(
        'ERR_CONTRACT_OPTIONS',
        `addTransport: url already says what ${part} says; give one of them`,
      )
    }
  }
  return { name: protocol, url: String(url) }
}

function statesOf(handler: StateFunction | StateMapping | string | URL, options: StateHandlerOptions): States {
  const { teardown = false, body } = options
  if (typeof handler === 'string' || 'href' in handler) {
    if (body === undefined) {
      throw new ContractArgumentError(
        'ERR_CONTRACT_OPTIONS',
        'stateHandler: for a URL, body must say whether the state goes into the body (true) or the query (false)',
      )
    }
    return { options: { url: String(handler), body, teardown }, handle: undefined }
  }
  if (body !== undefined) {
    throw new ContractArgumentError(
      'ERR_CONTRACT_OPTIONS',
      'stateHandler: body is about URLs; functions get everything',
    )
  }
  if (typeof handler === 'function') return { options: { functions: {}, teardown }, handle: handler }
  return mappingOf(handler, teardown)
}

function mappingOf(mapping: StateMapping, teardown: boolean): States {
  const entries = Object.entries(mapping)
  for (const [state, value] of entries) {
    const known =
      typeof value === 'function' || typeof value?.setup === 'function' || typeof value?.teardown === 'function'
    if (!known) {
      throw new ContractArgumentError(
        'ERR_CONTRACT_OPTIONS',
        `stateHandler: the handler of ${JSON.stringify(state)} is neither a function nor { setup, teardown }`,
      )
    }
  }
  const names = entries.map(([state]) => state)
  const tornDown = entries.filter(([, value]) => typeof value !== 'function' && value.teardown).map(([state]) => state)
  return {
    options: { functions: { known: names, tornDown, empty: names.includes('') }, teardown },
    handle: (state, action, parameters) => {
      const value = mapping[state]
      return typeof value === 'function' ? value(action, parameters) : value?.[action]?.(parameters)
    },
  }
}

function pattern(name: string, value: string | RegExp | undefined): JsonObject {
  if (value === undefined) return {}
  if (typeof value === 'string') return { [name]: value }
  return { [name]: unwrap<string>(native.regexFromJavascript(value.source, value.flags)) }
}

function messageOf(error: unknown): string {
  return error instanceof Error || (typeof error === 'object' && error !== null && 'message' in error)
    ? String((error as { message: unknown }).message)
    : String(error)
}

/** The first error that the user's own code threw, with its stack. */
function causeOf(report: VerificationReport, errors: ReadonlyMap<number, unknown>): ErrorOptions {
  for (const { interactions } of report.contracts) {
    for (const { error } of interactions) {
      const token = (error as { token?: number } | undefined)?.token
      if (token !== undefined && errors.has(token)) return { cause: errors.get(token) }
    }
  }
  return {}
}
