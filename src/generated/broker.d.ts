// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { BrokerNotice } from '../errors.js'
import type { JsonValue } from '../json.js'

/** Options of every call to a broker. */
export interface BrokerCall {
  /** Address and credentials of the broker. */
  readonly broker?: BrokerAccess | undefined
}

/** The address and credentials of a broker. Options that are not set are read from environment variables. */
export interface BrokerAccess {
  /**
   * Base URL of the broker. May contain `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`, then
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
  /** Additional headers for each request to the broker. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Maximum number of retries of an idempotent request. Default: `CONTRACT_BROKER_HTTP_RETRIES`, otherwise 5, or 2
   * if the connection is refused.
   */
  readonly retries?: number | undefined
  /** Timeout of one request in milliseconds. Default: 60000. */
  readonly timeout?: number | undefined
  /** CA certificates to trust in addition to the system's, in PEM format. */
  readonly ca?: readonly string[] | undefined
  /** Client certificate in PEM format. */
  readonly cert?: string | undefined
  /** Private key of the client certificate in PEM format, unencrypted. */
  readonly key?: string | undefined
  /** Whether server certificates are accepted without verification. Default: false. */
  readonly disableSslVerification?: boolean | undefined
}

/** Options of `publish`: the contract files, and the version to publish them for. */
export interface PublishOptions extends BrokerCall {
  /** Version of the consumer. Required unless `autoDetect` is true and detects it. */
  readonly consumerVersion?: string | undefined
  /** Branch of the consumer version, such as `main`. */
  readonly branch?: string | undefined
  /** Tags to add to the consumer version. */
  readonly tags?: readonly string[] | undefined
  /** URL of the CI build that publishes the contracts. */
  readonly buildUrl?: string | undefined
  /**
   * Whether the version, branch, and build URL are detected from the CI system or git if they are not set.
   * Default: false.
   */
  readonly autoDetect?: boolean | undefined
  /** Whether the name of the branch is added as a tag. Default: false. */
  readonly tagWithGitBranch?: boolean | undefined
  /**
   * Whether the contracts are merged with those that other parts of the build have published for this version.
   * Default: false.
   */
  readonly merge?: boolean | undefined
  /** Whether files with interactions that cannot be read are rejected. Default: false. */
  readonly validate?: boolean | undefined
  /** Whether files that cause a warning are rejected. Default: false. */
  readonly strict?: boolean | undefined
  /** Whether the result only shows what would be published, without publishing it. Default: false. */
  readonly dryRun?: boolean | undefined
}

/** Selects versions of a pacticipant. Set exactly one other member in addition to `pacticipant`. */
export interface VersionChoice {
  readonly pacticipant: string
  readonly version?: string | undefined
  /**
   * Selects the latest version. `true` selects the latest version overall, and a string selects the latest version
   * with this tag.
   */
  readonly latest?: true | string | undefined
  /** Selects all versions with this tag. */
  readonly tag?: string | undefined
  /** Selects the latest version on this branch. */
  readonly branch?: string | undefined
  /** Selects the latest version on the main branch. */
  readonly mainBranch?: true | undefined
}

/** Options of `canIDeploy`: the versions to deploy, the target, and how long to wait for missing results. */
export interface CanIDeployOptions extends BrokerCall {
  /**
   * Versions to deploy. If there are several and neither `to` nor `toEnvironment` is set, they are checked against
   * each other.
   */
  readonly selectors: readonly VersionChoice[]
  /** Pacticipants whose results do not affect the verdict. */
  readonly ignore?: readonly ({
    readonly pacticipant: string
    readonly version?: string | undefined
  })[] | undefined
  /** Name of the target environment. */
  readonly toEnvironment?: string | undefined
  /** Checks against the latest versions with this tag instead of an environment. */
  readonly to?: string | undefined
  /** Maximum number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Time between retries in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Maximum total time to wait for a verdict in milliseconds. Replaces the number of retries. */
  readonly wait?: number | undefined
  /**
   * Whether the result explains for each blocking integration what is missing, since when, which team must act, and
   * how. Default: false.
   */
  readonly explain?: boolean | undefined
}

/** Options of `canIMerge`: the version to merge, and how long to wait for missing results. */
export interface CanIMergeOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** Pacticipants whose results do not affect the verdict. */
  readonly ignore?: readonly ({
    readonly pacticipant: string
    readonly version?: string | undefined
  })[] | undefined
  /** Maximum number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Time between retries in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Maximum total time to wait for a verdict in milliseconds. Replaces the number of retries. */
  readonly wait?: number | undefined
  /**
   * Whether the result explains for each blocking integration what is missing, since when, which team must act, and
   * how. Default: false.
   */
  readonly explain?: boolean | undefined
}

