// Encodes and decodes the messages of the plugin interface (Protocol Buffers 3) from a table of fields. A library would slow
// down the start of plugins, and the interface uses few kinds of fields.

import { Buffer } from 'node:buffer'

/** A field: its number, its kind (a scalar or the name of a message), and whether it is a list or a map with string keys. */
export type Field = readonly [number: number, kind: string, many?: 'list' | 'map']
/** The messages of an interface by name. */
export type Messages = Readonly<Record<string, Readonly<Record<string, Field>>>>
/** The values of a message by field name. */
export type Values = Record<string, unknown>

const scalars: Readonly<Record<string, number>> = {
  string: 2,
  bytes: 2,
  bool: 0,
  enum: 0,
  uint32: 0,
  int64: 0,
  double: 1,
}
/** Maximum nesting of messages. */
const MAX_DEPTH = 100

/** Well-known types of Protocol Buffers: `BytesValue` (optional bytes), `Struct` (object), and `Value` (any JSON value). */
const google: Messages = {
  BytesValue: { value: [1, 'bytes'] },
  Struct: { fields: [1, 'Value', 'map'] },
  Value: {
    nullValue: [1, 'enum'],
    numberValue: [2, 'double'],
    stringValue: [3, 'string'],
    boolValue: [4, 'bool'],
    structValue: [5, 'Struct'],
    listValue: [6, 'ListValue'],
  },
  ListValue: { values: [1, 'Value', 'list'] },
}

export class Codec {
  readonly #messages: Messages

  constructor(messages: Messages) {
    this.#messages = { ...google, ...messages }
  }

  encode(message: string, values: Values): Buffer {
    const chunks: Uint8Array[] = []
    for (const [name, [number, kind, many]] of Object.entries(this.#fields(message))) {
      const value = values[name]
      if (value === undefined || value === null) continue
      if (many === 'list') for (const item of value as unknown[]) this.#write(chunks, number, kind, item)
      else if (many === 'map')
        for (const [key, item] of Object.entries(value as object)) {
          const entry: Uint8Array[] = []
          this.#write(entry, 1, 'string', key)
          this.#write(entry, 2, kind, item)
          chunks.push(tag(number, 2), ...sized(Buffer.concat(entry)))
        }
      else if (!isDefault(kind, value)) this.#write(chunks, number, kind, value)
    }
    return Buffer.concat(chunks)
  }

  decode(message: string, bytes: Uint8Array, depth = 0): Values {
    if (depth > MAX_DEPTH) throw new RangeError(`the message is nested more than ${MAX_DEPTH} levels deep`)
    const byNumber = new Map<number, [string, Field]>()
    const values: Values = {}
    for (const [name, field] of Object.entries(this.#fields(message))) {
      byNumber.set(field[0], [name, field])
      if (field[2] === 'list') values[name] = []
      if (field[2] === 'map') values[name] = {}
    }
    const reader = new Reader(bytes)
    while (!reader.done) {
      const key = Number(reader.varint())
      const raw = reader.value(key & 7)
      const known = byNumber.get(key >>> 3)
      if (known === undefined) continue
      const [name, [, kind, many]] = known
      if (many === 'map') {
        const entry = this.#entry(raw as Uint8Array, kind, depth)
        Object.defineProperty(values[name], entry[0], {
          value: entry[1],
          enumerable: true,
          writable: true,
          configurable: true,
        })
      } else if (many === 'list') (values[name] as unknown[]).push(this.#read(kind, raw, depth))
      else values[name] = this.#read(kind, raw, depth)
    }
    return values
  }

  #fields(message: string): Readonly<Record<string, Field>> {
    const fields = this.#messages[message]
    if (fields === undefined) throw new TypeError(`unknown message ${message}`)
    return fields
  }

  #entry(bytes: Uint8Array, kind: string, depth: number): [string, unknown] {
    const reader = new Reader(bytes)
    let key = ''
    let value: unknown
    while (!reader.done) {
      const tag = Number(reader.varint())
      const raw = reader.value(tag & 7)
      if (tag >>> 3 === 1) key = Buffer.from(raw as Uint8Array).toString('utf8')
      else value = this.#read(kind, raw, depth)
    }
    return [key, value ?? this.#read(kind, new Uint8Array(), depth)]
  }

  #write(chunks: Uint8Array[], number: number, kind: string, value: unknown): void {
    const wire = scalars[kind] ?? 2
    chunks.push(tag(number, wire))
    if (wire === 1) {
      const bytes = Buffer.alloc(8)
      bytes.writeDoubleLE(Number(value))
      chunks.push(bytes)
    } else if (wire === 0) chunks.push(varint(BigInt(value as number | bigint | boolean)))
    else chunks.push(...sized(this.#bytes(kind, value)))
  }

  #bytes(kind: string, value: unknown): Uint8Array {
    if (kind === 'string') return Buffer.from(String(value), 'utf8')
    if (kind === 'bytes') return bytesOf(value)
    if (kind === 'BytesValue') return this.encode(kind, { value: bytesOf(value) })
    if (kind === 'Struct') return this.encode(kind, { fields: value })
    if (kind === 'Value') return this.encode(kind, ofJson(value))
    return this.encode(kind, value as Values)
  }

  #read(kind: string, raw: bigint | number | Uint8Array, depth: number): unknown {
    switch (kind) {
      case 'string':
        return Buffer.from(raw as Uint8Array).toString('utf8')
      case 'bytes':
        return raw
      case 'bool':
        return raw !== 0n
      case 'int64':
        return Number(BigInt.asIntN(64, raw as bigint))
      case 'enum':
      case 'uint32':
        return Number(raw)
      case 'double':
        return raw
      case 'BytesValue':
        return this.decode(kind, raw as Uint8Array, depth + 1).value ?? new Uint8Array()
      case 'Struct':
        return this.decode(kind, raw as Uint8Array, depth + 1).fields
      case 'Value':
        return toJson(this.decode(kind, raw as Uint8Array, depth + 1))
      default:
        return this.decode(kind, raw as Uint8Array, depth + 1)
    }
  }
}

function bytesOf(value: unknown): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value, 'utf8') : (value as Uint8Array)
}

