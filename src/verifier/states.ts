import type { JsonObject } from '../json.js'

/** Whether a state is entered or left. */
export type StateAction = 'setup' | 'teardown'

/** What a state handler may give back: values for generators and filters, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
export type StateValues = JsonObject | undefined | null | void

/** Handles all states. States without parameters say so with null. */
export type StateFunction = (
  state: string,
  action: StateAction,
  parameters: JsonObject | null,
) => StateValues | Promise<StateValues>

/** Handles one state: a function of action and parameters, or one for each action. Without parameters they are null. */
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
  readonly teardown?: boolean | undefined
  /** For a URL: whether the state goes into the body of the request, or into its query and headers. Has to be said. */
  readonly body?: boolean | undefined
  /** For a URL: headers of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * For handlers by state: whether an interaction whose state has none fails, is verified with a warning, or is just
   * verified. Default: `error`.
   */
  readonly onMissing?: 'error' | 'warn' | 'ignore' | undefined
  /** For a function: whether it is called for interactions without states, with an empty name. Default: false. */
  readonly emptyState?: boolean | undefined
}
