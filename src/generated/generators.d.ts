// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Pattern } from '../match.js'

/** Options for generated dates and times. */
export interface MomentOptions {
  /**
   * Format in the notation of strftime (`%Y-%m-%d`) or of Java's `DateTimeFormatter` (`yyyy-MM-dd`), or one of the
   * names `ISO8601`, `RFC3339`, and `RFC1123`. A format with `%` is in the notation of strftime. Default: ISO 8601.
   */
  readonly format?: string | undefined
  /** Notation of the format. Required only for formats that are valid in both notations. */
  readonly formatStyle?: 'strftime' | 'java' | undefined
  /**
   * Expression relative to the current date and time, such as `today + 1 day`, `next month`, or `now @ + 2 hours`.
   * Default: the current date and time.
   */
  readonly expression?: string | undefined
}

/** A URL on the mock server. */
export interface MockServerUrlOptions {
  /** The URL to use in the consumer test. */
  readonly example: string
  /**
   * A pattern with one capturing group for the part of the example to keep, such as `.*(/orders)$`. The rest of
   * the match is replaced by the mock server's address.
   */
  readonly regex: Pattern
}
