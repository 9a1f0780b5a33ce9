import type { JsonObject } from '../json.js'

/** Whether the state is set up or torn down. */
export type StateAction = 'setup' | 'teardown'

/** What a state handler may return: values for generators and request filters, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
export type StateValues = JsonObject | undefined | null | void

/** A handler for all states. `parameters` is null for states without parameters. */
export type StateFunction = (
  state: string,
  action: StateAction,
  parameters: JsonObject | null,
) => StateValues | Promise<StateValues>

/**
 * A handler for one state: a function of action and parameters, or one function per action. Parameters are null if the
 * state has none.
 */
export type StateMappingValue<Parameters> =
  | ((action: StateAction, parameters: Parameters) => StateValues | Promise<StateValues>)
  | {
      readonly setup?: (parameters: Parameters) => StateValues | Promise<StateValues>
      readonly teardown?: (parameters: Parameters) => StateValues | Promise<StateValues>
    }

/** Handlers by state name. */
// biome-ignore lint/suspicious/noExplicitAny: each state has parameters of its own type
export type StateMapping = Readonly<Record<string, StateMappingValue<any>>>

/**
 * Handlers for states whose parameter types are known.
 *
 * @typeParam States - the type of each state's parameters, by the state's name
 */
export type StateHandlers<States> = { readonly [Name in keyof States]: StateMappingValue<States[Name]> }
