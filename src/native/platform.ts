import { closeSync, openSync, readSync } from 'node:fs'

/** The properties of the system that determine the native library to load. */
export interface Platform {
  /** The platform's name in package names, such as `linux-x64-gnu` or `darwin-arm64`. */
  readonly name: string
  /** The C library of this process on Linux. `undefined` on other systems. */
  readonly libc: Libc | undefined
}

export type Libc = 'glibc' | 'musl'

export function currentPlatform(): Platform {
  const { platform, arch } = process
  if (platform === 'linux') {
    const libc = linuxLibc()
    return { name: `linux-${arch}-${libc === 'musl' ? 'musl' : 'gnu'}`, libc }
  }
  return { name: platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`, libc: undefined }
}

/**
 * Detects the C library from the name of the dynamic loader in Node's executable. A process report contains the same
 * information but takes 5 ms, a third of the time budget for importing this package. The C library of the distribution (`ldd`)
 * is wrong for a Node that was built for glibc on a musl system.
 */
function linuxLibc(): Libc {
  const start = Buffer.alloc(4096)
  try {
    const executable = openSync(process.execPath, 'r')
    try {
      readSync(executable, start, 0, start.length, 0)
    } finally {
      closeSync(executable)
    }
  } catch {
    // If the executable cannot be read, fall back to the process report.
  }
  if (start.includes('/ld-musl-')) return 'musl'
  if (start.includes('/ld-linux')) return 'glibc'
  return libcFromReport()
}

/**
 * Detects the C library from a process report, for executables without a known loader: those that patchelf modified,
 * and statically linked ones.
 */
function libcFromReport(): Libc {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}
