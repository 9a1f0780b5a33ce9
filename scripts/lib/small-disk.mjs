// A file system with little room, to see what happens when there is none left.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that holds so many megabytes, gone with the script that made it; nothing where this machine lets nobody mount. */
export function mountSmallDisk(megabytes) {
  const folder = mkdtempSync(join(tmpdir(), 'contract-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (mounted.status !== 0) {
    remove()
    return undefined
  }
  process.on('exit', () => {
    spawnSync('umount', ['-l', folder])
    remove()
  })
  return folder
}
