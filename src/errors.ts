/// <reference lib="es2022.error" preserve="true" />

import type { VerificationReport } from './generated/report.js'
import type { Mismatch, ServerMismatch } from './mismatch.js'

/**
 * Takes this package's own frames out of the stack: the first that is left is the line of the user's that matters. One that
 * has no other frames, as of a promise of the core's, keeps what it has.
 */
function withoutOwnFrames(error: Error): void {
  const { stack = '', message } = error
  const start = stack.indexOf(message) + message.length
  const frames = stack.slice(start).split('\n')
  const others = frames.filter((frame) => !frame.includes(__filename))
  if (others.some((frame) => frame !== '')) error.stack = stack.slice(0, start) + others.join('\n')
}

/** Base of the errors that this package throws for what went wrong while it worked. */
export class ContractError extends Error {
  override readonly name: string = 'ContractError'
  /** Stable, `ERR_CONTRACT_…`: what programs look at. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    // Known here already, for the stack begins with it: runners print that.
    this.name = new.target.name
    withoutOwnFrames(this)
  }
}

/** What is known of an argument that makes no sense. */
export type ArgumentErrorDetails = Pick<ContractArgumentError, 'operation' | 'argument' | 'place' | 'origin'>

/** An argument that makes no sense; thrown by the call that it was given to. */
export class ContractArgumentError extends TypeError {
  override readonly name = 'ContractArgumentError'
  /** Stable, `ERR_CONTRACT_…`: what programs look at. */
  readonly code: string
  /** The call that refused it: `withHeader`, `match.eachLike`, `serve`. */
  declare readonly operation?: string
  /** The argument or option. */
  declare readonly argument?: string
  /** Where in the argument, or in what is defined: `$.items[0]`, `"X-Id"`. */
  declare readonly place?: string
  /** Where the interaction was begun: `file:line:column`. */
  declare readonly origin?: string

  constructor(code: string, message: string, { cause, ...details }: ArgumentErrorDetails & ErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    for (const name of ['operation', 'argument', 'place', 'origin'] as const) {
      if (details[name] !== undefined) Object.assign(this, { [name]: details[name] })
    }
    withoutOwnFrames(this)
  }
}

/** Something that a broker wants people to know. */
export interface BrokerNotice {
  readonly type: 'debug' | 'info' | 'warning' | 'prompt' | 'success' | 'error' | 'danger'
  readonly text: string
}

/** What is known of a call to a broker that had no success. */
export interface BrokerErrorDetails {
  readonly status?: number | null
  readonly notices?: readonly BrokerNotice[]
  readonly published?: readonly string[]
}

/**
 * A call to a broker had no success. The code says why: `ERR_CONTRACT_BROKER_UNREACHABLE`, `…_TIMEOUT`, `…_TLS`,
 * `…_UNAUTHORIZED`, `…_FORBIDDEN`, `…_NOT_FOUND`, `…_CONFLICT`, `…_REFUSED`, `…_FAILED`, `…_NOT_A_BROKER`, `…_TOO_LARGE`,
 * `…_UNSUPPORTED` or `…_SETTINGS`; and when nothing was sent, `ERR_CONTRACT_SOURCE`, `ERR_CONTRACT_FILE`,
 * `ERR_CONTRACT_NO_VERSION`, `ERR_CONTRACT_NO_BRANCH` or `ERR_CONTRACT_TWO_SYSTEMS`.
 */
export class BrokerError extends ContractError {
  override readonly name = 'BrokerError'
  /** The status of the broker's answer, if there was one. */
  readonly status: number | undefined
  /** What the broker wants people to know, such as the difference to what is published. */
  readonly notices: readonly BrokerNotice[]
  /** What `publish` had published before it failed, as `web 1.4.0 → orders`. */
  readonly published: readonly string[]

