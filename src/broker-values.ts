import type { BrokerNotice } from './errors.js'
import type { JsonValue } from './json.js'

/** A value that was found, and where. */
export interface Detected {
  readonly value: string
  /** A variable, or a command of git. */
  readonly from: string
}

/** A contract that was published, or would be. */
export interface PublishedContract {
  readonly provider: string
  readonly files: readonly string[]
  /** Where it is, if the broker says so. */
  readonly url: string | null
  /** With `dryRun`: what would come of it. */
  readonly outcome?: 'created' | 'unchanged' | 'merged' | 'conflict'
}

/** The contracts of one consumer that were published, or would be. */
export interface PublishedConsumer {
  readonly consumer: string
  readonly version: string
  readonly branch: string | null
  readonly tags: readonly string[]
  readonly buildUrl: string | null
  readonly contracts: readonly PublishedContract[]
  readonly notices: readonly BrokerNotice[]
}

/** What was published, or would be. */
export interface PublishedContracts {
  readonly dryRun: boolean
  /** What was found in the environment or in git, and where. */
  readonly detected: { readonly version?: Detected; readonly branch?: Detected; readonly buildUrl?: Detected }
  /** What is worth a look, such as files that are no contracts. */
  readonly warnings: readonly string[]
  readonly consumers: readonly PublishedConsumer[]
}

/** One side of a pair of versions. */
export interface VerdictSide {
  readonly name: string
  /** Null when none of the versions asked for has a result. */
  readonly version: string | null
  readonly branches: readonly string[]
  /** The names of the environments where it is. */
  readonly environments: readonly string[]
}

/** A pair of versions, and what came out between them. */
export interface VerdictRow {
  readonly consumer: VerdictSide
  readonly provider: VerdictSide
  /** Null when there is no result. */
  readonly success: boolean | null
  /** ISO 8601 */
  readonly verifiedAt: string | null
  readonly resultUrl: string | null
  /** ISO 8601 */
  readonly publishedAt: string | null
  readonly contractUrl: string | null
  readonly ignored: boolean
}

/** Why a pair stands in the way. */
export interface VerdictExplanation {
  /** `unknown`: only the broker's own words tell. */
  readonly problem: 'failed' | 'unverified' | 'not_deployed' | 'unknown'
  readonly consumer?: string
  readonly consumerVersion?: string | null
  readonly provider?: string
  /** The versions that it is about. */
  readonly providerVersions?: readonly string[]
  /** What is missing. */
  readonly missing: string
  /** Since when: ISO 8601 */
  readonly since: string | null
  /** Whose team must act. */
  readonly who: string | null
  /** What they would run. */
  readonly command: string | null
  readonly resultUrl?: string | null
  /** All of it in a sentence. */
  readonly text: string
}

/** May it be deployed? */
export interface DeploymentVerdict {
  /** Null: not known, for results are missing. */
  readonly deployable: boolean | null
  /** Why, in the broker's words. */
  readonly reason: string
  /** Pairs with a good result. */
  readonly success: number
  /** Pairs with a bad one. */
  readonly failed: number
  /** Pairs with none. */
  readonly unknown: number
  /** How often the broker was asked. */
  readonly asked: number
  readonly dryRun: boolean
  /** The broker's base URL. */
  readonly broker: string
  readonly rows: readonly VerdictRow[]
  readonly notices: readonly BrokerNotice[]
  /** With `explain`, for each pair that stands in the way. */
  readonly explanation?: readonly VerdictExplanation[]
}

/** That a version is in an environment, or is there no more. */
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

/** Where versions are deployed to. */
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
  /** The environments that it is deployed to now, as people call them. */
  readonly deployedTo: readonly string[]
  /** The environments that it is released to and supported in. */
  readonly releasedTo: readonly string[]
  readonly createdAt: string
  readonly updatedAt?: string
}

/** A contract at the broker. */
export interface BrokerContract {
  readonly consumer: string
  readonly consumerVersion: string | null
  readonly provider: string
  readonly url: string
  /** ISO 8601; in the list of the latest. */
  readonly createdAt?: string
  /** Where it was written to, when it was downloaded. */
  readonly file?: string
}

/** A provider state that consumers ask for. */
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

/** A webhook, as the broker describes it: without its secrets. */
export interface Webhook {
  readonly uuid: string
  readonly description: string | null
  readonly [name: string]: JsonValue
}

/** What `doctor` found out. */
export interface Diagnosis {
  /** The broker's base URL. */
  readonly broker: string
  /** What answers, as far as it says so. */
  readonly product: string | null
  /** Which kind of credentials is used. */
  readonly credentials: string
  /** Whether all is well. */
  readonly ok: boolean
  readonly checks: readonly {
    readonly name: 'reach' | 'read' | 'write' | 'publishing'
    readonly ok: boolean
    readonly text: string
    readonly kind?: string
  }[]
}

/** Whether what was to go was there. */
export interface Deletion {
  readonly deleted: boolean
}
