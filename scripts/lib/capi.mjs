// Installs the C interface below a prefix (header, libraries, and contract.pc) and runs its tests.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cargoBuild, hostTarget, nativePackages } from './cargo.mjs'
import { noticesFile } from './root.mjs'
import { run, StepFailed } from './run.mjs'
import { sbomFile, sbomText } from './sbom.mjs'

/** System libraries that a static Rust library needs. */
const privateLibraries = {
  darwin: '-lpthread -lm -framework CoreFoundation -framework Security',
  linux: '-lpthread -ldl -lm -lgcc_s',
}

/** The prefix of the tests. */
export function capiPrefix(root) {
  return join(root, '.tmp', 'capi')
}

/** Builds the interface quickly, with the artifacts of the other builds, and installs it for the tests. */
export async function installCapi(root) {
  await cargoBuild(root, ['build', ...nativePackages.flatMap((name) => ['--package', name])])
  layOut(root, join(targetFolder(root), hostTarget(), 'debug'), capiPrefix(root))
}

/** Copies the artifacts of a cargo directory below the prefix. With `isMovable`, the prefix may be moved to another directory. */
export function layOut(root, built, prefix, { isMovable = false } = {}) {
  const [include, lib] = [join(prefix, 'include'), join(prefix, 'lib')]
  for (const folder of [include, join(lib, 'pkgconfig')]) mkdirSync(folder, { recursive: true })
  const source = join(root, 'crates', 'capi')
  copyFileSync(join(source, 'include', 'contract.h'), join(include, 'contract.h'))
  const share = join(prefix, 'share', 'contract')
  mkdirSync(share, { recursive: true })
  writeFileSync(join(share, 'operations.json'), operationsText(root))
  for (const [from, to] of libraries()) {
    rmSync(join(lib, to), { force: true })
    copyFileSync(join(built, from), join(lib, to))
  }
  if (process.platform === 'linux') {
    rmSync(join(lib, 'libcontract.so'), { force: true })
    symlinkSync('libcontract.so.1', join(lib, 'libcontract.so'))
  }
  const licenses = join(prefix, 'share', 'licenses', 'contract')
  mkdirSync(licenses, { recursive: true })
  for (const file of ['LICENSE', noticesFile]) copyFileSync(join(root, file), join(licenses, file))
  writeFileSync(join(licenses, sbomFile), sbomText())
  const version = /^version = "(.+)"$/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))[1]
  const text = readFileSync(join(source, 'contract.pc.in'), 'utf8')
    .replace('@PREFIX@', isMovable ? '${pcfiledir}/../..' : prefix)
    .replace('@VERSION@', version)
    .replace('@PRIVATE@', privateLibraries[process.platform] ?? '')
  writeFileSync(join(lib, 'pkgconfig', 'contract.pc'), text)
}

/** The result of contract_operations. */
function operationsText(root) {
  const [operations, functions] = ['calls', 'functions'].map((name) =>
    readFileSync(join(root, 'fixtures', 'operations', `${name}.json`), 'utf8'),
  )
  const shapes = readFileSync(join(root, 'crates', 'capi', 'include', 'shapes.json'), 'utf8')
  return `{"operations":${operations},"functions":${functions},"shapes":${shapes}}`
}

/** The shared library in a cargo directory. */
export function sharedLibraries(built) {
  return [join(built, libraries()[0][0])]
}

/** The names of the libraries in the cargo directory and in the prefix. */
function libraries() {
  switch (process.platform) {
    case 'win32':
      return [
        ['contract_capi.dll', 'contract.dll'],
        ['contract_capi.dll.lib', 'contract.lib'],
      ]
    case 'darwin':
      return [
        ['libcontract_capi.dylib', 'libcontract.dylib'],
        ['libcontract_capi.a', 'libcontract.a'],
      ]
    default:
      return [
        ['libcontract_capi.so', 'libcontract.so.1'],
        ['libcontract_capi.a', 'libcontract.a'],
      ]
  }
}

export function targetFolder(root) {
  const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps'], {
    encoding: 'utf8',
    cwd: root,
  })
  return JSON.parse(metadata).target_directory
}

