// Generated projects that use a runner adapter: the packed tarballs and the runner are installed by npm, once per runner and
// version, in a folder below which each test creates its project.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { checkout, run as runCommand } from '../../package/project.ts'

const partners = process.env.CONTRACT_PARTNERS ?? join(checkout, '.tmp', 'partners')

/** A test runner in one version. */
export interface Runner {
  /** The name of the folder: `vitest-4`. */
  readonly name: string
  /** npm packages with exact versions: `{ vitest: '4.1.12' }`. */
  readonly packages: Readonly<Record<string, string>>
  /** More arguments of `npm install`, for versions that the package does not support. */
  readonly npm?: readonly string[]
  /** A version of the npm package `node` to run it with. Default: the Node that runs these tests. */
  readonly node?: string
  /** A program in `node_modules/.bin` that runs the command instead of Node. */
  readonly program?: string
  /** The type of the modules in the project. Default: `module`. */
  readonly type?: 'module' | 'commonjs'
  /** The arguments of Node, or of `program`, for a complete run. */
  readonly command: readonly string[]
  /** Files of every project, such as the configuration of the runner. */
  readonly files?: Readonly<Record<string, string>>
}

/** The output of a run. */
export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** Both, without colors. */
  readonly output: string
}

export interface Interaction {
  readonly description: string
  readonly comments?: {
    readonly testname?: string
    readonly references?: { readonly test?: { readonly file?: string } }
  }
}

/** A running program, such as a runner in watch mode. */
export interface Watching {
  /** Waits until the output since the last call matches, and returns it. */
  says(words: RegExp): Promise<string>
  /** The output since the last call of `says`. */
  silent(milliseconds: number): Promise<string>
  stop(): Promise<void>
}

/** A project that uses the package. */
export class RunnerProject {
  readonly folder: string
  readonly #runner: Runner
  readonly #installed: string

