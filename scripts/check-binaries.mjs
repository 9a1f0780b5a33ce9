// `check-binaries.mjs PLATFORM [--auditable] [FILE…]`: checks native files for a platform; default: those in npm/PLATFORM. With --auditable,
// they must contain the list of their crates.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { problemsOf } from './lib/check-binary.mjs'
import { nativeFiles, platformBy, root } from './lib/project.mjs'

const { values, positionals } = parseArgs({ options: { auditable: { type: 'boolean' } }, allowPositionals: true })
const [name, ...given] = positionals
const platform = platformBy('name', name)
const files = given.length > 0 ? given : nativeFiles(platform).map((file) => join(root, 'npm', platform.name, file))
let isSound = true
for (const file of files) {
  const problems = problemsOf(file, platform, values)
  console.log(`${file}: ${problems.join('; ') || 'ok'}`)
  isSound &&= problems.length === 0
}
process.exitCode = isSound ? 0 : 1
