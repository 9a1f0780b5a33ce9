// Builds the C interface for being shipped or measured, and lays it out below a prefix: include/contract.h, lib/libcontract.* and
// lib/pkgconfig/contract.pc. `node scripts/build-capi.mjs --prefix DIR [--target TRIPLE]`; default prefix: .tmp/capi-release.
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { layOut, targetFolder } from './lib/capi.mjs'
import { hostTarget } from './lib/cargo.mjs'
import { root } from './lib/project.mjs'
import { run } from './lib/run.mjs'

const { values } = parseArgs({ options: { prefix: { type: 'string' }, target: { type: 'string' } } })
const prefix = resolve(values.prefix ?? join(root, '.tmp', 'capi-release'))
const target = values.target ?? hostTarget()
await run('cargo', ['build', '--release', '--package', 'contract-capi', '--target', target], { cwd: root })
layOut(root, join(targetFolder(root), target, 'release'), prefix)
console.log(prefix)
