import { rejectCall } from './arguments.js'

/** Advice for each method of pact-js that `Contract` does not have, by name. */
export const CONTRACT_CALLS: Readonly<Record<string, string>> = {
  addInteraction:
    'Use contract.uponReceiving(description), or contract.interaction({ description, request, response })',
  addAsynchronousInteraction: "Use contract.uponReceiving(description, 'Async')",
  addSynchronousInteraction: "Use contract.uponReceiving(description, 'Sync')",
  expectsToReceive: "Use contract.uponReceiving(description, 'Async')",
  given: 'Start with the description: contract.uponReceiving(description).given(state)',
  executeTest: 'Use contract.serve(callback), which runs the test and writes the contract',
  setup: 'Delete this call: contract.serve(callback) starts the mock server',
  finalize: 'Delete this call: contract.serve(callback) writes the contract when the test passes',
  writePact: 'Delete this call: contract.serve(callback) writes the contract when the test passes',
  removeInteractions:
    'Delete this call: each contract.serve(callback) serves only the interactions defined since the last one',
}

/** Advice for each method of pact-js that `Verifier` does not have, by name. */
export const VERIFIER_CALLS: Readonly<Record<string, string>> = {
  verifyProvider: 'Use verifier.verify(), which returns a report',
}

/**
 * Adds methods that throw an error with advice. The types do not contain these methods, so TypeScript still rejects the
 * calls.
 */
export function rejectPactJsCalls(type: { readonly prototype: object }, calls: Readonly<Record<string, string>>): void {
  for (const [name, advice] of Object.entries(calls)) {
    const value = () => rejectCall(name, `this is a method of pact-js. ${advice}`)
    Object.defineProperty(type.prototype, name, { value, configurable: true, writable: true })
  }
}
