// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { Mismatch } from '../mismatch.js'
import type { ServerMismatch } from './requests.js'

/** The mismatches of all servers in a test. */
export interface Mismatched {
  /** The mismatches as text. */
  readonly text: string
  /** The mismatches as colored text for a terminal. */
  readonly coloured: string
  /** The mismatches as data. */
  readonly mismatches: readonly ServerMismatch[]
  /** The log of the servers, with one line per event. */
  readonly logs: string
}

/** A callback that did not finish before the timeout. */
export interface Late {
  /** The error message. */
  readonly text: string
  /** The timeout in milliseconds. */
  readonly timeout: number
  /** The log of the servers, with one line per event. */
  readonly logs: string
}

/** The consequences of the end of a test: the errors to throw and the text to print. */
export interface Verdict {
  /** The mismatches to throw. Their cause is the error of the callback or its timeout. */
  readonly mismatched: Mismatched | null
  /** The timeout error of the callback. */
  readonly late: Late | null
  /** Texts to print. */
  readonly print: readonly string[]
}

/** A failure of a message. */
export interface MessageFailure {
  /** Index of the message among the messages of the call. */
  readonly index: number
  /** The stable error code. */
  readonly code: string
  /** The description of the message. */
  readonly description: string
  /** The error message. */
  readonly text: string
  /** Mismatches between the returned response and the defined response. */
  readonly mismatches: readonly Mismatch[]
}

/** The result of `Contract.verify`. */
export interface MessageVerdict {
  /** True if the failures should be thrown as one error. */
  readonly raises: boolean
  /** The failures, in the order of the messages. */
  readonly failures: readonly MessageFailure[]
  /** The failures as text. Empty if all messages passed. */
  readonly text: string
}

/** An interaction that becomes a test of a test runner. */
export interface ListedInteraction {
  /** Index of the contract. The tests of each contract form a group. */
  readonly contract: number
  /** Title of the group. */
  readonly group: string
  /** Title of the test. It is unique in its group. */
  readonly title: string
}

/** A failure that an error in the user's own code caused. */
export interface Cause {
  /** The index of the contract in the report. */
  readonly contract: number
  /** The index of the interaction in its contract. */
  readonly interaction: number
  /** True if the error occurred during teardown. */
  readonly teardown: boolean
  /** The token that the binding assigned to the original error. */
  readonly token: number
}
