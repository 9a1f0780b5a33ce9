import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CORE_PACKAGE } from './build-constants.js'
import type { Platform } from './platform.js'

/** A place where the native library may be. */
export interface Candidate {
  readonly origin: 'CONTRACT_NATIVE_PATH' | 'package' | 'checkout'
  /** What `require` is given: a path, or the name of a package. */
  readonly request: string
}

/**
 * The places to look at, in order. Whoever sets CONTRACT_NATIVE_PATH wants that file: another one in its place would
 * only hide the mistake, so nothing else is tried then.
 */
export function candidates(platform: Platform): Candidate[] {
  const path = process.env.CONTRACT_NATIVE_PATH
  if (path) return [{ origin: 'CONTRACT_NATIVE_PATH', request: resolve(path) }]

  const found: Candidate[] = [{ origin: 'package', request: packageFor(platform.name) }]
  // dist/ has npm/ beside it in a checkout only.
  const checkout = join(__dirname, '..', 'npm')
  if (existsSync(checkout)) {
    found.push({ origin: 'checkout', request: join(checkout, platform.name, 'contract.node') })
  }
  return found
}

/** The package that holds the native code for a platform. */
export function packageFor(platformName: string): string {
  return `${CORE_PACKAGE}-${platformName}`
}

/** The file a candidate stands for; throws where there is none. */
export function fileOf(candidate: Candidate): string {
  return require.resolve(candidate.request)
}
