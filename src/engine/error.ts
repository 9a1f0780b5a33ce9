/**
 * An error of the matching engine. Its name and code are like those of the package's other errors, but its class
 * differs, because importing their class would load native code.
 */
export class EngineError extends Error {
  override readonly name = 'ContractError'
  /** Stable error code, such as `ERR_CONTRACT_OPTIONS`. Check the code instead of the message. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(`${message}${message.includes('\n') ? '\n' : ' '}[${code}]`, options)
    this.code = code
  }
}
