// What only TypeScript can hand over, as data: iterables, bytes, paths, elements. The core does all the rest.
import { bytesOf } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { BinaryOptions, BodyOptions, Part } from './interaction.js'
import { argumentsText, present } from './made.js'
import { isMatcher, JsonText, type Matcher, tagOf } from './template.js'
import { isXmlElement, xmlText } from './xml-element.js'

/** The value of a header or a query parameter: text, a matcher, or several of them. */
export type NamedValue = string | number | boolean | Matcher<unknown> | NamedValueJson | readonly NamedValue[]

/** Matcher JSON as an object: `{ value, 'contract:matcher:type': 'regex', regex }`. */
export interface NamedValueJson {
  readonly value: string | readonly string[]
  readonly [key: string]: unknown
}

/** Headers or query parameters: a mapping, or pairs where a name stands several times. */
export type NamedValues = Readonly<Record<string, NamedValue>> | Iterable<readonly [string, NamedValue]>

/** The JSON text of an operation: its name with its arguments; `options` are the caller's own, handed on as they are. */
export function operationText(name: string, args: Readonly<Record<string, unknown>>, options?: unknown): string {
  const call = name.replace(/_./g, (underscored) => underscored.charAt(1).toUpperCase())
  return `{"${name}":${readable(call, () => argumentsText(call, args, options))}}`
}

/** Proxies and getters may throw anything when they are read. */
export function readable<T>(call: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof ContractArgumentError) throw cause
    throw new ContractArgumentError('ERR_CONTRACT_VALUE', `${call}: the value cannot be read: ${cause}`, { cause })
  }
}

/** The content type may stand where options may. */
export function bodyOptions(options: BodyOptions | BinaryOptions | string | undefined, part: Part | undefined) {
  return typeof options === 'string'
    ? ([{ contentType: options, part }, undefined] as const)
    : ([part === undefined ? {} : { part }, options] as const)
}

/** Pairs as a list; anything else as it is. */
export function pairs(values: unknown): unknown {
  const isIterable = typeof values === 'object' && values !== null && Symbol.iterator in values && !isMatcher(values)
  return isIterable ? [...(values as Iterable<unknown>)] : values
}

/** A request or response as one object. */
export function partData(call: string, definition: unknown): unknown {
  if (tagOf(definition) !== 'Object') return definition
  const { query, headers, body, binaryBody, xmlBody, ...rest } = definition as Record<string, unknown>
  return present({
    ...rest,
    query: pairs(query),
    headers: pairs(headers),
    body: bytesOf(body) || isXmlElement(body) ? undefined : body,
    binaryBody: bytesData(call, bytesOf(body) ?? binaryBody),
    xmlBody: xmlData(isXmlElement(body) ? body : xmlBody),
  })
}

/** An element as data; a text as it is. */
export function xmlData(root: unknown): unknown {
  return isXmlElement(root) ? new JsonText(xmlText(root)) : root
}

/** A path for the core: a URL as text, anything else as it is. */
export function pathData(path: unknown): unknown {
  return tagOf(path) === 'URL' ? String(path) : path
}

/** Bytes as data. */
export function bytesData(call: string, value: unknown): unknown {
  const bytes = bytesOf(value)
  if (bytes !== undefined) return { base64: bytes.toString('base64') }
  if (['Blob', 'File'].includes(tagOf(value))) {
    refuseCall(call, 'a Blob is read asynchronously: give await blob.arrayBuffer()')
  }
  return value
}

/** Options of a call that takes a function, too. */
export function optionsData(call: string, options: unknown): Record<string, unknown> {
  const tag = tagOf(options)
  if (tag === 'Object') return readable(call, () => present(options as Record<string, unknown>))
  const hint = tag === 'Promise' ? '; give the function itself, and not what it returns' : ''
  throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', `${call}: options must be an object, got ${tag}${hint}`)
}

export function refuseCall(call: string, problem: string): never {
  throw new ContractArgumentError('ERR_CONTRACT_ARGUMENTS', `${call}: ${problem}`)
}

/** A text that a call needs. */
export function textData(call: string, name: string, value: unknown): string {
  if (typeof value !== 'string') refuseCall(call, `${name} must be text, got ${value === null ? 'null' : typeof value}`)
  return value
}

/** The arguments of `usingPlugin`. */
export function pluginData(call: string, plugin: unknown, version: unknown): Record<string, unknown> {
  if (typeof plugin === 'string') return present({ plugin, version })
  if (tagOf(plugin) !== 'Object') refuseCall(call, `expected { plugin, version }, got ${tagOf(plugin)}`)
  return present(plugin as Record<string, unknown>)
}
