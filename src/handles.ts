// The native objects of public objects. They are stored in maps, so that the public types do not expose them.

import { operationText } from './arguments.js'
import type { NativeContract, NativeInteraction, NativeServer } from './native/binding.js'
import { check } from './native/result.js'
import { ownerOf } from './owner.js'
import { endCall, startCall } from './pending-call.js'
import { writer } from './provenance.js'
import { guarded, illegalInvocation, type Method } from './receiver.js'
import { runnerTimeout } from './runner.js'

export const contracts = new WeakMap<object, NativeContract>()
export const interactions = new WeakMap<object, NativeInteraction>()
export const servers = new WeakMap<object, NativeServer>()

/** Returns the native object that belongs to a public object. Throws if the object was not created by this package. */
export function nativeOf<T>(natives: WeakMap<object, T>, object: object): T {
  // `object` is undefined if a method is called without its object.
  const native = natives.get(object)
  if (native === undefined) throw illegalInvocation()
  return native
}

/** Performs an operation on an interaction. Emits the core's warnings as process warnings (`ContractWarning`). */
export function apply<I extends object>(
  interaction: I,
  name: string,
  args: Readonly<Record<string, unknown>>,
  options?: unknown,
): I {
  const result = nativeOf(interactions, interaction).apply(operationText(name, args, options))
  endCall()
  if (!Array.isArray(result)) check(result)
  else for (const warning of result) process.emitWarning(warning, 'ContractWarning')
  return interaction
}

/**
 * Makes the methods of an interaction class check their receiver and record that a call starts, so that errors in its
 * arguments can be attributed to it. Each check is created on first use, because this function runs when the package is
 * imported.
 */
export function trackCalls(type: abstract new (...args: never[]) => object): void {
  const isOwn = (object: object) => interactions.has(object)
  for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype))) {
    if (name === 'constructor' || typeof method !== 'function') continue
    let guard: Method | undefined
    Object.defineProperty(type.prototype, name, {
      configurable: true,
      get(this: object) {
        startCall(interactions.get(this))
        guard ??= guarded(method, isOwn)
        return guard
      },
      set(this: object, value: unknown) {
        Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true })
      },
    })
  }
}

/** Returns the context of a call for the core: settings from the environment, the call site, and the running test. */
export function callContext(origin = '', contract?: NativeContract): string {
  const directory = process.env.CONTRACT_OUTPUT_DIR || undefined
  const overwrite = process.env.CONTRACT_OVERWRITE
  const { CONTRACT_VARIANTS: variants, CONTRACT_VARIANT: variant } = process.env
  const owner = ownerOf(contract)
  const limit = owner?.timeout ?? runnerTimeout()
  return JSON.stringify({
    directory,
    overwrite,
    variants,
    variant,
    runnerTimeout: limit,
    origin,
    writer: writer(owner?.current),
  })
}
