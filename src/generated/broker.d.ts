// Generated from the types of the core by crates/contract/tests/types; do not edit.
import type { BrokerNotice } from '../errors.js'
import type { JsonValue } from '../json.js'

/** Options for every call to a broker. */
export interface BrokerCall {
  /** Address and credentials of the broker. */
  readonly broker?: BrokerAccess | undefined
}

/**
 * The URL, credentials, and connection settings of a broker. Options that are not set are read from environment
 * variables.
 */
export interface BrokerAccess {
  /**
   * Base URL of the broker. May contain `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`, then
   * `PACT_BROKER_BASE_URL`.
   */
  readonly url?: string | URL | undefined
  /**
   * User name for basic authentication. Overrides a token from the environment. Default: `CONTRACT_BROKER_USERNAME`,
   * then `PACT_BROKER_USERNAME`.
   */
  readonly username?: string | undefined
  /** Password for basic authentication. Default: `CONTRACT_BROKER_PASSWORD`, then `PACT_BROKER_PASSWORD`. */
  readonly password?: string | undefined
  /**
   * Bearer token. Overrides a user name and password from the environment. Default: `CONTRACT_BROKER_TOKEN`, then
   * `PACT_BROKER_TOKEN`.
   */
  readonly token?: string | undefined
  /**
   * Whether environment variables provide the options that are not set, and the settings for proxies and
   * certificates. Default: true.
   */
  readonly useEnv?: boolean | undefined
  /** Additional headers for each request to the broker, by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Maximum number of retries of an idempotent request, at most 100. Default: `CONTRACT_BROKER_HTTP_RETRIES`, then
   * `PACT_BROKER_HTTP_RETRIES`; otherwise 5, or 2 if the connection is refused.
   */
  readonly retries?: number | undefined
  /** Timeout for one request in milliseconds. Default: 60000. */
  readonly timeout?: number | undefined
  /** CA certificates in PEM format that are trusted in addition to those of the system. */
  readonly ca?: readonly string[] | undefined
  /** Client certificate in PEM format. Requires `key`. */
  readonly cert?: string | undefined
  /** Unencrypted private key of the client certificate in PEM format. Requires `cert`. */
  readonly key?: string | undefined
  /** Whether server certificates are accepted without verification. Default: false. */
  readonly disableSslVerification?: boolean | undefined
}

/** Options for `publish`: the contract files, and the consumer version that publishes them. */
export interface PublishOptions extends BrokerCall {
  /** Version of the consumer, such as a commit hash. Required unless `autoDetect` is true. */
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
  /** Whether the name of the branch, which is detected from the CI system or git, is added as a tag. Default: false. */
  readonly tagWithGitBranch?: boolean | undefined
  /**
   * Whether contracts are merged: files with the same consumer and provider, and contracts that other parts of the
   * build have already published for this version. Default: false.
   */
  readonly merge?: boolean | undefined
  /** Whether a file with an interaction that cannot be read prevents publishing. Default: false. */
  readonly validate?: boolean | undefined
  /** Whether a warning about a file prevents publishing. Includes `validate`. Default: false. */
  readonly strict?: boolean | undefined
  /** Whether the contracts are only compared with those in the broker, without publishing them. Default: false. */
  readonly dryRun?: boolean | undefined
}

/** Selects versions of a pacticipant. Set at most one of the other members; without them, all versions are selected. */
export interface VersionChoice {
  readonly pacticipant: string
  readonly version?: string | undefined
  /**
   * Selects the latest version: `true` selects the latest version overall, and a string selects the latest version
   * with this tag.
   */
  readonly latest?: true | string | undefined
  /** Selects all versions with this tag. */
  readonly tag?: string | undefined
  /** Selects the latest version on this branch. */
  readonly branch?: string | undefined
  /** Whether to select the latest version on the main branch. Default: false. */
  readonly mainBranch?: true | undefined
}

/** Options for `canIDeploy`: the versions to deploy, the target, and how long to wait for missing results. */
export interface CanIDeployOptions extends BrokerCall {
  /**
   * Versions to deploy. At least one is required. If neither `toEnvironment` nor `to` is set, several versions are
   * checked against each other, and a single version is checked against the latest versions of the other
   * pacticipants.
   */
  readonly selectors: readonly VersionChoice[]
  /** Pacticipants or versions whose results do not affect the verdict. */
  readonly ignore?: readonly ({
    readonly pacticipant: string
    readonly version?: string | undefined
  })[] | undefined
  /** Name of the target environment. Mutually exclusive with `to`. */
  readonly toEnvironment?: string | undefined
  /** Checks against the latest versions with this tag. Mutually exclusive with `toEnvironment`. */
  readonly to?: string | undefined
  /** Maximum number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Time between retries in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Maximum total time to wait for missing results in milliseconds. Overrides `retryWhileUnknown`. */
  readonly wait?: number | undefined
  /**
   * Whether the result explains each integration that blocks the deployment: what is missing, since when, which team
   * must act, and how. Default: false.
   */
  readonly explain?: boolean | undefined
}

