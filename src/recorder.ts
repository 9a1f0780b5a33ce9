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

/** Options for recording the requests that tests send. */
export interface TestRecordOptions extends RecordOptions {
  /**
   * Returns the name of the running test, or `undefined` if it is unknown. It is called for each request. Default: the
   * test's name in Jest, in Playwright, and in Vitest with this package's plugin.
   */
  readonly testName?: (() => string | undefined) | undefined
}

/** A recording in progress. `await using` stops it at the end of the block. */
export interface ContractRecorder extends AsyncDisposable {
  /**
   * Ends the recording and writes the contract. Further calls return the same result.
   *
   * @throws {ContractError} if the requests go to multiple origins and `target` is not set, or if the file cannot be
   * written
   */
  stop(): Promise<RecordedContract>
}

/** A request and its response, in the form in which the core reads them. */
export interface Exchange {
  url: string
  method: string
  requestHeaders: readonly (readonly [string, string])[]
  /** The body of the request, encoded in base64. */
  requestBody: string
  /** The status code of the response. 0 while no response has been received. */
  status: number
  responseHeaders: readonly (readonly [string, string])[]
  responseBody: string
  test?: string
  problem?: string
}

/** Maximum number of recorded requests, and maximum total size of their bodies in bytes. */
const MAX_REQUESTS = 10_000
const MAX_BYTES = 128 << 20
/** Maximum time for which `stop` waits for incomplete responses, in milliseconds. */
const GRACE = 5_000
/** Default for the `bodyLimit` option, in bytes. */
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

  /**
   * Validates the options. `call` is the operation that the user called. `detach` is called at the end and must stop
   * the observation of requests.
   */
  constructor(call: string, options: TestRecordOptions, testName: () => string | undefined, detach: () => void) {
    const { testName: getTestName, ...rest } = (options ?? {}) as TestRecordOptions
    this.#call = call
    this.#options = options === undefined || options === null ? options : rest
    check(native.checkRecording(this.#operation([])))
    if (getTestName !== undefined && typeof getTestName !== 'function') {
      const name = call.replace(/_./g, (underscored) => underscored.charAt(1).toUpperCase())
      rejectCall(name, '"testName" must be a function that returns a name')
    }
    this.#bodyLimit = rest.bodyLimit ?? BODY_LIMIT
    this.#testName = getTestName ?? testName
    this.#detach = detach
  }

  /** Adds a request, whose response is not known yet. Returns `undefined` if the recording is full or has ended. */
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

  /**
   * Starts to read a request or response. `stop` waits for this. If it fails, the exchange is not part of the contract.
   */
  follow(exchange: Exchange, work: () => Promise<void>): void {
    const followed = work()
      .catch((error: unknown) => {
        exchange.problem ??= `it could not be read: ${error instanceof Error ? error.message : error}`
      })
      .finally(() => this.#pending.delete(followed))
    this.#pending.add(followed)
  }

  /**
   * Encodes a body in base64. A body that is larger than the limit is truncated to one byte more than the limit, so
   * that the core recognizes it as too large.
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
      const requests = this.#dropped === 1 ? 'request was' : 'requests were'
      process.emitWarning(`${this.#dropped} ${requests} not recorded, because ${limits}`, 'ContractWarning')
    }
    const text = unwrap(await native.record(this.#operation(this.#exchanges), callContext()))
    return JSON.parse(text) as RecordedContract
  }

  #operation(exchanges: readonly Exchange[]): string {
    return recordingText(this.#call, { exchanges }, this.#options)
  }
}

/** Returns a recording as JSON text for the core: the call with its options and the recorded exchanges. */
export function recordingText(call: string, source: Readonly<Record<string, unknown>>, options: object): string {
  const isObject = typeof options === 'object' && options !== null
  const { target, directory } = (isObject ? options : {}) as Partial<RecordOptions>
  const paths = { target: pathData(target), directory: pathData(directory) }
  return operationText(call, source, isObject ? { ...options, ...paths } : options)
}

/** Returns the name of the running test, or `undefined` if the runner is unknown. */
export function testName(): string | undefined {
  return currentTest().test
}
