import { native } from '../native/load.js'

let names: readonly string[] | undefined

/** What the environment has to say to the core. In a test runner it is not always that of the process. */
export function environment(): Record<string, string> {
  names ??= native.verificationVariables()
  const set: Record<string, string> = {}
  for (const name of names) {
    const value = process.env[name]
    if (value) set[name] = value
  }
  return set
}

/** Whether somebody is there to see how far a verification is: at a terminal, and not below a test runner's own lines. */
export function showsProgress(): boolean {
  const runners = ['JEST_WORKER_ID', 'VITEST', 'NODE_TEST_CONTEXT', 'MOCHA_WORKER_ID', 'CI']
  return process.stderr.isTTY === true && runners.every((name) => !process.env[name])
}
