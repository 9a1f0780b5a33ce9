import { BrokerError, ContractArgumentError, ContractError, ContractFileError, MockServerError } from '../errors.js'
import { abortCall } from '../pending-call.js'
import type { Failure } from './binding.js'

/**
 * Returns the value, or throws the failure as an error. The core returns failures as data, because in Jest, errors that native
 * code creates belong to another realm and are not `instanceof Error`.
 */
export function unwrap<T>(result: T | Failure): T {
  if (isFailure(result)) throw toError(result)
  return result
}

/** Like `unwrap`, for a value that is an argument of another call. A failure also aborts that call. */
export function unwrapArgument<T>(result: T | Failure): T {
  if (isFailure(result)) {
    const error = toError(result)
    abortCall(error.message)
    throw error
  }
  return result
}

/** Throws the failure as an error. Does nothing if there is no failure. */
export function check(failure: Failure | null | undefined): void {
  if (failure) throw toError(failure)
}

function isFailure(result: unknown): result is Failure {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, 'failure')
}

/** Converts the core's failure to an error of this package. */
export function toError({ failure }: Failure): Error {
  const details = JSON.parse(failure)
  const { kind, code, message } = details
  switch (kind) {
    case 'argument':
      return new ContractArgumentError(code, message, details)
    case 'file':
      return new ContractFileError(code, message, details.path)
    case 'broker':
      return new BrokerError(code, message, details)
    case 'server':
      return new MockServerError(code, message, details)
    default:
      return new ContractError(code, message)
  }
}
