// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { BrokerNotice } from '../errors.js'
import type { JsonValue } from '../json.js'

/** Options of every call to a broker. */
export interface BrokerCall {
  /** Address and credentials of the broker. */
  readonly broker?: BrokerAccess | undefined
}

/** The address and credentials of a broker. Missing options are read from environment variables. */
export interface BrokerAccess {
  /**
   * The broker's base URL; may contain `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`, then
   * `PACT_BROKER_BASE_URL`.
   */
  readonly url?: string | URL | undefined
  /** User name for basic authentication. Default: `CONTRACT_BROKER_USERNAME`. Overrides a token from the environment. */
  readonly username?: string | undefined
  /** Password for basic authentication. Default: `CONTRACT_BROKER_PASSWORD`. */
  readonly password?: string | undefined
  /** Bearer token. Default: `CONTRACT_BROKER_TOKEN`. Overrides a user name and password from the environment. */
  readonly token?: string | undefined
  /** Whether environment variables are read, including those for proxies and certificates. Default: true. */
  readonly useEnv?: boolean | undefined
  /** Additional headers for every request to the broker. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Number of retries of idempotent requests. Default: `CONTRACT_BROKER_HTTP_RETRIES`, then 5, or 2 if the connection
   * is refused.
   */
  readonly retries?: number | undefined
  /** Timeout of one request in milliseconds. Default: 60000. */
  readonly timeout?: number | undefined
  /** Certificates of authorities to trust in addition to the system's, as PEM. */
  readonly ca?: readonly string[] | undefined
  /** Client certificate, as PEM. */
  readonly cert?: string | undefined
  /** Private key of the client certificate, as unencrypted PEM. */
  readonly key?: string | undefined
  /** Accepts any certificate. Default: false. */
  readonly disableSslVerification?: boolean | undefined
}

/** Options of `publish`. */
export interface PublishOptions extends BrokerCall {
  /** The consumer's version. Required unless `autoDetect` finds it. */
  readonly consumerVersion?: string | undefined
  /** The branch of the version. */
  readonly branch?: string | undefined
  /** Tags of the version. */
  readonly tags?: readonly string[] | undefined
  /** The URL of the build. */
  readonly buildUrl?: string | undefined
  /** Detects the version, branch, and build URL from the CI system or git, if they are missing. Default: false. */
  readonly autoDetect?: boolean | undefined
  /** Adds a tag with the name of the branch. */
  readonly tagWithGitBranch?: boolean | undefined
  /** Merges the contracts with those that other parts of the build have published for this version. */
  readonly merge?: boolean | undefined
  /** Rejects files with interactions that cannot be read. */
  readonly validate?: boolean | undefined
  /** Rejects files that cause any warning. */
  readonly strict?: boolean | undefined
  /** Publishes nothing and returns what would be published. */
  readonly dryRun?: boolean | undefined
}

/** Selects versions of a pacticipant. Use exactly one member in addition to `pacticipant`. */
export interface VersionChoice {
  readonly pacticipant: string
  readonly version?: string | undefined
  /** `true`: the latest version. A string: the latest version with this tag. */
  readonly latest?: true | string | undefined
  /** Every version with this tag. */
  readonly tag?: string | undefined
  /** The latest version on this branch. */
  readonly branch?: string | undefined
  /** The latest version on the main branch. */
  readonly mainBranch?: true | undefined
}

/** Options of `canIDeploy`. */
export interface CanIDeployOptions extends BrokerCall {
  /** The version to deploy. Several versions without `to` and `toEnvironment` are checked against each other. */
  readonly selectors: readonly VersionChoice[]
  /** Pacticipants to ignore. */
  readonly ignore?: readonly ({
    readonly pacticipant: string
    readonly version?: string | undefined
  })[] | undefined
  /** The target environment. */
  readonly toEnvironment?: string | undefined
  /** Checks against the latest versions with this tag, instead of an environment. */
  readonly to?: string | undefined
  /** Number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Retry interval in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Total time to wait in milliseconds, instead of a number of retries. */
  readonly wait?: number | undefined
  /** Explains each blocking integration: what is missing, since when, which team must act, and how. */
  readonly explain?: boolean | undefined
}

/** Options of `canIMerge`. */
export interface CanIMergeOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** Pacticipants to ignore. */
  readonly ignore?: readonly ({
    readonly pacticipant: string
    readonly version?: string | undefined
  })[] | undefined
  /** Number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Retry interval in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Total time to wait in milliseconds, instead of a number of retries. */
  readonly wait?: number | undefined
  /** Explains each blocking integration: what is missing, since when, which team must act, and how. */
  readonly explain?: boolean | undefined
}

/** Options of `recordDeployment`. */
export interface DeploymentOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** The name of the environment. */
  readonly environment: string
  /** The name of the instance, if several run in the environment. */
  readonly applicationInstance?: string | undefined
}

/** Options of `recordUndeployment`. */
export interface UndeploymentOptions extends BrokerCall {
  readonly pacticipant: string
  /** The name of the environment. */
  readonly environment: string
  /** The name of the instance, if several run in the environment. */
  readonly applicationInstance?: string | undefined
}

/** Options of `recordRelease` and `recordSupportEnded`. */
export interface ReleaseOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** The name of the environment. */
  readonly environment: string
}

/** Options of `getContracts`. */
export interface GetContractsOptions extends BrokerCall {
  readonly provider: string
  readonly consumer?: string | undefined
  readonly branch?: string | undefined
  /** Only the latest contract of each consumer. */
  readonly latest?: boolean | undefined
  /** Writes the contracts to files. */
  readonly download?: boolean | undefined
  /** The directory for these files. Default: `pacts`. */
  readonly downloadDir?: string | undefined
}

