// Builds the C interface for release or for measurements, and installs it below a prefix: include/contract.h,
// lib/libcontract.*, lib/pkgconfig/contract.pc, share/contract/operations.json, and the licenses. It does not require `npm install`. `node
// scripts/build-capi.mjs --prefix DIR [--target TRIPLE] [--zig] [--auditable]`; default prefix: .tmp/capi-release. With --archive FILE
// instead of --prefix, it writes an archive (.tar.gz), which works in any directory. --zig and --auditable mean the same as for
// build-native.mjs.
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeArchive } from './lib/archive.mjs'
import { layOut, sharedLibraries, targetFolder } from './lib/capi.mjs'
import { hostTarget } from './lib/cargo.mjs'
import { assertNoBuildPaths, releaseEnvironment } from './lib/release.mjs'
import { root } from './lib/root.mjs'
import { run } from './lib/run.mjs'
import { zigTarget } from './lib/targets.mjs'

const { values } = parseArgs({
  options: {
    prefix: { type: 'string' },
    archive: { type: 'string' },
    target: { type: 'string' },
    zig: { type: 'boolean' },
    auditable: { type: 'boolean' },
  },
})
const prefix = resolve(
  values.prefix ?? join(root, '.tmp', values.archive === undefined ? 'capi-release' : 'capi-archive'),
)
const target = values.target ?? hostTarget()
const command = values.zig ? ['zigbuild', '--target', zigTarget(target)] : ['build', '--target', target]
await run('cargo', [...command, '--release', '--package', 'contract-capi'], {
  cwd: root,
  env: releaseEnvironment(root, { target, auditable: values.auditable }),
})
const built = join(targetFolder(root), target, 'release')
assertNoBuildPaths(root, sharedLibraries(built))
if (values.archive === undefined) {
  layOut(root, built, prefix)
  console.log(prefix)
} else {
  rmSync(prefix, { recursive: true, force: true })
  layOut(root, built, prefix, { isMovable: true })
  mkdirSync(dirname(resolve(values.archive)), { recursive: true })
  writeArchive(values.archive, prefix)
  console.log(values.archive)
}
