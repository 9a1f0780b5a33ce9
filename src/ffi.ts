import { encoded } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { NativeLogRecord } from './native/binding.js'
import { native } from './native/load.js'
import { check, toError } from './native/result.js'
import { version } from './version.js'

/**
 * A log level, not case-sensitive. `OFF` logs nothing, `ERROR` failures, `WARN` also mismatched requests and other
 * problems, `INFO` also servers, files, and verified interactions, `DEBUG` also each request, and `TRACE` everything.
 */
export type LogLevel = 'OFF' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE' | (string & {})

/** A log record. Secrets are redacted. */
export interface LogRecord {
  readonly level: 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE'
  readonly time: Date
  /** The component that logged the record, such as `contract::mock_server`. */
  readonly target: string
  readonly message: string
}

/** A function that receives log records. */
export type Logger = (record: LogRecord) => void

/**
 * Functions of the native core: its log and its version. Logging is off by default. Each function can be called
 * repeatedly; the last call applies.
 */
export const contract_ffi = {
  /**
   * Logs to standard error for the whole process. Default level: `INFO`. Until the first call, the environment variable
   * `CONTRACT_LOG_LEVEL` sets the level.
   */
  logToStderr(level: LogLevel = 'INFO'): void {
    check(native.logToStderr(encoded(level)))
  },

  /** Appends the log of the whole process to a file. Default level: `INFO`. `OFF` closes the file. */
  logToFile(path: string | URL, level: LogLevel = 'INFO'): void {
    check(native.logToFile(encoded(path), encoded(level)))
  },

  /**
   * Passes log records to a function; `null` removes the function. Default level: `INFO`. Each thread has one logger,
   * which runs on the thread's event loop and does not keep the thread alive. If the logger throws, it is not called
   * again.
   */
  setLogger(logger: Logger | null, level: LogLevel = 'INFO'): void {
    if (logger !== null && typeof logger !== 'function') {
      const problem = 'contract_ffi.setLogger: the logger must be a function, or null to remove it'
      throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', problem, { operation: 'contract_ffi.setLogger' })
    }
    check(native.setLogger(logger === null ? null : guarded(logger), encoded(level)))
  },

  /** The version of the native core, such as `1.2.3`. */
  version,
} as const

/** Wraps a logger to catch its errors, because an uncaught error would end the process. */
function guarded(logger: Logger): (record: NativeLogRecord) => void {
  let isWorking = true
  return ({ level, time, target, message }) => {
    if (!isWorking) return
    try {
      logger({ level: level as LogRecord['level'], time: new Date(time), target, message })
    } catch (error) {
      isWorking = false
      process.emitWarning(`The logger passed to contract_ffi.setLogger threw and is not called again: ${error}`)
    }
  }
}

const level = process.env.CONTRACT_LOG_LEVEL
if (level) {
  const failure = native.logByDefault(level)
  // An invalid variable must not prevent the import.
  if (failure) process.emitWarning(`CONTRACT_LOG_LEVEL: ${toError(failure).message}`)
}