/** Options for `canIMerge`: the version to merge, and how long to wait for missing results. */
export interface CanIMergeOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** Pacticipants or versions whose results do not affect the verdict. */
  readonly ignore?: readonly ({
    readonly pacticipant: string
    readonly version?: string | undefined
  })[] | undefined
  /** Maximum number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Time between retries in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Maximum total time to wait for missing results in milliseconds. Overrides `retryWhileUnknown`. */
  readonly wait?: number | undefined
  /**
   * Whether the result explains each integration that blocks the merge: what is missing, since when, which team must
   * act, and how. Default: false.
   */
  readonly explain?: boolean | undefined
}

/** Options for `recordDeployment`: the deployed version and its environment. */
export interface DeploymentOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** Name of the environment to which the version was deployed. */
  readonly environment: string
  /** Name of the application instance. Required only if several instances run in the environment. */
  readonly applicationInstance?: string | undefined
}

/** Options for `recordUndeployment`: the pacticipant, and the environment to which it is no longer deployed. */
export interface UndeploymentOptions extends BrokerCall {
  readonly pacticipant: string
  /** Name of the environment from which the pacticipant was removed. */
  readonly environment: string
  /** Name of the application instance, as passed to `recordDeployment`. Omit it if the deployment has none. */
  readonly applicationInstance?: string | undefined
}

/** Options for `recordRelease` and `recordSupportEnded`: the released version and its environment. */
export interface ReleaseOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** Name of the environment in which the version is released. */
  readonly environment: string
}

/** Options for `getContracts`: which contracts to list, and whether to download them. */
export interface GetContractsOptions extends BrokerCall {
  readonly provider: string
  readonly consumer?: string | undefined
  readonly branch?: string | undefined
  /** Whether only the latest contract of each consumer is listed. Default: false. */
  readonly latest?: boolean | undefined
  /** Whether the listed contracts are written to files. Default: false. */
  readonly download?: boolean | undefined
  /** Directory for the files, if `download` is true. Default: `pacts`. */
  readonly downloadDir?: string | undefined
}

/** Properties of an environment. When an environment is updated, properties that are `None` keep their current values. */
export interface EnvironmentOptions extends BrokerCall {
  /** The name, such as `production`. Must not contain whitespace. */
  readonly name: string
  readonly displayName?: string | undefined
  /** `None` means false when an environment is created. */
  readonly production?: boolean | undefined
  readonly contactName?: string | undefined
  readonly contactEmailAddress?: string | undefined
}

/** Properties of an application. When it is updated, properties that are `None` keep their current values. */
export interface PacticipantOptions extends BrokerCall {
  readonly name: string
  readonly displayName?: string | undefined
  readonly mainBranch?: string | undefined
  readonly repositoryUrl?: string | undefined
}

/** Options for `versions.createOrUpdate`: the version, and what to set. */
export interface VersionOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  readonly branch?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly buildUrl?: string | undefined
}

/** Options for `versions.describe`: which version to return. Default: the latest version. */
export interface DescribeVersionOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version?: string | undefined
  /**
   * Selects the latest version: `true` selects the latest version overall, and a string selects the latest version
   * with this tag. Mutually exclusive with `version` and `environment`.
   */
  readonly latest?: true | string | undefined
  /**
   * Selects the version in this environment. If there are several, selects the one that was recorded last. Mutually
   * exclusive with `version` and `latest`.
   */
  readonly environment?: string | undefined
  /** With `environment`, considers only deployed versions, unless `released` is true as well. Default: false. */
  readonly deployed?: boolean | undefined
  /** With `environment`, considers only released versions, unless `deployed` is true as well. Default: false. */
  readonly released?: boolean | undefined
}

/** Options for `webhooks.create` and `webhooks.createOrUpdate`: the request to send, and when to send it. */
export interface WebhookOptions extends BrokerCall {
  /** URL of the request. May contain template parameters such as `${pactbroker.consumerName}`. */
  readonly url: string
  /** HTTP method of the request. Default: `POST`. */
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Body of the request: any JSON value. A string that contains JSON is parsed, and other strings are sent
   * unchanged.
   */
  readonly body?: JsonValue | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /**
   * The key with which the broker signs requests: `whsec_` followed by 24 to 64 bytes in base64. Only supported by
   * this project's broker.
   */
  readonly signingSecret?: string | undefined
  readonly consumer?: string | undefined
  readonly consumerLabel?: string | undefined
  readonly provider?: string | undefined
  readonly providerLabel?: string | undefined
  readonly description?: string | undefined
  /** Names of the events that trigger the webhook, such as `contractPublished`. At least one is required. */
  readonly events: readonly WebhookEvent[]
  readonly teamUuid?: string | undefined
}

/** A value that was detected in the CI system or git. */
export interface Detected {
  readonly value: string
  /** Where the value was found: the name of an environment variable, or a git command. */
  readonly from: string
}

