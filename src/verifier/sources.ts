import { pathOf } from '../directory.js'
import type { JsonObject } from '../json.js'
import { toJsonText } from '../template.js'
import type { Source, SourceOptions } from './options.js'
import { refused } from './refused.js'
import { isUrl } from './states.js'

/** A source as the core takes it. */
export function sourceOf(source: Source, options: SourceOptions): JsonObject {
  if (typeof source !== 'string' && (typeof source !== 'object' || source === null)) {
    throw refused('addSource', `a source is a path, a URL or { json }, got ${source === null ? 'null' : typeof source}`)
  }
  if (typeof source === 'object' && 'json' in source) {
    refuseCredentials(options)
    const json = typeof source.json === 'string' ? source.json : toJsonText(source.json, 'addSource')
    return source.name === undefined ? { json } : { json, name: source.name }
  }
  const given = typeof source === 'object' && !isUrl(source) ? source : { url: source, ...options }
  const { url, ...credentials } = given
  if (url === undefined) throw refused('addSource', 'an object as source has url or json')
  const text = String(url)
  if (/^https?:\/\//i.test(text)) return JSON.parse(JSON.stringify({ url: text, ...credentials })) as JsonObject
  if (text.trim() === '') throw refused('addSource', 'the path is empty')
  refuseCredentials(credentials)
  return { path: pathOf(text) }
}

function refuseCredentials(options: SourceOptions): void {
  const name = Object.entries(options).find(([, value]) => value !== undefined)?.[0]
  if (name) throw refused('addSource', `${name} is about http and https URLs; what is on this machine needs none`)
}
