// Made from the structures of the core by crates/contract/tests/types; not to be edited.
import type { JsonObject, JsonValue } from '../json.js'
import type { Mismatch } from '../mismatch.js'

/**
 * How an interaction fared: `pending` is one that the provider does not honour and need not yet, `skipped` one that was
 * not reached.
 */
export type InteractionStatus = 'passed' | 'failed' | 'pending' | 'skipped'

/** Why an interaction could not be compared. */
export interface InteractionError {
  /** Stable, `ERR_CONTRACT_…`. */
  readonly code: string
  /** What happened, where, and what to do. */
  readonly message: string
  /** What a handler, a filter or a hook of the caller's threw. */
  readonly cause?: unknown
}

/** A header with all its values. */
export interface ReportedHeader {
  /** Its name. */
  readonly name: string
  /** In order; secrets are blanked out. */
  readonly values: readonly string[]
}

/** A body, or its beginning; secrets are blanked out. */
export interface ReportedBody {
  /** Its declared or detected type. */
  readonly contentType?: string
  /** In bytes, decompressed. */
  readonly size: number
  /** `base64` for what is no text. */
  readonly encoding: 'text' | 'base64'
  /** As the encoding says. */
  readonly content: string
  /** Whether `content` is the beginning only. */
  readonly truncated: boolean
}

/** What a contract expects of an answer, in short. */
export interface Expectation {
  /** None for a message. */
  readonly status?: number
  /** The headers that it names. */
  readonly headers: readonly ReportedHeader[]
  /** The metadata that it names. */
  readonly metadata?: JsonValue
  /** Whether it says something about the body. */
  readonly body: boolean
}

/** A request as it was sent. Headers and body are there if the interaction did not pass; secrets are blanked out. */
export interface ReportedRequest {
  /** In upper case. */
  readonly method: string
  /** With query. */
  readonly url: string
  /** As the contract, custom headers and filters made them. */
  readonly headers?: readonly ReportedHeader[]
  /** What was sent. */
  readonly body?: ReportedBody
}

/** A response as it came. Headers and body are there if the interaction did not pass; secrets are blanked out. */
export interface ReportedResponse {
  /** None for a message. */
  readonly status?: number
  /** As they came. */
  readonly headers?: readonly ReportedHeader[]
  /** That of a message. */
  readonly metadata?: JsonValue
  /** What came. */
  readonly body?: ReportedBody
}

/** How long the steps of an interaction took, in milliseconds. */
export interface InteractionTiming {
  /** Setting up the states. */
  readonly statesMs: number
  /** From sending the request to the last byte of the answer. */
  readonly requestMs: number
  /** Tearing down the states. */
  readonly teardownMs: number
  /** All of it. */
  readonly totalMs: number
}

/** One interaction, verified. */
export interface InteractionReport {
  /** What it is, in words. */
  readonly description: string
  /** States that it needs, in order. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** Its key in the contract. */
  readonly key?: string
  /** The broker's name for it. */
  readonly id?: string
  /** The same in every run; a filter takes it as `id`. */
  readonly fingerprint: string
  /** `Synchronous/HTTP` and the like. */
  readonly kind: string
  /** Whether a failure is reported only. */
  readonly pending: boolean
  /** The consumer's test that wrote it. */
  readonly testName?: string
  /** The consumer's comments. */
  readonly comments?: JsonObject
  /** What became of it. */
  readonly status: InteractionStatus
  /** How long all of it took, in milliseconds. */
  readonly durationMs: number
  /** How long its steps took. */
  readonly timing: InteractionTiming
  /** What the contract expects, in short. */
  readonly expected?: Expectation
  /** What was sent, if anything was. */
  readonly request?: ReportedRequest
  /** What came back, if anything did. */
  readonly response?: ReportedResponse
  /** States that no handler was there for. */
  readonly unhandledStates?: readonly string[]
  /** What differed. */
  readonly mismatches: readonly Mismatch[]
  /** The body's differences in lines that begin with `-` (expected), `+` (actual) or a blank. */
  readonly diff?: string
  /** What kept the interaction from being compared. */
  readonly error?: InteractionError
  /** Lines that a plugin printed about its verification of the interaction. */
  readonly output?: readonly string[]
  /** Why a state could not be torn down. */
  readonly teardownError?: InteractionError
}

