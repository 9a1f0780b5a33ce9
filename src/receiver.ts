// Detects methods that are called on the wrong object, as in `const { verify } = verifier; verify()`.

/**
 * Returns the error for a method that was called without an object, or on an object that this package did not create.
 */
export function illegalInvocation(): TypeError {
  return new TypeError('illegal invocation: the object was not created by this package')
}

/**
 * Makes all methods and getters of a class fail with the error of `illegalInvocation` if `isOwn` returns false for
 * their object. Asynchronous methods reject with it, and all others throw it.
 */
export function guardReceiver(type: { readonly prototype: object }, isOwn: (object: object) => boolean): void {
  for (const name of Reflect.ownKeys(type.prototype)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(type.prototype, name)
    if (name === 'constructor' || descriptor === undefined) continue
    for (const kind of ['value', 'get'] as const) {
      const method: unknown = descriptor[kind]
      if (typeof method !== 'function') continue
      Object.defineProperty(type.prototype, name, { ...descriptor, [kind]: guarded(method as Method, isOwn) })
    }
  }
}

/** A function with any parameters. It can be wrapped, but not called. */
export type Method = (...args: never[]) => unknown

/** Returns a method that fails with the error of `illegalInvocation` if `isOwn` returns false for its object. */
export function guarded(method: Method, isOwn: (object: object) => boolean): Method {
  const isAsync = method.constructor.name === 'AsyncFunction'
  const guard = function (this: unknown, ...args: readonly unknown[]): unknown {
    if (typeof this === 'object' && this !== null && isOwn(this)) return Reflect.apply(method, this, args)
    if (isAsync) return Promise.reject(illegalInvocation())
    throw illegalInvocation()
  }
  // Test runners and mocks show the name and the number of parameters.
  return Object.defineProperties(guard, {
    name: { value: method.name, configurable: true },
    length: { value: method.length, configurable: true },
  })
}
