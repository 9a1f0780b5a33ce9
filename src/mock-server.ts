import './disposable.js'
import { operationText, pathData, refuseCall } from './arguments.js'
import type { JournalEntry, ServerMismatch } from './generated/requests.js'
import { servers } from './handles.js'
import type { NativeServer } from './native/binding.js'
import { unwrap } from './native/result.js'
import { endTest, mismatchesError } from './run-test.js'

/**
 * A running mock server that acts as the provider. Created by `Contract.serve`. `await using` stops it at the end of
 * the scope and throws if there are mismatches.
 */
export class MockServer implements AsyncDisposable {
  /** The base URL, without a trailing slash. */
  readonly url: string
  /** The host in the URL. */
  readonly host: string
  /** The port. */
  readonly port: number
  /** `host:port`, as gRPC clients and sockets take it. */
  readonly address: string
  /** `http`, `https`, or the transport of a plugin. */
  readonly transport: 'http' | 'https' | (string & {})
  /**
   * The certificate authority that clients must trust, as PEM; `undefined` for plain HTTP and for your own certificate.
   *
   * @example
   * const agent = new https.Agent({ ca: server.caCertificate })
   */
  readonly caCertificate: string | undefined
  readonly #native: NativeServer
  #stopped: Promise<void> | undefined

  /** @internal */
  constructor(native: NativeServer) {
    this.#native = native
    servers.set(this, native)
    const facts = JSON.parse(native.facts)
    this.url = facts.url
    this.host = facts.host
    this.port = facts.port
    const isBare = this.host.includes(':') && !this.host.startsWith('[')
    this.address = `${isBare ? `[${this.host}]` : this.host}:${this.port}`
    this.transport = facts.transport
    this.caCertificate = facts.caCertificate ?? undefined
  }

  /** Returns a URL on this server. A path that leads to another server, such as `//host/x`, is rejected. */
  resolve(path: string | URL): URL {
    const url = new URL(path, this.url)
    if (url.origin !== new URL(this.url).origin) {
      refuseCall('resolve', `${JSON.stringify(String(path))} is not on this server, ${this.url}`)
    }
    return url
  }

  toString(): string {
    return this.url
  }

  /** Whether every interaction was requested as often as expected, and nothing else was received. */
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

  #outcome(): { readonly matched: boolean; readonly mismatches: readonly ServerMismatch[] } {
    return JSON.parse(this.#native.outcome())
  }

  /** Throws `MismatchesError` if anything did not match so far, interactions never requested included. The server runs on. */
  verify(): void {
    const mismatched = JSON.parse(this.#native.mismatched())
    if (mismatched !== null) throw mismatchesError(mismatched)
  }

  /**
   * Writes the interactions of this server that passed into the contract file of the directory, while it runs those that
   * passed so far. Gives the path of the file.
   */
  async writeFile(
    directory: string | URL,
    options: { readonly overwrite?: boolean | undefined } = {},
  ): Promise<string> {
    return unwrap(
      await this.#native.writeFile(operationText('write_file', { directory: pathData(directory) }, options)),
    )
  }

  /** Stops the server and throws `MismatchesError` if anything did not match. A second call does nothing more. */
  stop(): Promise<void> {
    if (this.#stopped !== undefined) return this.#stopped.catch(() => {})
    this.#stopped = this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    const { mismatched } = await endTest([this], { end: 'unknown' })
    if (mismatched !== null) throw mismatchesError(mismatched)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
