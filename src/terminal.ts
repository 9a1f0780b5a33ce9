/** Whether texts are colored: on a terminal that knows colors, unless NO_COLOR or FORCE_COLOR say otherwise. */
export function colours(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  if (NO_COLOR) return false
  return process.stderr.isTTY === true && process.env.TERM !== 'dumb'
}
