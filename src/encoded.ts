import { Buffer } from 'node:buffer'

/** Takes a function of the user's, with the object that it was found on, and gives its number. */
type Keep = (call: (...values: never[]) => unknown, owner: unknown) => number

/**
 * Any value as the JSON text that the core reads. What JSON has no form for is named there, and the core says what it thinks
 * of it: `{"contract:value":"undefined"}`.
 */
export function encoded(value: unknown, keep: Keep = () => 0, numberOf = oddNumber): string {
  const above: object[] = []
  const write = (value: unknown, owner?: unknown): string => {
    switch (typeof value) {
      case 'string':
        return JSON.stringify(value)
      case 'number':
        return Number.isFinite(value) ? String(value) : numberOf(value)
      case 'boolean':
      case 'bigint':
        return String(value)
      case 'function':
        return named('function', `"id":${keep(value as never, owner)}`)
      case 'object':
        return value === null ? 'null' : object(value)
      default:
        return named(typeof value)
    }
  }
  const object = (value: object): string => {
    if (above.includes(value)) return named('circle')
    above.push(value)
    const text = Array.isArray(value) ? `[${Array.from(value, (item) => write(item, value)).join(',')}]` : other(value)
    above.pop()
    return text
  }
  const other = (value: object): string => {
    if (isUrl(value)) return JSON.stringify(String(value))
    // By tag: under Jest they come from many realms.
    const tag = Object.prototype.toString.call(value).slice(8, -1)
    if (ArrayBuffer.isView(value) || tag === 'ArrayBuffer') return named('bytes', `"base64":"${base64(value)}"`)
    if (tag === 'RegExp') {
      const { source, flags } = value as RegExp
      return named(tag, `"source":${JSON.stringify(source)},"flags":${JSON.stringify(flags)}`)
    }
    if (tag !== 'Object' && tag !== 'Error') return named(tag)
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${write(member, value)}`)
    return `{${members.join(',')}}`
  }
  try {
    return write(value)
  } catch {
    // A proxy that was revoked, a getter that throws, lists without end.
    return named('value that cannot be read')
  }
}

/** What a look at a value gives; nothing when it cannot be looked at, such as a proxy that was revoked. */
export function seen<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** An object with no more of its members than what they are: what they hold may be large, and is told elsewhere. */
export function shallow(value: unknown): unknown {
  const isObject = seen(() => Object.prototype.toString.call(value)) === '[object Object]'
  if (!isObject) return value
  const kind = (member: unknown) => (Array.isArray(member) ? [] : Object(member) === member ? {} : member)
  return (
    seen(() => Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, kind(one)]))) ?? value
  )
}

/** By its shape: under Jest URLs come from another realm. */
export function isUrl(value: unknown): value is URL {
  return typeof value === 'object' && value !== null && 'href' in value && 'protocol' in value
}

function named(kind: string, more?: string): string {
  return `{"contract:value":${JSON.stringify(kind)}${more === undefined ? '' : `,${more}`}}`
}

function oddNumber(value: number): string {
  return named('number', `"text":"${value}"`)
}

function base64(bytes: object): string {
  const view = ArrayBuffer.isView(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Buffer.from(bytes as ArrayBuffer)
  return view.toString('base64')
}
