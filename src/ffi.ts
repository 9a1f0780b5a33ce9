import { native } from './native/load.js'
import { check } from './native/result.js'
import { version } from './version.js'

/** Levels of the core's log; any case. */
export type LogLevel = 'OFF' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE' | (string & {})

/** The core's own functions. */
export const contract_ffi = {
  /** Turns the core's log on standard error on, off or to another level, for the whole process. */
  logToStderr(level: LogLevel): void {
    check(native.logToStderr(level))
  },
  /** The version of the core. */
  version,
} as const
