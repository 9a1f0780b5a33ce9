// Tests the wheels and C archives that `npm run release:local` has built, as far as they can run on Linux x64.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { unpackPackages } from './debian.mjs'
import { emulateArm64, glibcForArm64 } from './emulated.mjs'
import { muslLibrary } from './musl.mjs'
import { root } from './project.mjs'
import { zigCommand } from './release-tools.mjs'
import { zigTarget } from './targets.mjs'

/** Time for a test, in milliseconds. */
const TIMEOUT = 300_000
/** The Debian release of the emulated Python, whose version is in the names of its packages. */
const DEBIAN = { suite: 'bookworm', python: 'python3.11' }

/** How to start Python for a platform, with the environment. There is no Python for musl in PyPI and Debian. */
const pythons = {
  'linux-x64-gnu': () => ['python3', {}],
  'linux-arm64-gnu': (tools) => emulatedPython(join(tools, 'python-aarch64')),
}

/** The environment in which C programs for a platform run. */
const libraries = {
  'linux-x64-gnu': () => ({}),
  'linux-arm64-gnu': (tools) => glibcForArm64(join(tools, 'glibc-aarch64')),
  'linux-x64-musl': (tools) => muslLibrary(tools, 'x64'),
  'linux-arm64-musl': (tools) => muslLibrary(tools, 'arm64'),
}

/**
 * Returns the tests of the files in `artifacts`, the output directory of release:local, for a platform. `run` receives an empty directory.
 * `tools` is a directory for downloads.
 */
export function artifactTests(platform, { artifacts, tools }) {
  const file = (folder, pattern) => {
    const path = join(artifacts, folder)
    const found = listed(path).find((name) => pattern.test(name))
    return found === undefined ? undefined : join(path, found)
  }
  const wheel = file(join('wheels', platform.name), /\.whl$/)
  const archive = file('c', new RegExp(`-${platform.name}\\.tar\\.gz$`))
  if (platform.cpu !== process.arch) emulateArm64()
  return [
    ...(wheel !== undefined && platform.name in pythons
      ? [{ title: 'wheel', run: (folder) => testWheel(pythons[platform.name](tools), wheel, folder) }]
      : []),
    ...(archive !== undefined && platform.name in libraries
      ? [
          {
            title: 'C archive',
            run: (folder) => testArchive(platform, archive, folder, libraries[platform.name](tools)),
          },
        ]
      : []),
  ]
}

function listed(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Runs a consumer test and a verification with the wheel. No other package is installed. */
function testWheel([python, env], wheel, folder) {
  const packages = join(folder, 'packages')
  execFileSync('python3', ['-m', 'zipfile', '--extract', wheel, packages])
  const script = join(root, 'python', 'tests', 'bare.py')
  // With -S, other installed packages are not found.
  start(python, ['-S', script, join(folder, 'contracts')], { ...env, PYTHONPATH: packages })
}

function emulatedPython(folder) {
  const { suite, python } = DEBIAN
  const packages = [`${python}-minimal`, `lib${python}-minimal`, `lib${python}-stdlib`]
  const needed = ['libc6', 'libgcc-s1', 'libexpat1', 'zlib1g', 'libssl3', 'libffi8']
  const system = unpackPackages(folder, { architecture: 'arm64', packages: [...packages, ...needed], suite })
  return [join(system, 'usr', 'bin', python), { QEMU_LD_PREFIX: system, PYTHONHOME: join(system, 'usr') }]
}

/** Compiles the examples in C with the archive, and runs them: a consumer test, and the verification of its contract. */
function testArchive({ target, abi }, archive, folder, env) {
  execFileSync('tar', ['--extract', '--gzip', '--strip-components=1', '--file', archive, '--directory', folder])
  const contracts = join(folder, 'contracts')
  mkdirSync(contracts)
  const [zig, ...args] = zigCommand()
  const examples = join(root, 'examples', 'c')
  for (const name of ['consumer', 'provider']) {
    const program = join(folder, name)
    const sources = [join(examples, `${name}.c`), join(examples, 'http.c')]
    const where = [`-I${join(folder, 'include')}`, `-L${join(folder, 'lib')}`]
    // By default, zig links programs for musl statically, and static programs cannot load libraries.
    const linked = ['-lcontract', '-lpthread', ...(abi === 'musl' ? ['-dynamic'] : [])]
    const machine = ['-target', zigTarget(target).replace('-unknown', '')]
    execFileSync(zig, [...args, 'cc', ...machine, ...sources, ...where, ...linked, '-o', program])
    start(program, [contracts], { ...env, LD_LIBRARY_PATH: join(folder, 'lib') })
  }
}

function start(program, args, env) {
  execFileSync(program, args, { env: { ...process.env, ...env }, stdio: 'inherit', timeout: TIMEOUT })
}
