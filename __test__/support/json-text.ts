// JSON whose numbers keep their text, which JavaScript's own reader loses: 1.0, 1e0, twenty digits.

const NUMBER = /("(?:[^"\\]|\\.)*")|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Reads a document; numbers become texts with a mark. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text.replace(NUMBER, (found, string?: string) => string ?? `"\\u0001${found}"`))
}

/** The JSON text of what was read so, or of any other value. */
export function textExactly(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0001([^"]*)"/g, '$1')
}
