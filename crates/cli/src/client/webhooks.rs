//! Commands for webhooks.

use std::io::Error;
use std::path::Path;

use clap::{Args, Subcommand};
use contract::broker::{Broker, NoArguments, NotSingleLine, SingleLine, WEBHOOK_EVENTS, WebhookArguments};
use contract::{Document, Json, escape_line};

use super::common::{ByUuid, Common, EXIT_CODES, LIST_EXIT_CODES};
use super::job::{Assessment, Job};
use super::presets::PresetArguments;
use super::table::table;
use crate::error::{CliError, Result};
use crate::usage::check_positional;
use crate::values::header;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create a webhook
    #[command(name = "create-webhook", after_help = EXAMPLES)]
    Create(Box<Create>),

    /// Create a webhook with a given UUID, or update it
    #[command(name = "create-or-update-webhook", after_help = EXIT_CODES)]
    CreateOrUpdate(Box<CreateOrUpdate>),

    /// Send a webhook's request now
    #[command(name = "test-webhook", after_help = TEST_EXIT_CODES)]
    Test(Box<ByUuid>),

    /// Delete a webhook
    #[command(name = "delete-webhook", after_help = EXIT_CODES)]
    Delete(Box<ByUuid>),

    /// List all webhooks
    #[command(name = "list-webhooks", after_help = LIST_EXIT_CODES)]
    List(Box<Common>),
}

const EXAMPLES: &str = "\
Example:
  contract-broker create-webhook https://ci.example.com/verify --provider orders \\
    --contract-requiring-verification-published \\
    -X POST -H 'Content-Type: application/json' -d '{\"contract\": \"${pactbroker.pactUrl}\"}'

Presets:
  github-commit-status  sets the status of the consumer's commit
  github-workflow       starts a workflow of the provider; also requires --workflow
  gitlab-commit-status  sets the status of the consumer's commit
  gitlab-pipeline       starts a pipeline of the provider
  slack, teams          post a message; require the URL of an incoming webhook
The GitHub and GitLab presets require --repository and --webhook-token. The commit status presets also require that \
consumer versions be commit SHAs.

Exit codes, in every output format:
  0  success
  1  rejected by the broker, or webhooks are not supported
  2  invalid arguments, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

const TEST_EXIT_CODES: &str = "\
Exit codes, in every output format:
  0  the request succeeded
  1  the request failed, or the webhook was not found
  2  invalid arguments, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

#[derive(Args)]
struct Webhook {
    /// URL to send the request to. For a GitHub or GitLab preset, the base URL of the server [default:
    /// https://api.github.com or https://gitlab.com]
    #[arg(value_name = "URL", required_unless_present = "preset")]
    url: Option<SingleLine>,

    /// HTTP method of the request
    #[arg(short = 'X', long, value_name = "METHOD", default_value = "POST")]
    request: String,

    /// Header of the request, as 'Name: value' (repeatable)
    #[arg(short = 'H', long, value_name = "HEADER", value_parser = header)]
    header: Vec<(String, String)>,

    /// Body of the request, or @FILE to read it from a file
    #[arg(short = 'd', long, value_name = "DATA")]
    data: Option<String>,

    /// User name and password for basic authentication of the request
    #[arg(long, value_name = "NAME:PASSWORD")]
    user: Option<String>,

    /// Key that signs the requests: whsec_ followed by 24 to 64 random bytes in base64
    #[arg(
        long,
        value_name = "SECRET",
        env = "CONTRACT_BROKER_WEBHOOK_SIGNING_SECRET",
        hide_env_values = true
    )]
    signing_secret: Option<String>,

    /// Trigger only for contracts of this consumer
    #[arg(long, value_name = "NAME", conflicts_with = "consumer_label")]
    consumer: Option<String>,

    /// Trigger only for contracts of consumers with this label
    #[arg(long, value_name = "LABEL")]
    consumer_label: Option<String>,

    /// Trigger only for contracts of this provider
    #[arg(long, value_name = "NAME", conflicts_with = "provider_label")]
    provider: Option<String>,

    /// Trigger only for contracts of providers with this label
    #[arg(long, value_name = "LABEL")]
    provider_label: Option<String>,

    /// Description of the webhook
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    /// Trigger when the content of a contract is new or has changed
    #[arg(long, help_heading = "Events (at least one; presets have defaults)")]
    contract_content_changed: bool,

    /// Trigger when a contract is published
    #[arg(long, help_heading = "Events (at least one; presets have defaults)")]
    contract_published: bool,

    /// Trigger when a published contract requires verification
    #[arg(long, help_heading = "Events (at least one; presets have defaults)")]
    contract_requiring_verification_published: bool,

    /// Trigger when a required verification is overdue (not supported by the Pact Broker)
    #[arg(long, help_heading = "Events (at least one; presets have defaults)")]
    contract_verification_overdue: bool,

    /// Trigger when a verification result is published
    #[arg(long, help_heading = "Events (at least one; presets have defaults)")]
    provider_verification_published: bool,

    /// Trigger when a failed verification result is published
    #[arg(long, help_heading = "Events (at least one; presets have defaults)")]
    provider_verification_failed: bool,

    /// Trigger when a successful verification result is published
    #[arg(long, help_heading = "Events (at least one; presets have defaults)")]
    provider_verification_succeeded: bool,

    /// UUID of the team that owns the webhook (PactFlow only)
    #[arg(long, value_name = "UUID")]
    team_uuid: Option<String>,

    // The last field, because its heading applies to all options that follow.
    #[command(flatten)]
    preset: PresetArguments,
}

