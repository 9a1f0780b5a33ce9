import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** Caches the directory with the nearest `package.json`, by the directory of the test file. */
const roots = new Map<string, string>()

function rootOf(folder: string): string {
  const known = roots.get(folder)
  if (known !== undefined) return known
  const above = dirname(folder)
  const root = existsSync(join(folder, 'package.json')) ? folder : above === folder ? process.cwd() : rootOf(above)
  roots.set(folder, root)
  return root
}

/** Returns the path of a test file relative to the root of its package, with slashes on every platform. */
export function relativeFile(file: string): string {
  return relative(rootOf(dirname(file)), file)
    .split(sep)
    .join('/')
}
