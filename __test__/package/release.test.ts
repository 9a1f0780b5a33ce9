// The scripts that check and pack releases: they must find what would fail only on the machines of users.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { temporaryDirectory } from '../support/temporary.ts'
import { checkout, run } from './project.ts'

/** Calls a function of a script with JSON arguments, in a Node of its own, because scripts are not transformed by Jest. */
function call<T>(file: string, name: string, ...args: unknown[]): T {
  const code = `import(${JSON.stringify(join(checkout, 'scripts', 'lib', file))}).then((module) =>
    console.log(JSON.stringify(module[${JSON.stringify(name)}](...${JSON.stringify(args)}) ?? null)))`
  return JSON.parse(execFileSync(process.execPath, ['-e', code], { cwd: checkout, encoding: 'utf8' })) as T
}

const text = (value: string) => Buffer.from(`${value}\0`, 'latin1')
const aligned = (data: Buffer) => Buffer.concat([data, Buffer.alloc((8 - (data.length % 8)) % 8)])

/** A library or executable for Linux that requires libraries and versions of symbols, with a list of crates. */
function elf({
  machine = 62,
  libraries = ['libc.so.6'],
  versions = ['GLIBC_2.17'],
  crates = [] as object[],
  imports = [] as string[],
  exports = [] as string[],
  loader = '',
} = {}) {
  const names = ['', '.dynstr', '.dynamic', '.gnu.version_r', '.dep-v0', '.dynsym', '.interp', '.shstrtab']
  const symbols = [...imports, ...exports]
  const strings = Buffer.concat([text(''), ...[...libraries, ...versions, ...symbols].map(text)])
  const offset = (value: string) => strings.indexOf(text(value))
  const dynamic = Buffer.alloc(16 * (libraries.length + 1))
  for (const [index, library] of libraries.entries()) {
    dynamic.writeBigUInt64LE(1n, index * 16)
    dynamic.writeBigUInt64LE(BigInt(offset(library)), index * 16 + 8)
  }
  const needs = Buffer.alloc(16 * (versions.length + 1))
  needs.writeUInt16LE(1, 0)
  needs.writeUInt16LE(versions.length, 2)
  needs.writeUInt32LE(16, 8)
  for (const [index, version] of versions.entries()) {
    needs.writeUInt32LE(offset(version), 16 + index * 16 + 8)
    needs.writeUInt32LE(16, 16 + index * 16 + 12)
  }
  const audit = crates.length > 0 ? deflateSync(JSON.stringify({ packages: crates })) : Buffer.alloc(0)
  const symbolTable = Buffer.alloc(24 * symbols.length)
  for (const [index, name] of symbols.entries()) {
    symbolTable.writeUInt32LE(offset(name), index * 24)
    symbolTable.writeUInt16LE(index < imports.length ? 0 : 1, index * 24 + 6)
  }
  const nameTable = Buffer.concat(names.map(text))
  const contents = [
    Buffer.alloc(0),
    strings,
    dynamic,
    versions.length > 0 ? needs : Buffer.alloc(0),
    audit,
    symbolTable,
    loader === '' ? Buffer.alloc(0) : text(loader),
    nameTable,
  ]
  const header = Buffer.alloc(64)
  header.write('\x7fELF\x02\x01\x01', 'latin1')
  header.writeUInt16LE(machine, 18)
  const parts = contents.map(aligned)
  const starts = parts.map((_, index) => 64 + parts.slice(0, index).reduce((sum, part) => sum + part.length, 0))
  header.writeBigUInt64LE(BigInt(64 + parts.reduce((sum, part) => sum + part.length, 0)), 40)
  header.writeUInt16LE(64, 58)
  header.writeUInt16LE(names.length, 60)
  header.writeUInt16LE(names.length - 1, 62)
  const table = names.map((name, index) => {
    const section = Buffer.alloc(64)
    const isAbsent = index > 0 && contents[index]?.length === 0
    section.writeUInt32LE(isAbsent ? 0 : nameTable.indexOf(text(name)), 0)
    section.writeBigUInt64LE(BigInt(starts[index] ?? 0), 24)
    section.writeBigUInt64LE(BigInt(contents[index]?.length ?? 0), 32)
    section.writeUInt32LE(1, 40)
    return section
  })
  return Buffer.concat([header, ...parts, ...table])
}

