// What a released library or executable must satisfy: it is for its platform, requires only libraries that every such system has, reveals
// no path of the build machine, and lists its crates. Otherwise it would only fail on the machines of users.
import { basename, join } from 'node:path'
import { cratesIn, readBinary } from './binary.mjs'
import { nativeFiles, standaloneFile } from './project.mjs'
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

/** The function of the native library that the executable of the npm packages calls (crates/launcher). */
const COMMAND_LINE = 'contract_main'

/** Returns the native files of an npm package with their problems, or those of the executable that needs no library. */
export function checkPlatform(platform, { auditable = false, standalone = false } = {}) {
  const folder = join(root, 'npm', platform.name)
  const [library, executable] = nativeFiles(platform).map((file) => join(folder, file))
  const files = standalone
    ? [[standaloneFile(platform), { isStatic: true }]]
    : [
        [library, { symbols: [COMMAND_LINE] }],
        [executable, {}],
      ]
  return files.map(([file, options]) => ({ file, problems: problemsOf(file, platform, { auditable, ...options }) }))
}

/**
 * Returns the problems of a file for a platform. `extraLibraries` are allowed in addition, `symbols` must be exported, and an executable
 * for musl must be static with `isStatic`, or must not be static because it loads the native library.
 */
export function problemsOf(
  path,
  platform,
  { auditable = false, extraLibraries = [], symbols = [], isStatic = false } = {},
) {
  const facts = readBinary(path)
  const allowed = allowedLibraries[systemOf(platform)]
  const foreign = facts.libraries.filter((name) => !allowed.test(name) && !extraLibraries.includes(name))
  const missing = symbols.filter((name) => !facts.exports().includes(name))
  return [
    facts.cpu !== platform.cpu && `it is for ${facts.cpu}, not for ${platform.cpu}`,
    foreign.length > 0 && `it requires ${foreign.join(', ')}, which not every system has`,
    missing.length > 0 && `it does not export ${missing.join(', ')}`,
    platform.os === 'linux' && libcProblem(path, facts, platform, isStatic),
    platform.os === 'darwin' && macosProblem(facts, platform),
    auditable && auditProblem(facts),
    buildPath(path),
  ].filter(Boolean)
}

function systemOf({ os, abi }) {
  if (os === 'linux') return abi === 'musl' ? 'musl' : 'glibc'
  return os === 'darwin' ? 'macos' : 'windows'
}

function libcProblem(path, { libraries, versions, loader }, { abi }, isStatic) {
  const glibc = versions.flatMap((version) => /^GLIBC_2\.(\d+)/.exec(version)?.[1] ?? []).map(Number)
  if (abi === 'musl') {
    if (glibc.length > 0 || loader?.includes('/ld-linux')) return 'it requires glibc'
    // The image of the broker contains no other file.
    if (isStatic) return libraries.length > 0 || loader ? 'the executable is not linked statically' : undefined
    const isLibrary = /\.(node|so)/.test(basename(path))
    return libraries.length === 0 || !(isLibrary || loader) ? 'it does not require musl' : undefined
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
