// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { Generator } from '../template.js'

/** How a UUID is written. */
export type UuidFormat = 'simple' | 'lowercase' | 'uppercase' | 'urn'

/** What a value of a provider state is turned into. */
export type StateValueType = 'string' | 'integer' | 'decimal' | 'boolean' | 'raw'

/** Bounds of a number. */
export interface Bounds {
  /** Least value. Default for generated examples: 0. */
  readonly min?: number | undefined
  /** Greatest value. Default for generated examples: 10. */
  readonly max?: number | undefined
}

/** How many digits a generated number has. */
export interface PrecisionOptions {
  /** Digits in all of a generated example, before and behind the point. Default: 10. */
  readonly precision?: number | undefined
}

/** Options of `match.str`. */
export interface StringOptions {
  /** Characters of a generated example. Default: 10. */
  readonly size?: number | undefined
  /** Makes the value afresh where the contract is exercised. */
  readonly generator?: Generator<unknown> | undefined
}

/** The format of a UUID. */
export interface UuidOptions {
  /** How it is written. Default: with hyphens, all in lower or all in upper case; examples are in lower case. */
  readonly format?: UuidFormat | undefined
}

/** The format of a date or time. */
export interface FormatOptions {
  /**
   * The format: with `%` in the style of strftime (`%Y-%m-%d`), else in the letters of Java's `DateTimeFormatter`
   * (`yyyy-MM-dd`). Without one it is told from the example; without both it is ISO 8601.
   */
  readonly format?: string | undefined
  /** Which style the format has, where that is in doubt. */
  readonly formatStyle?: 'strftime' | 'java' | undefined
}

/** Sizes of a list. */
export interface Sizes {
  /** Fewest items of a list. */
  readonly min?: number | undefined
  /** Most items of a list. */
  readonly max?: number | undefined
}

/** Options of `match.like`. */
export interface LikeOptions {
  /** Fewest items of a list. */
  readonly min?: number | undefined
  /** Most items of a list. */
  readonly max?: number | undefined
  /** Makes the value afresh where the contract is exercised. */
  readonly generator?: Generator<unknown> | undefined
}

/** Sizes of a list, and of its example. */
export interface EachLikeOptions {
  /** Fewest items. Default: 1. */
  readonly min?: number | undefined
  /** Most items. Default: any number. */
  readonly max?: number | undefined
  /** How often the template stands in the example. Default: `min`, at least once. */
  readonly examples?: number | undefined
  /** Whether the list may be empty. */
  readonly allowEmpty?: boolean | undefined
  /**
   * Most bytes that the example of this list may have, lists inside included: the template is repeated, and a slip
   * such as a minimum of a thousand millions must not fill the memory. Default: 4 MiB.
   */
  readonly exampleLimit?: number | undefined
}

/** Options of `match.fromProviderState`. */
export interface FromProviderStateOptions {
  /** Whether the consumer may send any value of the example's kind. Default: false, the example exactly. */
  readonly loose?: boolean | undefined
  /**
   * What the value is turned into. Default: what the example is; null, lists and objects stay what the handler
   * returned.
   */
  readonly type?: StateValueType | undefined
}
