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
  const { prototype } = type
  for (const name of Reflect.ownKeys(prototype)) {
    // This runs when the package is imported, so the descriptor is changed instead of copied.
    const descriptor = Reflect.getOwnPropertyDescriptor(prototype, name)
    if (name === 'constructor' || descriptor === undefined) continue
    const { value, get } = descriptor
    if (typeof value === 'function') descriptor.value = guarded(value, isOwn)
    else if (get !== undefined) descriptor.get = guarded(get, isOwn) as () => unknown
    else continue
    Object.defineProperty(prototype, name, descriptor)
  }
}

/** A function with any parameters. It can be wrapped, but not called. */
export type Method = (...args: never[]) => unknown

/** The prototype of all async functions. */
const ASYNC_PROTOTYPE: object = Object.getPrototypeOf(async () => {})

/** Returns a method that fails with the error of `illegalInvocation` if `isOwn` returns false for its object. */
export function guarded(method: Method, isOwn: (object: object) => boolean): Method {
  const isAsync = Object.getPrototypeOf(method) === ASYNC_PROTOTYPE
  const { name } = method
  // Test runners and mocks show the name and the number of parameters. A computed method name is faster than
  // `defineProperty`, and this runs when the package is imported.
  const { [name]: guard } = {
    [name](this: unknown, ...args: readonly unknown[]): unknown {
      if (typeof this === 'object' && this !== null && isOwn(this)) return Reflect.apply(method, this, args)
      if (isAsync) return Promise.reject(illegalInvocation())
      throw illegalInvocation()
    },
  }
  if (method.length > 0) Object.defineProperty(guard, 'length', { value: method.length, configurable: true })
  return guard as Method
}
