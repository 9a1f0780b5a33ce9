// What a released library or executable must satisfy: it is for its platform, requires only libraries that every such system has, reveals
// no path of the build machine, and lists its crates. Otherwise it would only fail on the machines of users.
import { basename } from 'node:path'
import { cratesIn, readBinary } from './binary.mjs'
import { assertNoBuildPaths } from './release.mjs'
import { root } from './root.mjs'
import { lockedCrates } from './sbom.mjs'
import { oldestGlibc, oldestMacos } from './targets.mjs'

const frameworks = 'CoreFoundation|Security|SystemConfiguration'
/** The libraries that each system has, without their path on Windows. */
const allowedLibraries = {
  glibc: /^(lib(c|m|dl|pthread|rt|util)\.so\.\d|ld-linux-.+\.so\.\d)$/,
  // zig uses `libc.so`, and gcc the file name on Alpine. The loader of musl accepts both.
  musl: /^libc(\.so|\.musl-.+\.so\.1)$/,
  macos: new RegExp(
    `^(/usr/lib/lib(System\\.B|iconv\\.2|objc\\.A)\\.dylib|/System/Library/Frameworks/(${frameworks})\\.framework/.+)$`,
  ),
  // The Universal C runtime (api-ms-win-crt) is a part of Windows 10. VCRUNTIME140.dll is not.
  windows:
    /^((advapi32|bcrypt|bcryptprimitives|combase|crypt32|iphlpapi|kernel32|ncrypt|ntdll|ole32|oleaut32|pdh|powrprof|psapi|secur32|shell32|user32|userenv|ws2_32)\.dll|api-ms-win-(core|crt)-.+\.dll)$/,
}

/** Returns the problems of a file for a platform. `extraLibraries` are allowed in addition. */
export function problemsOf(path, platform, { auditable = false, extraLibraries = [] } = {}) {
  const facts = readBinary(path)
  const allowed = allowedLibraries[systemOf(platform)]
  const foreign = facts.libraries.filter((name) => !allowed.test(name) && !extraLibraries.includes(name))
  return [
    facts.cpu !== platform.cpu && `it is for ${facts.cpu}, not for ${platform.cpu}`,
    foreign.length > 0 && `it requires ${foreign.join(', ')}, which not every system has`,
    platform.os === 'linux' && libcProblem(path, facts, platform),
    platform.os === 'darwin' && macosProblem(facts, platform),
    auditable && auditProblem(facts),
    buildPath(path),
  ].filter(Boolean)
}

function systemOf({ os, abi }) {
  if (os === 'linux') return abi === 'musl' ? 'musl' : 'glibc'
  return os === 'darwin' ? 'macos' : 'windows'
}

function libcProblem(path, { libraries, versions, loader }, { abi }) {
  const glibc = versions.flatMap((version) => /^GLIBC_2\.(\d+)/.exec(version)?.[1] ?? []).map(Number)
  if (abi === 'musl') {
    if (glibc.length > 0 || loader?.includes('/ld-linux')) return 'it requires glibc'
    const isLibrary = /\.(node|so)/.test(basename(path))
    if (isLibrary) return libraries.length === 0 ? 'it does not require musl' : undefined
    // The image of the broker contains no other file.
    return libraries.length > 0 || loader !== undefined ? 'the executable is not linked statically' : undefined
  }
  if (glibc.length === 0) return 'it does not require glibc'
  const newest = Math.max(...glibc)
  return newest > Number(oldestGlibc.slice(2)) ? `it requires glibc 2.${newest}` : undefined
}

function macosProblem({ macos }, { cpu }) {
  const number = (version) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)
  const oldest = oldestMacos[cpu]
  return number(macos) > number(oldest)
    ? `it requires macOS ${macos}; the oldest supported one is ${oldest}`
    : undefined
}

/** The list also names macros and their dependencies, which are not linked, so it is compared with the lock file. */
function auditProblem(facts) {
  const crates = cratesIn(facts)?.map(({ name, version }) => `${name} ${version}`)
  if (crates === undefined) return 'it does not contain the list of its crates (cargo-auditable)'
  const locked = lockedCrates()
  const missing = crates.filter((crate) => !locked.has(crate))
  return missing.length > 0 ? `it contains crates that Cargo.lock does not list: ${missing.join(', ')}` : undefined
}

function buildPath(path) {
  try {
    assertNoBuildPaths(root, [path])
    return undefined
  } catch (error) {
    return error.message
  }
}
