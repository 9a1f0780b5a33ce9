// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch } from '../mismatch.js'

/**
 * Result of an interaction: `passed`, `failed`, `pending` (it failed, but the failure does not fail the verification),
 * or `skipped` (it was not verified, because an earlier interaction failed).
 */
export type InteractionStatus = 'passed' | 'failed' | 'pending' | 'skipped'

/** Reason why an interaction could not be compared. */
export interface InteractionError {
  /** Stable error code, such as `ERR_CONTRACT_STATE_HANDLER`. */
  readonly code: string
  /** Error message: what failed, where it failed, and what to do. */
  readonly message: string
  /** Token that identifies the original error, if a handler, filter, or hook threw it. Missing otherwise. */
  readonly cause?: unknown
}

/** A header with all its values. */
export interface ReportedHeader {
  /** Name of the header. */
  readonly name: string
  /** Values in order. Secrets are redacted. */
  readonly values: readonly string[]
}

/** Body of a request, response, or message. Secrets are redacted. Long bodies are truncated. */
export interface ReportedBody {
  /** Content type of the body, either declared or detected. Missing if it is unknown. */
  readonly contentType?: string
  /** Size of the decompressed body in bytes. */
  readonly size: number
  /** Encoding of `content`: `text`, or `base64` for a binary body. */
  readonly encoding: 'text' | 'base64'
  /** The text of the body, or its bytes in base64, depending on `encoding`. */
  readonly content: string
  /** True if `content` is truncated. */
  readonly truncated: boolean
}

/** Summary of the expected response or message. */
export interface Expectation {
  /** Expected status code. Missing for a message. */
  readonly status?: number
  /** Expected headers. Empty for a message. */
  readonly headers: readonly ReportedHeader[]
  /** Expected metadata of a message. Missing for an HTTP response. */
  readonly metadata?: JsonValue
  /** True if the contract defines a body or message contents. */
  readonly body: boolean
}

/**
 * The request that was sent to the provider. Headers and body are missing if the interaction passed. Secrets are
 * redacted.
 */
export interface ReportedRequest {
  /** Method in uppercase, such as `GET`. */
  readonly method: string
  /** URL including the query string. */
  readonly url: string
  /**
   * All headers: from the contract, custom headers, and headers that filters added. Missing if the interaction
   * passed.
   */
  readonly headers?: readonly ReportedHeader[]
  /** Body that was sent. Missing if it was empty or the interaction passed. */
  readonly body?: ReportedBody
}

/** The response or message that was received. Its details are missing if the interaction passed. Secrets are redacted. */
export interface ReportedResponse {
  /** Received status code. Missing for a message. */
  readonly status?: number
  /** Received headers. Missing for a message, or if the interaction passed. */
  readonly headers?: readonly ReportedHeader[]
  /** Received metadata of a message. Missing for an HTTP response. */
  readonly metadata?: JsonValue
  /** Received body or message contents. Missing if there are none, or if the interaction passed. */
  readonly body?: ReportedBody
}

/** Durations of the steps of an interaction, in milliseconds. */
export interface InteractionTiming {
  /** Time for setting up the provider states. */
  readonly statesMs: number
  /** Time from sending the request to receiving the last byte of the response. */
  readonly requestMs: number
  /** Time for tearing down the provider states. */
  readonly teardownMs: number
  /** Total time of all steps. */
  readonly totalMs: number
}

/** Result of one interaction. */
export interface InteractionReport {
  /** Description of the interaction. */
  readonly description: string
  /** Provider states of the interaction, in order. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** Key of the interaction in the contract. Missing if it has none. */
  readonly key?: string
  /** ID of the interaction in the broker. Missing if the contract does not contain one. */
  readonly id?: string
  /** Hash that identifies the interaction and is the same in every run. Filters accept it as `id`. */
  readonly fingerprint: string
  /** Type of the interaction: `Synchronous/HTTP`, `Asynchronous/Messages`, or `Synchronous/Messages`. */
  readonly kind: string
  /** True if the interaction is pending: its failure is reported, but does not fail the verification. */
  readonly pending: boolean
  /** Name of the consumer test that wrote the interaction. Missing if the contract does not contain it. */
  readonly testName?: string
  /** Line of the contract file on which the interaction starts, counted from 1. Missing if it is unknown. */
  readonly line?: number
  /** Comments on the interaction in the contract. Missing if there are none. */
  readonly comments?: JsonObject
  /** Result of the verification. */
  readonly status: InteractionStatus
  /** Duration of verifying the interaction, in milliseconds. */
  readonly durationMs: number
  /** Durations of the individual steps. */
  readonly timing: InteractionTiming
  /**
   * Summary of the expected response or message. Missing if there is none, for example because the interaction was
   * skipped.
   */
  readonly expected?: Expectation
  /** The request that was sent to the provider. Missing if none was sent. */
  readonly request?: ReportedRequest
  /** The response or message that was received. Missing if none was received or reported. */
  readonly response?: ReportedResponse
  /** Names of the provider states for which no handler is registered. */
  readonly unhandledStates?: readonly string[]
  /**
   * Differences between the expected and the received response or message. Empty if it matches or could not be
   * compared.
   */
  readonly mismatches: readonly Mismatch[]
  /**
   * Diff of the JSON body. Each line starts with `-` (expected), `+` (actual), or a space. Missing if the body
   * matches, is not JSON, or is too large.
   */
  readonly diff?: string
  /** Error because of which the interaction could not be compared. Missing if it was compared. */
  readonly error?: InteractionError
  /** Lines that a plugin printed while it verified the interaction. */
  readonly output?: readonly string[]
  /** Error that occurred while the provider states were torn down. Missing if there was none. */
  readonly teardownError?: InteractionError
}

