// Facts about the targets of releases. Uses only Node itself.

/** The oldest glibc that the Linux packages support: that of CentOS 7, as for Rust itself. */
export const oldestGlibc = '2.17'

/** The oldest macOS that the packages support: the oldest one for Node 20. */
export const oldestMacos = { x64: '10.15', arm64: '11.0' }

/**
 * Targets for which zig links on Linux without Microsoft's libraries, each with the released target that it replaces in
 * tests. Such builds prove that the code works on Windows. They are not released.
 */
export const proofTargets = {
  'x86_64-pc-windows-gnu': 'x86_64-pc-windows-msvc',
  'aarch64-pc-windows-gnullvm': 'aarch64-pc-windows-msvc',
}

/** The name of a target for cargo-zigbuild, which also determines the version of glibc. */
export function zigTarget(target) {
  return target.endsWith('-linux-gnu') ? `${target}.${oldestGlibc}` : target
}
