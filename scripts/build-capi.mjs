// Builds the C interface for release or for measurements, and installs it below a prefix: include/contract.h,
// lib/libcontract.*, lib/pkgconfig/contract.pc and share/contract/operations.json. It does not require `npm install`. `node
// scripts/build-capi.mjs --prefix DIR [--target TRIPLE]`; default prefix: .tmp/capi-release.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { layOut, sharedLibraries, targetFolder } from './lib/capi.mjs'
import { hostTarget } from './lib/cargo.mjs'
import { assertNoBuildPaths, releaseEnvironment } from './lib/release.mjs'
import { root } from './lib/root.mjs'
import { run } from './lib/run.mjs'

const { values } = parseArgs({ options: { prefix: { type: 'string' }, target: { type: 'string' } } })
const prefix = resolve(values.prefix ?? join(root, '.tmp', 'capi-release'))
const target = values.target ?? hostTarget()
await run('cargo', ['build', '--release', '--package', 'contract-capi', '--target', target], {
  cwd: root,
  env: releaseEnvironment(root),
})
const built = join(targetFolder(root), target, 'release')
assertNoBuildPaths(root, sharedLibraries(built))
layOut(root, built, prefix)
console.log(prefix)
