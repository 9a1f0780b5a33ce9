import { pathToFileURL } from 'node:url'
import { check } from './native/result.js'
import { tagOf } from './template.js'

/** A file or directory as a path; URLs are told by their shape, for under Jest they come from another realm. */
export function pathOf(directory: string | URL): string {
  if (typeof directory === 'string' && !directory.startsWith('file:')) return directory
  const url = URL.canParse(String(directory)) ? new URL(String(directory)) : undefined
  if (url?.protocol !== 'file:') {
    check({
      kind: 'argument',
      code: 'ERR_CONTRACT_DIRECTORY',
      message: `a file or directory must be a path or a file: URL, got ${String(url ?? typeof directory)}`,
    })
  }
  return filePath(url as URL)
}

/** A path for the core: URLs as paths, anything else as it is. */
export function pathData(path: unknown): unknown {
  const isUrl = tagOf(path) === 'URL' || (typeof path === 'string' && path.startsWith('file:'))
  return isUrl ? pathOf(path as string | URL) : path
}

function filePath(url: URL): string {
  // fileURLToPath refuses URLs of another realm; one made here is of this one.
  const path = decodeURIComponent(url.pathname)
  const drive = pathToFileURL('/').pathname.length > 1
  return drive ? path.replace(/^\//, '') : path
}
