import { runningTestLimit } from '../runner.js'

/**
 * Returns the context of a verification for the core: the environment variables, the terminal, and the URLs of the
 * applications. Reads `process.env` on each call, because test runners replace it.
 */
export function runContext(apps: readonly { readonly url: string }[] = []): string {
  const terminal = process.stderr.isTTY === true
  const urls = apps.map(({ url }) => url)
  return JSON.stringify({ environment: process.env, terminal, apps: urls, ...runningTestLimit() })
}
