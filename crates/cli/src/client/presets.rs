//! Predefined webhook requests to well-known products.

use clap::{Args, ValueEnum};
use contract::{Document, Json};

use crate::error::{CliError, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Preset {
    /// Set the status of the consumer's commit on GitHub
    GithubCommitStatus,
    /// Start a workflow of the provider on GitHub
    GithubWorkflow,
    /// Set the status of the consumer's commit on GitLab
    GitlabCommitStatus,
    /// Start a pipeline of the provider on GitLab
    GitlabPipeline,
    /// Post a message to a Slack channel
    Slack,
    /// Post a message to a Microsoft Teams channel
    Teams,
}

#[derive(Args)]
#[command(next_help_heading = "Presets")]
pub(super) struct PresetArguments {
    /// Predefined request: github-commit-status, github-workflow, gitlab-commit-status, gitlab-pipeline, slack, or
    /// teams; other options override parts of it
    #[arg(long, value_enum, value_name = "PRESET", hide_possible_values = true)]
    preset: Option<Preset>,

    /// For a GitHub preset, the repository as OWNER/NAME; for a GitLab preset, the project ID or path
    #[arg(long, value_name = "REPOSITORY", requires = "preset")]
    repository: Option<String>,

    /// File name of the workflow for the preset github-workflow
    #[arg(long, value_name = "FILE", requires = "preset")]
    workflow: Option<String>,

    /// Access token for a GitHub or GitLab preset; the broker stores it encrypted
    #[arg(
        long,
        value_name = "TOKEN",
        env = "CONTRACT_BROKER_WEBHOOK_TOKEN",
        hide_env_values = true
    )]
    webhook_token: Option<String>,
}

#[derive(Debug)]
pub(super) struct PresetRequest {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Document,
    pub(super) events: Vec<&'static str>,
}

/// A commit whose contracts did not change also needs a status, because it could not be merged otherwise.
const CONSUMER_STATUS_EVENTS: [&str; 2] = ["contract_published", "provider_verification_published"];
const MESSAGE: &str = "${pactbroker.eventName}: ${pactbroker.consumerName} ${pactbroker.consumerVersionNumber} and \
    ${pactbroker.providerName} ${pactbroker.providerVersionNumber} (${pactbroker.githubVerificationStatus})";

impl PresetArguments {
    /// Returns the request of the preset, or `None` if no preset is selected. `url` is the URL argument of the command.
    pub(super) fn request(&self, url: Option<&str>) -> Result<Option<PresetRequest>> {
        let Some(preset) = self.preset else {
            return Ok(None);
        };
        let unused = match preset {
            Preset::GithubWorkflow => None,
            Preset::Slack | Preset::Teams if self.repository.is_some() => Some("--repository"),
            _ => self.workflow.as_ref().map(|_| "--workflow"),
        };
        if let Some(option) = unused {
            return Err(CliError::usage(format!("the preset does not use {option}")));
        }
        let request = match preset {
            Preset::GithubCommitStatus => PresetRequest {
                url: format!(
                    "{}/repos/{}/statuses/${{pactbroker.consumerVersionNumber}}",
                    api(url, "https://api.github.com"),
                    self.github_repository("OWNER/NAME of the consumer")?
                ),
                headers: self.github()?,
                body: json(
                    r#"{"state": "${pactbroker.githubVerificationStatus}",
                        "context": "contract/${pactbroker.providerName}",
                        "description": "Verification by ${pactbroker.providerName} ${pactbroker.providerVersionNumber}",
                        "target_url": "${pactbroker.verificationResultUrl}"}"#,
                ),
                events: CONSUMER_STATUS_EVENTS.to_vec(),
            },
            Preset::GithubWorkflow => PresetRequest {
                url: format!(
                    "{}/repos/{}/actions/workflows/{}/dispatches",
                    api(url, "https://api.github.com"),
                    self.github_repository("OWNER/NAME of the provider")?,
                    encoded(required(
                        self.workflow.as_deref(),
                        "--workflow",
                        "the file name of the workflow"
                    )?)
                ),
                headers: self.github()?,
                body: json(
                    r#"{"ref": "${pactbroker.providerVersionBranch}",
                        "inputs": {"contract-url": "${pactbroker.pactUrl}",
                                   "version": "${pactbroker.providerVersionNumber}"}}"#,
                ),
                events: vec!["contract_requiring_verification_published"],
            },
            Preset::GitlabCommitStatus => PresetRequest {
                url: format!(
                    "{}/api/v4/projects/{}/statuses/${{pactbroker.consumerVersionNumber}}",
                    api(url, "https://gitlab.com"),
                    encoded(self.repository("the ID or path of the consumer's project")?)
                ),
                headers: self.gitlab()?,
                body: json(
                    r#"{"state": "${pactbroker.gitlabVerificationStatus}",
                        "name": "contract/${pactbroker.providerName}",
                        "description": "Verification by ${pactbroker.providerName} ${pactbroker.providerVersionNumber}",
                        "target_url": "${pactbroker.verificationResultUrl}"}"#,
                ),
                events: CONSUMER_STATUS_EVENTS.to_vec(),
            },
            Preset::GitlabPipeline => PresetRequest {
                url: format!(
                    "{}/api/v4/projects/{}/pipeline",
                    api(url, "https://gitlab.com"),
                    encoded(self.repository("the ID or path of the provider's project")?)
                ),
                headers: self.gitlab()?,
                body: json(
                    r#"{"ref": "${pactbroker.providerVersionBranch}",
                        "variables": [{"key": "CONTRACT_URL", "value": "${pactbroker.pactUrl}"},
                                      {"key": "PROVIDER_VERSION", "value": "${pactbroker.providerVersionNumber}"}]}"#,
                ),
                events: vec!["contract_requiring_verification_published"],
            },
            Preset::Slack => PresetRequest {
                url: address(url, "Slack")?,
                headers: vec![],
                body: json(&format!(
                    r#"{{"text": "{MESSAGE} <${{pactbroker.pactUrl}}|contract>"}}"#
                )),
                events: vec!["contract_content_changed", "provider_verification_failed"],
            },
            Preset::Teams => PresetRequest {
                url: address(url, "Teams")?,
                headers: vec![],
                body: json(&format!(
                    r#"{{"type": "message", "attachments": [{{
                         "contentType": "application/vnd.microsoft.card.adaptive",
                         "content": {{"type": "AdaptiveCard", "version": "1.4", "body": [
                           {{"type": "TextBlock", "wrap": true, "text": "{MESSAGE} [contract](${{pactbroker.pactUrl}})"}}]}}}}]}}"#
                )),
                events: vec!["contract_content_changed", "provider_verification_failed"],
            },
        };
        Ok(Some(request))
    }

    fn repository(&self, example: &str) -> Result<&str> {
        required(self.repository.as_deref(), "--repository", example)
    }

    /// Returns the repository in the form OWNER/NAME.
    fn github_repository(&self, example: &str) -> Result<&str> {
        let repository = self.repository(example)?;
        let is_name = |part: &str| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !matches!(part, "" | "." | "..") && part.bytes().all(is_allowed)
        };
        match repository.split_once('/') {
            Some((owner, name)) if is_name(owner) && is_name(name) => Ok(repository),
            _ => Err(CliError::usage("--repository must be OWNER/NAME for a GitHub preset")),
        }
    }

    fn token(&self) -> Result<&str> {
        let description = "an access token; or set CONTRACT_BROKER_WEBHOOK_TOKEN";
        required(self.webhook_token.as_deref(), "--webhook-token", description)
    }

    fn github(&self) -> Result<Vec<(String, String)>> {
        let token = format!("Bearer {}", self.token()?);
        Ok([
            ("Authorization", token.as_str()),
            ("Accept", "application/vnd.github+json"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec())
    }

    fn gitlab(&self) -> Result<Vec<(String, String)>> {
        Ok(vec![("PRIVATE-TOKEN".to_owned(), self.token()?.to_owned())])
    }
}

fn required<'a>(value: Option<&'a str>, option: &str, description: &str) -> Result<&'a str> {
    value
        .filter(|value| !value.is_empty())
        .ok_or_else(|| CliError::usage(format!("the preset requires {option}: {description}")))
}