/** Programs that the tests require in addition to the compiler, with their Debian packages. */
const tools = { 'pkg-config': 'pkg-config', valgrind: 'valgrind', go: 'golang-go', ruby: 'ruby' }

/** Installs missing programs with apt. */
export async function installCapiTools() {
  const missing = Object.entries(tools).filter(([program]) => !isThere(program))
  if (missing.length === 0) return
  const packages = missing.map(([, name]) => name)
  try {
    await run('apt-get', ['update', '-qq'])
    await run('apt-get', ['install', '-qq', '--no-install-recommends', '-y', ...packages])
  } catch {
    throw new StepFailed(
      `apt-get could not install packages that the tests of the C interface require: ${packages.join(' ')}`,
    )
  }
}

function isThere(program) {
  try {
    execFileSync(program, [program === 'go' ? 'version' : '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Returns the environment in which compilers and programs find the interface. */
export function capiEnvironment(root) {
  const lib = join(capiPrefix(root), 'lib')
  return { ...process.env, LD_LIBRARY_PATH: lib, DYLD_LIBRARY_PATH: lib, PKG_CONFIG_PATH: join(lib, 'pkgconfig') }
}

/** Compiles a C program and returns its path. With `isStatic`, the library is linked statically. */
export async function compileC(root, name, sources, { isStatic = false, flags = [] } = {}) {
  const env = capiEnvironment(root)
  const pkgConfig = (...options) =>
    execFileSync('pkg-config', [...options, 'contract'], { encoding: 'utf8', env })
      .trim()
      .split(/\s+/)
  const output = join(capiPrefix(root), name)
  const link = isStatic
    ? [
        join(capiPrefix(root), 'lib', 'libcontract.a'),
        ...pkgConfig('--libs', '--static').filter((flag) => !/^-L|-lcontract/.test(flag)),
      ]
    : pkgConfig('--libs')
  const warnings = ['-std=c11', '-Wall', '-Wextra', '-Werror', '-g']
  await run('cc', [
    ...warnings,
    ...flags,
    ...pkgConfig('--cflags'),
    ...sources.map((source) => join(root, source)),
    ...link,
    '-lpthread',
    '-o',
    output,
  ])
  return output
}

/**
 * Runs the test suite in four builds: normal, linked statically, with sanitizers for the C code, and under valgrind. It
 * counts as one suite. `onLine` receives the lines of the first build, and the failures of the others.
 */
export async function testCapi(root, onLine) {
  const again = (line) => onLine(line.replace(/^\d+ passed, /, '0 passed, '))
  const env = capiEnvironment(root)
  const suite = ['crates/capi/tests/c/suite.c', 'examples/c/http.c']
  await run(await compileC(root, 'suite', suite), [], { env, onLine })
  await run(await compileC(root, 'suite-static', suite, { isStatic: true }), [], { onLine: again })
  const flags = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer']
  await run(await compileC(root, 'suite-sanitized', suite, { flags }), [], { env, onLine: again })
  const checks = [
    '--quiet',
    '--error-exitcode=9',
    '--leak-check=full',
    '--errors-for-leak-kinds=definite',
    '--fair-sched=yes',
  ]
  const valgrindEnv = { ...env, UNDER_VALGRIND: '1' }
  await run('valgrind', [...checks, join(capiPrefix(root), 'suite')], { env: valgrindEnv, onLine: again })
}

/** Runs the C, Go, and Ruby examples and returns their number. */
export async function runCapiExamples(root) {
  const env = capiEnvironment(root)
  const contracts = join(capiPrefix(root), 'contracts')
  rmSync(contracts, { recursive: true, force: true })
  for (const name of ['consumer', 'provider']) {
    const program = await compileC(root, name, [`examples/c/${name}.c`, 'examples/c/http.c'])
    await run(program, [contracts], { env })
  }
  await run('go', ['vet', './...'], { cwd: join(root, 'examples', 'go'), env })
  await run('go', ['test', '-count=1', './...'], { cwd: join(root, 'examples', 'go'), env })
  await run('ruby', [join(root, 'examples', 'ruby', 'orders_test.rb'), contracts], { env })
  return 5
}
