// Methods that are called on a wrong object, such as `const { verify } = verifier; verify()`, or detached from a prototype.

/** Returns the error of a method that was called on an object that this package did not create, or on none. */
export function illegalInvocation(): TypeError {
  return new TypeError('illegal invocation: the object was not created by this package')
}

/** Makes all methods and getters of a class throw this error, or reject with it, unless `isOwn` accepts their object. */
export function guardReceiver(type: { readonly prototype: object }, isOwn: (object: object) => boolean): void {
  const isReceiver = (given: unknown) => typeof given === 'object' && given !== null && isOwn(given)
  for (const name of Reflect.ownKeys(type.prototype)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(type.prototype, name)
    if (name === 'constructor' || descriptor === undefined) continue
    for (const kind of ['value', 'get'] as const) {
      const method: unknown = descriptor[kind]
      if (typeof method !== 'function') continue
      const isAsync = method.constructor.name === 'AsyncFunction'
      const guarded = function (this: unknown, ...args: readonly unknown[]): unknown {
        if (isReceiver(this)) return Reflect.apply(method, this, args)
        if (isAsync) return Promise.reject(illegalInvocation())
        throw illegalInvocation()
      }
      // The name and the number of parameters, which test runners and mocks show.
      Object.defineProperties(guarded, {
        name: { value: method.name, configurable: true },
        length: { value: method.length, configurable: true },
      })
      Object.defineProperty(type.prototype, name, { ...descriptor, [kind]: guarded })
    }
  }
}