/** Options of `recordDeployment`: the deployed version and its environment. */
export interface DeploymentOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** Name of the environment. */
  readonly environment: string
  /** Name of the application instance, if several instances run in the environment. */
  readonly applicationInstance?: string | undefined
}

/** Options of `recordUndeployment`: the application, and the environment that it was removed from. */
export interface UndeploymentOptions extends BrokerCall {
  readonly pacticipant: string
  /** Name of the environment. */
  readonly environment: string
  /** Name of the application instance, if several instances run in the environment. */
  readonly applicationInstance?: string | undefined
}

/** Options of `recordRelease` and `recordSupportEnded`: the released version and its environment. */
export interface ReleaseOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** Name of the environment. */
  readonly environment: string
}

/** Options of `getContracts`: the contracts to list, and whether to download them. */
export interface GetContractsOptions extends BrokerCall {
  readonly provider: string
  readonly consumer?: string | undefined
  readonly branch?: string | undefined
  /** Whether only the latest contract of each consumer is returned. Default: false. */
  readonly latest?: boolean | undefined
  /** Whether the contracts are also written to files. Default: false. */
  readonly download?: boolean | undefined
  /** Directory for the files. Default: `pacts`. */
  readonly downloadDir?: string | undefined
}

/** Options of `environments.create` and `environments.update`. Updating keeps the current values of omitted options. */
export interface EnvironmentOptions extends BrokerCall {
  /** The name, without spaces. */
  readonly name: string
  readonly displayName?: string | undefined
  /** Whether the environment is a production environment. Default: false. */
  readonly production?: boolean | undefined
  readonly contactName?: string | undefined
  readonly contactEmailAddress?: string | undefined
}

/** Options of `pacticipants.createOrUpdate`. Updating keeps the current values of omitted options. */
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
  /**
   * Selects the latest version. `true` selects the latest version overall, and a string selects the latest version
   * with this tag.
   */
  readonly latest?: true | string | undefined
  /** Selects the version in this environment. */
  readonly environment?: string | undefined
  /** Whether only deployed versions are considered. Default: false. */
  readonly deployed?: boolean | undefined
  /** Whether only released versions are considered. Default: false. */
  readonly released?: boolean | undefined
}

/** Options of `webhooks.create` and `webhooks.createOrUpdate`. */
export interface WebhookOptions extends BrokerCall {
  /** URL of the request. May contain parameters such as `${pactbroker.consumerName}`. */
  readonly url: string
  /** HTTP method of the request. Default: `POST`. */
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Body of the request: any JSON value, or a string that is sent unchanged. */
  readonly body?: JsonValue | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /**
   * The key with which the broker signs requests: `whsec` followed by 24 to 64 bytes in base64. Only supported by
   * this project's broker.
   */
  readonly signingSecret?: string | undefined
  readonly consumer?: string | undefined
  readonly consumerLabel?: string | undefined
  readonly provider?: string | undefined
  readonly providerLabel?: string | undefined
  readonly description?: string | undefined
  /** Events that trigger the webhook. At least one is required. */
  readonly events: readonly WebhookEvent[]
  readonly teamUuid?: string | undefined
}

/** A detected value and its source. */
export interface Detected {
  readonly value: string
  /** Source of the value: an environment variable or a git command. */
  readonly from: string
}

/** A contract that was published, or that would be published without `dryRun`. */
export interface PublishedContract {
  /** The URL of the contract, if the broker returned it. */
  readonly url: string | null
  /** The expected outcome. Only present with `dryRun`. */
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
  /** Values that were detected, with their sources. */
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
  /** The version number, or `null` if none of the selected versions has a result. */
  readonly version: string | null
  readonly branches: readonly string[]
  /** The environments that the version is deployed or released to. */
  readonly environments: readonly string[]
}

/** A consumer version and a provider version, with the verification result. */
export interface VerdictRow {
  readonly consumer: VerdictSide
  /** The provider. Has no version if none of the selected versions has a result. */
  readonly provider: VerdictSide
  /** Whether the provider satisfies the contract; `null` without a result. */
  readonly success: boolean | null
  /** Time of the verification in ISO 8601 format. */
  readonly verifiedAt: string | null
  readonly resultUrl: string | null
  /** Time at which the contract was published, in ISO 8601 format. */
  readonly publishedAt: string | null
  readonly contractUrl: string | null
  /** True if the row does not affect the verdict. */
  readonly ignored: boolean
}

