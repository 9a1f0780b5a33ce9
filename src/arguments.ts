// Converts arguments, such as iterables, bytes, paths, and XML elements, to data for the core, which validates it.
import { bytesOf } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { BinaryOptions, BodyOptions, Part } from './interaction.js'
import { argumentsText, withoutUndefined } from './matcher-calls.js'
import { isMatcher, JsonText, type Matcher, tagOf } from './template.js'
import { isXmlElement, xmlText } from './xml-element.js'

/** The value of a header or query parameter: a string, number, boolean, matcher, or an array of these. */
export type NamedValue = string | number | boolean | Matcher<unknown> | NamedValueJson | readonly NamedValue[]

/** A matcher in the JSON format of Pact libraries: `{ value, 'contract:matcher:type': 'regex', regex }`. */
export interface NamedValueJson {
  readonly value: string | readonly string[]
  readonly [key: string]: unknown
}

/** Headers or query parameters: an object, or name-value pairs, in which a name can be repeated. */
export type NamedValues = Readonly<Record<string, NamedValue>> | Iterable<readonly [string, NamedValue]>

/** Returns an operation as JSON text: its name, arguments, and options. The options are not validated here. */
export function operationText(name: string, args: Readonly<Record<string, unknown>>, options?: unknown): string {
  const call = name.replace(/_./g, (underscored) => underscored.charAt(1).toUpperCase())
  return `{"${name}":${readable(call, () => argumentsText(call, args, options))}}`
}

/** Reads a value that the caller passed. Wraps errors that the value's getters or proxies throw. */
export function readable<T>(call: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof ContractArgumentError) throw cause
    throw new ContractArgumentError('ERR_CONTRACT_VALUE', `${call}: the value cannot be read: ${cause}`, { cause })
  }
}

/** Returns the arguments and options of a call that accepts either a content type or an options object. */
export function bodyOptions(options: BodyOptions | BinaryOptions | string | undefined, part: Part | undefined) {
  return typeof options === 'string'
    ? ([{ contentType: options, part }, undefined] as const)
    : ([part === undefined ? {} : { part }, options] as const)
}

/** Converts an iterable to an array. Returns any other value unchanged. */
export function pairs(values: unknown): unknown {
  const isIterable = typeof values === 'object' && values !== null && Symbol.iterator in values && !isMatcher(values)
  return isIterable ? [...(values as Iterable<unknown>)] : values
}

/** Converts a request or response that is defined as one object. */
export function partData(call: string, definition: unknown): unknown {
  if (tagOf(definition) !== 'Object') return definition
  const { query, headers, body, binaryBody, xmlBody, ...rest } = definition as Record<string, unknown>
  return withoutUndefined({
    ...rest,
    query: pairs(query),
    headers: pairs(headers),
    body: bytesOf(body) || isXmlElement(body) ? undefined : body,
    binaryBody: bytesData(call, bytesOf(body) ?? binaryBody),
    xmlBody: xmlData(isXmlElement(body) ? body : xmlBody),
  })
}

/** Converts an XML element to data for the core. Returns a string unchanged. */
export function xmlData(root: unknown): unknown {
  return isXmlElement(root) ? new JsonText(xmlText(root)) : root
}

/** Converts a URL to a string. Returns any other value unchanged. */
export function pathData(path: unknown): unknown {
  return tagOf(path) === 'URL' ? String(path) : path
}

export function bytesData(call: string, value: unknown): unknown {
  const bytes = bytesOf(value)
  if (bytes !== undefined) return { base64: bytes.toString('base64') }
  if (['Blob', 'File'].includes(tagOf(value))) {
    rejectCall(call, 'a Blob must be read asynchronously: pass await blob.arrayBuffer()')
  }
  return value
}

/** Checks the options of a call in which a function can replace the options. */
export function optionsData(call: string, options: unknown): Record<string, unknown> {
  const tag = tagOf(options)
  if (tag === 'Object') return readable(call, () => withoutUndefined(options as Record<string, unknown>))
  const hint = tag === 'Promise' ? '. Pass the function itself, not the result of calling it' : ''
  throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', `${call}: options must be an object, received ${tag}${hint}`)
}

export function rejectCall(call: string, problem: string): never {
  throw new ContractArgumentError('ERR_CONTRACT_ARGUMENTS', `${call}: ${problem}`)
}

/** Returns a required string argument. Throws if it is not a string. */
export function textData(call: string, name: string, value: unknown): string {
  if (typeof value !== 'string')
    rejectCall(call, `"${name}" must be a string, received ${value === null ? 'null' : typeof value}`)
  return value
}

/** Converts the arguments of `usingPlugin`: either a name and a version, or an object with both. */
export function pluginData(call: string, plugin: unknown, version: unknown): Record<string, unknown> {
  if (typeof plugin === 'string') return withoutUndefined({ plugin, version })
  if (tagOf(plugin) !== 'Object') rejectCall(call, `expected { plugin, version }, received ${tagOf(plugin)}`)
  return withoutUndefined(plugin as Record<string, unknown>)
}
