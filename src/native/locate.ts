import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CORE_PACKAGE } from './build-constants.js'
import type { Platform } from './platform.js'

/** A possible location of the native library. */
export interface Candidate {
  readonly origin: 'CONTRACT_NATIVE_PATH' | 'package' | 'checkout'
  /** The argument for `require`: a path or the name of a package. */
  readonly request: string
}

/**
 * Returns the possible locations of the native library, in the order in which they are tried. If `CONTRACT_NATIVE_PATH`
 * is set, returns only that file, because trying others would hide a wrong path.
 */
export function candidates(platform: Platform): Candidate[] {
  const path = process.env.CONTRACT_NATIVE_PATH
  if (path) return [{ origin: 'CONTRACT_NATIVE_PATH', request: resolve(path) }]

  const found: Candidate[] = [{ origin: 'package', request: packageFor(platform.name) }]
  // Only a checkout has a directory npm/ next to dist/.
  const checkout = join(__dirname, '..', 'npm')
  if (existsSync(checkout)) {
    found.push({ origin: 'checkout', request: join(checkout, platform.name, 'contract.node') })
  }
  return found
}

/** Returns the name of the package with the native library for a platform. */
export function packageFor(platformName: string): string {
  return `${CORE_PACKAGE}-${platformName}`
}

/** Returns the path of the candidate's native library. Throws if there is no such file or package. */
export function fileOf(candidate: Candidate): string {
  return require.resolve(candidate.request)
}
