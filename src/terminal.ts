/**
 * Returns whether to color output. The environment variables `NO_COLOR` and `FORCE_COLOR` decide. By default, output is
 * colored on a terminal that supports it.
 */
export function useColors(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  if (NO_COLOR) return false
  return process.stderr.isTTY === true && process.env.TERM !== 'dumb'
}
