import { native } from '../native/load.js'

let names: readonly string[] | undefined

/**
 * What is around a verification. In a test runner the environment is not always that of the process. Who detects the version
 * looks at what any system of continuous integration may have set.
 */
export function surroundings(apps: readonly { readonly url: string }[] = [], detects = false): string {
  names ??= native.verificationVariables()
  const environment = detects ? process.env : Object.fromEntries(names.map((name) => [name, process.env[name]]))
  return JSON.stringify({ environment, terminal: process.stderr.isTTY === true, apps: apps.map(({ url }) => url) })
}
