/**
 * Returns the location from which the user's code called the function `above`, as `file:line:column`. Returns an empty
 * string if it is unknown.
 */
export function origin(above: (...args: never[]) => unknown): string {
  const holder: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  Error.captureStackTrace(holder, above)
  Error.stackTraceLimit = limit
  // `at call (place)`, `at place`, or `at async place`. Parsed without a regular expression, which would be slow.
  const stack = holder.stack ?? ''
  const start = stack.indexOf('\n') + 1
  const line = start === 0 ? '' : stack.slice(start).trim()
  const bracket = line.lastIndexOf('(')
  const place =
    bracket < 0
      ? line.slice(line.startsWith('at async ') ? 9 : 3)
      : line.slice(bracket + 1, line.endsWith(')') ? -1 : undefined)
  return /.:\d+:\d+$/.test(place) ? place : ''
}
