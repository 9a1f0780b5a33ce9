import type { JsonObject } from '../json.js'
import { refused } from './refused.js'

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
export type StateMappingValue<Parameters> =
  | ((action: StateAction, parameters: Parameters) => StateValues | Promise<StateValues>)
  | {
      readonly setup?: (parameters: Parameters) => StateValues | Promise<StateValues>
      readonly teardown?: (parameters: Parameters) => StateValues | Promise<StateValues>
    }

/** Handlers by state; each handler says which parameters it wants. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type StateMapping = Readonly<Record<string, StateMappingValue<any>>>

/**
 * Handlers for states of which the parameters are known.
 *
 * @typeParam States - the type of each state's parameters, by the state's name
 */
export type StateHandlers<States> = { readonly [Name in keyof States]: StateMappingValue<States[Name]> }

/** Options of `stateHandler`. */
export interface StateHandlerOptions {
  /** Whether states are torn down. Default: false; handlers with a `teardown` of their own always are. */
  readonly teardown?: boolean
  /** For a URL: whether the state goes into the body of the request, or into its query. */
  readonly body?: boolean
  /** For a URL: headers of the request. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * For handlers by state: whether an interaction whose state has none fails, is verified with a warning, or is just
   * verified. Default: `error`.
   */
  readonly onMissing?: 'error' | 'warn' | 'ignore'
  /** For a function: whether it is called for interactions without states, with an empty name. Default: false. */
  readonly emptyState?: boolean
}

/** Who handles states, put together from any number of calls. */
export class States {
  readonly #mapping = new Map<string, StateMappingValue<never>>()
  readonly #tornDown: string[] = []
  #onMissing: StateHandlerOptions['onMissing']
  #function: StateFunction | undefined
  #options: JsonObject | undefined

  add(handler: StateFunction | StateMapping | string | URL, options: StateHandlerOptions): void {
    if (typeof handler === 'string' || isUrl(handler)) this.#url(String(handler), options)
    else if (typeof handler === 'function') this.#all(handler, options)
    else if (typeof handler === 'object' && handler !== null) this.#some(handler, options)
    else throw refused('stateHandler', `a handler is a function, an object of them or a URL, got ${handler}`)
  }

  /** For the core; nothing when there is no handler. */
  get options(): JsonObject | undefined {
    if (this.#mapping.size === 0) return this.#options
    const known = [...this.#mapping.keys()]
    const functions = { known, tornDown: this.#tornDown, empty: this.#mapping.has('') }
    return { functions, onMissing: this.#onMissing ?? 'error' }
  }

  handle(state: string, action: StateAction, parameters: JsonObject): StateValues | Promise<StateValues> {
    if (this.#function) return this.#function(state, action, parameters)
    const value = this.#mapping.get(state)
    return typeof value === 'function' ? value(action, parameters as never) : value?.[action]?.(parameters as never)
  }

  #url(url: string, options: StateHandlerOptions): void {
    this.#alone()
    refuseOptions('a URL', options, ['onMissing', 'emptyState'])
    const { teardown = false, body, headers = {} } = options
    if (typeof body !== 'boolean') {
      throw refused(
        'stateHandler',
        'for a URL, body must say whether the state goes into the body (true) or the query (false)',
      )
    }
    this.#options = { url, body, teardown, headers }
  }

  #all(handler: StateFunction, options: StateHandlerOptions): void {
    this.#alone()
    refuseOptions('a function for all states', options, ['body', 'headers', 'onMissing'])
    const { teardown = false, emptyState = false } = options
    this.#function = handler
    this.#options = { functions: { empty: emptyState }, teardown }
  }

  #some(mapping: StateMapping, options: StateHandlerOptions): void {
    if (this.#options)
      throw refused(
        'stateHandler',
        'there is a handler for all states already; handlers by state would never be called',
      )
    refuseOptions('handlers by state', options, ['body', 'headers', 'emptyState'])
    const { teardown = false, onMissing } = options
    if (onMissing !== undefined && (this.#onMissing ?? onMissing) !== onMissing) {
      throw refused('stateHandler', `onMissing is ${onMissing} here and ${this.#onMissing} in an earlier call`)
    }
    const entries = Object.entries(mapping)
    for (const [state, value] of entries) this.#refuse(state, value)
    this.#onMissing = onMissing ?? this.#onMissing
    for (const [state, value] of entries) {
      this.#mapping.set(state, value)
      if (teardown || (typeof value !== 'function' && value.teardown)) this.#tornDown.push(state)
    }
  }

  #refuse(state: string, value: StateMapping[string]): void {
    const known =
      typeof value === 'function' || typeof value?.setup === 'function' || typeof value?.teardown === 'function'
    if (!known) {
      throw refused(
        'stateHandler',
        `the handler of ${JSON.stringify(state)} is neither a function nor { setup, teardown }`,
      )
    }
    if (this.#mapping.has(state))
      throw refused('stateHandler', `there is a handler of ${JSON.stringify(state)} already`)
  }

  #alone(): void {
    if (this.options)
      throw refused('stateHandler', 'there is a handler already, and this one would be for all states; choose one')
  }
}

function refuseOptions(
  what: string,
  options: StateHandlerOptions,
  names: readonly (keyof StateHandlerOptions)[],
): void {
  const given = names.find((name) => options[name] !== undefined)
  if (given) throw refused('stateHandler', `${given} means nothing for ${what}`)
}

/** By its shape: under Jest URLs come from another realm. */
export function isUrl(value: unknown): value is URL {
  return typeof value === 'object' && value !== null && 'href' in value && 'protocol' in value
}
