//! Broker operations for bindings and for the command line. Each operation is a function of [`Broker`] that takes a
//! struct of arguments. Bindings call the operations by name with arguments in JSON.
//!
//! The protocol is implemented in `contract-broker-client`. This module adds everything that requires several requests,
//! files, environment variables, or git.

mod access;
mod administration;
mod arguments;
mod contracts;
mod deploy;
mod detect;
mod doctor;
mod environments;
mod explain;
mod failure;
mod files;
mod git;
mod pacticipants;
mod publish;
mod records;
mod reply;
mod short;
mod values;
mod versions;
mod webhooks;

use std::sync::OnceLock;

use contract_model::Json;

use crate::environment::Environment as Variables;
use contract_call::error::ArgumentError;

pub use access::{AccessOptions, Broker};
pub use administration::TokenArguments;
pub use arguments::{Latest, NameArgument, NoArguments, NotSingleLine, SingleLine, UuidArgument};
pub use contract_broker_client::{EnvironmentChange, PacticipantChange};
pub use contracts::{GetContractsArguments, ProviderStatesArguments};
pub use deploy::{CanIDeployArguments, CanIMergeArguments, IgnoredVersion, VersionChoice};
pub use detect::{Detector, Undetected};
pub use failure::BrokerFailure;
pub use publish::PublishArguments;
pub use records::{DeploymentArguments, ReleaseArguments, UndeploymentArguments};
pub use reply::BrokerReply;
pub use short::{short_version, short_versions};
pub use values::*;
pub use versions::{
    DeleteBranchArguments, DescribeVersionArguments, ListBranchesArguments, TagVersionArguments, UntagVersionArguments,
    VersionArguments,
};
pub use webhooks::WebhookArguments;

use access::Call;
use arguments::read;