/** Where a contract came from. */
export interface ContractOrigin {
  /**
   * A file, the address of one contract, the caller's own process, or a broker that was asked for the provider's
   * contracts.
   */
  readonly kind: 'file' | 'url' | 'document' | 'broker'
  /** The base URL of the broker that chose it. */
  readonly broker?: string
  /** The broker's name for it, which tells the consumer's version. */
  readonly name?: string
  /** Why the broker chose it, in its words: `latest from main branch`. */
  readonly selection?: string
  /** Whether it is work in progress: the broker added it to what the selectors chose. */
  readonly wip?: boolean
}

/** What a broker has to say about a contract. */
export interface BrokerNotice {
  /** Whether it is about the contract before it was verified, or about what came out. */
  readonly moment: 'before' | 'after'
  /** In the broker's words. */
  readonly text: string
}

/** What became of the result of one contract. */
export interface ContractPublication {
  /** Whether a broker has it. */
  readonly published: boolean
  /** Where it is at the broker. */
  readonly url?: string
  /** Why it was not published. */
  readonly reason?: string
}

/** What became of the results of a verification that was to publish them. */
export interface Publication {
  /** The provider's version. */
  readonly version: string
  /** Its branch. */
  readonly branch?: string
  /** Its tags. */
  readonly tags?: readonly string[]
  /** How many contracts have a result at the broker now. */
  readonly published: number
  /** Why results that should have been published were not; the verification has failed then. */
  readonly error?: string
}

/** One contract, verified. */
export interface ContractReport {
  /** The consumer's name. */
  readonly consumer: string
  /** The provider's name. */
  readonly provider: string
  /** The file, or what else tells where it came from. */
  readonly source: string
  /** The kind of that place, and what is known of it. */
  readonly origin?: ContractOrigin
  /** Whether the whole contract is pending. */
  readonly pending: boolean
  /** What a broker has to say about it. */
  readonly notices?: readonly BrokerNotice[]
  /** What became of its result, when results were to be published. */
  readonly publication?: ContractPublication
  /** In the order of the contract. */
  readonly interactions: readonly InteractionReport[]
}

/** Counts of interactions. */
export interface VerificationSummary {
  /** All that the filters left. */
  readonly total: number
  /** Those that the provider honours. */
  readonly passed: number
  /** Those that it does not. */
  readonly failed: number
  /** Not honoured, and need not be yet. */
  readonly pending: number
  /** Not reached because an earlier one failed. */
  readonly skipped: number
  /** Taken out by filters. */
  readonly filtered: number
  /** How long all took, in milliseconds. */
  readonly durationMs: number
}

/** Everything that a verification found. */
export interface VerificationReport {
  /** The version of this form: new members keep it, members that are gone or mean something else raise it. */
  readonly formatVersion: number
  /** The provider's name. */
  readonly provider: string
  /** What started the verification, as words of a shell, when that is known. */
  readonly command?: string
  /** Whether all that is not pending was honoured, and results that were to be published are. */
  readonly success: boolean
  /** Counts. */
  readonly summary: VerificationSummary
  /** What is worth a look and no failure. */
  readonly warnings: readonly string[]
  /** What became of the results, when they were to be published. */
  readonly publication?: Publication
  /** In the order of the sources. */
  readonly contracts: readonly ContractReport[]
}

/** What an interaction is, for filters and hooks. */
export interface InteractionInfo {
  /** The consumer's name. */
  readonly consumer: string
  /** The provider's name. */
  readonly provider: string
  /** What it is, in words. */
  readonly description: string
  /** States that it needs, in order. */
  readonly states: readonly { readonly name: string; readonly parameters: JsonObject }[]
  /** `Synchronous/HTTP` and the like. */
  readonly kind: string
  /** Its key in the contract. */
  readonly key: string | null
  /** The broker's name for it. */
  readonly id: string | null
  /** The same in every run, as long as consumer, kind, description and states are the same; filters take it as an id. */
  readonly fingerprint: string
  /** Whether a failure is reported only. */
  readonly pending: boolean
  /** The consumer's test that wrote it. */
  readonly testName: string | null
}

/** What a request filter may look at. */
export interface RequestContext {
  /** For whom the request is made. */
  readonly interaction: InteractionInfo
  /** The parameters of the states, and over them what the state handlers returned. */
  readonly stateValues: JsonObject
}
