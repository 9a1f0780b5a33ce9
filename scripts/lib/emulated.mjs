// Runs programs for arm64 on Linux x64 with qemu. Requires root, apt, and a kernel with binfmt_misc.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages, unpackPackages } from './debian.mjs'

const QEMU = '/usr/bin/qemu-aarch64-static'
const HANDLERS = '/proc/sys/fs/binfmt_misc'
const HANDLER = 'contract-aarch64-name'
/** The start of an ELF file for arm64, and which of its bits count. */
const MAGIC = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`
const MASK = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`
/** Debian packages with the libraries of Node. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1']
/** The Debian release from which Python is installed, and its version there. */
const PYTHON = { suite: 'bookworm', name: 'python3.11' }
/** The Debian packages with Python's libraries. */
const PYTHON_LIBRARIES = ['libc6', 'libgcc-s1', 'libexpat1', 'zlib1g', 'libssl3', 'libffi8']

/** Lets the kernel start programs for arm64. */
export function emulateArm64() {
  installPackages(QEMU, ['qemu-user-static'])
  if (!existsSync(join(HANDLERS, 'register'))) execFileSync('mount', ['-t', 'binfmt_misc', 'none', HANDLERS])
  // The kernel prefers the handler that was registered last. With the flag P, programs see the name under which they were started.
  if (!existsSync(join(HANDLERS, HANDLER)))
    writeFileSync(join(HANDLERS, 'register'), `:${HANDLER}:M::${MAGIC}:${MASK}:${QEMU}:PF`)
}

/** The environment in which programs for arm64 find glibc. */
export function glibcForArm64(folder) {
  return { QEMU_LD_PREFIX: unpackPackages(folder, { architecture: 'arm64', packages: LIBRARIES }) }
}

/** Returns the path of Python for arm64, and the environment in which it runs. */
export function pythonForArm64(folder) {
  const { suite, name } = PYTHON
  const packages = [`${name}-minimal`, `lib${name}-minimal`, `lib${name}-stdlib`, ...PYTHON_LIBRARIES]
  const root = unpackPackages(folder, { architecture: 'arm64', packages, suite })
  return [join(root, 'usr', 'bin', name), { QEMU_LD_PREFIX: root, PYTHONHOME: join(root, 'usr') }]
}
