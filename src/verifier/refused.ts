import { ContractArgumentError } from '../errors.js'

/** An option of the verifier that cannot be; `call` names where it was given. */
export function refused(call: string, problem: string): ContractArgumentError {
  return new ContractArgumentError('ERR_CONTRACT_OPTIONS', `${call}: ${problem}`)
}
