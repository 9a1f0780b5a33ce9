// What `await using` needs, for compilers that do not know it yet: TypeScript before 5.2. Where a library of the compiler or of
// Node declares the same, the declarations are one.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }

  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>
  }
}

export {}