  constructor(runner: Runner, files: Readonly<Record<string, string>> = {}) {
    this.#runner = runner
    this.#installed = install(runner)
    mkdirSync(join(this.#installed, 'projects'), { recursive: true })
    this.folder = mkdtempSync(join(this.#installed, 'projects', 'p-'))
    projects.push(this.folder)
    // A separate cache, as if the packages were installed here.
    mkdirSync(join(this.folder, 'node_modules'))
    this.write('package.json', JSON.stringify({ name: 'web', private: true, type: runner.type ?? 'module' }))
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts', '**/*.mts', '**/*.cts'] }))
    for (const [name, text] of Object.entries({ ...runner.files, ...files })) this.write(name, text)
  }

  write(name: string, text: string): void {
    const file = join(this.folder, name)
    mkdirSync(dirname(file), { recursive: true })
    // A runner in watch mode must not read an incomplete file. Until it is complete, it is outside the watched directory.
    const incomplete = `${this.folder}.incomplete`
    writeFileSync(incomplete, text)
    renameSync(incomplete, file)
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { recursive: true })
  }

  /** Runs the runner with more arguments. */
  run(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Ran {
    const { status, stdout, stderr, error, pid } = spawnSync(
      this.#node,
      [...this.#resolved(this.#runner.command), ...args],
      {
        cwd: this.folder,
        encoding: 'utf8',
        env: { ...environment(), CI: 'true', ...env },
        timeout: 300_000,
        ...ownGroup,
      },
    )
    endGroup(pid)
    if (error) throw error
    return { status, stdout, stderr, output: `${stdout}\n${stderr}` }
  }

  /** Starts the runner, or Node with `command` in place of the runner's, and leaves it running. */
  start(args: readonly string[] = [], command: readonly string[] = this.#runner.command): Watching {
    const child = spawn(this.#node, [...this.#resolved(command), ...args], {
      cwd: this.folder,
      env: environment(),
      ...ownGroup,
    })
    return watch(child)
  }

  /** Checks the types of all files, in strict mode. Returns the errors. */
  typecheck(): string {
    const compiler = join(this.#installed, 'node_modules', 'typescript', 'bin', 'tsc')
    return runCommand(this.folder, process.execPath, [compiler, '-p', 'tsconfig.json']).stdout
  }

  /** The interactions in the contract file, in its order. */
  contract(name = 'web-users'): Interaction[] {
    const file = join(this.folder, 'contracts', `${name}.json`)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).interactions : []
  }

  descriptions(name?: string): string[] {
    return this.contract(name).map(({ description }) => description)
  }

  /** Output without what differs between machines and runs. */
  normalized(output: string): string {
    return normalize(output, [
      // Jest cannot print a failure whose difference contains `file://<project>`, because that is not a valid URL.
      [`file://${this.folder}`, '<project>'],
      [`file://${this.#installed}`, '<installed>'],
      [this.folder, '<project>'],
      [this.#installed, '<installed>'],
    ])
  }

  get #node(): string {
    if (this.#runner.program !== undefined) return join(this.#installed, 'node_modules', '.bin', this.#runner.program)
    if (this.#runner.node === undefined) return process.execPath
    return join(this.#installed, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  }

  /** Relative paths of the command are files of installed packages. */
  #resolved(command: readonly string[]): string[] {
    return command.map((argument) => {
      const path = join(this.#installed, 'node_modules', argument)
      return !argument.startsWith('-') && argument.includes('/') && existsSync(path) ? path : argument
    })
  }
}

const projects: string[] = []

/** Deletes the projects of the current test file. */
export function removeProjects(): void {
  for (const folder of projects.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** Node's names are used for modules, as in a project without a bundler. */
const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'dom'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: false,
}

/** From a fresh terminal: not as a worker of the runner that runs these tests. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|CONTRACT_|NODE_|JEST_|CI$)/i.test(name))
  return { ...Object.fromEntries(own), NO_COLOR: '1', FORCE_COLOR: '0' }
}

/** Starts a runner in its own process group, so that its workers can be ended with it. `spawnSync` has this option, too. */
const ownGroup: { readonly detached: boolean } = { detached: process.platform !== 'win32' }

/** Ends the remaining workers of a runner. Vitest 3 exits when a worker is killed, and leaves the others running forever. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined || !ownGroup.detached) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have exited.
  }
}

function watch(child: ChildProcess): Watching {
  const ended = once(child, 'exit')
  let printed = ''
  let heard = () => {}
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (data: Buffer) => {
      printed += data
      heard()
    })
  }
  const take = () => {
    const text = printed
    printed = ''
    return text
  }
  return {
    async says(words) {
      const started = Date.now()
      while (!words.test(printed)) {
        const more = new Promise<boolean>((resolve) => {
          heard = () => resolve(true)
        })
        const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 240_000).unref())
        const isMore = await Promise.race([more, late, ended.then(() => words.test(printed))])
        if (!isMore || Date.now() - started > 240_000)
          throw new Error(`the output does not match ${words}:\n${printed}`)
      }
      return take()
    },
    async silent(milliseconds) {
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      return take()
    },
    async stop() {
      child.kill('SIGKILL')
      endGroup(child.pid)
      await ended
    },
  }
}

/** Waits until no other worker of these tests packs or installs the same. */
function locked<T>(name: string, action: () => T): T {
  const lock = join(partners, 'runners', `${name}.lock`)
  mkdirSync(dirname(lock), { recursive: true })
  for (const started = Date.now(); ; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      // Left by tests that were killed.
      if (Date.now() - started > 180_000) rmSync(lock, { recursive: true, force: true })
    }
  }
  try {
    return action()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** Packs the package and this machine's platform package, unless nothing has changed since. */
function tarballs(): string[] {
  const folder = join(partners, 'runners', 'tarballs')
  const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const sources = [join(checkout, 'package.json'), ...filesOf(join(checkout, 'dist')), ...natives()]
  const stamp = createHash('sha256')
    .update(sources.map((file) => `${relative(checkout, file)} ${statSync(file).mtimeMs}`).join('\n'))
    .digest('hex')
  const mark = join(folder, 'stamp')
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== stamp) {
    rmSync(folder, { recursive: true, force: true })
    const args = ['run', '--silent', 'pack:local', '--', '--quick', folder]
    const packed = runCommand(checkout, 'npm', args)
    if (packed.status !== 0) throw new Error(`the package could not be packed:\n${packed.stderr}`)
    writeFileSync(mark, stamp)
  }
  const names = readdirSync(folder).filter(
    (name) => name.endsWith(`${manifest.version}.tgz`) && !name.includes('plugin'),
  )
  return names.map((name) => join(folder, name))
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .sort()
}

function natives(): string[] {
  const folder = join(checkout, 'npm')
  return readdirSync(folder)
    .map((name) => join(folder, name, 'contract.node'))
    .filter((file) => existsSync(file))
}

const installed = new Map<string, string>()

/** Installs the runner and the package, unless they are installed. Returns the folder. */
function install(runner: Runner): string {
  const known = installed.get(runner.name)
  if (known !== undefined) return known
  const folder = join(partners, 'runners', runner.name)
  const packed = locked('tarballs', tarballs)
  const manifest = JSON.stringify({
    private: true,
    dependencies: {
      typescript: '5.9.3',
      '@types/node': '22.19.1',
      ...(runner.node !== undefined && { node: runner.node }),
      ...runner.packages,
    },
    stamp: readFileSync(join(partners, 'runners', 'tarballs', 'stamp'), 'utf8'),
  })
  const mark = join(folder, 'package.json')
  const isComplete = () =>
    existsSync(join(folder, 'complete')) && readFileSync(join(folder, 'complete'), 'utf8') === manifest
  locked(runner.name, () => {
    if (isComplete()) return
    rmSync(join(folder, 'complete'), { force: true })
    for (const name of ['contract', '@contract-testing']) {
      rmSync(join(folder, 'node_modules', name), { recursive: true, force: true })
    }
    rmSync(join(folder, 'package-lock.json'), { force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(mark, manifest)
    const args = [
      'install',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--prefer-offline',
      '--no-save',
      ...(runner.npm ?? []),
      ...packed,
    ]
    const { status, stderr } = runCommand(folder, 'npm', args)
    if (status !== 0)
      throw new Error(`${runner.name} could not be installed; the npm registry must be within reach:\n${stderr}`)
    writeFileSync(join(folder, 'complete'), manifest)
  })
  installed.set(runner.name, folder)
  return folder
}

/** Replaces places, times, ports, and durations. */
function normalize(output: string, places: readonly (readonly [string, string])[]): string {
  let text = output
  for (const [place, name] of places) text = text.replaceAll(place, name)
  return text
    .replace(/\\/g, '/')
    .replace(/\d\d:\d\d:\d\d\.\d+Z/g, '<time>')
    .replace(/^.*\bnode:internal\/.*\n/gm, '')
    .replace(/(contract\/dist\/[\w.-]+):\d+:\d+/g, '$1:<line>')
    .replace(/\bduration_ms: [\d.]+/g, 'duration_ms: <duration>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/\b\d+(\.\d+)? ?(ms|s)\b/g, '<duration>')
    .replace(/ +$/gm, '')
}
