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

/** Checks whether versions can be deployed. A negative verdict is a result, not an error. */
export function canIDeploy(options: CanIDeployOptions): Promise<DeploymentVerdict> {
  return call('can_i_deploy', options)
}

/**
 * Checks whether a version is compatible with the main branches of all pacticipants with which it has contracts. A
 * negative verdict is a result, not an error.
 */
export function canIMerge(options: CanIMergeOptions): Promise<DeploymentVerdict> {
  return call('can_i_merge', options)
}

/**
 * Checks whether the broker can be reached, and whether the credentials can read and write. A failed check is a
 * result, not an error.
 */
export function doctor(options: BrokerCall = {}): Promise<Diagnosis> {
  return call('doctor', options)
}

/** Lists a provider's contracts. With `download`, also writes them to files. */
export function getContracts(options: GetContractsOptions): Promise<BrokerContract[]> {
  return call('get_contracts', options)
}

/** Lists the latest contract between each consumer and provider. */
export function listContracts(options: BrokerCall = {}): Promise<BrokerContract[]> {
  return call('list_latest_contracts', options)
}

/** Lists the provider states that consumers use in their contracts with a provider. */
export function providerStates(options: BrokerCall & {
    readonly provider: string
    /** Considers only the contracts on this branch of each consumer. Mutually exclusive with `environment`. */
    readonly branch?: string | undefined
    /** Considers only the contracts of consumer versions in this environment. Mutually exclusive with `branch`. */
    readonly environment?: string | undefined
  }): Promise<RequestedState[]> {
  return call('provider_states', options)
}

/** Records a deployment to an environment. Ends the previous deployment of the same application instance. */
export function recordDeployment(options: DeploymentOptions): Promise<DeploymentRecord> {
  return call('record_deployment', options)
}

/** Records the release of a version in an environment. Other released versions remain supported. */
export function recordRelease(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_release', options)
}

/** Records that a released version is no longer supported in an environment. */
export function recordSupportEnded(options: ReleaseOptions): Promise<DeploymentRecord> {
  return call('record_support_ended', options)
}

/** Records that a pacticipant is no longer deployed to an environment. */
export function recordUndeployment(options: UndeploymentOptions): Promise<DeploymentRecord> {
  return call('record_undeployment', options)
}

/** Manages environments. */
export const environments = {
  /** Creates an environment. The broker assigns its UUID. */
  create: (options: EnvironmentOptions): Promise<Environment> => call('create_environment', options),
  /** Deletes an environment with a given UUID. Fails if it does not exist. */
  delete: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Deletion> => call('delete_environment', options),
  /** Returns the environment with a given UUID. */
  describe: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Environment> => call('describe_environment', options),
  /** Lists all environments. */
  list: (options: BrokerCall = {}): Promise<Environment[]> => call('list_environments', options),
  /** Updates the environment with a given UUID or name. Values that are not passed remain unchanged. */
  update: (options: Partial<EnvironmentOptions> & { readonly uuid: string }): Promise<Environment> => call('update_environment', options),
} as const

/** Manages pacticipants: the applications that have contracts with each other. */
export const pacticipants = {
  /** Creates or updates a pacticipant. Values that are not passed remain unchanged. */
  createOrUpdate: (options: PacticipantOptions): Promise<Pacticipant & { readonly created: boolean }> => call('create_or_update_pacticipant', options),
  /** Deletes a pacticipant with its versions, contracts, and results. */
  delete: (options: BrokerCall & {
      /** Name of the pacticipant. */
      readonly name: string
    }): Promise<Deletion> => call('delete_pacticipant', options),
  /** Returns the pacticipant with a given name. */
  describe: (options: BrokerCall & {
      /** Name of the pacticipant. */
      readonly name: string
    }): Promise<Pacticipant> => call('describe_pacticipant', options),
  /** Lists all pacticipants. */
  list: (options: BrokerCall = {}): Promise<Pacticipant[]> => call('list_pacticipants', options),
} as const

/** Manages versions with their tags and branches. */
export const versions = {
  /**
   * Creates or updates a version. Adds it to a branch and adds tags, if they are passed. Values that are not passed
   * remain unchanged.
   */
  createOrUpdate: (options: VersionOptions): Promise<PacticipantVersion> => call('create_or_update_version', options),
  /** Adds tags to a version. The version must exist unless `autoCreateVersion` is true. */
  tag: (options: BrokerCall & {
      readonly pacticipant: string
      readonly version: string
      readonly tags?: readonly string[] | undefined
      /** Whether the name of the branch, which is detected from the CI system or git, is added as a tag. Default: false. */
      readonly tagWithGitBranch?: boolean | undefined
      /** Whether the version is created if it does not exist. Default: false. */
      readonly autoCreateVersion?: boolean | undefined
    }): Promise<{
    readonly pacticipant: string
    readonly version: string
    readonly tags: readonly string[]
  }> => call('create_version_tag', options),
  /** Removes a tag from a version. Fails if the version does not have the tag. */
  untag: (options: BrokerCall & {
      readonly pacticipant: string
      readonly version: string
      readonly tag: string
    }): Promise<Deletion> => call('delete_version_tag', options),
  /** Returns a version of a pacticipant with its branches, tags, and environments. Default: the latest version. */
  describe: (options: DescribeVersionOptions): Promise<PacticipantVersion> => call('describe_version', options),
} as const

/** Manages branches. */
export const branches = {
  /** Deletes a branch, but not its versions. */
  delete: (options: BrokerCall & {
      readonly pacticipant: string
      readonly branch: string
      /** Whether the operation succeeds if the branch does not exist. Default: false. */
      readonly ignoreMissing?: boolean | undefined
    }): Promise<Deletion> => call('delete_branch', options),
  /** Lists the branches of a pacticipant. */
  list: (options: BrokerCall & {
      readonly pacticipant: string
    }): Promise<Branch[]> => call('list_branches', options),
} as const

/** Manages webhooks: requests that the broker sends when an event occurs. */
export const webhooks = {
  /** Creates or updates the webhook with a given UUID. */
  createOrUpdate: (options: WebhookOptions & { readonly uuid: string }): Promise<Webhook> => call('create_or_update_webhook', options),
  /** Creates a webhook, which makes the broker send a request when an event occurs. The broker assigns its UUID. */
  create: (options: WebhookOptions): Promise<Webhook> => call('create_webhook', options),
  /** Deletes the webhook with a given UUID. Fails if it does not exist. */
  delete: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Deletion> => call('delete_webhook', options),
  /** Lists all webhooks. The list does not contain secrets. */
  list: (options: BrokerCall = {}): Promise<Webhook[]> => call('list_webhooks', options),
  /** Makes the broker send a webhook's request now, as a test. Returns the broker's response. */
  test: (options: BrokerCall & {
      readonly uuid: string
    }): Promise<Readonly<Record<string, JsonValue>>> => call('test_webhook', options),
} as const
