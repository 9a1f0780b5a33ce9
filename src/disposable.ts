// Declarations for `await using`, for TypeScript before 5.2. They merge with those of newer compilers and of Node.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }

  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>
  }
}

export {}