/** Options of `environments.create` and `environments.update`. An update does not change omitted values. */
export interface EnvironmentOptions extends BrokerCall {
  /** The name, without spaces. */
  readonly name: string
  readonly displayName?: string | undefined
  /** Whether it is a production environment. Default: false. */
  readonly production?: boolean | undefined
  readonly contactName?: string | undefined
  readonly contactEmailAddress?: string | undefined
}

/** Options of `pacticipants.createOrUpdate`. An update does not change omitted values. */
export interface PacticipantOptions extends BrokerCall {
  readonly name: string
  readonly displayName?: string | undefined
  readonly mainBranch?: string | undefined
  readonly repositoryUrl?: string | undefined
}

/** Options of `versions.createOrUpdate`. */
export interface VersionOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  readonly branch?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly buildUrl?: string | undefined
}

/** Options of `versions.describe`. Default: the latest version. */
export interface DescribeVersionOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version?: string | undefined
  /** `true`: the latest version. A string: the latest version with this tag. */
  readonly latest?: true | string | undefined
  /** The version in this environment. */
  readonly environment?: string | undefined
  /** Only a deployed version. */
  readonly deployed?: boolean | undefined
  /** Only a released version. */
  readonly released?: boolean | undefined
}

/** Options of `webhooks.create` and `webhooks.createOrUpdate`. */
export interface WebhookOptions extends BrokerCall {
  /** The URL of the request; may contain `${pactbroker.…}`. */
  readonly url: string
  /** The method of the request. Default: `POST`. */
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body: JSON or a string. */
  readonly body?: JsonValue | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly consumer?: string | undefined
  readonly consumerLabel?: string | undefined
  readonly provider?: string | undefined
  readonly providerLabel?: string | undefined
  readonly description?: string | undefined
  /** The events that trigger the webhook; at least one. */
  readonly events: readonly WebhookEvent[]
  readonly teamUuid?: string | undefined
}

/** A detected value and its source. */
export interface Detected {
  readonly value: string
  /** An environment variable, or a git command. */
  readonly from: string
}

/** A contract that was published, or would be published with `dryRun`. */
export interface PublishedContract {
  /** The URL of the contract, if the broker returned it. */
  readonly url: string | null
  /** With `dryRun`: the expected outcome. */
  readonly outcome?: 'created' | 'unchanged' | 'merged' | 'conflict'
  readonly provider: string
  readonly files: readonly string[]
}

/** The published contracts of one consumer. */
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
  readonly detected: {
    readonly version?: Detected
    readonly branch?: Detected
    readonly buildUrl?: Detected
  }
  /** Warnings, for example about files that are not contracts. */
  readonly warnings: readonly string[]
  readonly consumers: readonly PublishedConsumer[]
}

/** The consumer or provider version of a row. */
export interface VerdictSide {
  readonly name: string
  /** `null` if none of the selected versions has a result. */
  readonly version: string | null
  readonly branches: readonly string[]
  /** The environments that the version is deployed or released to. */
  readonly environments: readonly string[]
}

/** A consumer version and a provider version, with the verification result. */
export interface VerdictRow {
  readonly consumer: VerdictSide
  /** Without a version if none of the selected ones has a result. */
  readonly provider: VerdictSide
  /** Whether the provider satisfies the contract; `null` without a result. */
  readonly success: boolean | null
  /** ISO 8601 */
  readonly verifiedAt: string | null
  readonly resultUrl: string | null
  /** ISO 8601 */
  readonly publishedAt: string | null
  readonly contractUrl: string | null
  /** Whether the row does not affect the answer. */
  readonly ignored: boolean
}

/** Explains why an integration blocks the deployment. */
export interface VerdictExplanation {
  readonly consumer?: string
  readonly consumerVersion?: string | null
  readonly provider?: string
  /** The affected provider versions. */
  readonly providerVersions?: readonly string[]
  readonly resultUrl?: string | null
  /** `unknown`: only the broker's reason is available. */
  readonly problem: 'failed' | 'unverified' | 'not_deployed' | 'unknown'
  /** What is missing. */
  readonly missing: string
  /** The start of the problem, as ISO 8601. */
  readonly since: string | null
  /** The application whose team must act. */
  readonly who: string | null
  /** The command to run. */
  readonly command: string | null
  /** The explanation as a sentence. */
  readonly text: string
}

/** The verdict of `canIDeploy` and `canIMerge`. */
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
  readonly rows: readonly VerdictRow[]
  readonly notices: readonly BrokerNotice[]
  /** Number of requests to the broker. */
  readonly asked: number
  readonly dryRun: boolean
  /** The broker's base URL. */
  readonly broker: string
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
  readonly contacts?: readonly {
    readonly name: string
    readonly details?: Readonly<Record<string, string>>
  }[]
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
  readonly branches: readonly {
    readonly name: string
    readonly latest: boolean
  }[]
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
  readonly checks: readonly ({
    readonly name: 'reach' | 'read' | 'write' | 'publishing'
    readonly ok: boolean
    readonly text: string
    readonly kind?: string
  })[]
}

/** The result of a deletion. */
export interface Deletion {
  /** False if the resource did not exist. */
  readonly deleted: boolean
}

/** Options for waiting until a verdict is known. */
export interface RetryOptions {
  /** Number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Retry interval in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Total time to wait in milliseconds, instead of a number of retries. */
  readonly wait?: number | undefined
}

/** An event that triggers a webhook. */
export type WebhookEvent =
  | 'contract_content_changed'
  | 'contract_published'
  | 'contract_requiring_verification_published'
  | 'provider_verification_published'
  | 'provider_verification_failed'
  | 'provider_verification_succeeded'