/// Defines the functions of [`Broker`]. The functions in TypeScript and Python, and their documentation, are generated
/// from this table.
macro_rules! calls {
    ($($(#[$docs:meta])* $name:ident($arguments:ident: $arguments_type:ty) -> $value:ty = |$call:ident| $does:expr;)+) => {
        /// The names of all operations, in snake case.
        pub const BROKER_CALLS: [&str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

        impl Broker {
            $(
                $(#[$docs])*
                pub async fn $name(&self, $arguments: $arguments_type) -> Result<BrokerReply<$value>, BrokerFailure> {
                    let secrets = OnceLock::new();
                    let $call = Call { broker: self, secrets: &secrets };
                    let outcome = async { $does.await }.await;
                    match (outcome, secrets.into_inner().unwrap_or_default()) {
                        (Ok(reply), secrets) => Ok(reply.without_secrets(&secrets)),
                        (Err(failure), secrets) => {
                            let failure: BrokerFailure = failure;
                            Err(failure.without_secrets(&secrets).in_operation(stringify!($name)))
                        }
                    }
                }
            )+
        }

        /// Runs an operation for a binding. `access` contains [`AccessOptions`], and `arguments` contains the arguments
        /// of the operation.
        pub async fn broker_call(
            name: &str,
            access: Json,
            arguments: Json,
            environment: Variables,
        ) -> Result<BrokerReply, BrokerFailure> {
            match contract_call::read::snake(name).as_str() {
                $(stringify!($name) => {
                    let in_operation = |error: ArgumentError| error.in_operation(stringify!($name));
                    let arguments = read(arguments).map_err(in_operation)?;
                    let access = read(access).map_err(in_operation)?;
                    Ok(Broker::new(access, environment).$name(arguments).await?.into_json())
                })+
                _ => {
                    let message = format!("unknown broker operation {name:?}");
                    Err(ArgumentError::new(contract_call::error::OPTIONS, message).into())
                }
            }
        }
    };
}

calls! {
    /// Checks whether a version can be deployed. A negative verdict is returned as a result, not thrown.
    can_i_deploy(arguments: CanIDeployArguments) -> DeploymentVerdict = |call| deploy::can_i_deploy(call, arguments);

    /// Checks whether a version is compatible with the main branches of all other pacticipants.
    can_i_merge(arguments: CanIMergeArguments) -> DeploymentVerdict = |call| deploy::can_i_merge(call, arguments);

    /// Creates an environment.
    create_environment(change: EnvironmentChange) -> Environment = |call| environments::create(change, call.client()?);

    /// Creates or updates a pacticipant. Values that are not passed remain unchanged.
    create_or_update_pacticipant(change: PacticipantChange) -> Pacticipant = |call| pacticipants::create_or_update(change, call.client()?);

    /// Creates or updates a version. Values that are not passed remain unchanged.
    create_or_update_version(arguments: VersionArguments) -> PacticipantVersion = |call| versions::create_or_update(&arguments, call.client()?);

    /// Creates or updates the webhook with this UUID.
    create_or_update_webhook(arguments: WebhookArguments) -> Webhook = |call| webhooks::create_or_update(arguments, call.client()?);

    /// Adds tags to a version. The version must exist unless `auto_create_version` is true.
    create_version_tag(arguments: TagVersionArguments) -> TaggedVersion = |call| versions::tag(call, arguments);

    /// Creates a webhook, which makes the broker send a request when an event occurs.
    create_webhook(arguments: WebhookArguments) -> Webhook = |call| webhooks::create(arguments, call.client()?);

    /// Deletes a branch but not its versions.
    delete_branch(arguments: DeleteBranchArguments) -> Deletion = |call| versions::delete_branch(&arguments, call.client()?);

    /// Deletes an environment.
    delete_environment(arguments: UuidArgument) -> Deletion = |call| environments::delete(&arguments, call.client()?);

    /// Deletes a pacticipant with its versions, contracts, and results.
    delete_pacticipant(arguments: NameArgument) -> Deletion = |call| pacticipants::delete(&arguments, call.client()?);

    /// Removes a tag from a version.
    delete_version_tag(arguments: UntagVersionArguments) -> Deletion = |call| versions::untag(&arguments, call.client()?);

    /// Deletes a webhook.
    delete_webhook(arguments: UuidArgument) -> Deletion = |call| webhooks::delete(&arguments, call.client()?);

    /// Returns the environment with this UUID.
    describe_environment(arguments: UuidArgument) -> Environment = |call| environments::describe(&arguments, call.client()?);

    /// Returns the pacticipant with this name.
    describe_pacticipant(arguments: NameArgument) -> Pacticipant = |call| pacticipants::describe(&arguments, call.client()?);

    /// Returns a version of a pacticipant. Default: the latest version.
    describe_version(arguments: DescribeVersionArguments) -> PacticipantVersion = |call| versions::describe(&arguments, call.client()?);

    /// Checks the broker's URL, the credentials, and their permissions.
    doctor(_arguments: NoArguments) -> Diagnosis = |call| doctor::doctor(call.client()?);

    /// Lists the contracts of a provider. With `download`, they are also written to files.
    get_contracts(arguments: GetContractsArguments) -> Vec<BrokerContract> = |call| contracts::get(arguments, call.client()?);

    /// Lists the branches of a pacticipant.
    list_branches(arguments: ListBranchesArguments) -> Vec<Branch> = |call| versions::branches(&arguments, call.client()?);

    /// Lists all environments.
    list_environments(_arguments: NoArguments) -> Vec<Environment> = |call| environments::list(call.client()?);

    /// Lists the latest contract of each integration, which is a pair of consumer and provider.
    list_latest_contracts(_arguments: NoArguments) -> Vec<BrokerContract> = |call| contracts::latest(call.client()?);

    /// Lists all pacticipants.
    list_pacticipants(_arguments: NoArguments) -> Vec<Pacticipant> = |call| pacticipants::list(call.client()?);

    /// Lists all webhooks, without their secrets.
    list_webhooks(_arguments: NoArguments) -> Vec<Webhook> = |call| webhooks::list(call.client()?);

    /// Lists the provider states that consumers of a provider use.
    provider_states(arguments: ProviderStatesArguments) -> Vec<RequestedState> = |call| contracts::provider_states(&arguments, call.client()?);

    /// Publishes contracts from files, directories, or glob patterns. For each consumer, either all contracts or none
    /// are published.
    publish(arguments: PublishArguments) -> PublishedContracts = |call| publish::publish(call, arguments);

    /// Records a deployment. The version replaces the previously deployed version.
    record_deployment(arguments: DeploymentArguments) -> DeploymentRecord = |call| records::deployment(&arguments, call.client()?);

    /// Records a release. Earlier releases remain supported.
    record_release(arguments: ReleaseArguments) -> DeploymentRecord = |call| records::release(&arguments, call.client()?);

    /// Records that a release is no longer supported.
    record_support_ended(arguments: ReleaseArguments) -> DeploymentRecord = |call| records::support_ended(&arguments, call.client()?);

    /// Records that a version is no longer deployed.
    record_undeployment(arguments: UndeploymentArguments) -> DeploymentRecord = |call| records::undeployment(&arguments, call.client()?);

    /// Triggers a webhook now.
    test_webhook(arguments: UuidArgument) -> Json = |call| webhooks::test(&arguments, call.client()?);

    /// Updates an environment. Values that are not passed remain unchanged.
    update_environment(change: EnvironmentChange) -> Environment = |call| environments::update(change, call.client()?);
}
