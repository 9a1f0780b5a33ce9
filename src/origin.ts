/** Where in the user's code the call was made that led here: `file:line:column`; empty when that cannot be told. */
export function origin(above: (...args: never[]) => unknown): string {
  const holder: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 1
  Error.captureStackTrace(holder, above)
  Error.stackTraceLimit = limit
  const line = holder.stack?.split('\n')[1] ?? ''
  return (
    /\(?((?:file:\/\/)?[^()\s].*:\d+:\d+)\)?$/.exec(line.replace(/^\s+at (?:async )?/, '').replace(/^.*\(/, ''))?.[1] ??
    ''
  )
}
