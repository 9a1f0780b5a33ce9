import { type Attempt, NativeLoadError } from './load-error.js'
import { candidates, fileOf } from './locate.js'
import { currentPlatform } from './platform.js'

/** What `use` makes of the first native library that it accepts; a library it throws on is passed over. */
export function firstUsable<T>(use: (library: string) => T): T {
  const platform = currentPlatform()
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

/** What the system's loader says, without the "Require stack" that Node appends. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n', 1)[0] ?? text
}
