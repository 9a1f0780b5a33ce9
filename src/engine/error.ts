/**
 * An error of the matching engine. It has the name and code of the package's other errors, but not their class, because
 * importing that class would load native code.
 */
export class EngineError extends Error {
  override readonly name = 'ContractError'
  /** Stable error code, `ERR_CONTRACT_…`. Check the code instead of the message. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(`${message}${message.includes('\n') ? '\n' : ' '}[${code}]`, options)
    this.code = code
  }
}
