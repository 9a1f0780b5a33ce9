// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch } from '../mismatch.js'

/** Result of an interaction: `pending` failed but does not count as a failure, `skipped` was not verified. */
export type InteractionStatus = 'passed' | 'failed' | 'pending' | 'skipped'

/** Why an interaction could not be compared. */
export interface InteractionError {
  /** Stable error code, `ERR_CONTRACT_…`. */
  readonly code: string
  /** What happened, where, and what to do. */
  readonly message: string
  /** The error thrown by a handler, filter, or hook. */
  readonly cause?: unknown
}

/** A header with all its values. */
export interface ReportedHeader {
  /** The name. */
  readonly name: string
  /** In order; secrets are redacted. */
  readonly values: readonly string[]
}

/** A body, possibly truncated; secrets are redacted. */
export interface ReportedBody {
  /** Declared or detected content type. */
  readonly contentType?: string
  /** Size in bytes, decompressed. */
  readonly size: number
  /** `base64` for binary content. */
  readonly encoding: 'text' | 'base64'
  /** The content in the form that `encoding` specifies. */
  readonly content: string
  /** Whether `content` is truncated. */
  readonly truncated: boolean
}

/** A summary of the expected response. */
export interface Expectation {
  /** The status code; absent for a message. */
  readonly status?: number
  /** The expected headers. */
  readonly headers: readonly ReportedHeader[]
  /** The expected metadata. */
  readonly metadata?: JsonValue
  /** Whether a body is expected. */
  readonly body: boolean
}

/** The request that was sent. Headers and body are present if the interaction did not pass; secrets are redacted. */
export interface ReportedRequest {
  /** Method, in upper case. */
  readonly method: string
  /** URL, including the query string. */
  readonly url: string
  /** Headers from the contract, custom headers, and headers from filters. */
  readonly headers?: readonly ReportedHeader[]
  /** The body that was sent. */
  readonly body?: ReportedBody
}

/** The response that was received. Headers and body are present if the interaction did not pass; secrets are redacted. */
export interface ReportedResponse {
  /** The status code; absent for a message. */
  readonly status?: number
  /** The received headers. */
  readonly headers?: readonly ReportedHeader[]
  /** The metadata of a message. */
  readonly metadata?: JsonValue
  /** The received body. */
  readonly body?: ReportedBody
}

/** Duration of the steps of an interaction, in milliseconds. */
export interface InteractionTiming {
  /** Setting up provider states. */
  readonly statesMs: number
  /** From sending the request to the last byte of the response. */
  readonly requestMs: number
  /** Tearing down provider states. */
  readonly teardownMs: number
  /** All steps. */
  readonly totalMs: number
}

/** The result of one interaction. */
export interface InteractionReport {
  /** The description. */
  readonly description: string
  /** The provider states, in order. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** The key in the contract. */
  readonly key?: string
  /** The identifier at the broker. */
  readonly id?: string
  /** A fingerprint that is the same in every run; filters accept it as `id`. */
  readonly fingerprint: string
  /** The kind, such as `Synchronous/HTTP`. */
  readonly kind: string
  /** Whether a failure is only reported. */
  readonly pending: boolean
  /** The consumer test that wrote the interaction. */
  readonly testName?: string
  /** The line of the contract file on which it begins, counted from 1. */
  readonly line?: number
  /** The consumer's comments. */
  readonly comments?: JsonObject
  /** The result. */
  readonly status: InteractionStatus
  /** Duration in milliseconds. */
  readonly durationMs: number
  /** Duration of the steps. */
  readonly timing: InteractionTiming
  /** A summary of the expected response. */
  readonly expected?: Expectation
  /** The request, if it was sent. */
  readonly request?: ReportedRequest
  /** The response, if one was received. */
  readonly response?: ReportedResponse
  /** Provider states without a handler. */
  readonly unhandledStates?: readonly string[]
  /** The mismatches. */
  readonly mismatches: readonly Mismatch[]
  /** A diff of the body: lines start with `-` (expected), `+` (actual), or a space. */
  readonly diff?: string
  /** Why the interaction could not be compared. */
  readonly error?: InteractionError
  /** Lines that a plugin printed about its verification of the interaction. */
  readonly output?: readonly string[]
  /** Why a provider state could not be torn down. */
  readonly teardownError?: InteractionError
}

