// Tests the wheels and C archives that `npm run release:local` has built, as far as they can run on Linux x64.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { emulateArm64, glibcForArm64, pythonForArm64 } from './emulated.mjs'
import { muslLibrary } from './musl.mjs'
import { root } from './project.mjs'
import { zigCommand } from './release-tools.mjs'
import { zigTarget } from './targets.mjs'

/** Time for a test, in milliseconds. */
const TIMEOUT = 300_000
/** The command that starts Python on a platform, and its environment. Neither PyPI nor Debian provides Python for musl. */
const pythons = {
  'linux-x64-gnu': () => ['python3', {}],
  'linux-arm64-gnu': (tools) => pythonForArm64(join(tools, 'python-aarch64')),
}

/** The environment in which C programs for a platform run. */
const libraries = {
  'linux-x64-gnu': () => ({}),
  'linux-arm64-gnu': (tools) => glibcForArm64(join(tools, 'glibc-aarch64')),
  'linux-x64-musl': (tools) => muslLibrary(tools, 'x64'),
  'linux-arm64-musl': (tools) => muslLibrary(tools, 'arm64'),
}

/**
 * Returns the tests of a platform's wheel and C archive in `artifacts`, the output directory of release:local. `run` receives an empty
 * directory. If the test is not possible, `obstacle` is the reason instead. `tools` is a directory for downloads.
 */
export function artifactTests(platform, { artifacts, tools }) {
  const test = (title, [folder, pattern], runtime, work) => {
    const file = find(join(artifacts, folder), pattern)
    if (runtime === undefined) return { title, obstacle: 'cannot run on this machine' }
    if (file === undefined) return { title, obstacle: `not found in ${artifacts}`, isMissing: true }
    return {
      title,
      run(folder) {
        if (platform.cpu !== process.arch) emulateArm64()
        work(file, folder, runtime(tools))
      },
    }
  }
  const { name } = platform
  const archives = ['c', new RegExp(`-${name}\\.tar\\.gz$`)]
  return [
    test('wheel', [join('wheels', name), /\.whl$/], pythons[name], testWheel),
    test('C archive', archives, libraries[name], (...args) => testArchive(platform, ...args)),
  ]
}

/** Returns the path of a file in a directory, or undefined if it or the directory does not exist. */
function find(folder, pattern) {
  const name = existsSync(folder) ? readdirSync(folder).find((file) => pattern.test(file)) : undefined
  return name === undefined ? undefined : join(folder, name)
}

/** Runs a consumer test and a verification with the wheel. No other package is installed. */
function testWheel(wheel, folder, [python, env]) {
  const packages = join(folder, 'packages')
  execFileSync('python3', ['-m', 'zipfile', '--extract', wheel, packages])
  const script = join(root, 'python', 'tests', 'bare.py')
  // With -S, other installed packages are not found.
  start(python, ['-S', script, join(folder, 'contracts')], { ...env, PYTHONPATH: packages })
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
