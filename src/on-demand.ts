import { ContractError } from './errors.js'

/**
 * Loads Node modules on first use, because few calls need them, and loading them takes most of the time for importing
 * this package.
 */
export const childProcess = (): typeof import('node:child_process') => require('node:child_process')
export const crypto = (): typeof import('node:crypto') => require('node:crypto')
export const http = (): typeof import('node:http') => require('node:http')
export const net = (): typeof import('node:net') => require('node:net')
export const stream = (): typeof import('node:stream') => require('node:stream')

type Deferred = typeof import('./deferred.js')

let load: () => Deferred
let loaded: Deferred | undefined

/**
 * Loads `dist/deferred.cjs`, which contains the functions that most consumer tests do not call. Loading it on first use
 * makes importing the package faster.
 */
export function deferred(): Deferred {
  loaded ??= load()
  return loaded
}

/** Sets what the deferred functions use of this bundle. `internals.ts` calls this when the package is imported. */
export function setInternals(internals: () => object): void {
  load = () => {
    // The bundle exports a function instead of requiring this bundle: after a test runner has reset its modules, that
    // would load this bundle again, with other classes.
    const bundle = requireDeferred() as unknown as (internals: object) => Deferred
    return bundle(internals())
  }
}

function requireDeferred(): Deferred {
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
