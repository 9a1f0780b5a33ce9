// Loads the WebAssembly module. It is embedded in a script, so that neither Node nor a bundler has to locate a file.
import { EngineError } from './error.js'
import { type WasmModule, webAssembly } from './webassembly.js'

let compiled: Promise<WasmModule> | undefined

/** Returns the compiled module, which is compiled once and shared by all instances. */
export function loadModule(): Promise<WasmModule> {
  compiled ??= load().catch((error: unknown) => {
    compiled = undefined
    throw error
  })
  return compiled
}

async function load(): Promise<WasmModule> {
  const packed = await loadBase64()
  const bytes = await gunzip(Uint8Array.from(atob(packed), (character) => character.charCodeAt(0)))
  return webAssembly().compile(bytes)
}

async function loadBase64(): Promise<string> {
  try {
    return (await import('../engine-wasm.cjs')).default
  } catch (cause) {
    const advice = 'Install the package again. In a checkout, run: npm run build:wasm'
    throw new EngineError('ERR_CONTRACT_WASM', `the matching engine, engine-wasm.cjs, was not found. ${advice}`, {
      cause,
    })
  }
}

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Decompresses the module. Browser-like test environments in Node have no `DecompressionStream`, and browsers have no
 * Node modules.
 */
async function gunzip(packed: Bytes): Promise<Bytes> {
  const zlib = globalThis.process?.getBuiltinModule?.('node:zlib')
  if (zlib !== undefined) return zlib.gunzipSync(packed)
  const { readable, writable } = new DecompressionStream('gzip')
  const writer = writable.getWriter()
  const written = writer.write(packed).then(() => writer.close())
  const chunks: Uint8Array[] = []
  const reader = readable.getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) chunks.push(chunk.value)
  await written
  return join(chunks)
}

function join(chunks: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
