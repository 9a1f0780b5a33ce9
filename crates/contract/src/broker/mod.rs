//! What teams and pipelines do with a broker, as calls: a name, arguments as JSON, and a value or a failure as data. The command
//! line and each language's functions say the same with them.
//!
//! The protocol itself is `contract-broker-client`'s business; here stands what needs more than one question to the broker, or
//! files, the environment and the version control beside it.

mod access;
mod arguments;
mod build;
mod call;
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
mod shape;
mod versions;
mod webhooks;

use contract_model::Json;

use crate::environment::Environment;
use crate::error::ArgumentError;

pub use access::ACCESS_OPTIONS;
pub(crate) use build::build_of;
pub use failure::BrokerFailure;
pub use reply::BrokerReply;

use arguments::read;
use call::Call;
pub(crate) use detect::Undetected;

/// The names of all calls, in snake case.
pub const BROKER_CALLS: [&str; 31] = [
    "can_i_deploy",
    "can_i_merge",
    "create_environment",
    "create_or_update_pacticipant",
    "create_or_update_version",
    "create_or_update_webhook",
    "create_version_tag",
    "create_webhook",
    "delete_branch",
    "delete_environment",
    "delete_pacticipant",
    "delete_version_tag",
    "delete_webhook",
    "describe_environment",
    "describe_pacticipant",
    "describe_version",
    "doctor",
    "get_contracts",
    "list_branches",
    "list_environments",
    "list_latest_contracts",
    "list_pacticipants",
    "list_webhooks",
    "provider_states",
    "publish",
    "record_deployment",
    "record_release",
    "record_support_ended",
    "record_undeployment",
    "test_webhook",
    "update_environment",
];

/// Does what the name says. `access` says where the broker is and who asks (see [`ACCESS_OPTIONS`]); what it leaves open comes
/// from the environment. Nothing is sent before all arguments have been read.
pub async fn broker_call(
    name: &str,
    access: Json,
    arguments: Json,
    environment: &Environment,
) -> Result<BrokerReply, BrokerFailure> {
    let Some(name) = BROKER_CALLS
        .into_iter()
        .find(|known| *known == crate::read::snake(name))
    else {
        let message = format!("there is no call {name:?} to a broker");
        return Err(ArgumentError::new(crate::error::OPTIONS, message).into());
    };
    let call = Call {
        name,
        access,
        environment,
    };
    let outcome = call.carry_out(arguments).await;
    outcome.map_err(|failure| failure.of(name))
}

impl Call<'_> {
    async fn carry_out(&self, given: Json) -> Result<BrokerReply, BrokerFailure> {
        // Arguments first: whoever mistypes one is told so whether there is a broker or not.
        match self.name {
            "publish" => publish::publish(self, read(given)?).await,
            "can_i_deploy" => deploy::can_i_deploy(self, read(given)?).await,
            "can_i_merge" => deploy::can_i_merge(self, read(given)?).await,
            "create_environment" => environments::create(read(given)?, self.client()?).await,
            "update_environment" => environments::update(read(given)?, self.client()?).await,
            "describe_environment" => environments::describe(&read(given)?, self.client()?).await,
            "delete_environment" => environments::delete(&read(given)?, self.client()?).await,
            "list_environments" => environments::list(&read(given)?, self.client()?).await,
            "create_or_update_pacticipant" => pacticipants::create_or_update(read(given)?, self.client()?).await,
            "describe_pacticipant" => pacticipants::describe(&read(given)?, self.client()?).await,
            "delete_pacticipant" => pacticipants::delete(&read(given)?, self.client()?).await,
            "list_pacticipants" => pacticipants::list(&read(given)?, self.client()?).await,
            "create_or_update_version" => versions::create_or_update(&read(given)?, self.client()?).await,
            "describe_version" => versions::describe(&read(given)?, self.client()?).await,
            "create_version_tag" => versions::tag(self, read(given)?).await,
            "delete_version_tag" => versions::untag(&read(given)?, self.client()?).await,
            "delete_branch" => versions::delete_branch(&read(given)?, self.client()?).await,
            "list_branches" => versions::branches(&read(given)?, self.client()?).await,
            "record_deployment" => records::deployment(&read(given)?, self.client()?).await,
            "record_release" => records::release(&read(given)?, self.client()?).await,
            "record_undeployment" => records::undeployment(&read(given)?, self.client()?).await,
            "record_support_ended" => records::support_ended(&read(given)?, self.client()?).await,
            "list_latest_contracts" => contracts::latest(&read(given)?, self.client()?).await,
            "get_contracts" => contracts::get(read(given)?, self.client()?).await,
            "provider_states" => contracts::provider_states(&read(given)?, self.client()?).await,
            "create_webhook" => webhooks::create(read(given)?, self.client()?).await,
            "create_or_update_webhook" => webhooks::create_or_update(read(given)?, self.client()?).await,
            "test_webhook" => webhooks::test(&read(given)?, self.client()?).await,
            "delete_webhook" => webhooks::delete(&read(given)?, self.client()?).await,
            "list_webhooks" => webhooks::list(&read(given)?, self.client()?).await,
            _ => doctor::doctor(self, &read(given)?).await,
        }
    }
}
