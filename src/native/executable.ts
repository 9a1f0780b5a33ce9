import { accessSync, constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { firstUsable } from './find.js'

/** The executable behind `contract` and `contract-broker`; it lies beside the native library, wherever that is. */
export function executable(): string {
  return firstUsable((library) => {
    const path = join(dirname(library), process.platform === 'win32' ? 'contract.exe' : 'contract')
    accessSync(path, constants.X_OK)
    return path
  })
}
