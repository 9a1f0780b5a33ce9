//! Webhooks.

use clap::{Args, Subcommand};
use contract::{Json, Object};

use super::common::{Common, EXIT_CODES, put_list, put_text};
use super::job::Job;
use super::table::table;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create a webhook
    #[command(name = "create-webhook", after_help = EXAMPLES)]
    Create(Box<Create>),

    /// Create or update a webhook with a given UUID
    #[command(name = "create-or-update-webhook", after_help = EXIT_CODES)]
    CreateOrUpdate(Box<CreateOrUpdate>),

    /// Trigger a webhook now
    #[command(name = "test-webhook", after_help = EXIT_CODES)]
    Test(Box<One>),

    /// Delete a webhook
    #[command(name = "delete-webhook", after_help = EXIT_CODES)]
    Delete(Box<One>),

    /// List all webhooks
    #[command(name = "list-webhooks", after_help = EXIT_CODES)]
    List(Box<Common>),
}

const EXAMPLES: &str = "\
Example:
  contract-broker create-webhook https://ci.example.com/verify -X POST -H 'Content-Type: application/json' \\
    -d '{\"contract\": \"${pactbroker.pactUrl}\"}' --provider orders --contract-requiring-verification-published

Exit codes, the same in every form of output:
  0  success
  1  failure: rejected by the broker, or the broker has no webhooks
  2  invalid arguments
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

/// What a webhook does, and when.
#[derive(Args)]
struct Hook {
    /// URL of the request
    #[arg(value_name = "URL")]
    url: String,

    /// Method of the request
    #[arg(short = 'X', long, value_name = "METHOD", default_value = "POST")]
    request: String,

    /// Header of the request (repeatable)
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    header: Vec<String>,

    /// Body of the request, or @FILE
    #[arg(short = 'd', long, value_name = "DATA")]
    data: Option<String>,

    /// User name and password for the request; the broker hides them
    #[arg(long, value_name = "NAME:PASSWORD")]
    user: Option<String>,

    /// Only for contracts of this consumer
    #[arg(long, value_name = "NAME", conflicts_with = "consumer_label")]
    consumer: Option<String>,

    /// Only for contracts of consumers with this label
    #[arg(long, value_name = "LABEL")]
    consumer_label: Option<String>,

    /// Only for contracts of this provider
    #[arg(long, value_name = "NAME", conflicts_with = "provider_label")]
    provider: Option<String>,

    /// Only for contracts of providers with this label
    #[arg(long, value_name = "LABEL")]
    provider_label: Option<String>,

    /// Description
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    /// When contract content is new or has changed
    #[arg(long, help_heading = "Events (at least one)")]
    contract_content_changed: bool,

    /// When a contract is published
    #[arg(long, help_heading = "Events (at least one)")]
    contract_published: bool,

    /// When a contract is published that requires verification
    #[arg(long, help_heading = "Events (at least one)")]
    contract_requiring_verification_published: bool,

    /// When a verification result is published
    #[arg(long, help_heading = "Events (at least one)")]
    provider_verification_published: bool,

    /// When a failed verification result is published
    #[arg(long, help_heading = "Events (at least one)")]
    provider_verification_failed: bool,

    /// When a successful verification result is published
    #[arg(long, help_heading = "Events (at least one)")]
    provider_verification_succeeded: bool,

    /// UUID of the team, at brokers with teams
    #[arg(long, value_name = "UUID")]
    team_uuid: Option<String>,
}

#[derive(Args)]
pub(crate) struct Create {
    #[command(flatten)]
    hook: Hook,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct CreateOrUpdate {
    #[command(flatten)]
    hook: Hook,

    /// UUID; create one with generate-uuid
    #[arg(long, value_name = "UUID")]
    uuid: String,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct One {
    /// UUID of the webhook
    #[arg(long, value_name = "UUID")]
    uuid: String,

    #[command(flatten)]
    common: Common,
}

impl Hook {
    fn arguments(&self) -> Result<Object, String> {
        let mut out = Object::new();
        out.insert("url", self.url.as_str());
        out.insert("method", self.request.as_str());
        let mut headers = Object::new();
        for header in &self.header {
            let (name, value) = header
                .split_once(':')
                .ok_or("--header: give a name and a value, such as 'X-Tenant: 7'")?;
            headers.insert(name.trim(), value.trim());
        }
        out.insert("headers", headers);
        if let Some(data) = &self.data {
            out.insert("body", body(data)?);
        }
        if let Some(user) = &self.user {
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            out.insert("username", name);
            out.insert("password", password);
        }
        put_text(&mut out, "consumer", self.consumer.as_ref());
        put_text(&mut out, "consumer_label", self.consumer_label.as_ref());
        put_text(&mut out, "provider", self.provider.as_ref());
        put_text(&mut out, "provider_label", self.provider_label.as_ref());
        put_text(&mut out, "description", self.description.as_ref());
        put_text(&mut out, "team_uuid", self.team_uuid.as_ref());
        let events: Vec<String> = [
            ("contract_content_changed", self.contract_content_changed),
            ("contract_published", self.contract_published),
            (
                "contract_requiring_verification_published",
                self.contract_requiring_verification_published,
            ),
            ("provider_verification_published", self.provider_verification_published),
            ("provider_verification_failed", self.provider_verification_failed),
            ("provider_verification_succeeded", self.provider_verification_succeeded),
        ]
        .into_iter()
        .filter(|(_, is_given)| *is_given)
        .map(|(name, _)| name.to_owned())
        .collect();
        if events.is_empty() {
            return Err("say when it is to go, such as with --contract-content-changed".to_owned());
        }
        put_list(&mut out, "events", &events);
        Ok(out)
    }
}

fn body(data: &str) -> Result<Json, String> {
    let Some(path) = data.strip_prefix('@') else {
        return Ok(data.into());
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| contract::file_problem(std::path::Path::new(path), "read the body in", &error))?;
    Ok(text.into())
}

fn by_uuid(uuid: &str) -> Object {
    [("uuid", uuid)].into_iter().collect()
}

impl Command {
    /// The job, or why there is none.
    pub(super) fn job(self) -> Result<Job, String> {
        Ok(match self {
            Self::Create(given) => {
                let arguments = given.hook.arguments()?;
                Job::new("create-webhook", "create_webhook", given.common, arguments)
            }
            Self::CreateOrUpdate(given) => {
                let given = *given;
                let mut arguments = given.hook.arguments()?;
                arguments.insert("uuid", given.uuid.as_str());
                let call = "create_or_update_webhook";
                Job::new("create-or-update-webhook", call, given.common, arguments)
            }
            Self::Test(given) => Job::new("test-webhook", "test_webhook", given.common, by_uuid(&given.uuid)),
            Self::Delete(given) => {
                let given = *given;
                let arguments = by_uuid(&given.uuid);
                Job::new("delete-webhook", "delete_webhook", given.common, arguments)
                    .told(move |_| format!("The webhook {} is gone.\n", given.uuid))
            }
            Self::List(common) => Job::new("list-webhooks", "list_webhooks", *common, Object::new()).told(|value| {
                let columns = [("UUID", "uuid"), ("Description", "description")];
                table(value.as_array().unwrap_or_default(), &columns, "There is no webhook.")
            }),
        })
    }
}
