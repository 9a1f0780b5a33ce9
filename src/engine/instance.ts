// Calls the WebAssembly module through messages in its memory, as described in crates/wasm/src/abi.rs.
import { EngineError } from './error.js'
import { loadModule } from './module.js'
import { type WasmMemory, webAssembly } from './webassembly.js'

interface Exports {
  readonly memory: WasmMemory
  contract_alloc(size: number): number
  contract_free(message: number, size: number): void
  contract_call(message: number, size: number): number
}

export interface Message<T> {
  readonly document: T
  readonly body: Uint8Array<ArrayBuffer>
}

/** Size of the two numbers at the start of a message, in bytes. */
const HEAD = 8

/** An instance of the WebAssembly module, with its own memory and its own contracts. */
export class Instance {
  readonly #exports: Exports
  #isBroken = false

  private constructor(exports: Exports) {
    this.#exports = exports
  }

  static async create(): Promise<Instance> {
    const { exports } = await webAssembly().instantiate(await loadModule())
    return new Instance(exports as unknown as Exports)
  }

  /**
   * True if a call failed in the engine. The instance must not be used again, because its memory may be inconsistent.
   */
  get isBroken(): boolean {
    return this.#isBroken
  }

  call<T>(document: object, body: Uint8Array = new Uint8Array()): Message<T> {
    try {
      return this.#call(new TextEncoder().encode(JSON.stringify(document)), body)
    } catch (cause) {
      this.#isBroken = true
      throw new EngineError(
        'ERR_CONTRACT_INTERNAL',
        `the matching engine failed: ${(cause as Error).message}. Please report this error with the contract and the request.`,
        { cause },
      )
    }
  }

  #call<T>(document: Uint8Array, body: Uint8Array): Message<T> {
    const { contract_alloc, contract_call, contract_free } = this.#exports
    const size = HEAD + document.length + body.length
    const sent = allocated(contract_alloc(size))
    const message = this.#memory(sent, size)
    new DataView(message.buffer, sent).setUint32(0, document.length, true)
    new DataView(message.buffer, sent).setUint32(4, body.length, true)
    message.set(document, HEAD)
    message.set(body, HEAD + document.length)
    const received = allocated(contract_call(sent, size))
    contract_free(sent, size)
    const head = new DataView(this.#exports.memory.buffer, received, HEAD)
    const [text, rest] = [head.getUint32(0, true), head.getUint32(4, true)]
    const answer = this.#memory(received, HEAD + text + rest)
    const result = {
      document: JSON.parse(new TextDecoder().decode(answer.subarray(HEAD, HEAD + text))) as T,
      body: answer.slice(HEAD + text) as Uint8Array<ArrayBuffer>,
    }
    contract_free(received, answer.length)
    return result
  }

  /** Returns a view of the memory. Each call needs a new view, because the memory moves when it grows. */
  #memory(at: number, size: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, at, size)
  }
}

function allocated(message: number): number {
  if (message === 0) throw new RangeError('out of memory')
  // Addresses above 2 GiB are negative.
  return message >>> 0
}
