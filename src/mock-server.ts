/// <reference lib="esnext.disposable" preserve="true" />
import { MismatchesError } from './errors.js'
import type { ReceivedRequest, ServerMismatch } from './mismatch.js'
import type { NativeServer } from './native/binding.js'
import { unwrap } from './native/result.js'
import { colours } from './terminal.js'

/** A request that came, and what became of it. */
export interface JournalEntry {
  readonly request: ReceivedRequest
  readonly [key: string]: unknown
}

interface Outcome {
  readonly matched: boolean
  readonly mismatches: readonly ServerMismatch[]
  readonly text: string
  readonly file?: string | null
}

/**
 * The provider, played by the core. Made by `Contract.serve`; with `await using` it is stopped at the end of the scope,
 * and what did not match is thrown there.
 */
export class MockServer implements AsyncDisposable {
  readonly #native: NativeServer
  readonly #raises: boolean
  #stopped: Promise<Outcome> | undefined

  /** @internal */
  constructor(native: NativeServer, raises: boolean) {
    this.#native = native
    this.#raises = raises
  }

  /** The base URL, without a slash at the end. */
  get url(): string {
    return this.#native.url
  }

  /** The host in the URL. */
  get host(): string {
    return this.#native.host
  }

  /** The port it listens on. */
  get port(): number {
    return this.#native.port
  }

  /** A URL on this server. */
  resolve(path: string): URL {
    return new URL(path, this.url)
  }

  toString(): string {
    return this.url
  }

  /** Whether every interaction was requested, and nothing else. */
  get matched(): boolean {
    return this.#outcome().matched
  }

  /** What did not match so far. */
  get mismatches(): readonly ServerMismatch[] {
    return this.#outcome().mismatches
  }

  /** The requests that came, in order. */
  get requests(): readonly JournalEntry[] {
    return JSON.parse(this.#native.received()) as JournalEntry[]
  }

  #outcome(): Outcome {
    return JSON.parse(this.#native.outcome(false)) as Outcome
  }

  /** Stops the server and throws `MismatchesError` if anything did not match. A second call does nothing more. */
  async stop(): Promise<void> {
    const { text, mismatches, matched } = await this.end()
    if (!matched && this.#raises) throw new MismatchesError(text, mismatches)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** @internal Stops without throwing mismatches; `passed` says how the test went, if that is known. */
  end(passed?: boolean): Promise<Outcome> {
    this.#stopped ??= this.#native
      .stop(passed ?? null, colours())
      .then((result) => JSON.parse(unwrap(result)) as Outcome)
    return this.#stopped
  }
}
