// Writes archives (.tar.gz) whose bytes depend only on the names, contents, and modes of the files.
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'

const BLOCK = 512

/** Writes the files of a directory to an archive, below a directory with the name of the archive. */
export function writeArchive(file, folder) {
  const top = basename(file).replace(/\.tar\.gz$/, '')
  const names = readdirSync(folder, { recursive: true }).sort()
  const entries = names.flatMap((name) => entry(`${top}/${name.split(sep).join('/')}`, join(folder, name)))
  writeFileSync(file, gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 9 }))
}

/** The blocks of a file or a link. Directories are created by their files. */
function entry(name, path) {
  const stat = lstatSync(path)
  if (stat.isDirectory()) return []
  if (stat.isSymbolicLink()) return [header(name, { type: '2', link: readlinkSync(path) })]
  const content = readFileSync(path)
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)
  const mode = stat.mode & 0o100 ? 0o755 : 0o644
  return [header(name, { type: '0', mode, size: content.length }), content, padding]
}

/** A header in the format ustar, without owner and time. */
function header(name, { type, mode = 0o777, size = 0, link = '' }) {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name is too long for an archive: ${name}`)
  const block = Buffer.alloc(BLOCK)
  const octal = (value, at, length) => block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  block.write(name, 0)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(0, 136, 12)
  block.write(type, 156)
  block.write(link, 157)
  block.write('ustar\x0000', 257)
  // The checksum is that of a header with spaces in its place.
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
