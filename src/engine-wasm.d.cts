/** The matching engine as a WebAssembly module: gzip, as base64. Written by `scripts/build-wasm.mjs`. */
declare const wasm: string
export = wasm
