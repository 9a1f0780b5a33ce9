import { pathToFileURL } from 'node:url'
import { check } from './native/result.js'

/** A file or directory as a path; URLs are told by their shape, for under Jest they come from another realm. */
export function pathOf(directory: string | URL): string {
  if (typeof directory === 'string' && !directory.startsWith('file:')) return directory
  const url = new URL(String(directory))
  if (url.protocol !== 'file:') {
    check({
      kind: 'argument',
      code: 'ERR_CONTRACT_DIRECTORY',
      message: `a file or directory must be a path or a file: URL, got ${url}`,
    })
  }
  return filePath(url)
}

function filePath(url: URL): string {
  // fileURLToPath refuses URLs of another realm; one made here is of this one.
  const path = decodeURIComponent(url.pathname)
  const drive = pathToFileURL('/').pathname.length > 1
  return drive ? path.replace(/^\//, '') : path
}
