/** A compiled WebAssembly module. */
export type WasmModule = object

export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

interface WebAssemblyApi {
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<WasmModule>
  instantiate(module: WasmModule): Promise<{ readonly exports: object }>
}

/**
 * The members of `WebAssembly` that the engine uses. TypeScript declares `WebAssembly` only in its library for
 * browsers.
 */
export function webAssembly(): WebAssemblyApi {
  return (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly
}
