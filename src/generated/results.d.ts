// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { JsonValue } from '../json.js'
import type { Mismatch } from '../mismatch.js'
import type { ServerMismatch } from './requests.js'

/**
 * The mismatches of all servers in a test. If there are several servers, each text starts with the title of its
 * contract.
 */
export interface Mismatched {
  /** The mismatches and advice as plain text. */
  readonly text: string
  /** The mismatches and advice as text with ANSI colors. */
  readonly coloured: string
  /** The mismatches as data, in the order of the servers. */
  readonly mismatches: readonly ServerMismatch[]
  /** The last log lines of the servers. */
  readonly logs: string
}

/** The error for a callback that did not finish before the timeout. */
export interface Late {
  /** The error message with advice. */
  readonly text: string
  /** The timeout in milliseconds. */
  readonly timeout: number
  /** The last log lines of the servers. */
  readonly logs: string
}

/** The result of a test. The test passed if `mismatched` and `late` are `null` and the callback threw no error. */
export interface Verdict {
  /**
   * The mismatches to throw, or `null` if there are none. If the callback threw an error or did not finish in time,
   * this error becomes the cause of the thrown error.
   */
  readonly mismatched: Mismatched | null
  /** The error for a callback that did not finish in time, or `null` if it finished. */
  readonly late: Late | null
  /** Messages to print, such as the mismatches of a server with the `verbose` option. Empty if there are none. */
  readonly print: readonly string[]
}

/** The failure of a message. */
export interface MessageFailure {
  /** Index of the message among the tested messages, starting with 0. */
  readonly index: number
  /** The stable error code, such as `ERR_CONTRACT_MESSAGE_HANDLER` or `ERR_CONTRACT_MESSAGE_RESPONSE`. */
  readonly code: string
  /** Description of the message. */
  readonly description: string
  /** The error message, which does not contain the description. */
  readonly text: string
  /**
   * Mismatches between the handler's result and the responses in the contract. Empty if the message failed for
   * another reason.
   */
  readonly mismatches: readonly Mismatch[]
}

/** The result of a message test with `Contract.verify`. */
export interface MessageVerdict {
  /** True if the binding must throw the failures as one error. False if it must return them. */
  readonly raises: boolean
  /** The failures, in the order of the messages. Empty if all messages passed. */
  readonly failures: readonly MessageFailure[]
  /** The failures as text for an error message. Empty if all messages passed. */
  readonly text: string
}

/** An interaction that a test runner verifies as a separate test. */
export interface ListedInteraction {
  /** Index of the contract, starting with 0. The tests of a contract form a group. */
  readonly contract: number
  /** Title of the group, such as `honors the contract with web`. */
  readonly group: string
  /** Title of the test: the description of the interaction and its provider states. It is unique in the group. */
  readonly title: string
}

/** A failure that was caused by an error in a user function. */
export interface Cause {
  /** Index of the contract in the report. */
  readonly contract: number
  /** Index of the interaction in its contract in the report. */
  readonly interaction: number
  /** True if the error occurred while provider states were torn down. */
  readonly teardown: boolean
  /** The number that the binding assigned to the original error. */
  readonly token: number
}

/** The response or message that the consumer receives in one run of a test. */
export interface ServedAnswer {
  /**
   * Name of the variant, such as `null@$.note`, or `null` for the example. Names of a combination are separated by
   * ` + `.
   */
  readonly name: string | null
  /** Description of the interaction. */
  readonly interaction: string
  /** Status code of the response, or `null` for a message. */
  readonly status: number | null
  /** Headers of the response by name. Several values are separated by `, `. Empty for a message. */
  readonly headers: JsonValue
  /** The body as a JSON value, or as a string if its content type is not JSON. */
  readonly body: JsonValue
  /** Timeout for this run in milliseconds. 0 for the example. */
  readonly timeout: number
  /**
   * True if the contract does not allow this answer. It is served to find out whether the consumer reads a field, so
   * the callback may fail, and `check` is not called.
   */
  readonly probe: boolean
}

/**
 * A variant, or a combination of variants, with which a test failed. If the reason is `unread`, a field that the
 * consumer does not read.
 */
export interface FailedVariant {
  /**
   * Name of the variant, such as `null@$.note`. `CONTRACT_VARIANT` accepts it to serve only this variant. Names of a
   * combination are separated by ` + `.
   */
  readonly name: string
  /** Description of the interaction. */
  readonly interaction: string
  /** Location of the changed value, such as `$.status`. Locations of a combination are separated by ` + `. */
  readonly place: string
  /**
   * Why the contract allows the value. Reasons of a combination are separated by ` + `. Empty if the reason is
   * `unread`.
   */
  readonly rule: string
  /** The value that was served. Values of a combination are separated by ` + `. Empty if the reason is `unread`. */
  readonly value: string
  /**
   * How the test failed: `error` (the callback threw an error), `requests` (the consumer's requests did not match),
   * `timeout`, `unstable` (the test both failed and passed with this answer), `not-isolated` (there was no time to
   * find out which of these variants causes the failure), or `unread` (the result of the test does not depend on the
   * field).
   */
  readonly reason: string
  /** Number of the run that failed, starting with 0. 0 if the reason is `unread`. */
  readonly run: number
}