function problems(content: Buffer, platform: string, options: object = {}, name = 'contract.node'): string[] {
  const file = join(temporaryDirectory(), name)
  writeFileSync(file, content)
  const code = `Promise.all(['project', 'check-binary'].map((name) => import('./scripts/lib/' + name + '.mjs'))).then(([project, check]) =>
    console.log(JSON.stringify(check.problemsOf(...${JSON.stringify([file])}, project.platformBy('name', ${JSON.stringify(platform)}), ${JSON.stringify(options)}))))`
  return JSON.parse(execFileSync(process.execPath, ['-e', code], { cwd: checkout, encoding: 'utf8' })) as string[]
}

const known = /name = "serde"\nversion = "(.*)"/.exec(readFileSync(join(checkout, 'Cargo.lock'), 'utf8'))?.[1]

test.each<[string, Buffer, string, object, string[]]>([
  ['a library for glibc', elf(), 'linux-x64-gnu', {}, []],
  ['a library for musl', elf({ libraries: ['libc.so'], versions: [] }), 'linux-x64-musl', {}, []],
  ['another processor', elf({ machine: 183 }), 'linux-x64-gnu', {}, ['it is for arm64, not for x64']],
  ['a newer glibc', elf({ versions: ['GLIBC_2.4', 'GLIBC_2.28'] }), 'linux-x64-gnu', {}, ['it requires glibc 2.28']],
  [
    'a library that not every system has',
    elf({ libraries: ['libssl.so.3', 'libc.so.6'] }),
    'linux-x64-gnu',
    {},
    ['it requires libssl.so.3, which not every system has'],
  ],
  ['glibc in a package for musl', elf({ libraries: ['libc.so'] }), 'linux-x64-musl', {}, ['it requires glibc']],
  [
    'a static library for musl',
    elf({ libraries: [], versions: [] }),
    'linux-x64-musl',
    {},
    ['it does not require musl'],
  ],
  [
    'no list of crates',
    elf(),
    'linux-x64-gnu',
    { auditable: true },
    ['it does not contain the list of its crates (cargo-auditable)'],
  ],
  ['a list of crates', elf({ crates: [{ name: 'serde', version: known }] }), 'linux-x64-gnu', { auditable: true }, []],
  [
    'a crate of another lock file',
    elf({ crates: [{ name: 'serde', version: '0.0.1' }] }),
    'linux-x64-gnu',
    { auditable: true },
    ['it contains crates that Cargo.lock does not list: serde 0.0.1'],
  ],
  [
    'the function for the executable',
    elf({ imports: ['malloc'], exports: ['napi_register_module_v1', 'contract_main'] }),
    'linux-x64-gnu',
    { symbols: ['contract_main'] },
    [],
  ],
  [
    'no function for the executable',
    elf({ imports: ['contract_main'], exports: ['napi_register_module_v1'] }),
    'linux-x64-gnu',
    { symbols: ['contract_main'] },
    ['it does not export contract_main'],
  ],
  [
    'a path of the build machine',
    Buffer.concat([elf(), Buffer.from(checkout)]),
    'linux-x64-gnu',
    {},
    [expect.stringContaining('contains the path') as unknown as string],
  ],
])('the check of native files: %s', (_title, content, platform, options, expected) => {
  expect(problems(content, platform, options)).toEqual(expected)
})

test('the executable for musl must load the library, and the one that needs no library must be static', () => {
  const dynamic = elf({ libraries: ['libc.so'], versions: [], loader: '/lib/ld-musl-x86_64.so.1' })
  const fixed = elf({ libraries: [], versions: [] })
  const check = (content: Buffer, options = {}) => problems(content, 'linux-x64-musl', options, 'contract')
  expect(check(dynamic)).toEqual([])
  expect(check(fixed)).toEqual(['it does not require musl'])
  expect(check(dynamic, { isStatic: true })).toEqual(['the executable is not linked statically'])
  expect(check(fixed, { isStatic: true })).toEqual([])
})

