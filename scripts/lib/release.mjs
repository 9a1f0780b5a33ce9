// Released files contain no paths of the build machine: builds are reproducible and do not reveal local folders.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { StepFailed } from './run.mjs'

/** Directories that compilers write into their output, and their replacements. */
function folders(root, environment) {
  return [
    [environment.CARGO_HOME ?? join(homedir(), '.cargo'), '/cargo'],
    [resolve(root), '/contract'],
  ]
}

/**
 * The environment of release builds for a target, with additional flags for rustc. With `auditable`, libraries and executables contain
 * the list of their crates, which vulnerability scanners read. It requires cargo-auditable.
 */
export function releaseEnvironment(
  root,
  { target = '', auditable = false, flags: added = [], given = process.env } = {},
) {
  const flags = given.CARGO_ENCODED_RUSTFLAGS?.split('\x1f') ?? given.RUSTFLAGS?.split(' ').filter(Boolean) ?? []
  for (const [from, to] of folders(root, given)) flags.push(`--remap-path-prefix=${from}=${to}`)
  flags.push(...runtimeFlags(target), ...added)
  const environment = { ...given, CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f'), ...(auditable && auditableVariables) }
  if (process.platform === 'win32') return environment
  // C code contains the names of its source files in messages.
  const maps = folders(root, given).map(([from, to]) => `-ffile-prefix-map=${from}=${to}`)
  return { ...environment, CFLAGS: [given.CFLAGS, ...maps].filter(Boolean).join(' ') }
}

/**
 * Variables that `cargo auditable` sets before it calls cargo. They are set here, because napi and maturin call cargo
 * themselves. `check-binaries.mjs` fails if a file does not contain the list.
 */
const auditableVariables = {
  RUSTC_WORKSPACE_WRAPPER: 'cargo-auditable',
  CARGO_AUDITABLE_ORIG_ARGS: JSON.stringify({ offline: false, locked: false, frozen: false, config: [] }),
}

/** How the C runtime is linked. */
function runtimeFlags(target) {
  // Without this flag, Rust does not build dynamic libraries for musl.
  if (target.endsWith('-musl')) return ['-Ctarget-feature=-crt-static']
  // Otherwise, users would have to install the Visual C++ runtime (VCRUNTIME140.dll).
  if (target.endsWith('-msvc')) return ['-Ctarget-feature=+crt-static']
  return []
}

/** Throws if one of the files contains a path of this machine. */
export function assertNoBuildPaths(root, files, environment = process.env) {
  for (const file of files) {
    const content = readFileSync(file)
    const found = folders(root, environment).find(([folder]) => content.includes(folder))
    if (found) throw new StepFailed(`${file} contains the path ${found[0]} of this machine`)
  }
}
