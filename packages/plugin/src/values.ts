// Converts JSON values to and from `Struct`, `Value`, and `BytesValue` of Protocol Buffers.

import { Buffer } from 'node:buffer'
import type { PluginJson, PluginObject } from './index.js'
import type { Message } from './server.js'

export function toStruct(object: PluginObject): Message {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined)
  return { fields: Object.fromEntries(fields.map(([name, value]) => [name, toValue(value)])) }
}

export function toValue(json: PluginJson): Message {
  if (json === null) return { nullValue: 0 }
  if (typeof json === 'boolean') return { boolValue: json }
  if (typeof json === 'number') return { numberValue: json }
  if (typeof json === 'string') return { stringValue: json }
  if (Array.isArray(json)) return { listValue: { values: json.map(toValue) } }
  return { structValue: toStruct(json as PluginObject) }
}

export function fromStruct(struct: unknown): PluginObject {
  const { fields = {} } = (struct ?? {}) as { fields?: Record<string, Message> }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromValue(value)]))
}

export function fromValue(value: unknown): PluginJson {
  const { boolValue, numberValue, stringValue, listValue, structValue } = (value ?? {}) as Record<string, PluginJson>
  if (structValue !== undefined) return fromStruct(structValue)
  if (listValue !== undefined) return (listValue as unknown as { values: Message[] }).values.map(fromValue)
  return boolValue ?? numberValue ?? stringValue ?? null
}

/** Converts optional contents to bytes. A string is encoded as UTF-8. */
export function toBytes(content: Uint8Array | string | undefined): Message | undefined {
  if (content === undefined) return undefined
  return { value: typeof content === 'string' ? Buffer.from(content, 'utf8') : content }
}

export function fromBytes(content: unknown): Uint8Array | undefined {
  if (content === undefined || content === null) return undefined
  return (content as { value?: Uint8Array }).value ?? new Uint8Array()
}
