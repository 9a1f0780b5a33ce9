import './disposable.js'
import { pathOf } from './directory.js'
import { MismatchesError } from './errors.js'
import type { Mismatch, ServerMismatch } from './mismatch.js'
import type { NativeServer } from './native/binding.js'
import { unwrap } from './native/result.js'
import { writer } from './provenance.js'
import { colours } from './terminal.js'

/** A request that came, as it came, and what became of it. Unlike texts and errors it holds secrets. */
export interface JournalEntry {
  /** When its last byte had come, in milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** Without query. */
  readonly path: string
  /** Names, decoded, with their values in order; `null` is a name without value. */
  readonly query: Readonly<Record<string, readonly (string | null)[]>>
  /** Names with their values in order. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** Text, or base64 of what is no text. The beginning of a long one; of old requests nothing. */
  readonly body: string | { readonly base64: string }
  /** Bytes of the whole body. */
  readonly bodyLength: number
  /** `not-found`: no interaction has its method and path. `preflight`: a browser asked for permission, and got it. */
  readonly outcome: 'matched' | 'mismatched' | 'not-found' | 'preflight'
  /** The description of the interaction that answered, or that came closest. */
  readonly interaction: string | null
  readonly mismatches: readonly Mismatch[]
  /** JSON pointers to the fields of the body that the contract does not name. */
  readonly unexpectedFields: readonly string[]
}

/** @internal What a server says at its end. */
export interface Outcome {
  readonly matched: boolean
  readonly mismatches: readonly ServerMismatch[]
  readonly text: string
  readonly file?: string | null
}

/** @internal How the end of a server is told. */
export interface Telling {
  readonly raises: boolean
  readonly verbose: boolean
}

/**
 * The provider, played by the core. Made by `Contract.serve`; with `await using` it is stopped at the end of the scope,
 * and what did not match is thrown there.
 */
export class MockServer implements AsyncDisposable {
  readonly #native: NativeServer
  readonly #telling: Telling
  #stopped: Promise<Outcome> | undefined

  /** @internal */
  constructor(native: NativeServer, telling: Telling) {
    this.#native = native
    this.#telling = telling
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

  get transport(): 'http' | 'https' {
    return this.#native.transport as 'http' | 'https'
  }

  /**
   * The authority that clients have to trust, as PEM; `undefined` over plain HTTP and with a certificate of your own.
   *
   * @example
   * const agent = new https.Agent({ ca: server.caCertificate })
   */
  get caCertificate(): string | undefined {
    return this.#native.caCertificate ?? undefined
  }

  /** A URL on this server: the path follows its base URL. */
  resolve(path: string | URL): URL {
    return new URL(path, this.url)
  }

  toString(): string {
    return this.url
  }

  /** Whether every interaction was requested as often as it should be, and nothing else. */
  get matched(): boolean {
    return this.#outcome().matched
  }

  /** What did not match so far. */
  get mismatches(): readonly ServerMismatch[] {
    return this.#outcome().mismatches
  }

  /** The requests that came, in order; the latest ten thousand. */
  get requests(): readonly JournalEntry[] {
    return JSON.parse(this.#native.received()) as JournalEntry[]
  }

  /** What happened, a line for each request with the time of day in UTC; the latest thousand. Secrets are blanked out. */
  get logs(): string {
    return this.#native.log()
  }

  #outcome(): Outcome {
    return JSON.parse(this.#native.outcome(false)) as Outcome
  }

  /** Throws `MismatchesError` if anything did not match so far, interactions never requested included. The server runs on. */
  verify(): void {
    const { matched, mismatches } = this.#outcome()
    if (!matched) throw this.#error(mismatches)
  }

  /**
   * Writes the interactions of this server that passed into the contract file of the directory, while it runs those that
   * passed so far. Gives the path of the file.
   */
  async writeFile(
    directory: string | URL,
    { overwrite = false }: { readonly overwrite?: boolean } = {},
  ): Promise<string> {
    return unwrap(await this.#native.writeFile(pathOf(directory), overwrite, writer({})))
  }

  /** Stops the server and throws `MismatchesError` if anything did not match. A second call does nothing more. */
  async stop(): Promise<void> {
    const isFirst = this.#stopped === undefined
    const { matched, mismatches } = await this.end()
    if (isFirst && !matched && this.#telling.raises) throw this.#error(mismatches)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** @internal Stops without throwing mismatches; `passed` says how the test went, if that is known. */
  end(passed?: boolean): Promise<Outcome> {
    this.#stopped ??= this.#native.stop(passed ?? null, colours()).then((result) => {
      const outcome = JSON.parse(unwrap(result)) as Outcome
      if (this.#telling.verbose && !outcome.matched) console.error(outcome.text)
      return outcome
    })
    return this.#stopped
  }

  /** @internal Whether mismatches are thrown at the end. */
  get raises(): boolean {
    return this.#telling.raises
  }

  /** @internal How long the test may take in milliseconds; 0 is without end. */
  get timeout(): number {
    return this.#native.timeout
  }

  /** @internal The verdict so far in words. */
  text(colour: boolean): string {
    return (JSON.parse(this.#native.outcome(colour)) as Outcome).text
  }

  #error(mismatches: readonly ServerMismatch[]): MismatchesError {
    const format = (colour: boolean) => this.text(colour)
    return new MismatchesError(format(colours()), mismatches, { logs: this.logs, format })
  }
}
