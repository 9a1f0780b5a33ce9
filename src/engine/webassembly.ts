/** A compiled module. */
export type WasmModule = object

export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

interface WebAssemblyApi {
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<WasmModule>
  instantiate(module: WasmModule): Promise<{ readonly exports: object }>
}

/** The part of WebAssembly that the engine uses. TypeScript declares it only in the library for browsers. */
export function webAssembly(): WebAssemblyApi {
  return (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly
}
