import { VERSION } from './build-constants.js'
import { firstUsable } from './find.js'

type Binding = typeof import('./binding.js')

/**
 * The native core. Loaded with the package: a missing core is told at the import, where it can be mended, and not in
 * the middle of some test. Node keeps one copy per process however often a test runner evaluates this module.
 */
export const native: Binding = firstUsable(open)

function open(library: string): Binding {
  // Anything else `require` would take for JavaScript and run.
  if (!library.endsWith('.node')) throw new Error('it is not a .node file')
  const binding = require(library) as Binding
  const version = binding.version()
  if (version !== VERSION) throw new Error(`it is version ${version}, and this package is version ${VERSION}`)
  return binding
}
