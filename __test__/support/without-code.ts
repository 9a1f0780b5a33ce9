/** Removes the code at the end of an error message; fails if it is missing. */
export function withoutCode(message: string, code: string): string {
  const end = [` [${code}]`, `\n[${code}]`].find((text) => message.endsWith(text))
  if (end === undefined) throw new Error(`the message does not end with [${code}]: ${message}`)
  return message.slice(0, -end.length)
}
