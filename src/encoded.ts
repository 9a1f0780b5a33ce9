import { Buffer } from 'node:buffer'
import { JsonWriter, tagOf } from './template.js'

/** Takes a function of the user's, with the object that it was found on, and gives its number. */
type Keep = (call: (...values: never[]) => unknown, owner: unknown) => number

/**
 * Any value as the JSON text that the core reads. What JSON has no form for is named there, and the core says what it thinks
 * of it: `{"contract:value":"undefined"}`.
 */
export function encoded(value: unknown, keep: Keep = () => 0, numberOf?: (number: number) => string): string {
  try {
    return new Encoder(keep, numberOf).write(value)
  } catch {
    // A proxy that was revoked, a getter that throws, lists without end.
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

function named(kind: string, more: object = {}): string {
  return JSON.stringify({ 'contract:value': kind, ...more })
}

/** What a look at a value gives; nothing when it cannot be looked at, such as a proxy that was revoked. */
export function seen<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** The bytes of a view or a buffer; nothing where there are none. */
export function bytesOf(value: unknown): Buffer | undefined {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return tagOf(value) === 'ArrayBuffer' ? Buffer.from(value as ArrayBuffer) : undefined
}