/** Where a contract comes from. */
export interface ContractOrigin {
  /** Kind of the source: `file`, `url`, `document` (passed by the calling process), or `broker`. */
  readonly kind: 'file' | 'url' | 'document' | 'broker'
  /** Base URL of the broker. Missing for other sources. */
  readonly broker?: string
  /** The broker's name for the contract, which includes the consumer version. Missing for other sources. */
  readonly name?: string
  /**
   * Reason why the broker selected the contract, in the broker's words, such as `latest from main branch`. Missing
   * if the broker states none.
   */
  readonly selection?: string
  /** True if the broker selected the contract as work in progress (WIP). */
  readonly wip?: boolean
}

/** A broker's notice about a contract. */
export interface BrokerNotice {
  /** When to display the notice: `before` or `after` the verification. */
  readonly moment: 'before' | 'after'
  /** Text of the notice, with secrets redacted. */
  readonly text: string
}

/** Outcome of publishing the verification result of one contract. */
export interface ContractPublication {
  /** True if the broker accepted the result. */
  readonly published: boolean
  /** URL of the published result. Missing if the result was not published or the broker returned no URL. */
  readonly url?: string
  /** Reason why the result was not published. Missing if it was published. */
  readonly reason?: string
}

/** Outcome of publishing all results of a verification. */
export interface Publication {
  /** Provider version for which the results were published. */
  readonly version: string
  /** Branch of the provider version. Missing if none is set. */
  readonly branch?: string
  /** Tags of the provider version. */
  readonly tags?: readonly string[]
  /** Number of contracts whose results were published. */
  readonly published: number
  /**
   * Error because of which results could not be published. The verification then fails. Missing if there was no
   * error.
   */
  readonly error?: string
}

/** Results of one contract. */
export interface ContractReport {
  /** Name of the consumer. */
  readonly consumer: string
  /** Name of the provider. */
  readonly provider: string
  /** Source of the contract, such as the path of a file or a URL. */
  readonly source: string
  /** Kind and details of the source. Missing if they are unknown. */
  readonly origin?: ContractOrigin
  /** True if the broker marked the contract as pending, so that its failures do not fail the verification. */
  readonly pending: boolean
  /** The broker's notices about the contract. Empty for contracts from other sources. */
  readonly notices?: readonly BrokerNotice[]
  /** Outcome of publishing the result of this contract. Missing if publishing was not requested. */
  readonly publication?: ContractPublication
  /** Results of the interactions, in the order in which the contract contains them. */
  readonly interactions: readonly InteractionReport[]
}

/** Numbers of interactions by status, and duration of a verification. */
export interface VerificationSummary {
  /** Number of interactions that the filters selected. It includes skipped interactions. */
  readonly total: number
  /** Number of interactions that passed. */
  readonly passed: number
  /** Number of interactions that failed and are not pending. */
  readonly failed: number
  /** Number of interactions that failed but are pending, so that the verification can still succeed. */
  readonly pending: number
  /** Number of interactions that were not verified because an earlier one failed. */
  readonly skipped: number
  /** Number of interactions that filters excluded. */
  readonly filtered: number
  /** Duration of the verification in milliseconds. */
  readonly durationMs: number
}

/** The report of a verification. */
export interface VerificationReport {
  /** Version of the report format. Incremented when a field is removed or redefined, but not when a field is added. */
  readonly formatVersion: number
  /** Name of the provider. */
  readonly provider: string
  /** Shell command that started the verification. Missing if it is unknown. */
  readonly command?: string
  /** Time at which the verification ended, in UTC, such as `2026-11-22T23:00:00Z`. Missing if it is unknown. */
  readonly date?: string
  /** Version of the provider, from the publish options or the CI system. Missing if neither provides it. */
  readonly providerVersion?: string
  /** Branch of the provider, from the options or the CI system. Missing if neither provides it. */
  readonly providerBranch?: string
  /** URL of the build, from the publish options or the CI system. Missing if neither provides it. */
  readonly buildUrl?: string
  /** True if every interaction that is not pending passed, and if all requested results were published. */
  readonly success: boolean
  /** Numbers of interactions by status, and duration. */
  readonly summary: VerificationSummary
  /** Warnings about the verification, such as provider states without a handler. */
  readonly warnings: readonly string[]
  /** Outcome of publishing the verification results. Missing if publishing was not requested. */
  readonly publication?: Publication
  /** Results of the contracts, in the order of the sources. */
  readonly contracts: readonly ContractReport[]
}

/** Data about an interaction, for filters, hooks, and other callbacks. */
export interface InteractionInfo {
  readonly consumer: string
  readonly provider: string
  readonly description: string
  /** Provider states, in the order of the contract. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** Interaction type as in contract files, such as `Synchronous/HTTP`. */
  readonly kind: string
  /** Key of the interaction in the contract, or `None` if it has no key. */
  readonly key: string | null
  /** ID of the interaction in the broker, or `None` if the contract contains no IDs. */
  readonly id: string | null
  /**
   * Hash of the consumer, provider, type, description, and states, as 16 hexadecimal digits. It is the same in every
   * run, and filters accept it as an ID.
   */
  readonly fingerprint: string
  /** If true, failures of this interaction are reported, but do not fail the verification. */
  readonly pending: boolean
  /** Name of the consumer test that recorded the interaction, or `None` if the contract does not contain it. */
  readonly testName: string | null
}

/** The arguments of a request filter, besides the request. */
export interface RequestContext {
  readonly interaction: InteractionInfo
  /** Parameters of the provider states, overridden by values that state handlers returned. */
  readonly stateValues: JsonObject
}
