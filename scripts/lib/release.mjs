// Released files contain no paths of the build machine: builds are reproducible and do not reveal local folders.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { StepFailed } from './run.mjs'

/** Directories that compilers write into their output, and their replacements. */
function folders(root, given) {
  return [
    [given.CARGO_HOME ?? join(homedir(), '.cargo'), '/cargo'],
    [resolve(root), '/contract'],
  ]
}

/** The environment of release builds. */
export function releaseEnvironment(root, given = process.env) {
  const flags = given.CARGO_ENCODED_RUSTFLAGS?.split('\x1f') ?? given.RUSTFLAGS?.split(' ').filter(Boolean) ?? []
  for (const [from, to] of folders(root, given)) flags.push(`--remap-path-prefix=${from}=${to}`)
  const environment = { ...given, CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f') }
  if (process.platform === 'win32') return environment
  // C code contains the names of its source files in messages.
  const maps = folders(root, given).map(([from, to]) => `-ffile-prefix-map=${from}=${to}`)
  return { ...environment, CFLAGS: [given.CFLAGS, ...maps].filter(Boolean).join(' ') }
}

/** Throws if one of the files contains a path of this machine. */
export function assertNoBuildPaths(root, files, given = process.env) {
  for (const file of files) {
    const content = readFileSync(file)
    const found = folders(root, given).find(([folder]) => content.includes(folder))
    if (found) throw new StepFailed(`${file} contains the path ${found[0]} of this machine`)
  }
}
