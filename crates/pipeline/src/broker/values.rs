//! Results of broker operations. The types in TypeScript and Python are generated from these structs.
//!
//! Results that the broker returns are passed on as JSON. Their structs list the members that every supported broker
//! returns, and the JSON also contains all other members.

use contract_broker_client::{Notice, Row};
use contract_model::Json;
use serde::Serialize;

/// The events that can trigger a webhook.
pub const WEBHOOK_EVENTS: [&str; 7] = [
    "contract_content_changed",
    "contract_published",
    "contract_requiring_verification_published",
    "contract_verification_overdue",
    "provider_verification_published",
    "provider_verification_failed",
    "provider_verification_succeeded",
];

/// A detected value and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Detected {
    pub value: String,
    /// Source of the value: an environment variable or a git command.
    pub from: String,
}

/// The detected values of a build.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DetectedBuild {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Detected>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Detected>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_url: Option<Detected>,
}

/// The result of `publish`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedContracts {
    pub dry_run: bool,
    /// Values that were detected, with their sources.
    pub detected: DetectedBuild,
    /// Warnings, for example about files that are not contracts.
    pub warnings: Vec<String>,
    pub consumers: Vec<PublishedConsumer>,
}

/// The published contracts of one consumer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedConsumer {
    pub consumer: String,
    pub version: String,
    pub branch: Option<String>,
    pub tags: Vec<String>,
    pub build_url: Option<String>,
    pub contracts: Vec<PublishedContract>,
    pub notices: Vec<Notice>,
}

/// A contract that was published, or that would be published without `dry_run`.
#[derive(Serialize)]
pub struct PublishedContract {
    /// The URL of the contract, if the broker returned it.
    pub url: Option<String>,
    /// The expected outcome. Only present with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<PublishOutcome>,
    pub provider: String,
    pub files: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishOutcome {
    Created,
    Unchanged,
    Merged,
    Conflict,
}

/// The verdict of `can_i_deploy` and `can_i_merge`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentVerdict {
    /// Whether the version can be deployed. `null` if results are missing.
    pub deployable: Option<bool>,
    /// The reason that the broker returned.
    pub reason: String,
    /// Number of integrations that were verified successfully.
    pub success: u64,
    /// Number of integrations with a failed verification.
    pub failed: u64,
    /// Number of integrations without a result.
    pub unknown: u64,
    pub rows: Vec<Row>,
    pub notices: Vec<Notice>,
    /// Number of requests for the verdict.
    pub asked: u64,
    pub dry_run: bool,
    /// Base URL of the broker.
    pub broker: String,
    /// One entry for each blocking integration. Only present with `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Json>,
}

/// A deployment or release of a version, as the broker recorded it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentRecord {
    pub uuid: String,
    pub pacticipant: String,
    pub version: String,
    pub environment: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_instance: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currently_deployed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currently_supported: Option<bool>,
    /// Time at which the deployment or release was recorded, in ISO 8601 format.
    pub created_at: String,
}

/// A person or team to contact about an environment.
#[derive(Serialize)]
pub struct Contact {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<std::collections::BTreeMap<String, String>>,
}

/// A deployment environment in the broker, such as `production`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Environment {
    pub uuid: String,
    pub name: String,
    pub display_name: String,
    pub production: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<Contact>>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// An application that has contracts with other applications.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pacticipant {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main_branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository_url: Option<String>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Whether the pacticipant was created. Only present in results of `create_or_update_pacticipant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<bool>,
}

/// A branch that contains a version.
#[derive(Serialize)]
pub struct VersionBranch {
    pub name: String,
    pub latest: bool,
}

/// A version of a pacticipant with its branches, tags, and environments.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PacticipantVersion {
    pub pacticipant: String,
    pub number: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_url: Option<String>,
    pub branches: Vec<VersionBranch>,
    pub tags: Vec<String>,
    /// Display names of the environments in which the version is deployed.
    pub deployed_to: Vec<String>,
    /// Names of the environments in which the version is released and supported.
    pub released_to: Vec<String>,
    pub created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// A version and the tags that were added to it.
#[derive(Serialize)]
pub struct TaggedVersion {
    pub pacticipant: String,
    pub version: String,
    pub tags: Vec<String>,
}

/// A contract that was published to the broker. Does not include the content.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerContract {
    pub consumer: String,
    pub consumer_version: Option<String>,
    pub provider: String,
    pub url: String,
    /// Time of publication in ISO 8601 format. Only present in the list of latest contracts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Path of the file that the contract was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A provider state that consumers use.
#[derive(Serialize)]
pub struct RequestedState {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumers: Option<Vec<String>>,
}

/// A branch of a pacticipant, as listed by the broker.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// A webhook without its secrets.
#[derive(Serialize)]
pub struct Webhook {
    pub uuid: String,
    pub description: Option<String>,
    #[serde(flatten)]
    pub others: Json,
}

/// The result of `doctor`.
#[derive(Serialize)]
pub struct Diagnosis {
    /// Base URL of the broker.
    pub broker: String,
    /// Name of the broker product, if the broker returned it.
    pub product: Option<String>,
    /// Kind of credentials that were used.
    pub credentials: &'static str,
    /// Whether all checks passed.
    pub ok: bool,
    pub checks: Vec<Check>,
}

/// The result of one of the checks that `doctor` runs.
#[derive(Serialize)]
pub struct Check {
    pub name: CheckName,
    pub ok: bool,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckName {
    Reach,
    Read,
    Write,
    Publishing,
}

/// The result of a deletion.
#[derive(Serialize)]
pub struct Deletion {
    /// Whether the resource was deleted. False if it did not exist.
    pub deleted: bool,
}