/** Where a contract came from. */
export interface ContractOrigin {
  /** The kind of source: a file, a URL, a document from the calling process, or a broker. */
  readonly kind: 'file' | 'url' | 'document' | 'broker'
  /** The base URL of the broker. */
  readonly broker?: string
  /** The broker's name for the contract, which includes the consumer version. */
  readonly name?: string
  /** Why the broker selected the contract, in its words: `latest from main branch`. */
  readonly selection?: string
  /** Whether it is a WIP contract. */
  readonly wip?: boolean
}

/** A notice of a broker about a contract. */
export interface BrokerNotice {
  /** Whether the notice is shown before or after the verification. */
  readonly moment: 'before' | 'after'
  /** The text of the broker. */
  readonly text: string
}

/** Whether the result of one contract was published. */
export interface ContractPublication {
  /** Whether the broker has the result. */
  readonly published: boolean
  /** The URL of the result. */
  readonly url?: string
  /** Why the result was not published. */
  readonly reason?: string
}

/** The outcome of publishing results. */
export interface Publication {
  /** The version of the provider. */
  readonly version: string
  /** The branch of the version. */
  readonly branch?: string
  /** Tags of the version. */
  readonly tags?: readonly string[]
  /** Number of contracts whose results were published. */
  readonly published: number
  /** Why results could not be published. The verification has failed. */
  readonly error?: string
}

/** The results of one contract. */
export interface ContractReport {
  /** The name of the consumer. */
  readonly consumer: string
  /** The name of the provider. */
  readonly provider: string
  /** The file, URL, or other source. */
  readonly source: string
  /** Details of the source. */
  readonly origin?: ContractOrigin
  /** Whether the whole contract is pending. */
  readonly pending: boolean
  /** The broker's notices. */
  readonly notices?: readonly BrokerNotice[]
  /** Whether its result was published. */
  readonly publication?: ContractPublication
  /** In the order of the contract. */
  readonly interactions: readonly InteractionReport[]
}

/** Number of interactions. */
export interface VerificationSummary {
  /** Interactions after filtering. */
  readonly total: number
  /** Interactions that passed. */
  readonly passed: number
  /** Interactions that failed. */
  readonly failed: number
  /** Interactions that failed but are pending. */
  readonly pending: number
  /** Interactions that were not verified because an earlier one failed. */
  readonly skipped: number
  /** Interactions excluded by filters. */
  readonly filtered: number
  /** Duration in milliseconds. */
  readonly durationMs: number
}

/** The report of a verification. */
export interface VerificationReport {
  /** The version of this format. It is incremented when a field is removed or redefined, but not when one is added. */
  readonly formatVersion: number
  /** The name of the provider. */
  readonly provider: string
  /** How the verification was started, as a shell command, if known. */
  readonly command?: string
  /** When the verification ended, in UTC: `2026-11-22T23:00:00Z`. */
  readonly date?: string
  /** The provider's version, from the publish options or the CI system. */
  readonly providerVersion?: string
  /** The provider's branch, from the options or the CI system. */
  readonly providerBranch?: string
  /** The page of the build, from the publish options or the CI system. */
  readonly buildUrl?: string
  /** True if every non-pending interaction passed and all requested results were published. */
  readonly success: boolean
  /** Number of interactions. */
  readonly summary: VerificationSummary
  /** Warnings. */
  readonly warnings: readonly string[]
  /** The outcome of publishing results, if requested. */
  readonly publication?: Publication
  /** In the order of the sources. */
  readonly contracts: readonly ContractReport[]
}

/** An interaction, as filters and hooks receive it. */
export interface InteractionInfo {
  /** Name of the consumer. */
  readonly consumer: string
  /** Name of the provider. */
  readonly provider: string
  /** Description of the interaction. */
  readonly description: string
  /** Provider states, in the order of the contract. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** Kind as in contract files, for example `Synchronous/HTTP`. */
  readonly kind: string
  /** Key in the contract. */
  readonly key: string | null
  /** Identifier at the broker. */
  readonly id: string | null
  /** Hash of consumer, kind, description, and states: the same in every run. Filters accept it as an id. */
  readonly fingerprint: string
  /** Failures are reported, but do not fail the run. */
  readonly pending: boolean
  /** Name of the consumer test that defined the interaction. */
  readonly testName: string | null
}

/** The context of a request filter. */
export interface RequestContext {
  /** The interaction whose request is sent. */
  readonly interaction: InteractionInfo
  /** Parameters of the states, overridden by the values that state handlers returned. */
  readonly stateValues: JsonObject
}
