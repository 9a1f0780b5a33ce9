import { runningTestLimit } from '../runner.js'

/** What is around a verification. In a test runner the environment is not always that of the process. */
export function surroundings(apps: readonly { readonly url: string }[] = []): string {
  const terminal = process.stderr.isTTY === true
  const urls = apps.map(({ url }) => url)
  return JSON.stringify({ environment: process.env, terminal, apps: urls, ...runningTestLimit() })
}
