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

/** What is published, and as what. */
export interface PublishOptions extends BrokerCall {
  /** The consumer's version. Needed, unless `autoDetect` finds it. */
  readonly consumerVersion?: string
  /** The branch that the version belongs to. */
  readonly branch?: string
  /** Tags of the version. */
  readonly tags?: readonly string[]
  /** The page of the build. */
  readonly buildUrl?: string
  /**
   * Finds version, branch and build in what the CI system or git says, where they are not given.
   * @defaultValue `false`
   */
  readonly autoDetect?: boolean
  /** Gives the version a tag of the branch's name. */
  readonly tagWithGitBranch?: boolean
  /** Adds to what other parts of the build have published for this version. */
  readonly merge?: boolean
  /** Refuses files with interactions that cannot be read. */
  readonly validate?: boolean
  /** Refuses files with anything odd in them. */
  readonly strict?: boolean
  /** Changes nothing, and says what would be published. */
  readonly dryRun?: boolean
}

/** Versions of a pacticipant: one of the ways to say which. */
export interface VersionChoice {
  readonly pacticipant: string
  readonly version?: string
  /** True: the latest. A text: the latest with this tag. */
  readonly latest?: true | string
  /** Every version with this tag. */
  readonly tag?: string
  /** The latest version on this branch. */
  readonly branch?: string
  /** The latest version on the main branch. */
  readonly mainBranch?: true
}

/** How long an answer is asked for that is not known yet. */
export interface Patience {
  /** How often it is asked again. @defaultValue `0` */
  readonly retryWhileUnknown?: number
  /** Milliseconds between two questions. @defaultValue `10000` */
  readonly retryInterval?: number
  /** Milliseconds for which it is asked again; in place of a number of times. */
  readonly wait?: number
}

/** Which version is to go where. */
export interface CanIDeployOptions extends BrokerCall, Patience {
  /** What is to be deployed; several without `to` and `toEnvironment`: whether they work together. */
  readonly selectors: readonly VersionChoice[]
  /** What does not count. */
  readonly ignore?: readonly { readonly pacticipant: string; readonly version?: string }[]
  /** The environment that it is to go to. */
  readonly toEnvironment?: string
  /** Beside the latest versions with this tag. */
  readonly to?: string
  /** Says for each pair that stands in the way what is missing, since when, who must act, and how. */
  readonly explain?: boolean
}

/** Which version is to be merged. */
export interface CanIMergeOptions extends BrokerCall, Patience {
  readonly pacticipant: string
  readonly version: string
  readonly ignore?: readonly { readonly pacticipant: string; readonly version?: string }[]
  readonly explain?: boolean
}

/** What was deployed where. */
export interface DeploymentOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  /** The name of the environment. */
  readonly environment: string
  /** Which of several instances there. */
  readonly applicationInstance?: string
}

/** What is deployed no more. */
export type UndeploymentOptions = Omit<DeploymentOptions, 'version'>

/** What was released where. */
export type ReleaseOptions = Omit<DeploymentOptions, 'applicationInstance'>

/** Which contracts are read. */
export interface ContractChoice extends BrokerCall {
  readonly provider: string
  readonly consumer?: string
  readonly branch?: string
  /** The latest of each consumer. */
  readonly latest?: boolean
  /** Writes them into files. */
  readonly download?: boolean
  /** The directory of these files. @defaultValue `pacts` */
  readonly downloadDir?: string
}

/** What an environment is to be. */
export interface EnvironmentOptions extends BrokerCall {
  /** Without spaces. */
  readonly name: string
  readonly displayName?: string
  /** Whether it serves customers. @defaultValue `false` */
  readonly production?: boolean
  readonly contactName?: string
  readonly contactEmailAddress?: string
}

/** What a pacticipant is to be; what is not given stays. */
export interface PacticipantOptions extends BrokerCall {
  readonly name: string
  readonly displayName?: string
  readonly mainBranch?: string
  readonly repositoryUrl?: string
}

/** What a version is to be. */
export interface VersionOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version: string
  readonly branch?: string
  readonly tags?: readonly string[]
  readonly buildUrl?: string
}

/** Which version is described; without a choice, the latest. */
export interface DescribeVersionOptions extends BrokerCall {
  readonly pacticipant: string
  readonly version?: string
  readonly latest?: true | string
  /** The version that is there. */
  readonly environment?: string
  readonly deployed?: boolean
  readonly released?: boolean
}

/** What a webhook is to do, and when. */
export interface WebhookOptions extends BrokerCall {
  /** Where its request goes; may hold `${pactbroker.…}`. */
  readonly url: string
  /** @defaultValue `POST` */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or a text. */
  readonly body?: JsonValue
  readonly username?: string
  readonly password?: string
  readonly consumer?: string
  readonly consumerLabel?: string
  readonly provider?: string
  readonly providerLabel?: string
  readonly description?: string
  /** At least one. */
  readonly events: readonly WebhookEvent[]
  readonly teamUuid?: string
}

/** What makes a webhook go. */
export type WebhookEvent =
  | 'contract_content_changed'
  | 'contract_published'
  | 'contract_requiring_verification_published'
  | 'provider_verification_published'
  | 'provider_verification_failed'
  | 'provider_verification_succeeded'

