// Reads facts from libraries and executables of Linux (ELF), Windows (PE), and macOS (Mach-O), on any system.
import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'

/**
 * Reads a 64-bit binary: its format, its processor, the libraries that the loader must find, the versions of symbols that it
 * requires, its loader, and the oldest macOS on which it runs. `section` returns the content of a section, or undefined, and
 * `exports` the names of the functions and data that it exports.
 */
export function readBinary(path) {
  const data = readFileSync(path)
  const facts = readElf(data) ?? readPe(data) ?? readMachO(data)
  if (facts === undefined) throw new Error(`${path} is not a 64-bit binary of a supported system`)
  return facts
}

/** The crates in a binary, which cargo-auditable has added, or undefined. */
export function cratesIn({ section }) {
  const content = section('.dep-v0')
  if (content === undefined) return undefined
  const { packages } = JSON.parse(inflateSync(content))
  return packages.filter(({ kind }) => kind !== 'build').map(({ name, version }) => ({ name, version }))
}

function readElf(data) {
  if (data.readUInt32BE(0) !== 0x7f454c46 || data[4] !== 2) return undefined
  const [size, count, namesIndex] = [58, 60, 62].map((at) => data.readUInt16LE(at))
  const table = Number(data.readBigUInt64LE(40))
  const headers = Array.from({ length: count }, (_, index) => elfSection(data, table + index * size))
  const textIn = (section, offset) => text(data, section.offset + offset)
  const byName = new Map(headers.map((one) => [textIn(headers[namesIndex], one.name), one]))
  const content = (one) => data.subarray(one.offset, one.offset + one.size)
  const dynamic = byName.get('.dynamic')
  const versions = byName.get('.gnu.version_r')
  const symbols = byName.get('.dynsym')
  return {
    format: 'ELF',
    cpu: { 62: 'x64', 183: 'arm64' }[data.readUInt16LE(18)],
    libraries: dynamic === undefined ? [] : neededBy(content(dynamic), (at) => textIn(headers[dynamic.link], at)),
    versions: versions === undefined ? [] : versionsIn(content(versions), (at) => textIn(headers[versions.link], at)),
    loader: byName.has('.interp') ? text(content(byName.get('.interp')), 0) : undefined,
    section: (name) => (byName.has(name) ? content(byName.get(name)) : undefined),
    exports: () =>
      symbols === undefined ? [] : definedIn(content(symbols), (at) => textIn(headers[symbols.link], at)),
  }
}

function elfSection(data, at) {
  return {
    name: data.readUInt32LE(at),
    offset: Number(data.readBigUInt64LE(at + 24)),
    size: Number(data.readBigUInt64LE(at + 32)),
    link: data.readUInt32LE(at + 40),
  }
}

/** The entries DT_NEEDED of the dynamic section. */
function neededBy(dynamic, name) {
  const found = []
  for (let at = 0; at < dynamic.length; at += 16) {
    if (dynamic.readBigUInt64LE(at) === 1n) found.push(name(Number(dynamic.readBigUInt64LE(at + 8))))
  }
  return found
}

/** The names of the symbols of a table that have a section, which imported symbols do not have. */
function definedIn(symbols, name) {
  const found = []
  for (let at = 0; at < symbols.length; at += 24) {
    if (symbols.readUInt16LE(at + 6) !== 0) found.push(name(symbols.readUInt32LE(at)))
  }
  return found
}

/** The versions of symbols, such as GLIBC_2.17, from a chain of libraries with a chain of versions each. */
function versionsIn(section, name) {
  const found = []
  for (let library = 0, next = -1; next !== 0; library += next) {
    next = section.readUInt32LE(library + 12)
    let at = library + section.readUInt32LE(library + 8)
    for (let left = section.readUInt16LE(library + 2); left > 0; left -= 1) {
      found.push(name(section.readUInt32LE(at + 8)))
      at += section.readUInt32LE(at + 12)
    }
  }
  return found
}