/** The reason why an integration blocks the deployment. */
export interface VerdictExplanation {
  readonly consumer?: string
  readonly consumerVersion?: string | null
  readonly provider?: string
  /** The affected provider versions. */
  readonly providerVersions?: readonly string[]
  readonly resultUrl?: string | null
  /** The kind of problem. `unknown` means that only the broker's reason is available. */
  readonly problem: 'failed' | 'unverified' | 'not_deployed' | 'unknown'
  /** The missing result or version. */
  readonly missing: string
  /** The time at which the problem started, in ISO 8601 format. */
  readonly since: string | null
  /** The name of the application whose team must act. */
  readonly who: string | null
  /** The command that resolves the problem. */
  readonly command: string | null
  /** The explanation as a sentence. */
  readonly text: string
}

/** The verdict of `canIDeploy` and `canIMerge`. */
export interface DeploymentVerdict {
  /** Whether the version can be deployed. `null` if results are missing. */
  readonly deployable: boolean | null
  /** The reason that the broker returned. */
  readonly reason: string
  /** Number of integrations that were verified successfully. */
  readonly success: number
  /** Number of integrations with a failed verification. */
  readonly failed: number
  /** Number of integrations without a result. */
  readonly unknown: number
  readonly rows: readonly VerdictRow[]
  readonly notices: readonly BrokerNotice[]
  /** Number of requests for the verdict. */
  readonly asked: number
  readonly dryRun: boolean
  /** Base URL of the broker. */
  readonly broker: string
  /** One entry for each blocking integration. Only present with `explain`. */
  readonly explanation?: readonly VerdictExplanation[]
}

/** A deployment or release of a version, as the broker recorded it. */
export interface DeploymentRecord {
  readonly uuid: string
  readonly pacticipant: string
  readonly version: string
  readonly environment: string
  readonly applicationInstance?: string
  readonly currentlyDeployed?: boolean
  readonly currentlySupported?: boolean
  /** Time at which the deployment or release was recorded, in ISO 8601 format. */
  readonly createdAt: string
}

/** A deployment environment in the broker, such as `production`. */
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

/** An application that has contracts with other applications. */
export interface Pacticipant {
  readonly name: string
  readonly displayName?: string
  readonly mainBranch?: string
  readonly repositoryUrl?: string
  readonly createdAt: string
  readonly updatedAt?: string
}

/** A version of a pacticipant with its branches, tags, and environments. */
export interface PacticipantVersion {
  readonly pacticipant: string
  readonly number: string
  readonly buildUrl?: string
  readonly branches: readonly {
    readonly name: string
    readonly latest: boolean
  }[]
  readonly tags: readonly string[]
  /** Display names of the environments in which the version is deployed. */
  readonly deployedTo: readonly string[]
  /** Names of the environments in which the version is released and supported. */
  readonly releasedTo: readonly string[]
  readonly createdAt: string
  readonly updatedAt?: string
}

/** A contract that was published to the broker. Does not include the content. */
export interface BrokerContract {
  readonly consumer: string
  readonly consumerVersion: string | null
  readonly provider: string
  readonly url: string
  /** Time of publication in ISO 8601 format. Only present in the list of latest contracts. */
  readonly createdAt?: string
  /** Path of the file that the contract was written to. */
  readonly file?: string
}

/** A provider state that consumers use. */
export interface RequestedState {
  readonly name: string
  readonly params?: Readonly<Record<string, JsonValue>> | readonly JsonValue[]
  readonly consumers?: readonly string[]
}

/** A branch of a pacticipant, as listed by the broker. */
export interface Branch {
  readonly name: string
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** A webhook without its secrets. */
export interface Webhook {
  readonly uuid: string
  readonly description: string | null
  readonly [name: string]: JsonValue
}

/** The result of `doctor`. */
export interface Diagnosis {
  /** Base URL of the broker. */
  readonly broker: string
  /** Name of the broker product, if the broker returned it. */
  readonly product: string | null
  /** Kind of credentials that were used. */
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
  /** Whether the resource was deleted. False if it did not exist. */
  readonly deleted: boolean
}

/** Options for waiting until a verdict is known. */
export interface RetryOptions {
  /** Maximum number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Time between retries in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Maximum total time to wait for a verdict in milliseconds. Replaces the number of retries. */
  readonly wait?: number | undefined
}

/** An event that triggers a webhook. */
export type WebhookEvent =
  | 'contract_content_changed'
  | 'contract_published'
  | 'contract_requiring_verification_published'
  | 'contract_verification_overdue'
  | 'provider_verification_published'
  | 'provider_verification_failed'
  | 'provider_verification_succeeded'
