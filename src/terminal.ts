/** Whether texts for people are coloured: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise. */
export function colours(): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  if (NO_COLOR) return false
  return process.stderr.isTTY === true
}

/** What a package manager was told to run, to tell how to run it again; nothing when there is none. */
export function command(): string | undefined {
  const { npm_lifecycle_event: script, npm_config_user_agent: agent = '' } = process.env
  if (!script || script === 'npx') return undefined
  const manager = /^(?:npm|pnpm|yarn|bun)\b/.exec(agent)?.[0] ?? 'npm'
  return script === 'test' ? `${manager} test` : `${manager} run ${script}`
}
