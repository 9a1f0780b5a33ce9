import type { JsonObject, JsonValue } from './json.js'
import type { Mismatch } from './mismatch.js'

/** How an interaction fared. */
export type InteractionStatus = 'passed' | 'failed' | 'pending' | 'skipped'

/** Why an interaction could not be compared. */
export interface InteractionError {
  /** Stable, `ERR_…`. */
  readonly code: string
  readonly message: string
}

/** One interaction, verified. */
export interface InteractionReport {
  readonly description: string
  readonly states: readonly { readonly name: string; readonly parameters?: JsonObject }[]
  readonly status: InteractionStatus
  readonly pending: boolean
  readonly durationMs: number
  /** What differed. */
  readonly mismatches: readonly Mismatch[]
  /** What kept the interaction from being compared. */
  readonly error?: InteractionError
  readonly [more: string]: unknown
}

/** One contract, verified. */
export interface ContractReport {
  readonly consumer: string
  readonly provider: string
  /** The file, or what else tells where it came from. */
  readonly source: string
  readonly interactions: readonly InteractionReport[]
}

/** Everything that a verification found. */
export interface VerificationReport {
  /** The version of this form: new members keep it, members that are gone or mean something else raise it. */
  readonly formatVersion: number
  readonly provider: string
  /** Whether all that is not pending was honoured. */
  readonly success: boolean
  readonly summary: {
    readonly total: number
    readonly passed: number
    readonly failed: number
    readonly [more: string]: JsonValue
  }
  readonly warnings: readonly string[]
  readonly contracts: readonly ContractReport[]
}
