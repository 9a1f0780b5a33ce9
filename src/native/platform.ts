import { closeSync, openSync, readSync } from 'node:fs'

/** The system this process runs on, as far as it decides which native code fits. */
export interface Platform {
  /** As in the name of a platform package: `linux-x64-gnu`, `darwin-arm64`. */
  readonly name: string
  /** The C library of a Linux process; elsewhere there is no choice. */
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
 * Reads which dynamic loader the running executable asks for. A process report says the same but takes 5 ms, a third of
 * what importing this package may cost; asking the distribution (`ldd`) is wrong for a glibc Node on a musl system.
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
    // Unreadable: the report decides.
  }
  if (start.includes('/ld-musl-')) return 'musl'
  if (start.includes('/ld-linux')) return 'glibc'
  return libcFromReport()
}

/** For executables whose loader is named elsewhere (moved by patchelf) or not at all (linked statically). */
function libcFromReport(): Libc {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}
