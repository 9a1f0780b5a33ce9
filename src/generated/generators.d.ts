// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Pattern } from '../match.js'

/** Options for generated dates and times. */
export interface MomentOptions {
  /**
   * Format: with `%` in the style of strftime (`%Y-%m-%d`), otherwise with the letters of Java's `DateTimeFormatter`
   * (`yyyy-MM-dd`), or `ISO8601`, `RFC3339`, or `RFC1123`. Default: ISO 8601.
   */
  readonly format?: string | undefined
  /** The style of the format, if it is ambiguous. */
  readonly formatStyle?: 'strftime' | 'java' | undefined
  /** Expression relative to now: `today + 1 day`, `next month`, `now @ + 2 hours`. Default: now. */
  readonly expression?: string | undefined
}

/** A URL of the mock server. */
export interface MockServerUrlOptions {
  /** The URL in the consumer test. */
  readonly example: string
  /** A pattern with one group, which captures the part of the example that is kept. */
  readonly regex: Pattern
}
