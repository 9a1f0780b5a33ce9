import { Buffer } from 'node:buffer'
import { JsonWriter, tagOf } from './template.js'

/** Registers a user function and returns its ID. `owner` is the object that contains the function. */
type Keep = (call: (...values: never[]) => unknown, owner: unknown) => number

/**
 * Returns any value as JSON text for the core. Replaces values that JSON cannot represent with descriptions, such as
 * `{"contract:value":"undefined"}`, so that the core can report them.
 */
export function encoded(value: unknown, keep: Keep = () => 0, numberOf?: (number: number) => string): string {
  try {
    return new Encoder(keep, numberOf).write(value)
  } catch {
    // A revoked proxy, a getter that throws, or infinite nesting.
    return named('value that cannot be read')
  }
}

class Encoder extends JsonWriter {
  readonly #keep: Keep
  readonly #numberOf: (number: number) => string

  constructor(keep: Keep, numberOf = (number: number) => named('number', { text: String(number) })) {
    super()
    this.#keep = keep
    this.#numberOf = numberOf
  }

  protected foreign(kind: string, value: unknown, owner?: object): string {
    switch (kind) {
      case 'number':
        return this.#numberOf(value as number)
      case 'function':
        return named(kind, { id: this.#keep(value as never, owner) })
      case 'URL':
        return JSON.stringify(String(value))
      case 'RegExp': {
        const { source, flags } = value as RegExp
        return named(kind, { source, flags })
      }
      case 'Date':
        return named(kind, { text: (value as Date).toJSON() ?? undefined })
      case 'depth':
        throw new RangeError('too deep')
      default: {
        const bytes = bytesOf(value)
        return bytes === undefined ? named(kind) : named('bytes', { base64: bytes.toString('base64') })
      }
    }
  }
}

function named(kind: string, details: object = {}): string {
  return JSON.stringify({ 'contract:value': kind, ...details })
}

/** Reads a value that the caller passed. Returns `undefined` if reading throws, as for a revoked proxy. */
export function tryRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Returns the bytes of a typed array, `DataView`, or `ArrayBuffer`, or `undefined` for any other value. */
export function bytesOf(value: unknown): Buffer | undefined {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return tagOf(value) === 'ArrayBuffer' ? Buffer.from(value as ArrayBuffer) : undefined
}
