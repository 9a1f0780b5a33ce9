// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Mismatch } from '../mismatch.js'
import type { ServerMismatch } from './requests.js'

/** The mismatches of all servers of a test. */
export interface Mismatched {
  /** As text. */
  readonly text: string
  /** As text with colors for a terminal. */
  readonly coloured: string
  /** As data. */
  readonly mismatches: readonly ServerMismatch[]
  /** The log of the servers, one line per event. */
  readonly logs: string
}

/** A callback that did not finish in time. */
export interface Late {
  /** As text. */
  readonly text: string
  /** The timeout in milliseconds. */
  readonly timeout: number
  /** The log of the servers, one line per event. */
  readonly logs: string
}

/** What to do at the end of a test. */
export interface Verdict {
  /** The mismatches to throw. The cause is the error of the callback, or the timeout. */
  readonly mismatched: Mismatched | null
  /** The timeout of the callback. */
  readonly late: Late | null
  /** Text to print. */
  readonly print: readonly string[]
}

/** A message that failed. */
export interface MessageFailure {
  /** Its index among the messages. */
  readonly index: number
  /** A stable error code. */
  readonly code: string
  /** The description of the message. */
  readonly description: string
  /** What went wrong. */
  readonly text: string
  /** Differences between the returned and the defined response. */
  readonly mismatches: readonly Mismatch[]
}

/** The result of `Contract.verify`. */
export interface MessageVerdict {
  /** Whether the failures should be thrown. */
  readonly raises: boolean
  /** One entry for each message that failed, in order. */
  readonly failures: readonly MessageFailure[]
  /** The failures as text; empty if all passed. */
  readonly text: string
}

/** An interaction for which a test runner declares a test. */
export interface ListedInteraction {
  /** Index of the contract. The tests of a contract form a group. */
  readonly contract: number
  /** Title of the group. */
  readonly group: string
  /** Title of the test, unique in its group. */
  readonly title: string
}

/** A failure caused by the user's own code. */
export interface Cause {
  /** The index of the contract in the report. */
  readonly contract: number
  /** The index of the interaction in its contract. */
  readonly interaction: number
  /** Whether it happened during teardown. */
  readonly teardown: boolean
  /** The binding's token for the original error. */
  readonly token: number
}
