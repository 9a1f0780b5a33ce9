import { BrokerError, ContractArgumentError, ContractError, ContractFileError, MockServerError } from '../errors.js'
import type { Failure } from './binding.js'

/**
 * The value, or the failure thrown as an error. The core tells failures as data: errors made in native code belong to
 * another realm under Jest, where they are not even `instanceof Error`.
 */
export function unwrap<T>(result: T | Failure): T {
  if (isFailure(result)) throw toError(result)
  return result
}

/** Throws the failure, if there is one. */
export function check(failure: Failure | null | undefined): void {
  if (failure) throw toError(failure)
}

function isFailure(result: unknown): result is Failure {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, 'failure')
}

/** The error that a failure is. */
export function toError({ failure }: Failure): Error {
  const told = JSON.parse(failure)
  const { kind, code, message } = told
  switch (kind) {
    case 'argument':
      return new ContractArgumentError(code, message, told)
    case 'file':
      return new ContractFileError(code, message, told.path)
    case 'broker':
      return new BrokerError(code, message, told)
    case 'server':
      return new MockServerError(code, message, told)
    default:
      return new ContractError(code, message)
  }
}
