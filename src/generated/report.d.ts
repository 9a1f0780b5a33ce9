// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch } from '../mismatch.js'

/**
 * Result of an interaction. `pending` means that the interaction failed, but the failure does not count. `skipped`
 * means that it was not verified.
 */
export type InteractionStatus = 'passed' | 'failed' | 'pending' | 'skipped'

/** Reason why an interaction could not be compared. */
export interface InteractionError {
  /** Stable error code (`ERR_CONTRACT_…`). */
  readonly code: string
  /** Error message: what failed, where, and what to do. */
  readonly message: string
  /** Token that identifies the original error that a handler, filter, or hook threw. */
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
  /** Content type of the body, either declared or detected. */
  readonly contentType?: string
  /** Size of the decompressed body in bytes. */
  readonly size: number
  /** Encoding of `content`: `text`, or `base64` for a binary body. */
  readonly encoding: 'text' | 'base64'
  /** The content, encoded as specified by `encoding`. */
  readonly content: string
  /** True if `content` is truncated. */
  readonly truncated: boolean
}

/** Summary of the expected response. */
export interface Expectation {
  /** Expected status code. Missing for a message. */
  readonly status?: number
  /** Expected headers. */
  readonly headers: readonly ReportedHeader[]
  /** Expected metadata. */
  readonly metadata?: JsonValue
  /** True if the contract contains a body. */
  readonly body: boolean
}

/** The request that was sent. Headers and body are included if the interaction did not pass. Secrets are redacted. */
export interface ReportedRequest {
  /** Method, in upper case. */
  readonly method: string
  /** URL, including the query string. */
  readonly url: string
  /** Headers from the contract, custom headers, and headers added by filters. */
  readonly headers?: readonly ReportedHeader[]
  /** The body that was sent. */
  readonly body?: ReportedBody
}

/** The response that was received. Headers and body are included if the interaction did not pass. Secrets are redacted. */
export interface ReportedResponse {
  /** Received status code. Missing for a message. */
  readonly status?: number
  /** The received headers. */
  readonly headers?: readonly ReportedHeader[]
  /** The metadata of a message. */
  readonly metadata?: JsonValue
  /** The received body. */
  readonly body?: ReportedBody
}

/** Durations of the steps of an interaction, in milliseconds. */
export interface InteractionTiming {
  /** Time to set up the provider states. */
  readonly statesMs: number
  /** Time from sending the request to receiving the last byte of the response. */
  readonly requestMs: number
  /** Time to tear down the provider states. */
  readonly teardownMs: number
  /** Total time of all steps. */
  readonly totalMs: number
}

/** Result of one interaction. */
export interface InteractionReport {
  /** Description of the interaction. */
  readonly description: string
  /** The provider states, in order. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** Key of the interaction in the contract. */
  readonly key?: string
  /** ID of the interaction in the broker. */
  readonly id?: string
  /** Fingerprint of the interaction, which is the same in every run. Filters accept it as `id`. */
  readonly fingerprint: string
  /** Type of the interaction, such as `Synchronous/HTTP`. */
  readonly kind: string
  /** True if a failure is reported but does not fail the verification. */
  readonly pending: boolean
  /** Name of the consumer test that wrote the interaction. */
  readonly testName?: string
  /** Line of the contract file at which the interaction starts. Starts at 1. */
  readonly line?: number
  /** Comments that the consumer added to the interaction. */
  readonly comments?: JsonObject
  /** Result of the verification. */
  readonly status: InteractionStatus
  /** Time taken to verify the interaction, in milliseconds. */
  readonly durationMs: number
  /** Durations of the individual steps. */
  readonly timing: InteractionTiming
  /** Summary of the expected response. */
  readonly expected?: Expectation
  /** The request, if it was sent. */
  readonly request?: ReportedRequest
  /** The response, if it was received. */
  readonly response?: ReportedResponse
  /** Provider states without a handler. */
  readonly unhandledStates?: readonly string[]
  /** Differences between the expected and the received response or message. */
  readonly mismatches: readonly Mismatch[]
  /** Diff of the body. Each line starts with `-` (expected), `+` (actual), or a space. */
  readonly diff?: string
  /** Error that prevented the interaction from being compared. */
  readonly error?: InteractionError
  /** Lines that a plugin printed while it verified the interaction. */
  readonly output?: readonly string[]
  /** Error that occurred while provider states were torn down. */
  readonly teardownError?: InteractionError
}

