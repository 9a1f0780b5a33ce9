// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { Mismatch } from '../mismatch.js'
import type { ServerMismatch } from './requests.js'

/** What did not match on the servers of a test. */
export interface Mismatched {
  /** For people. */
  readonly text: string
  /** The same with colours for a terminal. */
  readonly coloured: string
  /** As data. */
  readonly mismatches: readonly ServerMismatch[]
  /** What the servers saw, a line for each thing. */
  readonly logs: string
}

/** A function that did not end in time. */
export interface Late {
  /** For people. */
  readonly text: string
  /** How long it had, in milliseconds. */
  readonly timeout: number
  /** What the servers saw, a line for each thing. */
  readonly logs: string
}

/** What is to be done at the end of a test. */
export interface Verdict {
  /** What did not match, if that is to be thrown. Its cause is what the function threw, or that it did not end in time. */
  readonly mismatched: Mismatched | null
  /** That the function did not end in time. */
  readonly late: Late | null
  /** What is to be printed. */
  readonly print: readonly string[]
}

/** A message that was not taken as the contract says. */
export interface MessageFailure {
  /** Its place among the messages. */
  readonly index: number
  /** A stable code. */
  readonly code: string
  /** The description of the message. */
  readonly description: string
  /** What went wrong. */
  readonly text: string
  /** How the returned response differs from the defined one. */
  readonly mismatches: readonly Mismatch[]
}

/** How messages went. */
export interface MessageVerdict {
  /** Whether the failures are to be thrown. */
  readonly raises: boolean
  /** One for each message that failed, in order. */
  readonly failures: readonly MessageFailure[]
  /** All of it in words; empty when nothing failed. */
  readonly text: string
}

/** An interaction that a test runner makes a test of. */
export interface ListedInteraction {
  /** The number of its contract: tests of one contract stand in one group. */
  readonly contract: number
  /** The title of that group. */
  readonly group: string
  /** The title of the test. Runners report tests by their titles, so none stands twice in a group. */
  readonly title: string
}

/** A failure that came from the user's own code. */
export interface Cause {
  /** The number of the contract in the report. */
  readonly contract: number
  /** The number of the interaction in its contract. */
  readonly interaction: number
  /** Whether it was a teardown. */
  readonly teardown: boolean
  /** What the binding named its own error value by. */
  readonly token: number
}
