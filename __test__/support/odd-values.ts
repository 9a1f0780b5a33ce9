import { ContractArgumentError, ContractError } from 'contract'

/** Invalid values by the name that they have in test names. */
export const oddValues: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['true', true],
  ['false', false],
  ['0', 0],
  ['-0', -0],
  ['-1', -1],
  ['1.5', 1.5],
  ['1e9', 1e9],
  ['1e21', 1e21],
  ['2 ** 53 + 2', 2 ** 53 + 2],
  ['5e-324', 5e-324],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['a bigint', 7n],
  ['a large bigint', 10n ** 400n],
  ['an empty text', ''],
  ['a blank', ' '],
  ['a text', 'text'],
  ['a NUL', '\0'],
  ['line breaks', 'a\r\nb'],
  ['half a surrogate pair', '\ud800'],
  ['an emoji', '😀'],
  ['a brace', '{'],
  ['a parenthesis', '('],
  ['a JSON text', '{"value":1}'],
  ['__proto__', '__proto__'],
  ['a symbol', Symbol('odd')],
  ['a function', () => 1],
  ['a class', class Odd {}],
  ['an empty list', []],
  ['a list', [1, 'a', null]],
  ['a list with holes', new Array(3)],
  ['a list of lists', [[]]],
  ['an empty object', {}],
  ['an object', { a: 1 }],
  ['an object without prototype', Object.create(null)],
  ['an object with undefined', { a: undefined }],
  ['an object with a symbol', { a: Symbol('odd') }],
  ['an object with __proto__', JSON.parse('{"__proto__":{"a":1}}')],
  ['an object with an empty name', { '': 1 }],
  ['an object with a wrong then', JSON.parse('{"then":1}')],
  ['an object with length', { length: -1 }],
  ['an object with a wrong constructor', { constructor: null }],
  ['a boxed text', new String('a')],
  ['a boxed number', new Number(1)],
  ['a Date', new Date(0)],
  ['an invalid Date', new Date(Number.NaN)],
  ['a RegExp', /a/],
  ['a RegExp of another language', /(?<=a)b\p{L}/giu],
  ['a Map', new Map([['a', 1]])],
  ['a Set', new Set([1])],
  ['a Promise', Promise.resolve(1)],
  ['an Error', new Error('odd')],
  ['bytes', new Uint8Array([255])],
  ['an ArrayBuffer', new ArrayBuffer(1)],
  ['a URL', new URL('http://127.0.0.1/')],
  ['matcher JSON', { 'contract:matcher:type': 'type', value: 1 }],
  ['matcher JSON that is none', { 'contract:matcher:type': 5 }],
  ['an object that contains itself', cyclic()],
  ['a list that is very deep', deep()],
  ['a revoked proxy', revoked()],
]

function cyclic(): object {
  const value: { self?: object } = {}
  value.self = value
  return value
}

function deep(): unknown[] {
  let value: unknown[] = []
  for (let level = 0; level < 100_000; level += 1) value = [value]
  return value
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/**
 * Makes a call with an odd value, waits for the result, and describes what is wrong with the error: every error must be
 * an error of this package, with a code and a message that contains more than the code. Returns `undefined` if the value was
 * accepted, or rejected properly.
 */
export async function complaint(call: () => unknown): Promise<string | undefined> {
  try {
    await call()
  } catch (error) {
    return complaintAbout(error)
  }
  return undefined
}

/** Returns the problem of an unreadable error message; `undefined` if it is readable. */
export function complaintAbout(error: unknown): string | undefined {
  const shown = error instanceof Error ? `${error.name}: ${error.message}` : `a thrown ${typeof error}`
  if (!(error instanceof ContractArgumentError || error instanceof ContractError)) return `not ours: ${shown}`
  if (!/^ERR_CONTRACT_[A-Z_]+$/.test(error.code) || error.code === 'ERR_CONTRACT_INTERNAL') {
    return `the code ${error.code}: ${shown}`
  }
  if (error.message.length < 10 || /\[object |at line \d+ column|os error|panicked|napi|serde/i.test(error.message)) {
    return `a text of the machine: ${shown}`
  }
  if (error.message.length > 5_000) return `a text of ${error.message.length} characters: ${shown.slice(0, 200)}`
  return undefined
}
