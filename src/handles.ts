// What stands behind the objects that users hold, out of their sight and out of the published types.

import { operationText } from './arguments.js'
import type { NativeContract, NativeInteraction, NativeServer } from './native/binding.js'
import { check } from './native/result.js'
import { writer } from './provenance.js'
import { runnerTimeout } from './runner.js'

export const contracts = new WeakMap<object, NativeContract>()
export const interactions = new WeakMap<object, NativeInteraction>()
export const servers = new WeakMap<object, NativeServer>()

/** What stands behind an object that has something behind it. */
export function behind<T>(all: WeakMap<object, T>, object: object): T {
  // For `undefined` as well: methods may be called without their object.
  const found = all.get(object)
  if (found === undefined) throw new TypeError('illegal invocation: the object was not created by this package')
  return found
}

/** Calls an operation of an interaction. What other tools would misread is told as a warning of the process, `ContractWarning`. */
export function apply<I extends object>(
  interaction: I,
  name: string,
  args: Readonly<Record<string, unknown>>,
  options?: unknown,
): I {
  const told = behind(interactions, interaction).apply(operationText(name, args, options))
  if (!Array.isArray(told)) check(told)
  else for (const text of told) process.emitWarning(text, 'ContractWarning')
  return interaction
}

/** Where a call is made, for the core. */
export function surroundings(origin = ''): string {
  const directory = process.env.CONTRACT_OUTPUT_DIR || undefined
  const overwrite = process.env.CONTRACT_OVERWRITE
  return JSON.stringify({ directory, overwrite, runnerTimeout: runnerTimeout(), origin, writer: writer() })
}
