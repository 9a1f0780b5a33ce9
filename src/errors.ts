/// <reference lib="es2022.error" preserve="true" />

import { sep } from 'node:path'

import type { VerificationReport } from './generated/report.js'
import type { FailedVariant, VariantReport } from './generated/results.js'
import type { Mismatch, ServerMismatch } from './mismatch.js'
import { guardReceiver } from './receiver.js'

/**
 * Removes the frames of this package from the stack, so that the first frame is the user's call. Does not change a stack
 * without other frames, such as the stack of a promise from the core.
 */
function withoutOwnFrames(error: Error): void {
  const { stack = '', message } = error
  const start = stack.indexOf(message) + message.length
  const frames = stack.slice(start).split('\n')
  // The runner adapters are other files in the same directory.
  const userFrames = frames.filter((frame) => !frame.includes(__dirname + sep))
  if (userFrames.some((frame) => frame !== '')) error.stack = stack.slice(0, start) + userFrames.join('\n')
}

/** Appends the code to a message: on the same line, or on a separate line if the message has several lines. */
export function withCode(code: string, message: string): string {
  const text = withoutCode(message).trimEnd()
  return `${text}${text.includes('\n') ? '\n' : ' '}[${code}]`
}

/** Removes the code from a message, so that the message can become part of another message. */
export function withoutCode(message: string): string {
  return message.replace(/\s\[ERR_CONTRACT_\w+\]\s*$/, '')
}

/** Base class of the errors that this package throws. See also {@link ContractArgumentError}. */
export class ContractError extends Error {
  override readonly name: string = 'ContractError'
  /** Stable error code, `ERR_CONTRACT_…`. Check the code instead of the message. */
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
  /** Stable error code, `ERR_CONTRACT_…`. Check the code instead of the message. */
  readonly code: string
  /** The name of the call, such as `withHeader`, `match.eachLike`, or `serve`. */
  declare readonly operation?: string
  /** The name of the argument or option. */
  declare readonly argument?: string
  /** The place in the argument or definition, such as `$.items[0]` or `"X-Id"`. */
  declare readonly place?: string
  /** The place where the interaction is defined: `file:line:column`. */
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

/** A broker notice. */
export interface BrokerNotice {
  readonly type: 'debug' | 'info' | 'warning' | 'prompt' | 'success' | 'error' | 'danger'
  readonly text: string
}

/** Details of a failed call to a broker. */
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
  /** The HTTP status of the broker's response; `undefined` without a response. */
  readonly status: number | undefined
  /** The broker's notices, such as a diff against the published content. */
  readonly notices: readonly BrokerNotice[]
  /** The contracts that `publish` published before it failed, for example `web 1.4.0 → orders`. */
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
  /** The host to listen on, if the address caused the error. */
  readonly host: string | undefined
  /** The port to listen on, if the address caused the error. */
  readonly port: number | undefined
  /** The operating system's error number. */
  readonly errno: number | undefined

  constructor(code: string, message: string, { host, port, errno }: MockServerErrorDetails = {}) {
    super(code, message)
    this.host = host
    this.port = port
    this.errno = errno
  }
}

/** Thrown if a contract file cannot be written. Its previous content is unchanged. */
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
  /** The log of the mock server. */
  readonly logs?: string
  /** Formats the error with or without colors. */
  readonly format?: (color: boolean) => string
}

/**
 * Thrown if the consumer sent unexpected requests, or did not send all expected requests. `cause` is the error that the test
 * itself threw, if any.
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

  /** The log of the mock server: one line per received request, with the time (UTC). Not enumerable. */
  get logs(): string {
    return this.#details.logs
  }

  /** Returns the message, by default without colors. */
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
  /** The log of the mock server: one line per received request, with the time (UTC). */
  readonly logs: string

  constructor(message: string, timeout: number, logs: string) {
    super('ERR_CONTRACT_TIMEOUT', message)
    this.timeout = timeout
    this.logs = logs
  }
}

/**
 * Thrown if a test passes with the example, but fails with another answer (response or message) that the contract
 * allows. `cause` is the error of the first failure. `code` is `ERR_CONTRACT_VARIANTS`, or
 * `ERR_CONTRACT_VARIANTS_UNSTABLE` if the test fails and passes with the same answer.
 */
export class VariantsError extends ContractError {
  override readonly name = 'VariantsError'
  /** One entry for each failure that was isolated. */
  readonly failures: readonly FailedVariant[]
  /** The number of variants that were tried. */
  readonly tried: number
  /** The number of responses or messages that were served, in addition to the example. */
  readonly answers: number
  /** The names of the variants that were not tried. */
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
 * Thrown if the provider does not satisfy a contract. The message starts with the failures and has a maximum size. `report`
 * and `output` contain the complete result; test runners do not print them.
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