fn address(url: Option<&str>, product: &str) -> Result<String> {
    let message = format!("the preset requires the URL of an incoming webhook in {product}");
    url.map(str::to_owned).ok_or_else(|| CliError::usage(message))
}

/// Returns the base URL of the product's API, without a slash at the end.
fn api<'a>(url: Option<&'a str>, default: &'a str) -> &'a str {
    url.unwrap_or(default).trim_end_matches('/')
}

/// Percent-encodes a segment of a URL path.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

fn json(text: &str) -> Document {
    Json::parse(text.as_bytes())
        .expect("the bodies of presets are JSON")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(preset: Preset) -> PresetArguments {
        PresetArguments {
            preset: Some(preset),
            repository: Some("acme/web".to_owned()).filter(|_| !matches!(preset, Preset::Slack | Preset::Teams)),
            workflow: Some("verify contracts.yml".to_owned()).filter(|_| preset == Preset::GithubWorkflow),
            webhook_token: Some("t".to_owned()),
        }
    }

    #[test]
    fn every_preset_has_a_request() {
        for preset in Preset::value_variants() {
            let url = matches!(preset, Preset::Slack | Preset::Teams).then_some("https://hooks.example.com/x");
            let request = arguments(*preset).request(url).expect("a request").expect("a preset");
            assert!(request.url.starts_with("https://"), "{request:?}");
            assert!(!request.events.is_empty(), "{request:?}");
        }
        let request = |preset, url| {
            arguments(preset)
                .request(url)
                .expect("a request")
                .expect("a preset")
                .url
        };
        assert_eq!(
            request(Preset::GithubWorkflow, Some("https://github.example.com/api/v3/")),
            "https://github.example.com/api/v3/repos/acme/web/actions/workflows/verify%20contracts.yml/dispatches"
        );
        assert_eq!(
            request(Preset::GitlabCommitStatus, None),
            "https://gitlab.com/api/v4/projects/acme%2Fweb/statuses/${pactbroker.consumerVersionNumber}"
        );
        assert!(arguments(Preset::Slack).request(None).is_err());
        let without_token = PresetArguments {
            webhook_token: None,
            ..arguments(Preset::GithubWorkflow)
        };
        let error = |arguments: &PresetArguments| arguments.request(None).expect_err("an error").to_string();
        assert!(error(&without_token).contains("--webhook-token"));
        for repository in ["acme", "../../x", "acme/web/x", "/web"] {
            let invalid = PresetArguments {
                repository: Some(repository.to_owned()),
                ..arguments(Preset::GithubCommitStatus)
            };
            assert!(error(&invalid).contains("must be OWNER/NAME"), "{repository}");
        }
        let with_workflow = PresetArguments {
            workflow: Some("verify.yml".to_owned()),
            ..arguments(Preset::GitlabPipeline)
        };
        assert!(error(&with_workflow).contains("does not use --workflow"));
    }
}
