// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { Pattern } from '../match.js'

/** How a date or time is made. */
export interface MomentOptions {
  /**
   * The format: with `%` in the style of strftime (`%Y-%m-%d`), else in the letters of Java's `DateTimeFormatter`
   * (`yyyy-MM-dd`). Default: ISO 8601.
   */
  readonly format?: string | undefined
  /** Which style the format has, where that is in doubt. */
  readonly formatStyle?: 'strftime' | 'java' | undefined
  /** Which one, seen from now: `today + 1 day`, `next month`, `now @ + 2 hours`. Default: now. */
  readonly expression?: string | undefined
}

/** A URL of the mock server. */
export interface MockServerUrlOptions {
  /** The URL in the consumer's test. */
  readonly example: string
  /** What stays of the example is the one group of it. */
  readonly regex: Pattern
}
