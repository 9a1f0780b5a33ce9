import { accessSync, constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { firstUsable } from './find.js'

/**
 * Returns the path of the executable for `contract` and `contract-broker`. It is in the same directory as the native
 * library.
 */
export function executable(): string {
  return firstUsable((library) => {
    const path = join(dirname(library), process.platform === 'win32' ? 'contract.exe' : 'contract')
    accessSync(path, constants.X_OK)
    return path
  })
}
