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
  return typeof result === 'object' && result !== null && Object.hasOwn(result, 'code')
}

function toError(failure: Failure): Error {
  const { kind, code, message } = failure
  switch (kind) {
    case 'argument':
      return new ContractArgumentError(code, message, failure)
    case 'file':
      return new ContractFileError(code, message, failure.path ?? '')
    case 'broker':
      return new BrokerError(code, message, JSON.parse(failure.broker ?? '{}'))
    case 'server':
      return new MockServerError(code, message, failure)
    default:
      return new ContractError(code, message)
  }
}
