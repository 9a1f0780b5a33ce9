// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Generator, Matcher } from '../template.js'

export type UuidFormat = 'simple' | 'lowercase' | 'uppercase' | 'urn'

/** The type to which a value from a provider state is converted. */
export type StateValueType = 'string' | 'integer' | 'decimal' | 'boolean' | 'raw'

/** The bounds of a number. */
export interface Bounds {
  /** Minimum, inclusive. Default for generated examples: 0. */
  readonly min?: number | undefined
  /** Maximum, inclusive. Default for generated examples: 10. */
  readonly max?: number | undefined
}

/** The number of digits of a generated number. */
export interface PrecisionOptions {
  /** Total number of digits of a generated example. Default: 10. */
  readonly precision?: number | undefined
}

/** Options for `match.str`. */
export interface StringOptions {
  /** Number of characters of a generated example. Default: 10. */
  readonly size?: number | undefined
  /** Matcher JSON of a generator, which produces a new value each time the contract is used. */
  readonly generator?: Generator<unknown> | undefined
}

/** The format of a UUID. */
export interface UuidOptions {
  /** Format of the UUID. Default: with hyphens, in lowercase or uppercase. Generated examples are in lowercase. */
  readonly format?: UuidFormat | undefined
}

/** The format of a date or time. */
export interface FormatOptions {
  /**
   * Format in the notation of strftime (`%Y-%m-%d`) or of Java's `DateTimeFormatter` (`yyyy-MM-dd`), or one of the
   * names `ISO8601`, `RFC3339`, and `RFC1123`. A format with `%` is in the notation of strftime. Default: the format
   * that is detected from the example, or ISO 8601 without an example.
   */
  readonly format?: string | undefined
  /** Notation of the format. Required only for formats that are valid in both notations. */
  readonly formatStyle?: 'strftime' | 'java' | undefined
}

/** The allowed length of an array. */
export interface Sizes {
  /** Minimum number of items, if the example is an array or object. */
  readonly min?: number | undefined
  /** Maximum number of items, if the example is an array or object. */
  readonly max?: number | undefined
}

/** Options for `match.like`. */
export interface LikeOptions {
  /** Minimum number of items, if the example is an array or object. */
  readonly min?: number | undefined
  /** Maximum number of items, if the example is an array or object. */
  readonly max?: number | undefined
  /** Matcher JSON of a generator, which produces a new value each time the contract is used. */
  readonly generator?: Generator<unknown> | undefined
}

/** The allowed length of an array, and the size of its example. */
export interface EachLikeOptions {
  /** Minimum number of items. Default: 1. */
  readonly min?: number | undefined
  /** Maximum number of items. Default: unlimited. */
  readonly max?: number | undefined
  /** Number of items in the example. Default: `min`, but at least 1. */
  readonly examples?: number | undefined
  /** Whether the array may be empty. Default: false. */
  readonly allowEmpty?: boolean | undefined
  /**
   * Maximum size of the example of this array in bytes, including nested arrays. Guards against mistakes such as
   * `min: 1e9`. Default: 4 MiB.
   */
  readonly exampleLimit?: number | undefined
}

/** Options for `match.fromProviderState`. */
export interface FromProviderStateOptions {
  /**
   * Whether the consumer may send any value of the same type as the example. Default: false, which requires the
   * example.
   */
  readonly loose?: boolean | undefined
  /**
   * Type to which the value is converted. Default: the type of the example. Null, arrays, and objects are not
   * converted.
   */
  readonly type?: StateValueType | undefined
}
