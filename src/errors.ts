import type { Mismatch, ServerMismatch } from './mismatch.js'
import type { VerificationReport } from './report.js'

/** Base of the errors that this package throws for what went wrong while it worked. */
export class ContractError extends Error {
  override readonly name: string = 'ContractError'
  /** Stable, `ERR_CONTRACT_…`: what programs look at. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** An argument that makes no sense; thrown by the call that it was given to. */
export class ContractArgumentError extends TypeError {
  override readonly name = 'ContractArgumentError'
  /** Stable, `ERR_CONTRACT_…`: what programs look at. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The mock server could not be started. */
export class MockServerError extends ContractError {
  override readonly name = 'MockServerError'
}

/** The contract file could not be written; what was on disk is as it was. */
export class ContractFileError extends ContractError {
  override readonly name = 'ContractFileError'
  /** The file or directory. */
  readonly path: string

  constructor(code: string, message: string, path: string, options?: ErrorOptions) {
    super(code, message, options)
    this.path = path
  }
}

/** The consumer did not do what its contract says, or not all of it. `cause` is the error of the test itself, if it threw. */
export class MismatchesError extends ContractError {
  override readonly name = 'MismatchesError'
  /** One for each request that did not match, and for each interaction that was never requested. */
  readonly mismatches: readonly ServerMismatch[]

  constructor(message: string, mismatches: readonly ServerMismatch[], options?: ErrorOptions) {
    super('ERR_CONTRACT_MISMATCHES', message, options)
    this.mismatches = mismatches
  }
}

/** The provider does not honour the contract. */
export class VerificationError extends ContractError {
  override readonly name = 'VerificationError'
  /** Everything that was verified, and how it went. */
  readonly report: VerificationReport
  /** What the core logged meanwhile; the last lines of it. */
  readonly logs: readonly string[]

  constructor(
    message: string,
    report: VerificationReport,
    { logs = [], ...options }: ErrorOptions & { logs?: readonly string[] } = {},
  ) {
    super('ERR_CONTRACT_VERIFICATION', message, options)
    this.report = report
    this.logs = logs
  }
}

export type { Mismatch, ServerMismatch }
