/// <reference lib="es2022.error" preserve="true" />

import { sep } from 'node:path'

import type { VerificationReport } from './generated/report.js'
import type { FailedVariant, VariantReport } from './generated/results.js'
import type { Mismatch, ServerMismatch } from './mismatch.js'
import { guardReceiver } from './receiver.js'

/**
 * Removes this package's frames from the stack, so that the first frame is the user's call. Does not change the stack
 * if it has no other frames, as in a promise that the core rejected.
 */
function withoutOwnFrames(error: Error): void {
  const { stack = '', message } = error
  const start = stack.indexOf(message) + message.length
  const frames = stack.slice(start).split('\n')
  // The runner adapters are other files in the same directory.
  const userFrames = frames.filter((frame) => !frame.includes(__dirname + sep))
  if (userFrames.some((frame) => frame !== '')) error.stack = stack.slice(0, start) + userFrames.join('\n')
}

/** Appends the code to a message, on a separate line if the message has multiple lines. */
export function withCode(code: string, message: string): string {
  const text = withoutCode(message).trimEnd()
  return `${text}${text.includes('\n') ? '\n' : ' '}[${code}]`
}

/** Removes the code from the end of a message, because the message becomes part of another message. */
export function withoutCode(message: string): string {
  return message.replace(/\s\[ERR_CONTRACT_\w+\]\s*$/, '')
}

/** Base class of the errors that this package throws. See also {@link ContractArgumentError}. */
export class ContractError extends Error {
  override readonly name: string = 'ContractError'
  /** Stable error code, such as `ERR_CONTRACT_FILE`. Check the code instead of the message. */
  readonly code: string

  /** @param message - the message without the code, which the constructor appends */
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(withCode(code, message), options)
    this.code = code
    // Must be set before the stack is read, because the stack starts with the name and test runners print it.
    this.name = new.target.name
    withoutOwnFrames(this)
  }
}

/** Details of an invalid argument. */
export type ArgumentErrorDetails = Pick<ContractArgumentError, 'operation' | 'argument' | 'place' | 'origin'>

/** Thrown by a call that receives an invalid argument. */
export class ContractArgumentError extends TypeError {
  override readonly name = 'ContractArgumentError'
  /** Stable error code, such as `ERR_CONTRACT_OPTIONS`. Check the code instead of the message. */
  readonly code: string
  /**
   * The call that received the argument, such as `withHeader`, `match.eachLike`, or `serve`. Absent if it is unknown.
   */
  declare readonly operation?: string
  /** The name of the argument or option. Absent if the error does not concern a single argument. */
  declare readonly argument?: string
  /**
   * The location in the argument or definition, such as `$.items[0]` or `"X-Id"`. Absent if the error concerns the
   * whole argument.
   */
  declare readonly place?: string
  /**
   * The location of the interaction's definition: `file:line:column`. Absent if the error does not concern an
   * interaction.
   */
  declare readonly origin?: string

  constructor(code: string, message: string, { cause, ...details }: ArgumentErrorDetails & ErrorOptions = {}) {
    super(withCode(code, message), cause === undefined ? undefined : { cause })
    this.code = code
    for (const name of ['operation', 'argument', 'place', 'origin'] as const) {
      if (details[name] !== undefined) Object.assign(this, { [name]: details[name] })
    }
    withoutOwnFrames(this)
  }
}

/** A notice in a broker's response. */
export interface BrokerNotice {
  readonly type: 'debug' | 'info' | 'warning' | 'prompt' | 'success' | 'error' | 'danger'
  readonly text: string
}

/** Details of a failed broker call. */
export interface BrokerErrorDetails {
  readonly status?: number | null
  readonly notices?: readonly BrokerNotice[]
  readonly published?: readonly string[]
}

/**
 * Thrown if a call to a broker fails. `code` is one of `ERR_CONTRACT_BROKER_UNREACHABLE`, `…_TIMEOUT`, `…_TLS`,
 * `…_UNAUTHORIZED`, `…_FORBIDDEN`, `…_NOT_FOUND`, `…_CONFLICT`, `…_REFUSED`, `…_FAILED`, `…_NOT_A_BROKER`,
 * `…_TOO_LARGE`, `…_UNSUPPORTED`, and `…_SETTINGS`. If nothing was sent, `code` is `ERR_CONTRACT_SOURCE`,
 * `ERR_CONTRACT_FILE`, `ERR_CONTRACT_NO_VERSION`, `ERR_CONTRACT_NO_BRANCH`, or `ERR_CONTRACT_TWO_SYSTEMS`.
 */
export class BrokerError extends ContractError {
  override readonly name = 'BrokerError'
  /** The HTTP status of the broker's response. `undefined` if there was no response. */
  readonly status: number | undefined
  /** The broker's notices, such as a diff from the published content. Empty if there are none. */
  readonly notices: readonly BrokerNotice[]
  /** The contracts that `publish` had already published before it failed, such as `web 1.4.0 → orders`. */
  readonly published: readonly string[]

  constructor(code: string, message: string, details: BrokerErrorDetails & ErrorOptions = {}) {
    super(code, message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = details.status ?? undefined
    this.notices = details.notices ?? []
    this.published = details.published ?? []
  }
}

/** Details of a mock server that could not be started. */
export type MockServerErrorDetails = Partial<Pick<MockServerError, 'host' | 'port' | 'errno'>>

/** Thrown if a mock server cannot be started. */
export class MockServerError extends ContractError {
  override readonly name = 'MockServerError'
  /** The host on which the server could not listen. `undefined` if the address did not cause the error. */
  readonly host: string | undefined
  /** The port on which the server could not listen. `undefined` if the address did not cause the error. */
  readonly port: number | undefined
  /** The operating system's error number. `undefined` if no system call failed. */
  readonly errno: number | undefined