#[derive(Args)]
pub(crate) struct Create {
    #[command(flatten)]
    webhook: Webhook,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(crate) struct CreateOrUpdate {
    /// UUID of the webhook; contract-broker generate-uuid prints a new one
    #[arg(long, value_name = "UUID")]
    uuid: SingleLine,

    #[command(flatten)]
    webhook: Webhook,

    #[command(flatten)]
    common: Common,
}

impl Webhook {
    fn arguments(self, uuid: Option<SingleLine>) -> Result<WebhookArguments> {
        let url = self.url.as_deref();
        if let Some(url) = &self.url {
            check_positional(url, "the URL of the request", |url| url.contains("://"))?;
        }
        let preset = self.preset.request(url)?;
        let is_selected = [
            self.contract_content_changed,
            self.contract_published,
            self.contract_requiring_verification_published,
            self.contract_verification_overdue,
            self.provider_verification_published,
            self.provider_verification_failed,
            self.provider_verification_succeeded,
        ];
        let events = WEBHOOK_EVENTS.into_iter().zip(is_selected);
        let mut events: Vec<String> = events
            .filter(|(_, is_selected)| *is_selected)
            .map(|(name, _)| name.to_owned())
            .collect();
        if let Some(preset) = preset.as_ref().filter(|_| events.is_empty()) {
            events = preset.events.iter().map(|name| (*name).to_owned()).collect();
        }
        if events.is_empty() {
            return Err(CliError::usage(
                "no event selected. Pass at least one event option, such as --contract-content-changed.",
            ));
        }
        let user = self.user.as_deref();
        let user = user.map(|user| user.split_once(':').unwrap_or((user, "")));
        let (url, mut headers, preset_body) = if let Some(preset) = preset {
            let url = preset.url.parse();
            let url = url.map_err(|error: NotSingleLine| CliError::usage(error.to_string()))?;
            (url, preset.headers, preset.body)
        } else {
            let url = self.url.clone();
            let url = url
                .ok_or_else(|| CliError::usage("the URL to send the request to is missing. Pass it as an argument."))?;
            (url, Vec::new(), Document::default())
        };
        headers.retain(|(name, _)| !self.header.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)));
        headers.extend(self.header);
        Ok(WebhookArguments {
            uuid,
            url,
            method: Some(self.request),
            headers: headers.into_iter().collect(),
            body: self.data.as_deref().map(body).transpose()?.unwrap_or(preset_body),
            username: user.map(|(name, _)| name.to_owned()),
            password: user.map(|(_, password)| password.to_owned()),
            signing_secret: self.signing_secret,
            consumer: self.consumer,
            consumer_label: self.consumer_label,
            provider: self.provider,
            provider_label: self.provider_label,
            description: self.description,
            events,
            team_uuid: self.team_uuid,
        })
    }
}

/// Assesses the result of `test-webhook`. If the webhook's request failed, the broker reports this as a result, not as
/// an error.
fn assess_test(result: &Json) -> Assessment {
    let is_failed = result.get("success").and_then(Json::as_bool) == Some(false);
    Assessment {
        exit_code: u8::from(is_failed),
        problem: is_failed.then(|| "the webhook request failed".to_owned()),
        ..Assessment::default()
    }
}

/// Formats the result of `test-webhook`: the outcome, followed by the log of the request.
fn test_text(result: &Json) -> String {
    let outcome = match result.get("success").and_then(Json::as_bool) {
        Some(true) => "The request succeeded",
        Some(false) => "The request failed",
        None => "The request was sent",
    };
    let status = result.pointer("/response/status").map(Json::text_form);
    let status = status.map_or_else(String::new, |status| format!(" with status {}", escape_line(&status)));
    let error = result.pointer("/error/message").and_then(Json::as_str);
    let error = error.map_or_else(|| ".".to_owned(), |error| format!(": {}", escape_line(error)));
    let log = result.get("logs").and_then(Json::as_str).unwrap_or_default();
    let log: Vec<String> = log.lines().map(|line| format!("  {}\n", escape_line(line))).collect();
    format!("{outcome}{status}{error}\n{}", log.concat())
}

fn body(data: &str) -> Result<Document> {
    let Some(path) = data.strip_prefix('@') else {
        return Ok(Json::from(data).into());
    };
    let path = Path::new(path);
    let failed = |error: &Error| CliError::file(path, "read the request body from", error);
    let bytes = contract::read_settings(path).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| failed(&Error::other("it is not valid UTF-8")))?;
    Ok(Json::from(text).into())
}

impl Command {
    pub(super) fn job(self) -> Result<Job> {
        Ok(match self {
            Self::Create(create) => {
                let arguments = create.webhook.arguments(None)?;
                Job::new("create-webhook", create.common, Broker::create_webhook, arguments)
            }
            Self::CreateOrUpdate(update) => {
                let arguments = update.webhook.arguments(Some(update.uuid))?;
                let call = Broker::create_or_update_webhook;
                Job::new("create-or-update-webhook", update.common, call, arguments)
            }
            Self::Test(test) => {
                let arguments = test.arguments();
                Job::new("test-webhook", test.common, Broker::test_webhook, arguments)
                    .with_text(test_text)
                    .with_assessment(assess_test)
            }
            Self::Delete(delete) => {
                let arguments = delete.arguments();
                let ByUuid { uuid, common } = *delete;
                Job::new("delete-webhook", common, Broker::delete_webhook, arguments)
                    .with_text(move |_| format!("Deleted webhook {}.\n", &*uuid))
            }
            Self::List(common) => {
                Job::new("list-webhooks", *common, Broker::list_webhooks, NoArguments {}).with_text(|value| {
                    let columns = [("UUID", "uuid"), ("Description", "description"), ("Scope", "scope")];
                    table(value, &columns, "No webhooks found.")
                })
            }
        })
    }
}
