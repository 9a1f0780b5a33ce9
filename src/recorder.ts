// Collects requests and responses, and derives a contract from them at the end.
import { Buffer } from 'node:buffer'
import { setTimeout } from 'node:timers/promises'
import { operationText, pathData, rejectCall } from './arguments.js'
import { bytesOf } from './encoded.js'
import type { RecordOptions } from './generated/options.js'
import type { RecordedContract } from './generated/results.js'
import { callContext } from './handles.js'
import { native } from './native/load.js'
import { check, unwrap } from './native/result.js'
import { currentTest } from './provenance.js'

/** Options for recording requests while tests run. */
export interface TestRecordOptions extends RecordOptions {
  /**
   * Returns the name of the current test, or `undefined` if it is not known. It is called for each request. Default: the name
   * of the test in Jest, in Playwright, and in Vitest with the plugin of this package.
   */
  readonly testName?: (() => string | undefined) | undefined
}

/** A running recording. */
export interface ContractRecorder extends AsyncDisposable {
  /**
   * Ends the recording, and writes the contract. Further calls return the same result.
   *
   * @throws {ContractError} if the requests go to several origins and `target` is not set, or if the file cannot be written
   */
  stop(): Promise<RecordedContract>
}

/** A request and its response, in the format of the core. */
export interface Exchange {
  url: string
  method: string
  requestHeaders: readonly (readonly [string, string])[]
  /** The body in base64. */
  requestBody: string
  /** The status code; 0 if no response was received yet. */
  status: number
  responseHeaders: readonly (readonly [string, string])[]
  responseBody: string
  test?: string
  problem?: string
}

/** Maximum number of recorded requests, and maximum total size of their bodies in bytes. */
const MAX_REQUESTS = 10_000
const MAX_BYTES = 128 << 20
/** Maximum time to wait at the end for incomplete responses, in milliseconds. */
const GRACE = 5_000
/** Default value of `bodyLimit`, in bytes. */
const BODY_LIMIT = 1 << 20

export class TrafficRecorder implements ContractRecorder {
  readonly #call: string
  readonly #options: object
  readonly #bodyLimit: number
  readonly #testName: () => string | undefined
  readonly #detach: () => void
  readonly #exchanges: Exchange[] = []
  readonly #pending = new Set<Promise<void>>()
  #bytes = 0
  #dropped = 0
  #stopped: Promise<RecordedContract> | undefined

  /** Checks the options. `call` is the operation that the user called, and `detach` stops observing requests. */
  constructor(call: string, options: TestRecordOptions, testName: () => string | undefined, detach: () => void) {
    const { testName: given, ...rest } = (options ?? {}) as TestRecordOptions
    this.#call = call
    this.#options = options === undefined || options === null ? options : rest
    check(native.checkRecording(this.#operation([])))
    if (given !== undefined && typeof given !== 'function') {
      const name = call.replace(/_./g, (underscored) => underscored.charAt(1).toUpperCase())
      rejectCall(name, '"testName" must be a function that returns a name')
    }
    this.#bodyLimit = rest.bodyLimit ?? BODY_LIMIT
    this.#testName = given ?? testName
    this.#detach = detach
  }

  /** Adds a request. Returns `undefined` if the recording is full or has ended. */
  begin(url: string, method: string): Exchange | undefined {
    if (this.#stopped !== undefined) return undefined
    if (this.#exchanges.length >= MAX_REQUESTS || this.#bytes >= MAX_BYTES) {
      this.#dropped += 1
      return undefined
    }
    const none = { requestHeaders: [], requestBody: '', status: 0, responseHeaders: [], responseBody: '' }
    const test = this.#testName()
    const exchange = { url, method, ...none, ...(test && { test }) }
    this.#exchanges.push(exchange)
    return exchange
  }

  /** Starts work that `stop` waits for. If the work fails, the exchange is not part of the contract. */
  follow(exchange: Exchange, work: () => Promise<void>): void {
    const followed = work()
      .catch((error: unknown) => {
        exchange.problem ??= `it could not be read: ${error instanceof Error ? error.message : error}`
      })
      .finally(() => this.#pending.delete(followed))
    this.#pending.add(followed)
  }

  /**
   * Encodes a body. A body above the limit is truncated to one byte more than the limit, so that the core recognizes it
   * as too large.
   */
  encode(body: ArrayBuffer | Uint8Array): string {
    // In test environments, the class of the buffer may belong to another realm.
    const bytes = bytesOf(body) ?? Buffer.alloc(0)
    const kept = bytes.subarray(0, this.#bodyLimit + 1)
    this.#bytes += kept.length
    return kept.toString('base64')
  }

  stop(): Promise<RecordedContract> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #stop(): Promise<RecordedContract> {
    this.#detach()
    // A response that never ends is not part of the contract.
    const timer = new AbortController()
    const late = setTimeout(GRACE, undefined, { signal: timer.signal }).catch(() => undefined)
    await Promise.race([Promise.all(this.#pending), late])
    timer.abort()
    if (this.#dropped > 0) {
      const limits = `a recording contains at most ${MAX_REQUESTS} requests and ${MAX_BYTES >> 20} MiB`
      process.emitWarning(`${this.#dropped} requests were not recorded, because ${limits}`, 'ContractWarning')
    }
    const text = unwrap(await native.record(this.#operation(this.#exchanges), callContext()))
    return JSON.parse(text) as RecordedContract
  }

  #operation(exchanges: readonly Exchange[]): string {
    return recordingText(this.#call, { exchanges }, this.#options)
  }
}

/** Returns the operation of a recording as JSON text. */
export function recordingText(call: string, source: Readonly<Record<string, unknown>>, options: object): string {
  const isObject = typeof options === 'object' && options !== null
  const { target, directory } = (isObject ? options : {}) as Partial<RecordOptions>
  const paths = { target: pathData(target), directory: pathData(directory) }
  return operationText(call, source, isObject ? { ...options, ...paths } : options)
}

/** Returns the name of the current test, if the runner is known. */
export function testName(): string | undefined {
  return currentTest().test
}
