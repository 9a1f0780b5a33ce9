import { native } from '../native/load.js'

let names: readonly string[] | undefined

/** What is around a verification. In a test runner the environment is not always that of the process. */
export function surroundings(apps: readonly { readonly url: string }[] = []): string {
  names ??= native.verificationVariables()
  const environment = Object.fromEntries(names.map((name) => [name, process.env[name]]))
  return JSON.stringify({ environment, terminal: process.stderr.isTTY === true, apps: apps.map(({ url }) => url) })
}
