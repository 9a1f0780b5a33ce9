import { encoded } from './encoded.js'
import { ContractArgumentError } from './errors.js'
import type { NativeLogRecord } from './native/binding.js'
import { native } from './native/load.js'
import { check, toError } from './native/result.js'
import { version } from './version.js'

/**
 * Levels of the core's log, from silence to everything; any case. `ERROR`: what failed; `WARN`: requests that did not match,
 * and what else is odd; `INFO`: servers, files, verified interactions; `DEBUG`: each request; `TRACE`: everything.
 */
export type LogLevel = 'OFF' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE' | (string & {})

/** One thing that the core has to tell. Secrets are blanked out. */
export interface LogRecord {
  readonly level: 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE'
  readonly time: Date
  /** The part of the core, such as `contract::mock_server`. */
  readonly target: string
  readonly message: string
}

/** Takes what the core has to tell. */
export type Logger = (record: LogRecord) => void

/** The core's own functions. The log is silent by default; each call may be repeated, and the last one holds. */
export const contract_ffi = {
  /**
   * Turns the core's log on standard error on, off or to another level, for the whole process. Default: `INFO`. Until then the environment
   * variable CONTRACT_LOG_LEVEL says the level.
   */
  logToStderr(level: LogLevel = 'INFO'): void {
    check(native.logToStderr(encoded(level)))
  },

  /** Appends the core's log to a file, for the whole process; `OFF` closes it. */
  logToFile(path: string | URL, level: LogLevel = 'INFO'): void {
    check(native.logToFile(encoded(path), encoded(level)))
  },

  /**
   * Gives the core's log to a function; `null` takes it away. Each thread has one logger, which ends with the thread and does
   * not keep it running. Records come on the event loop, so those of a test that blocks it come late. A logger that throws
   * is not called again.
   */
  setLogger(logger: Logger | null, level: LogLevel = 'INFO'): void {
    if (logger !== null && typeof logger !== 'function') {
      const problem = 'contract_ffi.setLogger: the logger must be a function, or null to take it away'
      throw new ContractArgumentError('ERR_CONTRACT_OPTIONS', problem, { operation: 'contract_ffi.setLogger' })
    }
    check(native.setLogger(logger === null ? null : guarded(logger), encoded(level)))
  },

  /** The version of the core. */
  version,
} as const

/** An error thrown into the event loop would end the process, and name nobody. */
function guarded(logger: Logger): (record: NativeLogRecord) => void {
  let works = true
  return ({ level, time, target, message }) => {
    if (!works) return
    try {
      logger({ level: level as LogRecord['level'], time: new Date(time), target, message })
    } catch (error) {
      works = false
      process.emitWarning(`The logger given to contract_ffi.setLogger threw and is not called again: ${error}`)
    }
  }
}

const level = process.env.CONTRACT_LOG_LEVEL
if (level) {
  const failure = native.logByDefault(level)
  // A mistake in the environment is no reason to refuse to work.
  if (failure) process.emitWarning(`CONTRACT_LOG_LEVEL: ${toError(failure).message}`)
}
