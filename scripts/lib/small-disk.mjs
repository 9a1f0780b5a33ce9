// A small file system, to test full disks.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates a directory with a capacity in megabytes, which is removed at the end of the script. Returns undefined if the
 * machine does not allow mounting.
 */
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
