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
    ($($name:literal => |$call:ident, $given:ident| $does:expr;)+) => {
        /// The names of all operations, in snake case.
        pub const BROKER_CALLS: [&str; [$($name),+].len()] = [$($name),+];

        async fn carry_out(name: &str, call: Call<'_>, given: Json) -> Result<BrokerReply, BrokerFailure> {
            match name {
                $($name => {
                    let ($call, $given) = (call, given);
                    $does.await
                })+
                unknown => Err(no_call(unknown).into()),
            }
        }
    };
}

calls! {
    "can_i_deploy" => |call, given| deploy::can_i_deploy(call, read(given)?);
    "can_i_merge" => |call, given| deploy::can_i_merge(call, read(given)?);
    "create_environment" => |call, given| environments::create(read(given)?, call.client()?);
    "create_or_update_pacticipant" => |call, given| pacticipants::create_or_update(read(given)?, call.client()?);
    "create_or_update_version" => |call, given| versions::create_or_update(&read(given)?, call.client()?);
    "create_or_update_webhook" => |call, given| webhooks::create_or_update(read(given)?, call.client()?);
    "create_version_tag" => |call, given| versions::tag(call, read(given)?);
    "create_webhook" => |call, given| webhooks::create(read(given)?, call.client()?);
    "delete_branch" => |call, given| versions::delete_branch(&read(given)?, call.client()?);
    "delete_environment" => |call, given| environments::delete(&read(given)?, call.client()?);
    "delete_pacticipant" => |call, given| pacticipants::delete(&read(given)?, call.client()?);
    "delete_version_tag" => |call, given| versions::untag(&read(given)?, call.client()?);
    "delete_webhook" => |call, given| webhooks::delete(&read(given)?, call.client()?);
    "describe_environment" => |call, given| environments::describe(&read(given)?, call.client()?);
    "describe_pacticipant" => |call, given| pacticipants::describe(&read(given)?, call.client()?);
    "describe_version" => |call, given| versions::describe(&read(given)?, call.client()?);
    "doctor" => |call, given| doctor::doctor(call, &read(given)?);
    "get_contracts" => |call, given| contracts::get(read(given)?, call.client()?);
    "list_branches" => |call, given| versions::branches(&read(given)?, call.client()?);
    "list_environments" => |call, given| environments::list(&read(given)?, call.client()?);
    "list_latest_contracts" => |call, given| contracts::latest(&read(given)?, call.client()?);
    "list_pacticipants" => |call, given| pacticipants::list(&read(given)?, call.client()?);
    "list_webhooks" => |call, given| webhooks::list(&read(given)?, call.client()?);
    "provider_states" => |call, given| contracts::provider_states(&read(given)?, call.client()?);
    "publish" => |call, given| publish::publish(call, read(given)?);
    "record_deployment" => |call, given| records::deployment(&read(given)?, call.client()?);
    "record_release" => |call, given| records::release(&read(given)?, call.client()?);
    "record_support_ended" => |call, given| records::support_ended(&read(given)?, call.client()?);
    "record_undeployment" => |call, given| records::undeployment(&read(given)?, call.client()?);
    "test_webhook" => |call, given| webhooks::test(&read(given)?, call.client()?);
    "update_environment" => |call, given| environments::update(read(given)?, call.client()?);
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
        return Err(no_call(name).into());
    };
    let secrets = OnceLock::new();
    let call = Call {
        access,
        environment,
        secrets: &secrets,
        progress,
    };
    let outcome = carry_out(name, call, arguments).await;
    let secrets = secrets.into_inner().unwrap_or_default();
    match outcome {
        Ok(reply) => Ok(reply.without(&secrets)),
        Err(failure) => Err(failure.without(&secrets).of(name)),
    }
}

fn no_call(name: &str) -> ArgumentError {
    ArgumentError::new(
        contract_call::error::OPTIONS,
        format!("unknown broker operation {name:?}"),
    )
}
