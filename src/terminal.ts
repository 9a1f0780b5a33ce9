/** Returns whether output is colored: on a terminal that supports it, unless NO_COLOR or FORCE_COLOR is set. */
export function useColors(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  if (NO_COLOR) return false
  return process.stderr.isTTY === true && process.env.TERM !== 'dumb'
}