/** A contract that was published, or that would be published without `dryRun`. */
export interface PublishedContract {
  /** The URL of the contract in the broker, or `null` with `dryRun` or if the broker did not return it. */
  readonly url: string | null
  /** What publishing the contract would do. Only present with `dryRun`. */
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

/** The result of `publish`: what was published, with the detected values and warnings. */
export interface PublishedContracts {
  readonly dryRun: boolean
  /** The values that were detected because of `autoDetect`. */
  readonly detected: {
    readonly version?: Detected
    readonly branch?: Detected
    readonly buildUrl?: Detected
  }
  /** Warnings, for example about JSON files that are not contracts. */
  readonly warnings: readonly string[]
  readonly consumers: readonly PublishedConsumer[]
}

/** The consumer or the provider of a row, with its version. */
export interface VerdictSide {
  readonly name: string
  /** `None` if no selected version has a result for the contract. */
  readonly version: string | null
  readonly branches: readonly string[]
  /** Names of the environments that the version is deployed to or released in. */
  readonly environments: readonly string[]
}

/** A consumer version and a provider version, with the verification result between them. */
export interface VerdictRow {
  readonly consumer: VerdictSide
  /** Its version is `None` if no selected provider version has a result for the contract. */
  readonly provider: VerdictSide
  /** Whether the verification passed. `None` if there is no result. */
  readonly success: boolean | null
  /** Time of the verification in ISO 8601 format. `None` if there is no result. */
  readonly verifiedAt: string | null
  readonly resultUrl: string | null
  /** Time at which the contract was published, in ISO 8601 format. `None` if the broker did not send it. */
  readonly publishedAt: string | null
  readonly contractUrl: string | null
  /** True if the row does not affect the verdict, because the query ignores its version. */
  readonly ignored: boolean
}

/** The reason why an integration blocks a deployment. */
export interface VerdictExplanation {
  readonly consumer?: string
  readonly consumerVersion?: string | null
  readonly provider?: string
  /** The affected provider versions. */
  readonly providerVersions?: readonly string[]
  readonly resultUrl?: string | null
  /** `failed`, `unverified`, `notDeployed`, or `unknown`. With `unknown`, only the broker's own reason is available. */
  readonly problem: 'failed' | 'unverified' | 'not_deployed' | 'unknown'
  /** What is missing, such as a result or a deployed version, in words. */
  readonly missing: string
  /**
   * The time at which the verification failed or the contract was published, in ISO 8601 format, or `null` if it is
   * unknown.
   */
  readonly since: string | null
  /** The name of the application whose team must act, or `null` if it is unknown. */
  readonly who: string | null
  /** A command that resolves the problem, or `null` if there is none. */
  readonly command: string | null
  /** The whole explanation as one sentence. */
  readonly text: string
}

/** The verdict of `canIDeploy` or `canIMerge`. */
export interface DeploymentVerdict {
  /** Whether the versions can be deployed. `null` if the verdict is unknown because results are missing. */
  readonly deployable: boolean | null
  /** The explanation that the broker returned. */
  readonly reason: string
  /** Number of required verifications that passed. */
  readonly success: number
  /** Number of required verifications that failed. */
  readonly failed: number
  /** Number of required verifications without a result. */
  readonly unknown: number
  readonly rows: readonly VerdictRow[]
  readonly notices: readonly BrokerNotice[]
  /** Number of times that the verdict was requested, including retries. */
  readonly asked: number
  readonly dryRun: boolean
  /** Base URL of the broker. */
  readonly broker: string
  /** The reasons why the deployment is blocked. Only present with `explain`. Empty if it is not blocked. */
  readonly explanation?: readonly VerdictExplanation[]
}

/** A deployment or a release, as the broker recorded it. */
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
  /** Display names of the environments to which the version is currently deployed. */
  readonly deployedTo: readonly string[]
  /** Names of the environments in which the version is released and still supported. */
  readonly releasedTo: readonly string[]
  readonly createdAt: string
  readonly updatedAt?: string
}

/** A contract in the broker, without its content. */
export interface BrokerContract {
  readonly consumer: string
  readonly consumerVersion: string | null
  readonly provider: string
  readonly url: string
  /** Time of publication in ISO 8601 format. Only present in results of `listContracts`. */
  readonly createdAt?: string
  /** Path of the file to which the contract was downloaded. Only present with `download`. */
  readonly file?: string
}

/** A provider state that consumers use in their contracts. */
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

/** A webhook of the broker, without its secrets. */
export interface Webhook {
  readonly uuid: string
  readonly description: string | null
  readonly [name: string]: JsonValue
}

/** The result of `doctor`, which checks the connection to a broker. */
export interface Diagnosis {
  /** Base URL of the broker. */
  readonly broker: string
  /** Name of the broker software and its version if known, or `null` if the broker did not return them. */
  readonly product: string | null
  /** The kind of credentials that were used, for example a token or basic authentication. */
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

/** The result of an operation that deletes something. */
export interface Deletion {
  /** True if the resource was deleted. False only if it did not exist and `ignoreMissing` is true. */
  readonly deleted: boolean
}

/** Options for waiting until a verdict is known. */
export interface RetryOptions {
  /** Maximum number of retries while the verdict is unknown. Default: 0. */
  readonly retryWhileUnknown?: number | undefined
  /** Time between retries in milliseconds. Default: 10000. */
  readonly retryInterval?: number | undefined
  /** Maximum total time to wait for missing results in milliseconds. Overrides `retryWhileUnknown`. */
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
