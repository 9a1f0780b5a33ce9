// Generated from the types of the core by crates/contract/tests/types; do not edit.
import { brokerCall as call } from '../broker-call.js'
import type { JsonValue } from '../json.js'
import type {
  Branch,
  BrokerCall,
  BrokerContract,
  CanIDeployOptions,
  CanIMergeOptions,
  Deletion,
  DeploymentOptions,
  DeploymentRecord,
  DeploymentVerdict,
  DescribeVersionOptions,
  Diagnosis,
  Environment,
  EnvironmentOptions,
  GetContractsOptions,
  Pacticipant,
  PacticipantOptions,
  PacticipantVersion,
  ReleaseOptions,
  RequestedState,
  UndeploymentOptions,
  VersionOptions,
  Webhook,
  WebhookOptions,
} from './broker.js'

/** Checks whether a version can be deployed. A negative verdict is returned, not thrown. */
export function canIDeploy(options: CanIDeployOptions): Promise<DeploymentVerdict> {
  return call('can_i_deploy', options)
}

/** Checks whether a version is compatible with the main branches of all other pacticipants. */
export function canIMerge(options: CanIMergeOptions): Promise<DeploymentVerdict> {
  return call('can_i_merge', options)
}

/** Checks the URL of the broker, the credentials, and their permissions. */
export function doctor(options: BrokerCall = {}): Promise<Diagnosis> {
  return call('doctor', options)
}

/** Lists the contracts of a provider. With `download`, they are also written to files. */
export function getContracts(options: GetContractsOptions): Promise<BrokerContract[]> {
  return call('get_contracts', options)
}

/** Lists the latest contract of each integration (pair of consumer and provider). */
export function listContracts(options: BrokerCall = {}): Promise<BrokerContract[]> {
  return call('list_latest_contracts', options)
}

/** Lists the provider states that consumers use. */
export function providerStates(options: BrokerCall & {
    readonly provider: string
    /** Only contracts of this consumer branch. */
    readonly branch?: string | undefined
    /** Only contracts of consumer versions in this environment. */
    readonly environment?: string | undefined
  }): Promise<RequestedState[]> {
  return call('provider_states', options)
}

/** Records a deployment. It replaces the version that was deployed before. */
export function recordDeployment(options: DeploymentOptions): Promise<DeploymentRecord> {
  return call('record_deployment', options)
}

/** Records a release. Earlier releases stay supported. */
export function recordRelease(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_release', options)
}

/** Records that a release is no longer supported. */
export function recordSupportEnded(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_support_ended', options)
}

/** Records that the deployed version is no longer deployed. */
export function recordUndeployment(options: UndeploymentOptions): Promise<DeploymentRecord> {
  return call('record_undeployment', options)
}

/** Manages environments. */
export const environments = {
  /** Creates an environment. */
  create: (options: EnvironmentOptions): Promise<Environment> => call('create_environment', options),
  /** Deletes an environment. */
  delete: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Deletion> => call('delete_environment', options),
  /** Returns an environment. */
  describe: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Environment> => call('describe_environment', options),
  /** Lists all environments. */
  list: (options: BrokerCall = {}): Promise<Environment[]> => call('list_environments', options),
  /** Updates an environment. Omitted values are not changed. */
  update: (options: Partial<EnvironmentOptions> & { readonly uuid: string }): Promise<Environment> => call('update_environment', options),
} as const

/** Manages pacticipants: the applications that have contracts with each other. */
export const pacticipants = {
  /** Creates or updates a pacticipant. Omitted values are not changed. */
  createOrUpdate: (options: PacticipantOptions): Promise<Pacticipant & { readonly created: boolean }> => call('create_or_update_pacticipant', options),
  /** Deletes a pacticipant with its versions, contracts, and results. */
  delete: (options: BrokerCall & {
      /** The name of the pacticipant. */
      readonly name: string
    }): Promise<Deletion> => call('delete_pacticipant', options),
  /** Returns a pacticipant. */
  describe: (options: BrokerCall & {
      /** The name of the pacticipant. */
      readonly name: string
    }): Promise<Pacticipant> => call('describe_pacticipant', options),
  /** Lists all pacticipants. */
  list: (options: BrokerCall = {}): Promise<Pacticipant[]> => call('list_pacticipants', options),
} as const

/** Manages versions with their tags and branches. */
export const versions = {
  /** Creates or updates a version. Omitted values are not changed. */
  createOrUpdate: (options: VersionOptions): Promise<PacticipantVersion> => call('create_or_update_version', options),
  /** Adds tags to a version, which must exist unless `autoCreateVersion` is true. */
  tag: (options: BrokerCall & {
      readonly pacticipant: string
      readonly version: string
      readonly tags?: readonly string[] | undefined
      /** Adds a tag with the name of the branch. */
      readonly tagWithGitBranch?: boolean | undefined
      /** Creates the version if it does not exist. */
      readonly autoCreateVersion?: boolean | undefined
    }): Promise<{
    readonly pacticipant: string
    readonly version: string
    readonly tags: readonly string[]
  }> => call('create_version_tag', options),
  /** Removes a tag from a version. */
  untag: (options: BrokerCall & {
      readonly pacticipant: string
      readonly version: string
      readonly tag: string
    }): Promise<Deletion> => call('delete_version_tag', options),
  /** Returns a version. Default: the latest version. */
  describe: (options: DescribeVersionOptions): Promise<PacticipantVersion> => call('describe_version', options),
} as const

/** Manages branches. */
export const branches = {
  /** Deletes a branch, but not its versions. */
  delete: (options: BrokerCall & {
      readonly pacticipant: string
      readonly branch: string
      /** Succeeds if the branch does not exist. */
      readonly ignoreMissing?: boolean | undefined
    }): Promise<Deletion> => call('delete_branch', options),
  /** Lists the branches of a pacticipant. */
  list: (options: BrokerCall & {
      readonly pacticipant: string
    }): Promise<Branch[]> => call('list_branches', options),
} as const

/** Manages webhooks: requests that the broker sends when an event occurs. */
export const webhooks = {
  /** Creates or updates the webhook with this UUID. */
  createOrUpdate: (options: WebhookOptions & { readonly uuid: string }): Promise<Webhook> => call('create_or_update_webhook', options),
  /** Creates a webhook: a request that the broker sends when an event occurs. */
  create: (options: WebhookOptions): Promise<Webhook> => call('create_webhook', options),
  /** Deletes a webhook. */
  delete: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Deletion> => call('delete_webhook', options),
  /** Lists all webhooks, without their secrets. */
  list: (options: BrokerCall = {}): Promise<Webhook[]> => call('list_webhooks', options),
  /** Triggers a webhook now. */
  test: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Readonly<Record<string, JsonValue>>> => call('test_webhook', options),
} as const