test('native files of other systems are read', () => {
  const file = join(temporaryDirectory(), 'file')
  const [table, names] = [144, 176]
  const machO = Buffer.alloc(names + 32)
  machO.writeUInt32LE(0xfeedfacf, 0)
  machO.writeUInt32LE(0x0100000c, 4)
  machO.writeUInt32LE(3, 16)
  machO.writeUInt32LE(0x32, 32)
  machO.writeUInt32LE(24, 36)
  machO.writeUInt32LE((15 << 16) | (2 << 8), 44)
  machO.writeUInt32LE(0x0c, 56)
  machO.writeUInt32LE(64, 60)
  machO.writeUInt32LE(24, 64)
  machO.write('/usr/lib/libSystem.B.dylib\0', 80)
  // The symbols: one is imported, and one is exported.
  machO.writeUInt32LE(0x02, 120)
  machO.writeUInt32LE(24, 124)
  for (const [index, value] of [table, 2, names].entries()) machO.writeUInt32LE(value, 128 + index * 4)
  machO.write('_malloc\0_contract_main\0', names)
  machO[table + 4] = 0x01
  machO.writeUInt32LE(8, table + 16)
  machO[table + 20] = 0x0f
  writeFileSync(file, machO)
  const expected = { format: 'Mach-O', cpu: 'arm64', libraries: ['/usr/lib/libSystem.B.dylib'], macos: '15.2' }
  expect(call('binary.mjs', 'readBinary', file)).toMatchObject(expected)
  const old = 'it requires macOS 15.2; the oldest supported one is 11.0'
  expect(problems(machO, 'darwin-arm64', { symbols: ['contract_main'] })).toEqual([old])
  expect(problems(machO, 'darwin-arm64', { symbols: ['malloc'] })).toEqual(['it does not export malloc', old])
})

test('an archive has the same bytes for the same files, and unpacks with links and modes', () => {
  const folders = [temporaryDirectory(), temporaryDirectory()]
  const archives = folders.map((folder, index) => {
    mkdirSync(join(folder, 'files', 'lib'), { recursive: true })
    const names = ['b.txt', 'a.txt', join('lib', 'program')]
    for (const name of index === 0 ? names : names.reverse()) writeFileSync(join(folder, 'files', name), name)
    chmodSync(join(folder, 'files', 'lib', 'program'), 0o700)
    symlinkSync('program', join(folder, 'files', 'lib', 'link'))
    const file = join(folder, 'contract-c-1.0.0.tar.gz')
    call('archive.mjs', 'writeArchive', file, join(folder, 'files'))
    return readFileSync(file)
  })
  expect(archives[0]?.equals(archives[1] ?? Buffer.alloc(0))).toBe(true)
  const [folder = ''] = folders
  expect(run(folder, 'tar', ['xzf', 'contract-c-1.0.0.tar.gz'])).toEqual({ status: 0, stdout: '', stderr: '' })
  const unpacked = join(folder, 'contract-c-1.0.0')
  expect(readFileSync(join(unpacked, 'lib', 'link'), 'utf8')).toBe(join('lib', 'program'))
  const { mode } = statSync(join(unpacked, 'lib', 'program'))
  // Windows has no such modes.
  if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o755)
})

test('a second build in another directory writes the same JavaScript', () => {
  const copy = temporaryDirectory()
  const systems = join('crates', 'pipeline', 'src', 'broker', 'systems.txt')
  for (const name of ['src', 'scripts', systems, 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(join(checkout, name), join(copy, name), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'), 'junction')
  expect(run(copy, process.execPath, [join('scripts', 'build-js.mjs')])).toMatchObject({ status: 0 })
  // The engine for browsers is compiled from Rust.
  const files = (folder: string) =>
    readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(c?js|c?ts)$/.test(name) && name !== 'engine-wasm.cjs',
    )
  expect(files(copy).length).toBeGreaterThan(50)
  expect(files(copy).sort()).toEqual(files(checkout).sort())
  const differing = files(copy).filter(
    (name) => !readFileSync(join(copy, 'dist', name)).equals(readFileSync(join(checkout, 'dist', name))),
  )
  expect(differing).toEqual([])
}, 120_000)
