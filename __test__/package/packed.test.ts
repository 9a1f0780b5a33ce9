// The published tarballs, installed in projects outside the checkout. No test needs a network.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { version } from 'contract'
import { checkout, Project, run } from './project.ts'

const project = new Project()
const projects = [project]
let tarballs: string[]
/** The name of the platform package. */
let core: string

beforeAll(() => {
  const packed = run(checkout, 'npm', ['run', '--silent', 'pack:local', '--', '--quick', project.path('tarballs')])
  expect(packed).toMatchObject({ status: 0, stderr: '' })
  tarballs = packed.stdout.trim().split('\n')
  expect(project.npm('install', '--offline', '--no-audit', ...tarballs)).toMatchObject({ status: 0 })
  core = Object.keys(installedManifest('contract').optionalDependencies ?? {})[0] ?? ''
})

afterAll(() => {
  for (const each of projects) each.remove()
})

interface Manifest {
  readonly dependencies?: object
  readonly optionalDependencies?: object
  readonly scripts?: object
  readonly engines?: object
}

function installedManifest(name: string): Manifest {
  return JSON.parse(readFileSync(project.path('node_modules', name, 'package.json'), 'utf8')) as Manifest
}

/** A copy of the installed project, for a test that damages it. */
function projectCopy(): Project {
  const copy = project.copy()
  projects.push(copy)
  return copy
}

describe('installing', () => {
  test('adds two packages without dependencies or scripts', () => {
    const { packages } = JSON.parse(readFileSync(project.path('package-lock.json'), 'utf8')) as { packages: object }
    expect(Object.keys(packages).sort()).toEqual(['', `node_modules/${core}`, 'node_modules/contract'].sort())
    for (const name of ['contract', core]) {
      const { dependencies, scripts } = installedManifest(name)
      expect({ dependencies, scripts }).toEqual({ dependencies: undefined, scripts: undefined })
    }
  })

  test('contains the listed files and nothing else from the checkout', () => {
    expect(readdirSync(project.path('node_modules', 'contract')).sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'THIRD-PARTY-NOTICES.txt',
        'bin',
        'dist',
        'docs',
        'examples',
        'package.json',
      ].sort(),
    )
  })

  test('contains the licenses of everything that is linked into the native library', () => {
    const notices = readFileSync(project.path('node_modules', core, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    expect(notices).toContain('serde_core')
  })

  test('contains every document that its documents link to', () => {
    const installed = project.path('node_modules', 'contract')
    const documents = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    )
    const links = documents.flatMap((file) =>
      [...readFileSync(join(installed, file), 'utf8').matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)].map(([, target]) =>
        join(file, '..', target ?? ''),
      ),
    )
    expect(links).toContain(join('docs', 'guides', 'reports.md'))
    expect(links.filter((link) => !existsSync(join(installed, link)))).toEqual([])
  })

  test('requires a release build: rejects development builds and files above the maximum size', () => {
    const forWork = existsSync(join(checkout, 'npm', core.replace(/^.*\/core-/, ''), '.quick'))
    const packed = run(checkout, 'npm', ['run', '--silent', 'pack:local', '--', project.path('release')])
    expect(packed).toMatchObject(
      forWork ? { status: 1, stderr: expect.stringContaining('npm run build:release') } : { status: 0, stderr: '' },
    )
  })
})

