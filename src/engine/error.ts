/**
 * An error of the matching engine. It has the name and the code of the errors of this package, but not their class, because
 * the package loads native code.
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
