import { ContractError } from './errors.js'

type Deferred = typeof import('./deferred.js')

let internals: () => object
let loaded: Deferred | undefined

/**
 * Loads `dist/deferred.cjs`, which contains the functions that most consumer tests do not call. Loading it on first use
 * makes importing the package faster.
 */
export function deferred(): Deferred {
  loaded ??= requireBundle()(internals())
  return loaded
}

/** Sets what the deferred functions use of this bundle. `internals.ts` calls this when the package is imported. */
export function setInternals(source: () => object): void {
  internals = source
}

/**
 * The bundle exports a function instead of requiring this bundle: after a test runner has reset its modules, that would
 * load this bundle again, with other classes.
 */
function requireBundle(): (internals: object) => Deferred {
  try {
    return require('./deferred.js')
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: unknown }
    if (code !== 'EMFILE' && code !== 'ENFILE') throw error
    // The same message as from the core.
    const advice = 'raise the limit on open files, or close some of them'
    throw new ContractError('ERR_CONTRACT_OPEN_FILES', `could not open files or sockets: ${message}; ${advice}`)
  }
}