/** Source of a contract. */
export interface ContractOrigin {
  /** Kind of the source: a file, a URL, a document from the calling process, or a broker. */
  readonly kind: 'file' | 'url' | 'document' | 'broker'
  /** Base URL of the broker. */
  readonly broker?: string
  /** Name of the contract in the broker, which includes the version of the consumer. */
  readonly name?: string
  /** Reason why the broker selected the contract, in the words of the broker: `latest from main branch`. */
  readonly selection?: string
  /** True if the contract is work in progress (WIP). */
  readonly wip?: boolean
}

/** Notice of a broker about a contract. */
export interface BrokerNotice {
  /** Whether the notice is displayed before or after the verification. */
  readonly moment: 'before' | 'after'
  /** Text of the notice. */
  readonly text: string
}

/** Result of publishing the verification result of one contract. */
export interface ContractPublication {
  /** True if the broker accepted the result. */
  readonly published: boolean
  /** URL of the published result. */
  readonly url?: string
  /** Reason why the result was not published. */
  readonly reason?: string
}

/** Result of publishing the verification results. */
export interface Publication {
  /** Version of the provider. */
  readonly version: string
  /** Branch of the provider version. */
  readonly branch?: string
  /** Tags of the provider version. */
  readonly tags?: readonly string[]
  /** Number of contracts whose results were published. */
  readonly published: number
  /** Error that prevented the results from being published. It fails the verification. */
  readonly error?: string
}

/** Results of one contract. */
export interface ContractReport {
  /** Name of the consumer. */
  readonly consumer: string
  /** Name of the provider. */
  readonly provider: string
  /** Source of the contract, such as a file or a URL. */
  readonly source: string
  /** Details about the source. */
  readonly origin?: ContractOrigin
  /** True if the complete contract is pending. */
  readonly pending: boolean
  /** Notices of the broker about the contract. */
  readonly notices?: readonly BrokerNotice[]
  /** Result of publishing the verification result of this contract. */
  readonly publication?: ContractPublication
  /** Results of the interactions, in the order of the contract. */
  readonly interactions: readonly InteractionReport[]
}

/** Number of interactions, by result. */
export interface VerificationSummary {
  /** Number of interactions after filtering. */
  readonly total: number
  /** Number of interactions that passed. */
  readonly passed: number
  /** Number of interactions that failed and are not pending. */
  readonly failed: number
  /** Number of interactions that failed but are pending. */
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
  /** Shell command that started the verification, if known. */
  readonly command?: string
  /** Time at which the verification ended, in UTC: `2026-11-22T23:00:00Z`. */
  readonly date?: string
  /** Version of the provider, from the publish options or the CI system. */
  readonly providerVersion?: string
  /** Branch of the provider, from the options or the CI system. */
  readonly providerBranch?: string
  /** URL of the build, from the publish options or the CI system. */
  readonly buildUrl?: string
  /** True if every non-pending interaction passed and all requested results were published. */
  readonly success: boolean
  /** Number of interactions, by result. */
  readonly summary: VerificationSummary
  /** Warnings about the verification. */
  readonly warnings: readonly string[]
  /** Result of publishing the verification results, if it was requested. */
  readonly publication?: Publication
  /** Results of the contracts, in the order of the sources. */
  readonly contracts: readonly ContractReport[]
}

/** The data about an interaction that filters and hooks receive. */
export interface InteractionInfo {
  /** Name of the consumer. */
  readonly consumer: string
  /** Name of the provider. */
  readonly provider: string
  /** Description of the interaction. */
  readonly description: string
  /** Provider states, in the order of the contract. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** Type as in contract files, such as `Synchronous/HTTP`. */
  readonly kind: string
  /** Key of the interaction in the contract, if it has one. */
  readonly key: string | null
  /** ID of the interaction in the broker, if it has one. */
  readonly id: string | null
  /**
   * Hash of the consumer, type, description, and states. It is the same in every run, and filters accept it as an
   * ID.
   */
  readonly fingerprint: string
  /** True if failures of this interaction are reported, but do not fail the run. */
  readonly pending: boolean
  /** Name of the consumer test that defined the interaction. */
  readonly testName: string | null
}

/** The data that a request filter receives. */
export interface RequestContext {
  /** The interaction whose request is sent. */
  readonly interaction: InteractionInfo
  /** Parameters of the provider states. Values returned by state handlers override them. */
  readonly stateValues: JsonObject
}
