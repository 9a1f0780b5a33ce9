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
