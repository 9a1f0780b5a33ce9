import { type Attempt, NativeLoadError } from './load-error.js'
import { candidates, fileOf } from './locate.js'
import { isSupportedNode } from './node-version.js'
import { currentPlatform } from './platform.js'

/**
 * Calls `use` with the path of each candidate library until a call succeeds, and returns its result. Throws a
 * `NativeLoadError` if none succeeds.
 */
export function firstUsable<T>(use: (library: string) => T): T {
  const platform = currentPlatform()
  // npm only warns about an unsupported version. Without this check, calls would fail later with unclear errors.
  if (!isSupportedNode()) throw new NativeLoadError(platform, [])
  const attempts: Attempt[] = []
  for (const candidate of candidates(platform)) {
    let file: string | undefined
    try {
      file = fileOf(candidate)
      return use(file)
    } catch (error) {
      attempts.push({ candidate, file, reason: firstLine(error) })
    }
  }
  throw new NativeLoadError(platform, attempts)
}

/** Returns the first line of an error's message, without the "Require stack" that Node appends. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n', 1)[0] ?? text
}
