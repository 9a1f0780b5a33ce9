//! The broker operations for bindings and the command line. Each operation is a function of [`Broker`] with a struct of
//! arguments. Bindings call an operation by its name, with arguments in JSON.
//!
//! The `contract-broker-client` crate implements the protocol. This module adds what needs several requests, files,
//! environment variables, or git.

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

/// Defines the functions of [`Broker`]. The corresponding functions in TypeScript and Python, and their documentation,
/// are generated from this table.
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

        /// Runs the operation `name` for a binding. `access` is the JSON of [`AccessOptions`], and `arguments` is the
        /// JSON of the operation's arguments.
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
    /// Checks whether versions can be deployed. A negative verdict is a result, not an error.
    can_i_deploy(arguments: CanIDeployArguments) -> DeploymentVerdict = |call| deploy::can_i_deploy(call, arguments);

    /// Checks whether a version is compatible with the main branches of all pacticipants with which it has contracts. A
    /// negative verdict is a result, not an error.
    can_i_merge(arguments: CanIMergeArguments) -> DeploymentVerdict = |call| deploy::can_i_merge(call, arguments);

    /// Creates an environment. The broker assigns its UUID.
    create_environment(change: EnvironmentChange) -> Environment = |call| environments::create(change, call.client()?);

    /// Creates or updates a pacticipant. Values that are not passed remain unchanged.
    create_or_update_pacticipant(change: PacticipantChange) -> Pacticipant = |call| pacticipants::create_or_update(change, call.client()?);

    /// Creates or updates a version. Adds it to a branch and adds tags, if they are passed. Values that are not passed
    /// remain unchanged.
    create_or_update_version(arguments: VersionArguments) -> PacticipantVersion = |call| versions::create_or_update(&arguments, call.client()?);

    /// Creates or updates the webhook with a given UUID.
    create_or_update_webhook(arguments: WebhookArguments) -> Webhook = |call| webhooks::create_or_update(arguments, call.client()?);

    /// Adds tags to a version. The version must exist unless `auto_create_version` is true.
    create_version_tag(arguments: TagVersionArguments) -> TaggedVersion = |call| versions::tag(call, arguments);

    /// Creates a webhook, which makes the broker send a request when an event occurs. The broker assigns its UUID.
    create_webhook(arguments: WebhookArguments) -> Webhook = |call| webhooks::create(arguments, call.client()?);

    /// Deletes a branch, but not its versions.
    delete_branch(arguments: DeleteBranchArguments) -> Deletion = |call| versions::delete_branch(&arguments, call.client()?);

    /// Deletes an environment with a given UUID. Fails if it does not exist.
    delete_environment(arguments: UuidArgument) -> Deletion = |call| environments::delete(&arguments, call.client()?);

    /// Deletes a pacticipant with its versions, contracts, and results.
    delete_pacticipant(arguments: NameArgument) -> Deletion = |call| pacticipants::delete(&arguments, call.client()?);

    /// Removes a tag from a version. Fails if the version does not have the tag.
    delete_version_tag(arguments: UntagVersionArguments) -> Deletion = |call| versions::untag(&arguments, call.client()?);

    /// Deletes the webhook with a given UUID. Fails if it does not exist.
    delete_webhook(arguments: UuidArgument) -> Deletion = |call| webhooks::delete(&arguments, call.client()?);

    /// Returns the environment with a given UUID.
    describe_environment(arguments: UuidArgument) -> Environment = |call| environments::describe(&arguments, call.client()?);

    /// Returns the pacticipant with a given name.
    describe_pacticipant(arguments: NameArgument) -> Pacticipant = |call| pacticipants::describe(&arguments, call.client()?);

    /// Returns a version of a pacticipant with its branches, tags, and environments. Default: the latest version.
    describe_version(arguments: DescribeVersionArguments) -> PacticipantVersion = |call| versions::describe(&arguments, call.client()?);

    /// Checks whether the broker can be reached, and whether the credentials can read and write. A failed check is a
    /// result, not an error.
    doctor(_arguments: NoArguments) -> Diagnosis = |call| doctor::doctor(call.client()?);

    /// Lists a provider's contracts. With `download`, also writes them to files.
    get_contracts(arguments: GetContractsArguments) -> Vec<BrokerContract> = |call| contracts::get(arguments, call.client()?);

    /// Lists the branches of a pacticipant.
    list_branches(arguments: ListBranchesArguments) -> Vec<Branch> = |call| versions::branches(&arguments, call.client()?);

    /// Lists all environments.
    list_environments(_arguments: NoArguments) -> Vec<Environment> = |call| environments::list(call.client()?);

    /// Lists the latest contract between each consumer and provider.
    list_latest_contracts(_arguments: NoArguments) -> Vec<BrokerContract> = |call| contracts::latest(call.client()?);

    /// Lists all pacticipants.
    list_pacticipants(_arguments: NoArguments) -> Vec<Pacticipant> = |call| pacticipants::list(call.client()?);

    /// Lists all webhooks. The list does not contain secrets.
    list_webhooks(_arguments: NoArguments) -> Vec<Webhook> = |call| webhooks::list(call.client()?);

    /// Lists the provider states that consumers use in their contracts with a provider.
    provider_states(arguments: ProviderStatesArguments) -> Vec<RequestedState> = |call| contracts::provider_states(&arguments, call.client()?);

    /// Publishes contracts from files, directories, or glob patterns. Sends one request for each consumer, which
    /// publishes either all of the consumer's contracts or none.
    publish(arguments: PublishArguments) -> PublishedContracts = |call| publish::publish(call, arguments);

    /// Records a deployment to an environment. Ends the previous deployment of the same application instance.
    record_deployment(arguments: DeploymentArguments) -> DeploymentRecord = |call| records::deployment(&arguments, call.client()?);

    /// Records the release of a version in an environment. Other released versions remain supported.
    record_release(arguments: ReleaseArguments) -> DeploymentRecord = |call| records::release(&arguments, call.client()?);

    /// Records that a released version is no longer supported in an environment.
    record_support_ended(arguments: ReleaseArguments) -> DeploymentRecord = |call| records::support_ended(&arguments, call.client()?);

    /// Records that a pacticipant is no longer deployed to an environment.
    record_undeployment(arguments: UndeploymentArguments) -> DeploymentRecord = |call| records::undeployment(&arguments, call.client()?);

    /// Makes the broker send a webhook's request now, as a test. Returns the broker's response.
    test_webhook(arguments: UuidArgument) -> Json = |call| webhooks::test(&arguments, call.client()?);

    /// Updates the environment with a given UUID or name. Values that are not passed remain unchanged.
    update_environment(change: EnvironmentChange) -> Environment = |call| environments::update(change, call.client()?);
}
