// JSON whose numbers keep their text, such as 1.0 and 1e0, which JSON.parse does not preserve.

const NUMBER = /("(?:[^"\\]|\\.)*")|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Parses a document; numbers become marked strings. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text.replace(NUMBER, (found, string?: string) => string ?? `"\\u0001${found}"`))
}

/** Returns the JSON text of such a document or of any other value. */
export function textExactly(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0001([^"]*)"/g, '$1')
}
