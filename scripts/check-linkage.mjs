// `check-linkage.mjs PLATFORM`: checks that npm/PLATFORM/, built for Linux, matches its name. A package for musl that
// requires glibc, or a package that requires a newer glibc than promised, would only fail on users' machines.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { nativeFiles, oldestGlibc, platformBy, root } from './lib/project.mjs'

const machines = { x64: 'X86-64', arm64: 'AArch64' }

const platform = platformBy('name', process.argv[2])
let sound = true
for (const file of nativeFiles(platform)) {
  const problems = problemsOf(join(root, 'npm', platform.name, file))
  console.log(`${platform.name}/${file}: ${problems.join('; ') || 'ok'}`)
  sound &&= problems.length === 0
}
process.exitCode = sound ? 0 : 1

function problemsOf(path) {
  const facts = execFileSync(
    'readelf',
    ['--wide', '--file-header', '--program-headers', '--dynamic', '--version-info', path],
    {
      encoding: 'utf8',
    },
  )
  const libraries = [...facts.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map((match) => match[1])
  const glibc = [...facts.matchAll(/GLIBC_2\.(\d+)/g)].map((match) => Number(match[1]))
  const asksForGlibc = glibc.length > 0 || libraries.includes('libc.so.6') || facts.includes('/ld-linux')

  const problems = []
  if (!new RegExp(`Machine:.*${machines[platform.cpu]}`).test(facts)) problems.push(`not for ${platform.cpu}`)
  if (platform.abi === 'musl') {
    if (asksForGlibc) problems.push('requires glibc')
    // The executable may be linked statically; a library cannot.
    if (path.endsWith('.node') && !libraries.some(isMusl)) problems.push('does not require musl')
  } else {
    if (!asksForGlibc) problems.push('does not require glibc')
    const newest = Math.max(...glibc)
    if (newest > Number(oldestGlibc.slice(2))) problems.push(`requires glibc 2.${newest}`)
  }
  return problems
}

/** The names of musl: zig uses `libc.so`, and gcc uses the file name on Alpine. musl's loader accepts both. */
function isMusl(library) {
  return library === 'libc.so' || library.startsWith('libc.musl-')
}
