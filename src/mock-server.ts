import './disposable.js'
import { operationText, pathData, rejectCall } from './arguments.js'
import type { JournalEntry, ServerMismatch } from './generated/requests.js'
import { servers } from './handles.js'
import type { NativeServer } from './native/binding.js'
import { unwrap } from './native/result.js'
import { guardReceiver } from './receiver.js'
import { endTest, mismatchesError } from './run-test.js'

let setVariant: (server: MockServer, name: string | undefined) => void

/** @internal Sets `server.variant` to `name` while `run` runs. */
export async function withVariant<T>(server: MockServer, name: string | undefined, run: () => Promise<T>): Promise<T> {
  setVariant(server, name)
  try {
    return await run()
  } finally {
    setVariant(server, undefined)
  }
}

/**
 * A running mock server that acts as the provider. Created by `Contract.serve`. `await using` stops the server at the end of
 * the scope and throws if there are mismatches.
 */
export class MockServer implements AsyncDisposable {
  /** The base URL, without a trailing slash, such as `http://127.0.0.1:51234`. */
  readonly url: string
  /** The host in the URL. */
  readonly host: string
  readonly port: number
  /** The address as `host:port`, which gRPC clients and sockets use. */
  readonly address: string
  /** The transport: `http`, `https`, or the name of a plugin's transport. */
  readonly transport: 'http' | 'https' | (string & {})
  /**
   * The CA certificate that clients must trust, in PEM format. `undefined` for HTTP, and if you set a certificate.
   *
   * @example
   * const agent = new https.Agent({ ca: server.caCertificate })
   */
  readonly caCertificate: string | undefined
  readonly #native: NativeServer
  #stopped: Promise<void> | undefined
  #variant: string | undefined

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #native in object)
    setVariant = (server, name) => {
      server.#variant = name
    }
  }

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

  /** Returns the URL of a path on this server. Throws if the path leads to another server, as in `//host/x`. */
  resolve(path: string | URL): URL {
    const url = new URL(path, this.url)
    if (url.origin !== new URL(this.url).origin) {
      rejectCall('resolve', `${JSON.stringify(String(path))} is not on this server, ${this.url}`)
    }
    return url
  }

  toString(): string {
    return this.url
  }

  /** The name of the variant with which the server responds, such as `null@$.note`. `undefined` for the example. */
  get variant(): string | undefined {
    return this.#variant
  }

  /** True if the server has so far received all expected requests and no unexpected ones. */
  get matched(): boolean {
    return this.#outcome().matched
  }

  /** One entry for each unexpected request and each missing request so far. */
  get mismatches(): readonly ServerMismatch[] {
    return this.#outcome().mismatches
  }

  /** The last 10,000 received requests, in order. Secrets are not redacted. */
  get requests(): readonly JournalEntry[] {
    return JSON.parse(this.#native.received()) as JournalEntry[]
  }

  /** The last 1,000 lines of the log: one line per request, starting with the time (UTC). Secrets are redacted. */
  get logs(): string {
    return this.#native.log()
  }

  #outcome(): { readonly matched: boolean; readonly mismatches: readonly ServerMismatch[] } {
    return JSON.parse(this.#native.outcome())
  }

  /**
   * Checks the requests received so far. The server continues to run.
   *
   * @throws {MismatchesError} if there are mismatches or missing requests
   */
  verify(): void {
    const mismatched = JSON.parse(this.#native.mismatched())
    if (mismatched !== null) throw mismatchesError(mismatched)
  }

  /**
   * Writes the interactions that have passed on this server so far to the contract file in `directory`. Resolves with
   * the path of the file.
   */
  async writeFile(
    directory: string | URL,
    options: { readonly overwrite?: boolean | undefined } = {},
  ): Promise<string> {
    return unwrap(
      await this.#native.writeFile(operationText('write_file', { directory: pathData(directory) }, options)),
    )
  }

  /**
   * Stops the server, and writes the interactions that passed. Further calls have no effect.
   *
   * @throws {MismatchesError} if there are mismatches or missing requests
   */
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
