/// <reference lib="es2021.promise" preserve="true" />
/// <reference lib="es2022.error" preserve="true" />
import { inspect } from 'node:util'
import { ContractError, withCode, withoutCode } from './errors.js'
import type { Mismatch } from './mismatch.js'

/** The failure of a single message. If the handler threw an error, it is the `cause`. */
export class MessageError extends ContractError {
  override readonly name = 'MessageError'
  /** The description of the message. */
  readonly description: string
  /**
   * Differences between the handler's response and the response in the contract. Empty if the message failed for
   * another reason.
   */
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

const MESSAGES_CODE = 'ERR_CONTRACT_MESSAGES'

/** Thrown if at least one message fails. `errors` contains one error for each failed message. */
export class MessageVerificationError extends AggregateError {
  override readonly name = 'MessageVerificationError'
  /** Stable error code: `ERR_CONTRACT_MESSAGES`. */
  readonly code = MESSAGES_CODE
  /** One error for each failed message, in the order of the contract. */
  declare readonly errors: MessageError[]

  constructor(errors: readonly MessageError[], message: string, options?: ErrorOptions) {
    super(errors, withCode(MESSAGES_CODE, message), options)
  }
}

/** Returns the message of a thrown value, which need not be an `Error`. */
export function thrownText(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) {
    const { name, message } = thrown as { readonly name?: unknown; readonly message: unknown }
    const text = withoutCode(String(message))
    return typeof name === 'string' && name !== 'Error' ? `${name}: ${text}` : text
  }
  if (typeof thrown === 'string') return thrown
  return `threw ${inspect(thrown)}, which is not an Error`
}