  constructor(code: string, message: string, details: BrokerErrorDetails & ErrorOptions = {}) {
    super(code, message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = details.status ?? undefined
    this.notices = details.notices ?? []
    this.published = details.published ?? []
  }
}

/** What is known of the address that a mock server was to listen on. */
export type MockServerErrorDetails = Partial<Pick<MockServerError, 'host' | 'port' | 'errno'>>

/** The mock server could not be started. */
export class MockServerError extends ContractError {
  override readonly name = 'MockServerError'
  /** The host that it was to listen on, when that is what the error is about. */
  readonly host: string | undefined
  /** The port that it was to listen on, when that is what the error is about. */
  readonly port: number | undefined
  /** The operating system's number of the error, when it refused. */
  readonly errno: number | undefined

  constructor(code: string, message: string, { host, port, errno }: MockServerErrorDetails = {}) {
    super(code, message)
    this.host = host
    this.port = port
    this.errno = errno
  }
}

/** The contract file could not be written; what was on disk is as it was. */
export class ContractFileError extends ContractError {
  override readonly name = 'ContractFileError'
  /** The file or directory. */
  readonly path: string

  constructor(code: string, message: string, path: string, options?: ErrorOptions) {
    super(code, message, options)
    this.path = path
  }
}

/** More about a failed consumer test. */
export interface MismatchesErrorOptions extends ErrorOptions {
  /** The log of the server. */
  readonly logs?: string
  /** Tells the error with colours, or without. */
  readonly format?: (colour: boolean) => string
}

/** The consumer did not do what its contract says, or not all of it. `cause` is the error of the test itself, if it threw. */
export class MismatchesError extends ContractError {
  override readonly name = 'MismatchesError'
  /** One for each request that did not match, and for each interaction that was never requested. */
  readonly mismatches: readonly ServerMismatch[]
  readonly #details: { readonly logs: string; readonly format: ((colour: boolean) => string) | undefined }

  constructor(message: string, mismatches: readonly ServerMismatch[], options: MismatchesErrorOptions = {}) {
    const { logs = '', format, ...own } = options
    super('ERR_CONTRACT_MISMATCHES', message, own)
    this.mismatches = mismatches
    this.#details = { logs, format }
  }

  /** What the server saw, a line for each request, with the time of day. Not among the fields that runners print. */
  get logs(): string {
    return this.#details.logs
  }

  /** The message, with colours for a terminal or without. */
  format({ colour = false }: { readonly colour?: boolean } = {}): string {
    return this.#details.format?.(colour) ?? this.message
  }
}

/** The function given to `serve` did not finish in time. */
export class ServeTimeoutError extends ContractError {
  override readonly name = 'ServeTimeoutError'
  /** How long it had, in milliseconds. */
  readonly timeout: number
  /** What the server saw, a line for each request, with the time of day. */
  readonly logs: string

  constructor(message: string, timeout: number, logs: string) {
    super('ERR_CONTRACT_TIMEOUT', message)
    this.timeout = timeout
    this.logs = logs
  }
}

/** More about a verification that failed. */
export interface VerificationErrorOptions extends ErrorOptions {
  readonly logs?: readonly string[]
  /** All that the verification has to say to people. */
  readonly output?: string
}

/**
 * The provider does not honour the contract. The message begins with what failed, and is bounded; what else there is to read
 * stands in properties, which runners do not print.
 */
export class VerificationError extends ContractError {
  override readonly name = 'VerificationError'
  readonly #details: {
    readonly report: VerificationReport
    readonly logs: readonly string[]
    readonly output: string
  }

  constructor(message: string, report: VerificationReport, options: VerificationErrorOptions = {}) {
    const { logs = [], output = message, ...own } = options
    super('ERR_CONTRACT_VERIFICATION', message, own)
    this.#details = { report, logs, output }
  }

  /** Everything that was verified, and how it went. */
  get report(): VerificationReport {
    return this.#details.report
  }

  /** What the core logged meanwhile; the last lines of it. */
  get logs(): readonly string[] {
    return this.#details.logs
  }

  /** All that the verification has to say to people: what passed, too. */
  get output(): string {
    return this.#details.output
  }
}

export type { Mismatch, ServerMismatch }
