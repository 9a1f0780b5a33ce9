import { optionsData, readable } from './arguments.js'
import type { BrokerCall } from './broker-access.js'
import type {
  Branch,
  BrokerContract,
  Deletion,
  DeploymentRecord,
  DeploymentVerdict,
  Diagnosis,
  Environment,
  Pacticipant,
  PacticipantVersion,
  PublishedContracts,
  RequestedState,
  Webhook,
} from './broker-values.js'
import type { JsonValue } from './json.js'
import { native } from './native/load.js'
import { unwrap } from './native/result.js'

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
  /**
   * Detects the version, branch, and build URL from the CI system or git, if they are missing.
   *
   * @defaultValue `false`
   */
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

/** Options for waiting until a verdict is known. */
export interface RetryOptions {
  /** Number of retries while the verdict is unknown. @defaultValue `0` */
  readonly retryWhileUnknown?: number | undefined
  /** Retry interval in milliseconds. @defaultValue `10000` */
  readonly retryInterval?: number | undefined
  /** Total time to wait in milliseconds, instead of a number of retries. */
  readonly wait?: number | undefined
}

/** Options of `canIDeploy`. */
export interface CanIDeployOptions extends BrokerCall, RetryOptions {
  /** The version to deploy. Several versions without `to` and `toEnvironment` are checked against each other. */
  readonly selectors: readonly VersionChoice[]
  /** Pacticipants to ignore. */
  readonly ignore?: readonly { readonly pacticipant: string; readonly version?: string | undefined }[] | undefined
  /** The target environment. */
  readonly toEnvironment?: string | undefined
  /** Checks against the latest versions with this tag, instead of an environment. */
  readonly to?: string | undefined
  /** Explains each blocking integration: what is missing, since when, which team must act, and how. */
  readonly explain?: boolean | undefined
}

/** Options of `canIMerge`. */
export interface CanIMergeOptions extends BrokerCall, RetryOptions {
  readonly pacticipant: string
  readonly version: string
  readonly ignore?: readonly { readonly pacticipant: string; readonly version?: string | undefined }[] | undefined
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
export type UndeploymentOptions = Omit<DeploymentOptions, 'version'>

/** Options of `recordRelease` and `recordSupportEnded`. */
export type ReleaseOptions = Omit<DeploymentOptions, 'applicationInstance'>

/** Options of `getContracts`. */
export interface GetContractsOptions extends BrokerCall {
  readonly provider: string
  readonly consumer?: string | undefined
  readonly branch?: string | undefined
  /** Only the latest contract of each consumer. */
  readonly latest?: boolean | undefined
  /** Writes the contracts to files. */
  readonly download?: boolean | undefined
  /** The directory for these files. @defaultValue `pacts` */
  readonly downloadDir?: string | undefined
}

/** Options of `environments.create` and `update`. */
export interface EnvironmentOptions extends BrokerCall {
  /** The name, without spaces. */
  readonly name: string
  readonly displayName?: string | undefined
  /** Whether it is a production environment. @defaultValue `false` */
  readonly production?: boolean | undefined
  readonly contactName?: string | undefined
  readonly contactEmailAddress?: string | undefined
}

/** Options of `pacticipants.createOrUpdate`. Missing options are not changed. */
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
  readonly latest?: true | string | undefined
  /** The version in this environment. */
  readonly environment?: string | undefined
  readonly deployed?: boolean | undefined
  readonly released?: boolean | undefined
}

