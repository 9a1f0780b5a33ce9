import { VERSION } from './build-constants.js'
import { firstUsable } from './find.js'

type Binding = typeof import('./binding.js')

/**
 * The native core. It is loaded when the package is imported, so that a missing core is reported immediately and not
 * during a test. Node loads it once per process, even if a test runner evaluates this module several times.
 */
export const native: Binding = firstUsable(open)

function open(library: string): Binding {
  // `require` would execute any other file as JavaScript.
  if (!library.endsWith('.node')) throw new Error('not a .node file')
  const binding = require(library) as Binding
  const version = binding.version()
  if (version !== VERSION) throw new Error(`its version is ${version}, but the version of this package is ${VERSION}`)
  return binding
}
