// Detects methods that are called on the wrong object, as in `const { verify } = verifier; verify()`.

/** Returns the error for a method that was called without an object or on an object of another package. */
export function illegalInvocation(): TypeError {
  return new TypeError('illegal invocation: the object was not created by this package')
}

/** Makes all methods and getters of a class throw or reject with this error unless `isOwn` accepts their object. */
export function guardReceiver(type: { readonly prototype: object }, isOwn: (object: object) => boolean): void {
  const isReceiver = (object: unknown) => typeof object === 'object' && object !== null && isOwn(object)
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
      // Test runners and mocks show the name and the number of parameters.
      Object.defineProperties(guarded, {
        name: { value: method.name, configurable: true },
        length: { value: method.length, configurable: true },
      })
      Object.defineProperty(type.prototype, name, { ...descriptor, [kind]: guarded })
    }
  }
}