/** Options of `webhooks.create` and `createOrUpdate`. */
export interface WebhookOptions extends BrokerCall {
  /** The URL of the request; may contain `${pactbroker.…}`. */
  readonly url: string
  /** @defaultValue `POST` */
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

/** An event that triggers a webhook. */
export type WebhookEvent =
  | 'contract_content_changed'
  | 'contract_published'
  | 'contract_requiring_verification_published'
  | 'provider_verification_published'
  | 'provider_verification_failed'
  | 'provider_verification_succeeded'

type Uuid = BrokerCall & { readonly uuid: string }
type Name = BrokerCall & { readonly name: string }

/** Calls the core with the broker, the arguments, and the current environment. */
async function call<T>(name: string, options: object): Promise<T> {
  const spelled = native.spelled(name)
  const texts = readable(spelled, () => {
    const { broker = {}, ...rest } = optionsData(spelled, options)
    return [JSON.stringify(broker), JSON.stringify(rest), JSON.stringify(process.env)] as const
  })
  return JSON.parse(unwrap(await native.brokerCall(name, ...texts))) as T
}

/**
 * Publishes contracts from files, directories, or patterns. The contracts of one consumer are published together or not at
 * all.
 *
 * @throws {BrokerError} if no contract is found, the broker cannot be reached, or the broker rejects a contract because this
 * version already has other content (`ERR_CONTRACT_BROKER_CONFLICT`; `notices` contain the difference)
 */
export function publish(files: string | readonly string[], options: PublishOptions = {}): Promise<PublishedContracts> {
  return call('publish', { ...options, files: typeof files === 'string' ? [files] : files })
}

/** Checks whether a version can be deployed. A negative verdict is returned, not thrown. */
export function canIDeploy(options: CanIDeployOptions): Promise<DeploymentVerdict> {
  return call('can_i_deploy', options)
}

/** Checks whether a version is compatible with the main branches of all other pacticipants. */
export function canIMerge(options: CanIMergeOptions): Promise<DeploymentVerdict> {
  return call('can_i_merge', options)
}

/** Records a deployment. It replaces the version that was deployed before. */
export function recordDeployment(options: DeploymentOptions): Promise<DeploymentRecord> {
  return call('record_deployment', options)
}

/** Records that the deployed version is no longer deployed. */
export function recordUndeployment(options: UndeploymentOptions): Promise<DeploymentRecord> {
  return call('record_undeployment', options)
}

/** Records a release. Earlier releases stay supported. */
export function recordRelease(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_release', options)
}

/** Records that a release is no longer supported. */
export function recordSupportEnded(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_support_ended', options)
}

/** Lists the latest contract of each integration (pair of consumer and provider). */
export function listContracts(options: BrokerCall = {}): Promise<BrokerContract[]> {
  return call('list_latest_contracts', options)
}

/** Lists the contracts of a provider and, with `download`, writes them to files. */
export function getContracts(options: GetContractsOptions): Promise<BrokerContract[]> {
  return call('get_contracts', options)
}

/** Lists the provider states that consumers use. */
export function providerStates(
  options: BrokerCall & { readonly provider: string; readonly branch?: string; readonly environment?: string },
): Promise<RequestedState[]> {
  return call('provider_states', options)
}

/** Checks the URL of the broker, the credentials, and their permissions. */
export function doctor(options: BrokerCall = {}): Promise<Diagnosis> {
  return call('doctor', options)
}

/** Manages environments. */
export const environments = {
  create: (options: EnvironmentOptions): Promise<Environment> => call('create_environment', options),
  /** Missing options are not changed. */
  update: (options: Partial<EnvironmentOptions> & Uuid): Promise<Environment> => call('update_environment', options),
  describe: (options: Uuid): Promise<Environment> => call('describe_environment', options),
  delete: (options: Uuid): Promise<Deletion> => call('delete_environment', options),
  list: (options: BrokerCall = {}): Promise<Environment[]> => call('list_environments', options),
} as const

/** Manages pacticipants: the applications that have contracts with each other. */
export const pacticipants = {
  createOrUpdate: (options: PacticipantOptions): Promise<Pacticipant & { readonly created: boolean }> =>
    call('create_or_update_pacticipant', options),
  describe: (options: Name): Promise<Pacticipant> => call('describe_pacticipant', options),
  /** Deletes the pacticipant with its versions, contracts, and results. */
  delete: (options: Name): Promise<Deletion> => call('delete_pacticipant', options),
  list: (options: BrokerCall = {}): Promise<Pacticipant[]> => call('list_pacticipants', options),
} as const

/** Manages versions with their tags and branches. */
export const versions = {
  createOrUpdate: (options: VersionOptions): Promise<PacticipantVersion> => call('create_or_update_version', options),
  describe: (options: DescribeVersionOptions): Promise<PacticipantVersion> => call('describe_version', options),
  /** Adds tags to a version, which must exist unless `autoCreateVersion` is true. */
  tag: (
    options: BrokerCall & {
      readonly pacticipant: string
      readonly version: string
      readonly tags?: readonly string[]
      readonly tagWithGitBranch?: boolean
      readonly autoCreateVersion?: boolean
    },
  ): Promise<{ readonly pacticipant: string; readonly version: string; readonly tags: readonly string[] }> =>
    call('create_version_tag', options),
  untag: (
    options: BrokerCall & { readonly pacticipant: string; readonly version: string; readonly tag: string },
  ): Promise<Deletion> => call('delete_version_tag', options),
} as const

/** Manages branches. */
export const branches = {
  list: (options: BrokerCall & { readonly pacticipant: string }): Promise<Branch[]> => call('list_branches', options),
  /** Deletes the branch and keeps its versions. */
  delete: (
    options: BrokerCall & { readonly pacticipant: string; readonly branch: string; readonly ignoreMissing?: boolean },
  ): Promise<Deletion> => call('delete_branch', options),
} as const

/** Manages webhooks: requests that the broker sends when an event occurs. */
export const webhooks = {
  create: (options: WebhookOptions): Promise<Webhook> => call('create_webhook', options),
  createOrUpdate: (options: WebhookOptions & { readonly uuid: string }): Promise<Webhook> =>
    call('create_or_update_webhook', options),
  /** Triggers the webhook now. */
  test: (options: Uuid): Promise<Readonly<Record<string, JsonValue>>> => call('test_webhook', options),
  delete: (options: Uuid): Promise<Deletion> => call('delete_webhook', options),
  list: (options: BrokerCall = {}): Promise<Webhook[]> => call('list_webhooks', options),
} as const
