/** What is around a verification. In a test runner the environment is not always that of the process. */
export function surroundings(apps: readonly { readonly url: string }[] = []): string {
  const terminal = process.stderr.isTTY === true
  return JSON.stringify({ environment: process.env, terminal, apps: apps.map(({ url }) => url) })
}
