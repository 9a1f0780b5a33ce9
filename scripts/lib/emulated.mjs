// Runs programs for arm64 on Linux x64 with qemu. Requires root, apt, and a kernel with binfmt_misc.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StepFailed } from './run.mjs'

const QEMU = '/usr/bin/qemu-aarch64-static'
const HANDLERS = '/proc/sys/fs/binfmt_misc'
const HANDLER = 'contract-aarch64'
/** The start of an ELF file for arm64, and which of its bits count. */
const MAGIC = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`
const MASK = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`
/** Debian packages with the libraries of Node. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1']

/** Lets the kernel start programs for arm64, and returns the environment for them. */
export function emulateArm64(folder) {
  const quiet = { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  if (!existsSync(QEMU)) {
    execFileSync('apt-get', ['update', '-qq'], quiet)
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'qemu-user-static'], quiet)
  }
  if (!existsSync(join(HANDLERS, 'register'))) execFileSync('mount', ['-t', 'binfmt_misc', 'none', HANDLERS], quiet)
  const isKnown = readdirSync(HANDLERS).some((name) => /aarch64/.test(name))
  if (!isKnown) writeFileSync(join(HANDLERS, 'register'), `:${HANDLER}:M::${MAGIC}:${MASK}:${QEMU}:F`)
  return { QEMU_LD_PREFIX: libraries(folder) }
}

/** Unpacks the libraries into a directory. apt keeps its lists for arm64 apart from those of this machine. */
function libraries(folder) {
  const root = join(folder, 'root')
  if (existsSync(join(root, 'lib', 'ld-linux-aarch64.so.1'))) return root
  for (const part of ['lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(folder, part), { recursive: true })
  const settings = {
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::State::status': '/dev/null',
    'APT::Architecture': 'arm64',
    'APT::Architectures': 'arm64',
    'APT::Sandbox::User': 'root',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const apt = (...args) => execFileSync('apt-get', [...options, '-qq', ...args], { cwd: folder, stdio: 'pipe' })
  apt('update')
  apt('download', ...LIBRARIES)
  const packages = readdirSync(folder).filter((name) => name.endsWith('.deb'))
  if (packages.length < LIBRARIES.length) throw new StepFailed('apt did not download the libraries for arm64')
  for (const name of packages) execFileSync('dpkg', ['-x', name, root], { cwd: folder })
  return root
}