/** The failures of a test that ran against variants. */
export interface VariantReport {
  /**
   * The error code: `ERR_CONTRACT_VARIANTS`, `ERR_CONTRACT_VARIANTS_UNSTABLE` if all failures have the reason
   * `unstable`, or `ERR_CONTRACT_VARIANTS_UNREAD` if they have the reason `unread`.
   */
  readonly code: string
  /** The failures as text for an error message. */
  readonly text: string
  /** The variants with which the test failed, or the fields that the consumer does not read. */
  readonly failures: readonly FailedVariant[]
  /** The number of variants that were tried. */
  readonly tried: number
  /** The number of responses or messages that were served, without the example. */
  readonly answers: number
  /**
   * Names of the variants that were not tried, because the maximum number of answers or the time limit was reached,
   * or because a variant with the same location and kind had failed.
   */
  readonly leftOut: readonly string[]
}

/** What a binding must do next after a run of the test: run it with another variant, or report the failures. */
export interface VariantStep {
  /** The answer for the next run, or `null` if no run is left. */
  readonly next: ServedAnswer | null
  /** The failures, or `null` if a run is left or no run failed. */
  readonly report: VariantReport | null
  /**
   * A note to print about variants that were not tried and fields that are not read. `null` if a run is left, or if
   * there is nothing to print.
   */
  readonly print: string | null
}

/** A variant that one test of a suite receives, or the example. */
export interface ListedVariant {
  /**
   * Name of the variant, such as `null@$.note`, or `example`. If several interactions have variants, the name ends
   * with ` in ` and the description of the interaction.
   */
  readonly name: string
  /** Kind of the variant, such as `branch`, or `null` for the example. */
  readonly kind: string | null
  /** Location of the changed value, such as `$.note`. Empty for the example. */
  readonly place: string
  /** Description of the interaction. Empty for the example. */
  readonly interaction: string
  /** Why the contract allows the value. Empty for the example. */
  readonly rule: string
  /** The value that is served. Empty for the example. */
  readonly value: string
}

/**
 * What a binding must do next after a message handler call: call the handler with another variant, or report the
 * failures.
 */
export interface MessageVariant {
  /** The variant for the next handler call, or `null` if no variant is left. */
  readonly next: ServedAnswer | null
  /**
   * The message for the next handler call, with this variant, in the form that handlers receive. `null` if no
   * variant is left.
   */
  readonly message: JsonValue | null
  /** The failures, or `null` if a variant is left or no variant failed. */
  readonly report: VariantReport | null
  /**
   * A note to print about variants that were not tried. `null` if a variant is left, a variant failed, or all were
   * tried.
   */
  readonly print: string | null
}

/** The result of a recording: the written file and what it contains. */
export interface RecordedContract {
  /** Path of the written contract file or test. Absent if no interaction was recorded. */
  readonly path?: string
  /** Number of requests in the traffic, including those that are not part of the contract. */
  readonly requests: number
  /** Number of interactions in the contract. */
  readonly interactions: number
  /** Number of requests that were merged with similar requests into one interaction. */
  readonly merged: number
  /**
   * Matching rules that were guessed from the recorded values, in the order of the interactions. Review them,
   * because a recording cannot show what the consumer needs.
   */
  readonly guesses: readonly GuessedRule[]
  /** Requests that are not part of the contract, with the reasons. */
  readonly skipped: readonly SkippedRequest[]
  /**
   * Names of headers, parameters, and fields whose values are not in the contract, because they may be credentials,
   * or depend on the client, the connection, or the time.
   */
  readonly omitted: readonly string[]
  /**
   * Requests that received different responses, such as `GET /orders/{number} returned 200 and 404`. Add a provider
   * state to each of their interactions.
   */
  readonly ambiguous: readonly string[]
  /** The complete result as text, for users. */
  readonly summary: string
}

/** A rule that was inferred from the recorded values. */
export interface GuessedRule {
  readonly interaction: string
  /** The location of the value, such as `response body $.id`. */
  readonly place: string
  /** A description of the values that the rule accepts, or of why the value was left out. */
  readonly rule: string
}

/** An exchange that did not become an interaction, and why. */
export interface SkippedRequest {
  /** The method and the path of the request, such as `GET /orders`. */
  readonly request: string
  readonly reason: string
}
