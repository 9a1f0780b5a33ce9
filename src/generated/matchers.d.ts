// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Generator } from '../template.js'

/** Format of a UUID. */
export type UuidFormat = 'simple' | 'lowercase' | 'uppercase' | 'urn'

/** Type of a value from a provider state. */
export type StateValueType = 'string' | 'integer' | 'decimal' | 'boolean' | 'raw'

/** Bounds of a number. */
export interface Bounds {
  /** Minimum. Default for generated examples: 0. */
  readonly min?: number | undefined
  /** Maximum. Default for generated examples: 10. */
  readonly max?: number | undefined
}

/** How many digits a generated number has. */
export interface PrecisionOptions {
  /** Total number of digits of a generated example. Default: 10. */
  readonly precision?: number | undefined
}

/** Options of `match.str`. */
export interface StringOptions {
  /** Number of characters of a generated example. Default: 10. */
  readonly size?: number | undefined
  /** Generates the value when the contract is replayed. */
  readonly generator?: Generator<unknown> | undefined
}

/** The format of a UUID. */
export interface UuidOptions {
  /** Format. Default: with hyphens, all lower case or all upper case; examples are lower case. */
  readonly format?: UuidFormat | undefined
}

/** The format of a date or time. */
export interface FormatOptions {
  /**
   * Format: with `%` in the style of strftime (`%Y-%m-%d`), otherwise with the letters of Java's `DateTimeFormatter`
   * (`yyyy-MM-dd`), or `ISO8601`, `RFC3339`, or `RFC1123`. Default: detected from the example; without an example,
   * ISO 8601.
   */
  readonly format?: string | undefined
  /** The style of the format, if it is ambiguous. */
  readonly formatStyle?: 'strftime' | 'java' | undefined
}

/** Sizes of a list. */
export interface Sizes {
  /** Minimum number of items. */
  readonly min?: number | undefined
  /** Maximum number of items. */
  readonly max?: number | undefined
}

/** Options of `match.like`. */
export interface LikeOptions {
  /** Minimum number of items. */
  readonly min?: number | undefined
  /** Maximum number of items. */
  readonly max?: number | undefined
  /** Generates the value when the contract is replayed. */
  readonly generator?: Generator<unknown> | undefined
}

/** Sizes of a list, and of its example. */
export interface EachLikeOptions {
  /** Minimum number of items. Default: 1. */
  readonly min?: number | undefined
  /** Maximum number of items. Default: unlimited. */
  readonly max?: number | undefined
  /** Number of items in the example. Default: `min`, at least 1. */
  readonly examples?: number | undefined
  /** Whether the array may be empty. Default: false. */
  readonly allowEmpty?: boolean | undefined
  /**
   * Maximum size of the example of this array in bytes, including nested arrays. It guards against mistakes such
   * as `min: 1e9`. Default: 4 MiB.
   */
  readonly exampleLimit?: number | undefined
}

/** Options of `match.fromProviderState`. */
export interface FromProviderStateOptions {
  /** Whether the consumer may send any value of the example's type. By default, it must send the example. */
  readonly loose?: boolean | undefined
  /** Type of the value. Default: the type of the example. Null, arrays, and objects are not converted. */
  readonly type?: StateValueType | undefined
}