describe('loading', () => {
  test('import and require return the same objects', () => {
    project.write(
      'same.mjs',
      `import { createRequire } from 'node:module'
       import * as imported from 'contract'
       const required = createRequire(import.meta.url)('contract')
       const names = Object.keys(required)
       console.log(JSON.stringify([names.sort(), Object.keys(imported).sort()]))
       process.exitCode = names.every((name) => imported[name] === required[name]) ? 0 : 1`,
    )
    const { status, stdout } = project.node('same.mjs')
    expect(status).toBe(0)
    const [required, imported] = JSON.parse(stdout) as [string[], string[]]
    expect(required).toContain('version')
    expect(imported).toEqual(required)
  })

  test.each(['mts', 'cts'])('a TypeScript project compiles and runs .%s', (extension) => {
    const code = `import { version } from 'contract'\nconst text: string = version\nif (text !== '${version}') throw text\n`
    project.write(`main.${extension}`, code)
    const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--types', '']
    const compiler = join(checkout, 'node_modules', 'typescript', 'bin', 'tsc')
    expect(project.node(compiler, ...options, `main.${extension}`)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(project.node(`main.${extension.replace('t', 'j')}`)).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})

describe('the commands', () => {
  test.each(['contract', 'contract-broker'])('%s runs', (command) => {
    const { status, stdout } = project.npm('exec', '--offline', '--', command, '--version')
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${command} ${version}\n` })
  })

  test('invalid arguments end with the exit code of the executable', () => {
    const { status, stderr } = project.node('node_modules/contract/bin/contract.js', '--nonsense')
    expect(status).toBe(2)
    expect(stderr).toContain("unexpected argument '--nonsense'")
  })
})

describe('a native core that cannot be loaded', () => {
  const report = `try { require('contract') } catch (error) { console.log(error.code + '\\n' + error.message) }`

  /** Returns the error of the import, with machine-specific parts replaced. */
  function failure(broken: Project, env?: NodeJS.ProcessEnv, before = ''): string {
    const { stdout } = broken.script(`${before}\n${report}`, env)
    return stdout
      .replaceAll(broken.folder, '<project>')
      .replaceAll('\\', '/')
      .replaceAll(core, '<core>')
      .replaceAll(version, '<version>')
      .replace(/^System: .*$/m, (line) => (line.includes(`, Node ${process.version}`) ? 'System: …' : line))
      .trimEnd()
  }

  test('CONTRACT_NATIVE_PATH is not a file', () => {
    expect(failure(project, { CONTRACT_NATIVE_PATH: 'nowhere.node' })).toMatchInlineSnapshot(`
"ERR_CONTRACT_NATIVE_LOAD
The native core of contract <version> could not be loaded.

System: …
Package expected: <core>
Tried:
  - <project>/nowhere.node (CONTRACT_NATIVE_PATH)
    Cannot find module '<project>/nowhere.node'
To fix it:
  - If CONTRACT_NATIVE_PATH is set, no other file is tried. Unset it, or set it to the path of contract.node in the package <core> <version>.
[ERR_CONTRACT_NATIVE_LOAD]"
`)
  })

  test('CONTRACT_NATIVE_PATH is another file', () => {
    expect(failure(project, { CONTRACT_NATIVE_PATH: 'package.json' })).toContain('not a .node file')
  })

  test('the platform package is not installed', () => {
    const broken = projectCopy()
    rmSync(broken.path('node_modules', core), { recursive: true })
    expect(failure(broken)).toMatchInlineSnapshot(`
"ERR_CONTRACT_NATIVE_LOAD
The native core of contract <version> could not be loaded.

System: …
Package expected: <core>
Tried:
  - <core>
    Cannot find module '<core>'
To fix it:
  - It is an optional dependency, and the package manager did not install it. Install again without --omit=optional (npm), --no-optional (npm, pnpm), or --ignore-optional (yarn), and check .npmrc for the same setting.
  - If the lock file was created on another system, delete node_modules and the lock file, and install again. With pnpm or yarn, add this system to supportedArchitectures.
[ERR_CONTRACT_NATIVE_LOAD]"
`)
  })

  test('node_modules comes from another system', () => {
    const broken = projectCopy()
    const foreign = core.replace(/(linux|darwin|win32)-.*/, core.includes('darwin') ? 'linux-x64-gnu' : 'darwin-arm64')
    rmSync(broken.path('node_modules', core), { recursive: true })
    broken.write(`node_modules/${foreign}/package.json`, '{ "main": "contract.node" }')
    broken.write(`node_modules/${foreign}/contract.node`, '')
    expect(failure(broken)).toContain(`Installed instead: ${foreign}. node_modules was installed on another system`)
  })

  test('the system cannot load the file', () => {
    const broken = projectCopy()
    writeFileSync(broken.path('node_modules', core, 'contract.node'), '')
    const text = failure(broken)
    expect(text).toContain('- <core> (<project>/node_modules/<core>/contract.node)\n')
    expect(text).toContain('The file exists but cannot be loaded. Delete node_modules and install again')
  })

  test('the two packages have different versions', () => {
    const broken = projectCopy()
    const bundle = broken.path('node_modules', 'contract', 'dist', 'index.cjs')
    writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll(`"${version}"`, '"99.0.0"'))
    expect(failure(broken)).toContain('its version is <version>, but the version of this package is 99.0.0')
  })

  /** Code that makes Node report other properties of the system. */
  const pretend = (object: string, name: string, value: string) =>
    `Object.defineProperty(${object}, '${name}', { value: ${value} })`
  const scope = () => core.replace(/(linux|darwin|win32)-.*/, '')

  test('the platform is not supported', () => {
    const text = failure(project, {}, pretend('process', 'platform', "'freebsd'"))
    expect(text).toContain(`Package expected: ${scope()}freebsd-${process.arch}\n`)
    expect(text).toContain(
      `To fix it:\n  - This platform, freebsd-${process.arch}, has no package. Supported platforms: linux-x64-gnu, `,
    )
  })

  test('node_modules comes from a system with another C library', () => {
    const broken = projectCopy()
    const [installed, expected] = ['gnu', 'musl'].map((libc) => `${scope()}linux-${process.arch}-${libc}`)
    rmSync(broken.path('node_modules', core), { recursive: true })
    broken.write(`node_modules/${installed}/package.json`, '{ "main": "contract.node" }')
    broken.write(`node_modules/${installed}/contract.node`, '')
    // The loader in an executable for musl.
    broken.write('node', '/lib/ld-musl-x86_64.so.1\0')
    const before = [pretend('process', 'platform', "'linux'"), pretend('process', 'execPath', "'node'")].join('\n')
    const text = failure(broken, {}, before)
    expect(text).toContain(`Package expected: ${expected}\n`.replace(core, '<core>'))
    expect(text).toContain(
      `Installed instead: ${installed}. node_modules was installed on another`.replace(core, '<core>'),
    )
  })

  test('the version of Node is not supported', () => {
    const versions = pretend('process', 'versions', "{ ...process.versions, node: '18.20.8' }")
    expect(failure(project, {}, versions)).toMatchInlineSnapshot(`
"ERR_CONTRACT_NATIVE_LOAD
The native core of contract <version> could not be loaded.

System: …
Package expected: <core>
To fix it:
  - Node 18.20.8 is not supported. Install Node 20 or later.
[ERR_CONTRACT_NATIVE_LOAD]"
`)
  })

  test('the supported versions of Node are those of package.json', () => {
    const { engines } = installedManifest('contract')
    const supports = (version: string) =>
      failure(project, {}, pretend('process', 'versions', `{ ...process.versions, node: '${version}' }`)) === ''
    expect(engines).toEqual({ node: '>=20' })
    expect([supports('19.9.0'), supports('20.0.0')]).toEqual([false, true])
  })

  test('the command prints the same message, without a stack', () => {
    const broken = projectCopy()
    rmSync(broken.path('node_modules', core), { recursive: true })
    const { status, stderr } = broken.node('node_modules/contract/bin/contract.js', '--version')
    expect(status).toBe(1)
    expect(stderr).toContain(`Package expected: ${core}`)
    expect(stderr).not.toContain('    at ')
  })
})