  constructor(code: string, message: string, { host, port, errno }: MockServerErrorDetails = {}) {
    super(code, message)
    this.host = host
    this.port = port
    this.errno = errno
  }
}

/** Thrown if a contract file or directory cannot be read or written. The previous content of the file is unchanged. */
export class ContractFileError extends ContractError {
  override readonly name = 'ContractFileError'
  /** The path of the file or directory. */
  readonly path: string

  constructor(code: string, message: string, path: string, options?: ErrorOptions) {
    super(code, message, options)
    this.path = path
  }
}

/** Details of a failed consumer test. */
export interface MismatchesErrorOptions extends ErrorOptions {
  /** The mock server's log, with one line per received request. */
  readonly logs?: string
  /** Returns the message, with terminal colors if `color` is true. */
  readonly format?: (color: boolean) => string
}

/**
 * Thrown if the consumer sent unexpected requests, or did not send all expected requests. If the test itself threw an
 * error, it is the `cause`.
 */
export class MismatchesError extends ContractError {
  override readonly name = 'MismatchesError'
  /** One entry for each unexpected request and each missing request. */
  readonly mismatches: readonly ServerMismatch[]
  readonly #details: { readonly logs: string; readonly format: ((color: boolean) => string) | undefined }

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #details in object)
  }

  constructor(message: string, mismatches: readonly ServerMismatch[], options: MismatchesErrorOptions = {}) {
    const { logs = '', format, ...own } = options
    super('ERR_CONTRACT_MISMATCHES', message, own)
    this.mismatches = mismatches
    this.#details = { logs, format }
  }

  /**
   * The mock server's log: one line per received request, starting with the time (UTC). Not enumerable, so that test
   * runners do not print it.
   */
  get logs(): string {
    return this.#details.logs
  }

  /** Returns the message. If `color` is true, it contains terminal colors. */
  format({ color = false }: { readonly color?: boolean } = {}): string {
    const text = this.#details.format?.(color)
    return text === undefined ? this.message : withCode(this.code, text)
  }
}

/** Thrown if the callback of `serve` does not finish within the timeout. */
export class ServeTimeoutError extends ContractError {
  override readonly name = 'ServeTimeoutError'
  /** The timeout in milliseconds. */
  readonly timeout: number
  /** The mock server's log: one line per received request, starting with the time (UTC). */
  readonly logs: string

  constructor(message: string, timeout: number, logs: string) {
    super('ERR_CONTRACT_TIMEOUT', message)
    this.timeout = timeout
    this.logs = logs
  }
}

/**
 * Thrown if a test passes with the example, but fails with another answer (response or message) that the contract
 * allows. `cause` is the error of the first failure. `code` is `ERR_CONTRACT_VARIANTS`,
 * `ERR_CONTRACT_VARIANTS_UNSTABLE` if the test both fails and passes with the same answer, or
 * `ERR_CONTRACT_VARIANTS_UNREAD` if the test does not read a field of the answer.
 */
export class VariantsError extends ContractError {
  override readonly name = 'VariantsError'
  /** One entry for each failure that was narrowed down to a variant or a combination of variants. */
  readonly failures: readonly FailedVariant[]
  /** The number of variants that were tried. */
  readonly tried: number
  /** The number of responses or messages that were served in addition to the example. */
  readonly answers: number
  /** The names of the variants that were not tried, for example because of the `max` option. */
  readonly leftOut: readonly string[]

  constructor({ code, text, failures, tried, answers, leftOut }: VariantReport, options: ErrorOptions = {}) {
    super(code, text, options)
    this.failures = failures
    this.tried = tried
    this.answers = answers
    this.leftOut = leftOut
  }
}

/** Details of a failed verification. */
export interface VerificationErrorOptions extends ErrorOptions {
  readonly logs?: readonly string[]
  /** The complete output of the verification, including passed interactions. */
  readonly output?: string
}

/**
 * Thrown if the provider does not satisfy a contract, or if results cannot be published. The message starts with the
 * failures and has a maximum size. `report` and `output` contain the complete result; test runners do not print them.
 */
export class VerificationError extends ContractError {
  override readonly name = 'VerificationError'
  readonly #details: {
    readonly report: VerificationReport
    readonly logs: readonly string[]
    readonly output: string
  }

  static {
    // biome-ignore lint/complexity/noThisInStatic: the bundler would rename a class that uses its own name
    guardReceiver(this, (object) => #details in object)
  }

  constructor(message: string, report: VerificationReport, options: VerificationErrorOptions = {}) {
    const { logs = [], output = message, ...own } = options
    super('ERR_CONTRACT_VERIFICATION', message, own)
    this.#details = { report, logs, output }
  }

  /** The report of the verification. */
  get report(): VerificationReport {
    return this.#details.report
  }

  /** The last lines of the core's log. */
  get logs(): readonly string[] {
    return this.#details.logs
  }

  /** The complete output of the verification, including passed interactions. */
  get output(): string {
    return this.#details.output
  }
}

export type { FailedVariant, Mismatch, ServerMismatch }