type Uuid = BrokerCall & { readonly uuid: string }
type Name = BrokerCall & { readonly name: string }

/** A call to the core by its name there: the broker apart from the arguments, and the environment of this moment. */
async function call<T>(name: string, options: object): Promise<T> {
  const spelled = native.spelled(name)
  const texts = readable(spelled, () => {
    const { broker = {}, ...rest } = optionsData(spelled, options)
    return [JSON.stringify(broker), JSON.stringify(rest), JSON.stringify(process.env)] as const
  })
  return JSON.parse(unwrap(await native.brokerCall(name, ...texts))) as T
}

/**
 * Publishes contract files, directories or patterns. The contracts of one consumer are published at once, or none of them.
 *
 * @throws {BrokerError} When there is no contract, the broker cannot be reached, or refuses them: this version has another
 * content already (`ERR_CONTRACT_BROKER_CONFLICT`; `notices` show the difference).
 */
export function publish(files: string | readonly string[], options: PublishOptions = {}): Promise<PublishedContracts> {
  return call('publish', { ...options, files: typeof files === 'string' ? [files] : files })
}

/** Whether a version may be deployed. A no is a value, and not an error. */
export function canIDeploy(options: CanIDeployOptions): Promise<DeploymentVerdict> {
  return call('can_i_deploy', options)
}

/** Whether a version works with the main branches of the others. */
export function canIMerge(options: CanIMergeOptions): Promise<DeploymentVerdict> {
  return call('can_i_merge', options)
}

/** Records that a version was deployed: it takes the place of the one that was there. */
export function recordDeployment(options: DeploymentOptions): Promise<DeploymentRecord> {
  return call('record_deployment', options)
}

/** Records that what was deployed is there no more. */
export function recordUndeployment(options: UndeploymentOptions): Promise<DeploymentRecord> {
  return call('record_undeployment', options)
}

/** Records that a version was released: it is supported besides those before it. */
export function recordRelease(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_release', options)
}

/** Records that a released version is no longer supported. */
export function recordSupportEnded(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_support_ended', options)
}

/** The latest contract of each pair. */
export function listContracts(options: BrokerCall = {}): Promise<BrokerContract[]> {
  return call('list_latest_contracts', options)
}

/** The contracts of a provider; written into files if asked. */
export function getContracts(options: ContractChoice): Promise<BrokerContract[]> {
  return call('get_contracts', options)
}

/** The provider states that consumers ask of a provider. */
export function providerStates(
  options: BrokerCall & { readonly provider: string; readonly branch?: string; readonly environment?: string },
): Promise<RequestedState[]> {
  return call('provider_states', options)
}

/** Finds out which broker is asked, who asks, what they may do, and why not. */
export function doctor(options: BrokerCall = {}): Promise<Diagnosis> {
  return call('doctor', options)
}

/** Environments. */
export const environments = {
  create: (options: EnvironmentOptions): Promise<Environment> => call('create_environment', options),
  /** What is not given stays. */
  update: (options: Partial<EnvironmentOptions> & Uuid): Promise<Environment> => call('update_environment', options),
  describe: (options: Uuid): Promise<Environment> => call('describe_environment', options),
  delete: (options: Uuid): Promise<Deletion> => call('delete_environment', options),
  list: (options: BrokerCall = {}): Promise<Environment[]> => call('list_environments', options),
} as const

/** Pacticipants: the applications that have contracts with each other. */
export const pacticipants = {
  createOrUpdate: (options: PacticipantOptions): Promise<Pacticipant & { readonly created: boolean }> =>
    call('create_or_update_pacticipant', options),
  describe: (options: Name): Promise<Pacticipant> => call('describe_pacticipant', options),
  /** With its versions, contracts and results. */
  delete: (options: Name): Promise<Deletion> => call('delete_pacticipant', options),
  list: (options: BrokerCall = {}): Promise<Pacticipant[]> => call('list_pacticipants', options),
} as const

/** Versions, with their tags and branches. */
export const versions = {
  createOrUpdate: (options: VersionOptions): Promise<PacticipantVersion> => call('create_or_update_version', options),
  describe: (options: DescribeVersionOptions): Promise<PacticipantVersion> => call('describe_version', options),
  /** Gives a version tags. It must be there, unless it may be made. */
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

/** Branches. */
export const branches = {
  list: (options: BrokerCall & { readonly pacticipant: string }): Promise<Branch[]> => call('list_branches', options),
  /** Its versions stay. */
  delete: (
    options: BrokerCall & { readonly pacticipant: string; readonly branch: string; readonly ignoreMissing?: boolean },
  ): Promise<Deletion> => call('delete_branch', options),
} as const

/** Webhooks: requests that the broker makes when something happens. */
export const webhooks = {
  create: (options: WebhookOptions): Promise<Webhook> => call('create_webhook', options),
  createOrUpdate: (options: WebhookOptions & { readonly uuid: string }): Promise<Webhook> =>
    call('create_or_update_webhook', options),
  /** Lets it go now. */
  test: (options: Uuid): Promise<Readonly<Record<string, JsonValue>>> => call('test_webhook', options),
  delete: (options: Uuid): Promise<Deletion> => call('delete_webhook', options),
  list: (options: BrokerCall = {}): Promise<Webhook[]> => call('list_webhooks', options),
} as const
