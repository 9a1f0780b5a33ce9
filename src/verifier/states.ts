import type { JsonObject } from '../json.js'

/** The action for a provider state: set it up or tear it down. */
export type StateAction = 'setup' | 'teardown'

/** The return value of a state handler: values for generators and request filters, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
export type StateValues = JsonObject | undefined | null | void

/** A handler for all states. `parameters` is `null` for states without parameters. */
export type StateFunction = (
  state: string,
  action: StateAction,
  parameters: JsonObject | null,
) => StateValues | Promise<StateValues>

/**
 * A handler for one state: one function that receives the action, or one function per action. `parameters` is `null` for a
 * state without parameters.
 */
export type StateMappingValue<Parameters> =
  | ((action: StateAction, parameters: Parameters) => StateValues | Promise<StateValues>)
  | {
      readonly setup?: (parameters: Parameters) => StateValues | Promise<StateValues>
      readonly teardown?: (parameters: Parameters) => StateValues | Promise<StateValues>
    }

/** Maps names of provider states to handlers. */
// biome-ignore lint/suspicious/noExplicitAny: the type of the parameters depends on the state
export type StateMapping = Readonly<Record<string, StateMappingValue<any>>>

/**
 * Maps names of provider states to handlers, with types for the parameters.
 *
 * @typeParam States - the parameter types by state name
 */
export type StateHandlers<States> = { readonly [Name in keyof States]: StateMappingValue<States[Name]> }
