/// <reference lib="es2021.promise" preserve="true" />
/// <reference lib="es2022.error" preserve="true" />
import { inspect } from 'node:util'
import { ContractError } from './errors.js'
import type { Mismatch } from './mismatch.js'

/** A message that failed. `cause` is the error that the handler threw. */
export class MessageError extends ContractError {
  override readonly name = 'MessageError'
  /** The message that failed. */
  readonly description: string
  /** Differences between the returned and the defined response. */
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

/** At least one message failed. Contains one error per message. */
export class MessageVerificationError extends AggregateError {
  override readonly name = 'MessageVerificationError'
  /** Stable error code. */
  readonly code = 'ERR_CONTRACT_MESSAGES'
  /** One error for each message that failed. */
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
