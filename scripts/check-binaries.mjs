// `check-binaries.mjs PLATFORM [--auditable] [--standalone]`: checks the native files in npm/PLATFORM, or with --standalone the executable
// in standalone/PLATFORM. With --auditable, they must contain the list of their crates.
import { parseArgs } from 'node:util'
import { checkPlatform } from './lib/check-binary.mjs'
import { platformBy } from './lib/project.mjs'

const { values, positionals } = parseArgs({
  options: { auditable: { type: 'boolean' }, standalone: { type: 'boolean' } },
  allowPositionals: true,
})
const [name] = positionals
let isSound = true
for (const { file, problems } of checkPlatform(platformBy('name', name), values)) {
  console.log(`${file}: ${problems.join('; ') || 'ok'}`)
  isSound &&= problems.length === 0
}
process.exitCode = isSound ? 0 : 1