/** Whether the value is the default, which is not written. Members of a `oneof` are always written. */
function isDefault(kind: string, value: unknown): boolean {
  return (kind === 'string' && value === '') || (kind === 'bool' && value === false) || (kind === 'enum' && value === 0)
}

function ofJson(value: unknown): Values {
  if (value === null || value === undefined) return { nullValue: NULL }
  if (typeof value === 'number') return { numberValue: value }
  if (typeof value === 'string') return { stringValue: TEXT(value) }
  if (typeof value === 'boolean') return { boolValue: { valueOf: () => (value ? 1 : 0) } }
  if (Array.isArray(value)) return { listValue: { values: value } }
  return { structValue: value }
}

// The present member determines the type of a JSON value, so these wrappers make default values appear as other values.
const NULL = { valueOf: () => 0 }
const TEXT = (text: string) => ({ toString: () => text })

function toJson(value: Values): unknown {
  if ('numberValue' in value) return value.numberValue
  if ('stringValue' in value) return value.stringValue
  if ('boolValue' in value) return value.boolValue
  if ('structValue' in value) return value.structValue
  if ('listValue' in value) return (value.listValue as Values).values
  return null
}

function tag(number: number, wire: number): Uint8Array {
  return varint(BigInt((number << 3) | wire))
}

function sized(bytes: Uint8Array): [Uint8Array, Uint8Array] {
  return [varint(BigInt(bytes.length)), bytes]
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let left = BigInt.asUintN(64, BigInt(value.valueOf()))
  do {
    const low = Number(left & 0x7fn)
    left >>= 7n
    bytes.push(left === 0n ? low : low | 0x80)
  } while (left !== 0n)
  return Uint8Array.from(bytes)
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('the message is truncated within a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new RangeError('a number has too many bytes')
  }

  value(wire: number): bigint | number | Uint8Array {
    switch (wire) {
      case 0:
        return this.varint()
      case 1:
        return this.#take(8).readDoubleLE()
      case 2:
        return this.#take(Number(this.varint()))
      case 5:
        return this.#take(4).readUInt32LE()
      default:
        throw new RangeError(`unknown wire type ${wire}`)
    }
  }

  #take(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#bytes.length) throw new RangeError('the message is truncated within a field')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
