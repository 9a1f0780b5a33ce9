import type { BrokerNotice } from './errors.js'
import type { JsonValue } from './json.js'

/** A detected value and its source. */
export interface Detected {
  readonly value: string
  /** An environment variable, or a git command. */
  readonly from: string
}

/** A contract that was published, or would be published with `dryRun`. */
export interface PublishedContract {
  readonly provider: string
  readonly files: readonly string[]
  /** The URL of the contract, if the broker returned it. */
  readonly url: string | null
  /** With `dryRun`: the expected outcome. */
  readonly outcome?: 'created' | 'unchanged' | 'merged' | 'conflict'
}

/** The contracts of one consumer. */
export interface PublishedConsumer {
  readonly consumer: string
  readonly version: string
  readonly branch: string | null
  readonly tags: readonly string[]
  readonly buildUrl: string | null
  readonly contracts: readonly PublishedContract[]
  readonly notices: readonly BrokerNotice[]
}

/** The result of `publish`. */
export interface PublishedContracts {
  readonly dryRun: boolean
  /** Values that were detected, and their sources. */
  readonly detected: { readonly version?: Detected; readonly branch?: Detected; readonly buildUrl?: Detected }
  /** Warnings, for example about files that are not contracts. */
  readonly warnings: readonly string[]
  readonly consumers: readonly PublishedConsumer[]
}

/** The consumer or provider version of a row. */
export interface VerdictSide {
  readonly name: string
  /** Null if none of the selected versions has a result. */
  readonly version: string | null
  readonly branches: readonly string[]
  /** The environments that the version is deployed or released to. */
  readonly environments: readonly string[]
}

/** A consumer version and a provider version, with the verification result. */
export interface VerdictRow {
  readonly consumer: VerdictSide
  readonly provider: VerdictSide
  /** Null if there is no result. */
  readonly success: boolean | null
  /** ISO 8601 */
  readonly verifiedAt: string | null
  readonly resultUrl: string | null
  /** ISO 8601 */
  readonly publishedAt: string | null
  readonly contractUrl: string | null
  readonly ignored: boolean
}

/** Explains why an integration blocks the deployment. */
export interface VerdictExplanation {
  /** `unknown`: only the broker's reason is available. */
  readonly problem: 'failed' | 'unverified' | 'not_deployed' | 'unknown'
  readonly consumer?: string
  readonly consumerVersion?: string | null
  readonly provider?: string
  /** The affected provider versions. */
  readonly providerVersions?: readonly string[]
  /** What is missing. */
  readonly missing: string
  /** The start of the problem, as ISO 8601. */
  readonly since: string | null
  /** The application whose team must act. */
  readonly who: string | null
  /** The command to run. */
  readonly command: string | null
  readonly resultUrl?: string | null
  /** The explanation as a sentence. */
  readonly text: string
}

/** The verdict of `canIDeploy`. */
export interface DeploymentVerdict {
  /** `null` if results are missing. */
  readonly deployable: boolean | null
  /** The broker's reason. */
  readonly reason: string
  /** Number of pairs that were verified successfully. */
  readonly success: number
  /** Number of pairs that failed. */
  readonly failed: number
  /** Number of pairs without a result. */
  readonly unknown: number
  /** Number of requests to the broker. */
  readonly asked: number
  readonly dryRun: boolean
  /** The broker's base URL. */
  readonly broker: string
  readonly rows: readonly VerdictRow[]
  readonly notices: readonly BrokerNotice[]
  /** With `explain`: one entry for each blocking integration. */
  readonly explanation?: readonly VerdictExplanation[]
}

/** A deployment or release. */
export interface DeploymentRecord {
  readonly uuid: string
  readonly pacticipant: string
  readonly version: string
  readonly environment: string
  readonly applicationInstance?: string
  readonly currentlyDeployed?: boolean
  readonly currentlySupported?: boolean
  /** ISO 8601 */
  readonly createdAt: string
}

/** An environment. */
export interface Environment {
  readonly uuid: string
  readonly name: string
  readonly displayName: string
  readonly production: boolean
  readonly contacts?: readonly { readonly name: string; readonly details?: Readonly<Record<string, string>> }[]
  readonly createdAt: string
  readonly updatedAt?: string
}

/** An application that has contracts with others. */
export interface Pacticipant {
  readonly name: string
  readonly displayName?: string
  readonly mainBranch?: string
  readonly repositoryUrl?: string
  readonly createdAt: string
  readonly updatedAt?: string
}

/** A version of a pacticipant. */
export interface PacticipantVersion {
  readonly pacticipant: string
  readonly number: string
  readonly buildUrl?: string
  readonly branches: readonly { readonly name: string; readonly latest: boolean }[]
  readonly tags: readonly string[]
  /** Display names of the environments in which it is deployed. */
  readonly deployedTo: readonly string[]
  /** Environments in which it is released and supported. */
  readonly releasedTo: readonly string[]
  readonly createdAt: string
  readonly updatedAt?: string
}

/** A contract in the broker. */
export interface BrokerContract {
  readonly consumer: string
  readonly consumerVersion: string | null
  readonly provider: string
  readonly url: string
  /** Date of publication as ISO 8601; only in the list of latest contracts. */
  readonly createdAt?: string
  /** The file that it was downloaded to. */
  readonly file?: string
}

/** A provider state that consumers use. */
export interface RequestedState {
  readonly name: string
  readonly params?: Readonly<Record<string, JsonValue>> | readonly JsonValue[]
  readonly consumers?: readonly string[]
}

/** A branch of a pacticipant. */
export interface Branch {
  readonly name: string
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** A webhook as returned by the broker, without secrets. */
export interface Webhook {
  readonly uuid: string
  readonly description: string | null
  readonly [name: string]: JsonValue
}

/** The result of `doctor`. */
export interface Diagnosis {
  /** The broker's base URL. */
  readonly broker: string
  /** The product, if the broker names it. */
  readonly product: string | null
  /** The kind of credentials used. */
  readonly credentials: string
  /** Whether all checks passed. */
  readonly ok: boolean
  readonly checks: readonly {
    readonly name: 'reach' | 'read' | 'write' | 'publishing'
    readonly ok: boolean
    readonly text: string
    readonly kind?: string
  }[]
}

/** The result of a deletion. */
export interface Deletion {
  /** False if the resource did not exist. */
  readonly deleted: boolean
}
