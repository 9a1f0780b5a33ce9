// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { JsonValue } from '../json.js'
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

/** The result of a test: the errors to throw and the text to print. */
export interface Verdict {
  /** The mismatches to throw, if there are any. The callback's error or timeout is the cause of the thrown error. */
  readonly mismatched: Mismatched | null
  /** The callback's timeout, if the callback did not finish in time. */
  readonly late: Late | null
  /** The messages to print, such as advice about the mismatches. */
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
  /** True if the binding must throw the failures as one error. */
  readonly raises: boolean
  /** The failures, in the order of the messages. */
  readonly failures: readonly MessageFailure[]
  /** The failures as text. Empty if all messages passed. */
  readonly text: string
}

/** An interaction that becomes a test in a test runner. */
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

/** The provider's answer in one run of the test. */
export interface ServedAnswer {
  /** The name of the variant; `null` for the example. Names of several variants are separated by ` + `. */
  readonly name: string | null
  /** The description of the interaction. */
  readonly interaction: string
  /** The status of the response; `null` for a message. */
  readonly status: number | null
  /** The headers of the response; empty for a message. */
  readonly headers: JsonValue
  /** The body as JSON, or as text if it is not JSON. */
  readonly body: JsonValue
  /** The timeout of this run in milliseconds. */
  readonly timeout: number
  /**
   * True if the contract does not allow the answer. It shows whether the consumer reads a field. The callback may
   * fail, and `check` is not called.
   */
  readonly probe: boolean
}

/** A variant with which a test failed. */
export interface FailedVariant {
  /** The name, which `CONTRACT_VARIANT` accepts. Names of a combination are separated by ` + `. */
  readonly name: string
  /** The description of the interaction. */
  readonly interaction: string
  /** Location of the value that was changed, such as `$.status`. Locations of a combination are separated by ` + `. */
  readonly place: string
  /** Why the contract allows the value. Reasons of a combination are separated by ` + `. */
  readonly rule: string
  /** The value that was served. Values of a combination are separated by ` + `. */
  readonly value: string
  /**
   * How the test failed: `error`, `requests`, `timeout`, `unstable`, `not-isolated`, or
   * `unread`.
   */
  readonly reason: string
  /** The number of the run that failed, starting with 0. */
  readonly run: number
}

/** The failures of a test with variants. */
export interface VariantReport {
  /** The error code, such as `ERR_CONTRACT_VARIANTS`. */
  readonly code: string
  /** The failures as text. */
  readonly text: string
  /** The variants with which the test failed. */
  readonly failures: readonly FailedVariant[]
  /** The number of variants that were tried. */
  readonly tried: number
  /** The number of responses or messages that were served, in addition to the example. */
  readonly answers: number
  /**
   * The names of the variants that were not tried because of the maximum number of answers or the time limit, or
   * because a variant with the same location and kind had failed.
   */
  readonly leftOut: readonly string[]
}

/** The next step for the binding after a run of the test. */
export interface VariantStep {
  /** The answer for the next run, or `null` if there are no more runs. */
  readonly next: ServedAnswer | null
  /** The failures, if there are no more runs and at least one failed. */
  readonly report: VariantReport | null
  /** Text to print, if there are no more runs. */
  readonly print: string | null
}

/** A variant that a separate test receives. */
export interface ListedVariant {
  /** The name, such as `null@$.note`, or `example`. */
  readonly name: string
  /** The kind, such as `null`; `null` for the example. */
  readonly kind: string | null
  /** Location of the value that differs, such as `$.note`; empty for the example. */
  readonly place: string
  /** The description of the interaction; empty for the example. */
  readonly interaction: string
  /** Why the contract allows the value; empty for the example. */
  readonly rule: string
  /** The value to serve; empty for the example. */
  readonly value: string
}

/** The next step for the binding after a message handler call. */
export interface MessageVariant {
  /** The variant for the next handler call, or `null` if there are no more. */
  readonly next: ServedAnswer | null
  /** The message with this variant, in the form that handlers receive. `null` if there are no more variants. */
  readonly message: JsonValue | null
  /** The failures, if there are no more variants and at least one failed. */
  readonly report: VariantReport | null
  /** Text to print, if there are no more variants. */
  readonly print: string | null
}

/** The result of a recording. */
export interface RecordedContract {
  /** Path of the written file. Absent if no interaction was recorded. */
  readonly path?: string
  /** Number of requests, including those that are not part of the contract. */
  readonly requests: number
  /** Number of interactions in the contract. */
  readonly interactions: number
  /** Number of requests that were merged with similar requests into one interaction. */
  readonly merged: number
  /** The matching rules that were guessed from the values, in the order of the interactions. Review them. */
  readonly guesses: readonly GuessedRule[]
  /** Requests that are not part of the contract. */
  readonly skipped: readonly SkippedRequest[]
  /**
   * Names of headers, parameters, and fields whose values are not part of the contract, because they may be
   * credentials or depend on the client, the connection, or the time.
   */
  readonly omitted: readonly string[]
  /** Requests that received different responses, so that their interactions require provider states. */
  readonly ambiguous: readonly string[]
  /** The complete result as text, to be printed. */
  readonly summary: string
}

/** A rule that was inferred from the recorded values. */
export interface GuessedRule {
  /** The description of the interaction. */
  readonly interaction: string
  /** The location of the value, such as `response body $.id`. */
  readonly place: string
  /** The values that the rule accepts, or the part that was omitted. */
  readonly rule: string
}

/** A request that is not part of the contract. */
export interface SkippedRequest {
  /** The method and the path of the request. */
  readonly request: string
  /** The reason why it is not part of the contract. */
  readonly reason: string
}
