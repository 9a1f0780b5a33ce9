/// <reference lib="es2021.promise" preserve="true" />
/// <reference lib="es2022.error" preserve="true" />
import { inspect } from 'node:util'
import { ContractError } from './errors.js'
import type { Mismatch } from './mismatch.js'

/** One message that its handler did not take as the contract says. `cause` is what the handler itself threw. */
export class MessageError extends ContractError {
  override readonly name = 'MessageError'
  /** The message. */
  readonly description: string
  /** How the response that the handler returned differs from the defined one. */
  readonly mismatches: readonly Mismatch[]

  constructor(
    code: string,
    description: string,
    problem: string,
    { mismatches = [], ...options }: ErrorOptions & { readonly mismatches?: readonly Mismatch[] } = {},
  ) {
    super(code, `${JSON.stringify(description)}: ${problem}`, options)
    this.description = description
    this.mismatches = mismatches
  }
}

/** Messages that were not taken as the contract says, one error each. */
export class MessageVerificationError extends AggregateError {
  override readonly name = 'MessageVerificationError'
  /** Stable: what programs look at. */
  readonly code = 'ERR_CONTRACT_MESSAGES'
  /** One for each message that failed. */
  declare readonly errors: MessageError[]

  constructor(errors: readonly MessageError[], message: string, options?: ErrorOptions) {
    super(errors, message, options)
  }
}

/** What somebody threw, in one line where it has one. */
export function thrownText(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { name, message } = thrown as { readonly name?: unknown; readonly message: unknown }
    return typeof name === 'string' && name !== 'Error' ? `${name}: ${message}` : String(message)
  }
  if (typeof thrown === 'string') return thrown
  return `it threw ${inspect(thrown)}, which is no Error`
}
