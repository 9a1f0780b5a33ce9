//! Broker operations for bindings and the command line: each is a name with JSON arguments that returns a value or an
//! error as data.
//!
//! The protocol is implemented in `contract-broker-client`. This module adds what requires several requests, files, the
//! environment, or git.

mod access;
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
mod versions;
mod webhooks;

use std::sync::OnceLock;

use contract_model::Json;

use crate::environment::Environment;
use contract_call::error::ArgumentError;

pub use access::AccessOptions;
pub use detect::{Detector, Undetected};
pub use failure::BrokerFailure;
pub use reply::BrokerReply;
pub use short::{short_version, short_versions};

use access::Call;
use arguments::read;

/// Defines the operations by their snake-case names. Arguments are parsed before the client is created, so that invalid
/// arguments are reported even without a broker.
macro_rules! calls {
    ($($name:literal => |$call:ident, $arguments:ident| $does:expr;)+) => {
        /// The names of all operations, in snake case.
        pub const BROKER_CALLS: [&str; [$($name),+].len()] = [$($name),+];

        async fn run_operation(name: &str, call: Call<'_>, arguments: Json) -> Result<BrokerReply, BrokerFailure> {
            match name {
                $($name => {
                    let ($call, $arguments) = (call, arguments);
                    $does.await
                })+
                unknown => Err(unknown_operation(unknown).into()),
            }
        }
    };
}

calls! {
    "can_i_deploy" => |call, arguments| deploy::can_i_deploy(call, read(arguments)?);
    "can_i_merge" => |call, arguments| deploy::can_i_merge(call, read(arguments)?);
    "create_environment" => |call, arguments| environments::create(read(arguments)?, call.client()?);
    "create_or_update_pacticipant" => |call, arguments| pacticipants::create_or_update(read(arguments)?, call.client()?);
    "create_or_update_version" => |call, arguments| versions::create_or_update(&read(arguments)?, call.client()?);
    "create_or_update_webhook" => |call, arguments| webhooks::create_or_update(read(arguments)?, call.client()?);
    "create_version_tag" => |call, arguments| versions::tag(call, read(arguments)?);
    "create_webhook" => |call, arguments| webhooks::create(read(arguments)?, call.client()?);
    "delete_branch" => |call, arguments| versions::delete_branch(&read(arguments)?, call.client()?);
    "delete_environment" => |call, arguments| environments::delete(&read(arguments)?, call.client()?);
    "delete_pacticipant" => |call, arguments| pacticipants::delete(&read(arguments)?, call.client()?);
    "delete_version_tag" => |call, arguments| versions::untag(&read(arguments)?, call.client()?);
    "delete_webhook" => |call, arguments| webhooks::delete(&read(arguments)?, call.client()?);
    "describe_environment" => |call, arguments| environments::describe(&read(arguments)?, call.client()?);
    "describe_pacticipant" => |call, arguments| pacticipants::describe(&read(arguments)?, call.client()?);
    "describe_version" => |call, arguments| versions::describe(&read(arguments)?, call.client()?);
    "doctor" => |call, arguments| doctor::doctor(call, &read(arguments)?);
    "get_contracts" => |call, arguments| contracts::get(read(arguments)?, call.client()?);
    "list_branches" => |call, arguments| versions::branches(&read(arguments)?, call.client()?);
    "list_environments" => |call, arguments| environments::list(&read(arguments)?, call.client()?);
    "list_latest_contracts" => |call, arguments| contracts::latest(&read(arguments)?, call.client()?);
    "list_pacticipants" => |call, arguments| pacticipants::list(&read(arguments)?, call.client()?);
    "list_webhooks" => |call, arguments| webhooks::list(&read(arguments)?, call.client()?);
    "provider_states" => |call, arguments| contracts::provider_states(&read(arguments)?, call.client()?);
    "publish" => |call, arguments| publish::publish(call, read(arguments)?);
    "record_deployment" => |call, arguments| records::deployment(&read(arguments)?, call.client()?);
    "record_release" => |call, arguments| records::release(&read(arguments)?, call.client()?);
    "record_support_ended" => |call, arguments| records::support_ended(&read(arguments)?, call.client()?);
    "record_undeployment" => |call, arguments| records::undeployment(&read(arguments)?, call.client()?);
    "test_webhook" => |call, arguments| webhooks::test(&read(arguments)?, call.client()?);
    "update_environment" => |call, arguments| environments::update(read(arguments)?, call.client()?);
}

/// Runs a broker operation. `access` contains the broker's URL and credentials (`url`, `token`, and the other names
/// that [`operations`](crate::operations) lists); absent values are read from the environment. Nothing is sent before
/// all arguments are validated.
pub async fn broker_call(
    name: &str,
    access: Json,
    arguments: Json,
    environment: &Environment,
) -> Result<BrokerReply, BrokerFailure> {
    broker_call_with_progress(name, access, arguments, environment, &|_| ()).await
}

/// Like [`broker_call`], and calls `progress` with a line each time before it waits for a verdict.
pub async fn broker_call_with_progress(
    name: &str,
    access: Json,
    arguments: Json,
    environment: &Environment,
    progress: &(dyn Fn(&str) + Send + Sync),
) -> Result<BrokerReply, BrokerFailure> {
    let Some(name) = BROKER_CALLS
        .into_iter()
        .find(|known| *known == contract_call::read::snake(name))
    else {
        return Err(unknown_operation(name).into());
    };
    let secrets = OnceLock::new();
    let call = Call {
        access,
        environment,
        secrets: &secrets,
        progress,
    };
    let outcome = run_operation(name, call, arguments).await;
    let secrets = secrets.into_inner().unwrap_or_default();
    match outcome {
        Ok(reply) => Ok(reply.without_secrets(&secrets)),
        Err(failure) => Err(failure.without_secrets(&secrets).in_operation(name)),
    }
}

fn unknown_operation(name: &str) -> ArgumentError {
    ArgumentError::new(
        contract_call::error::OPTIONS,
        format!("unknown broker operation {name:?}"),
    )
}