function readPe(data) {
  if (data.readUInt16BE(0) !== 0x4d5a) return undefined
  const header = data.readUInt32LE(0x3c)
  const optional = header + 24
  if (data.readUInt32BE(header) !== 0x50450000 || data.readUInt16LE(optional) !== 0x20b) return undefined
  const first = optional + data.readUInt16LE(header + 20)
  const sections = Array.from({ length: data.readUInt16LE(header + 6) }, (_, index) => {
    const at = first + index * 40
    const [size, address, rawSize, offset] = [8, 12, 16, 20].map((field) => data.readUInt32LE(at + field))
    return { name: text(data.subarray(at, at + 8), 0), address, offset, size: Math.min(size, rawSize), rawSize }
  })
  const inFile = (address) => {
    const found = sections.find((one) => address >= one.address && address < one.address + one.rawSize)
    return found.offset + address - found.address
  }
  // The tables of imports and of delayed imports: directory, size of an entry, and offset of the name in an entry.
  const names = [
    [1, 20, 12],
    [13, 32, 4],
  ].flatMap(([directory, size, field]) => {
    const table = data.readUInt32LE(optional + 112 + directory * 8)
    const found = []
    if (table === 0) return found
    for (let at = inFile(table); data.readUInt32LE(at + field) !== 0; at += size)
      found.push(text(data, inFile(data.readUInt32LE(at + field))))
    return found
  })
  const exported = () => {
    const table = data.readUInt32LE(optional + 112)
    if (table === 0) return []
    const [length, list] = [24, 32].map((field) => data.readUInt32LE(inFile(table) + field))
    return Array.from({ length }, (_, index) => text(data, inFile(data.readUInt32LE(inFile(list) + index * 4))))
  }
  return {
    format: 'PE',
    cpu: { 34404: 'x64', 43620: 'arm64' }[data.readUInt16LE(header + 4)],
    libraries: names.map((name) => name.toLowerCase()),
    versions: [],
    section: (name) => {
      const found = sections.find((one) => one.name === name)
      return found && data.subarray(found.offset, found.offset + found.size)
    },
    exports: exported,
  }
}

const SYMBOLS = 0x02
const LOAD_DYLIB = [0x0c, 0x80000018, 0x8000001f]
const SEGMENT = 0x19
const BUILD_VERSION = 0x32
const MINIMUM_VERSION = 0x24

function readMachO(data) {
  if (data.readUInt32LE(0) !== 0xfeedfacf) return undefined
  const facts = {
    format: 'Mach-O',
    cpu: { 16777223: 'x64', 16777228: 'arm64' }[data.readUInt32LE(4)],
    libraries: [],
    versions: [],
  }
  const sections = new Map()
  const exported = []
  let at = 32
  for (let left = data.readUInt32LE(16); left > 0; left -= 1) {
    const command = data.readUInt32LE(at)
    if (LOAD_DYLIB.includes(command)) facts.libraries.push(text(data, at + data.readUInt32LE(at + 8)))
    if (command === BUILD_VERSION) facts.macos = macosVersion(data.readUInt32LE(at + 12))
    if (command === MINIMUM_VERSION) facts.macos = macosVersion(data.readUInt32LE(at + 8))
    if (command === SYMBOLS) exported.push(...externalSymbols(data, at))
    if (command === SEGMENT) {
      for (let index = 0; index < data.readUInt32LE(at + 64); index += 1) {
        const section = at + 72 + index * 80
        const [size, offset] = [Number(data.readBigUInt64LE(section + 40)), data.readUInt32LE(section + 48)]
        sections.set(text(data.subarray(section, section + 16), 0), data.subarray(offset, offset + size))
      }
    }
    at += data.readUInt32LE(at + 4)
  }
  return { ...facts, section: (name) => sections.get(name), exports: () => exported }
}

/** The names of the external symbols that are defined in a section, without the underscore of C. */
function externalSymbols(data, command) {
  const [table, length, names] = [8, 12, 16].map((field) => data.readUInt32LE(command + field))
  const symbols = Array.from({ length }, (_, index) => table + index * 16)
  const DEFINED_AND_EXTERNAL = 0x0f
  const exported = symbols.filter((at) => data[at + 4] === DEFINED_AND_EXTERNAL)
  return exported.map((at) => text(data, names + data.readUInt32LE(at)).replace(/^_/, ''))
}

function macosVersion(packed) {
  return `${packed >> 16}.${(packed >> 8) & 0xff}`
}

/** The text at an offset, up to the next zero byte or the end. */
function text(data, offset) {
  const end = data.indexOf(0, offset)
  return data.toString('latin1', offset, end === -1 ? data.length : end)
}
