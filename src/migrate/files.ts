// Finds, reads, and writes the files to convert.
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const EXTENSIONS = /\.(?:[cm]?[jt]s|[jt]sx)$/
const SKIPPED = /^(?:node_modules|dist|build|coverage|\..+)$/
const MENTION = /@pact-foundation\/pact|jest-pact/

/**
 * Returns the files in a directory that are source files and mention pact-js. For the path of a file, returns that
 * file.
 */
export function sourceFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const found: string[] = []
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name)
    if (entry.isDirectory() && !SKIPPED.test(entry.name)) found.push(...sourceFiles(inner))
    const isSource = entry.isFile() && EXTENSIONS.test(entry.name) && !/\.d\.[cm]?ts$/.test(entry.name)
    if (isSource && MENTION.test(readFileSync(inner, 'latin1'))) found.push(inner)
  }
  return found
}

export function isSourceFile(path: string): boolean {
  return EXTENSIONS.test(path)
}

/** Reads a file as text. Throws if it is not UTF-8. */
export function readSource(path: string): string {
  const bytes = readFileSync(path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('the file is not UTF-8')
  }
}

/** Replaces a file atomically and keeps its permissions. */
export function writeSource(path: string, text: string): void {
  const target = realpathSync(path)
  const { mode } = statSync(target)
  // An administrator can write read-only files, but should not by accident.
  if ((mode & 0o222) === 0) throw new Error('the file is read-only')
  accessSync(target, constants.W_OK)
  const temporary = join(dirname(target), `.contract-migrate-${process.pid}.tmp`)
  try {
    writeFileSync(temporary, text, { mode })
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * Returns the major version of the pact-js that a file uses: the installed version, or else the version in
 * package.json. Default: 16.
 */
export function pactMajor(path: string): number {
  for (let folder = dirname(realpathSync(path)); ; folder = dirname(folder)) {
    const installed = majorIn(
      join(folder, 'node_modules', '@pact-foundation', 'pact', 'package.json'),
      (found) => found.version,
    )
    const declared = majorIn(join(folder, 'package.json'), (found) => dependency(found))
    if (installed ?? declared) return (installed ?? declared) as number
    if (folder === dirname(folder)) return 16
  }
}

interface Manifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function dependency({ dependencies, devDependencies }: Manifest): string | undefined {
  return devDependencies?.['@pact-foundation/pact'] ?? dependencies?.['@pact-foundation/pact']
}

function majorIn(file: string, version: (manifest: Manifest) => string | undefined): number | undefined {
  if (!existsSync(file)) return undefined
  try {
    const major = /\d+/.exec(version(JSON.parse(readFileSync(file, 'utf8')) as Manifest) ?? '')?.[0]
    return major === undefined ? undefined : Number(major)
  } catch {
    return undefined
  }
}
