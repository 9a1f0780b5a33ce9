// What calls of interactions take, and what they refuse.
import { ContractArgumentError } from './errors.js'
import type { BinaryOptions, BodyOptions, Part } from './interaction.js'
import { isMatcher, type Matcher, tagOf, toJsonText } from './template.js'

/** The value of a header or a query parameter: text, a matcher, or several of them. */
export type NamedValue = string | number | boolean | Matcher<unknown> | NamedValueJson | readonly NamedValue[]

/** Matcher JSON as an object: `{ value, 'contract:matcher:type': 'regex', regex }`. */
export interface NamedValueJson {
  readonly value: string | readonly string[]
  readonly [key: string]: unknown
}

/** Headers or query parameters: a mapping, or pairs where a name stands several times. */
export type NamedValues = Readonly<Record<string, NamedValue>> | Iterable<readonly [string, NamedValue]>

export function bodyOptions(options: BodyOptions | string | undefined, part: Part | undefined) {
  const given = typeof options === 'string' ? { contentType: options } : (options ?? {})
  return { contentType: given.contentType ?? null, part: part ?? ('part' in given ? given.part : undefined) ?? null }
}

export function documentText(document: unknown, what: string): string {
  return typeof document === 'string' ? document : toJsonText(document, what)
}

export function pairs<V>(
  values: Readonly<Record<string, V>> | Iterable<readonly [string, V]>,
): Iterable<readonly [string, V]> {
  return Symbol.iterator in values && !isMatcher(values)
    ? (values as Iterable<readonly [string, V]>)
    : Object.entries(values as Readonly<Record<string, V>>)
}

export function matchOf(options: BinaryOptions | string | undefined): string | null {
  return typeof options === 'object' ? (options.match ?? null) : null
}

/** Without what is undefined: to the core that would not be the same as absent. */
export function present<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const known = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(known) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}

export function isBytes(value: unknown): value is Uint8Array | ArrayBuffer {
  return ArrayBuffer.isView(value) || tagOf(value) === 'ArrayBuffer'
}

export function bytesOf(call: string, value: unknown): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (tagOf(value) === 'ArrayBuffer') return new Uint8Array(value as ArrayBuffer)
  if (['Blob', 'File'].includes(tagOf(value))) {
    refuseCall(call, 'a Blob is read asynchronously: give await blob.arrayBuffer()')
  }
  refuseCall(call, `the bytes must be a Uint8Array or an ArrayBuffer, got ${value === null ? 'null' : typeof value}`)
}

export function refuseBytes(body: unknown): void {
  if (isBytes(body)) refuseCall('withBody', 'bytes are no JSON value: use withBinaryBody')
}

export function definition<T>(call: string, value: T): T {
  if (typeof value !== 'object' || value === null) refuseCall(call, 'give a method and a path, or one object')
  return value
}

export function refuseCall(call: string, problem: string): never {
  throw new ContractArgumentError('ERR_CONTRACT_ARGUMENTS', `${call}: ${problem}`)
}

export function refuseUnknown(call: string, unknown: object, hint: string): void {
  const [name] = Object.keys(unknown)
  if (name === undefined) return
  const code = call === 'given' ? 'ERR_CONTRACT_GIVEN_ARGS' : 'ERR_CONTRACT_ARGUMENTS'
  throw new ContractArgumentError(code, `${call}: there is no option ${name}; ${hint}`)
}
