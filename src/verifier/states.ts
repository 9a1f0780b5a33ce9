import type { JsonObject } from '../json.js'

/** What a state handler must do: set up the provider state or tear it down. */
export type StateAction = 'setup' | 'teardown'

/** What a state handler returns: values by name, for generators and request filters, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
export type StateValues = JsonObject | undefined | null | void

/** A handler for all provider states. `parameters` is `null` if the state has none. */
export type StateFunction = (
  state: string,
  action: StateAction,
  parameters: JsonObject | null,
) => StateValues | Promise<StateValues>

/**
 * A handler for one provider state: a function that receives the action, or an object with a function for each action.
 * `parameters` is `null` if the state has none.
 */
export type StateMappingValue<Parameters> =
  | ((action: StateAction, parameters: Parameters) => StateValues | Promise<StateValues>)
  | {
      readonly setup?: (parameters: Parameters) => StateValues | Promise<StateValues>
      readonly teardown?: (parameters: Parameters) => StateValues | Promise<StateValues>
    }

/** State handlers by the name of the provider state. */
// biome-ignore lint/suspicious/noExplicitAny: the type of the parameters depends on the state
export type StateMapping = Readonly<Record<string, StateMappingValue<any>>>

/**
 * State handlers by the name of the provider state, with the types of their parameters.
 *
 * @typeParam States - the parameter types by state name
 */
export type StateHandlers<States> = { readonly [Name in keyof States]: StateMappingValue<States[Name]> }
