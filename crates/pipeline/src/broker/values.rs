//! The results of broker operations. The types in TypeScript and Python are generated from these structs.
//!
//! The JSON that a broker returned is passed on. The structs list the members that every supported broker returns; the
//! JSON may contain others.

use contract_broker_client::{Notice, Row};
use contract_model::Json;
use serde::Serialize;

/// The names of the events that can trigger a webhook.
pub const WEBHOOK_EVENTS: [&str; 7] = [
    "contract_content_changed",
    "contract_published",
    "contract_requiring_verification_published",
    "contract_verification_overdue",
    "provider_verification_published",
    "provider_verification_failed",
    "provider_verification_succeeded",
];

/// A value that was detected in the CI system or git.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Detected {
    pub value: String,
    /// Where the value was found: the name of an environment variable, or a git command.
    pub from: String,
}

/// The values that were detected. A member is absent if it was not detected or did not need to be.
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

/// The result of `publish`: what was published, with the detected values and warnings.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedContracts {
    pub dry_run: bool,
    /// The values that were detected because of `auto_detect`.
    pub detected: DetectedBuild,
    /// Warnings, for example about JSON files that are not contracts.
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
    /// The URL of the contract in the broker, or `null` with `dry_run` or if the broker did not return it.
    pub url: Option<String>,
    /// What publishing the contract would do. Only present with `dry_run`.
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

/// The verdict of `can_i_deploy` or `can_i_merge`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentVerdict {
    /// Whether the versions can be deployed. `null` if the verdict is unknown because results are missing.
    pub deployable: Option<bool>,
    /// The explanation that the broker returned.
    pub reason: String,
    /// Number of required verifications that passed.
    pub success: u64,
    /// Number of required verifications that failed.
    pub failed: u64,
    /// Number of required verifications without a result.
    pub unknown: u64,
    pub rows: Vec<Row>,
    pub notices: Vec<Notice>,
    /// Number of times that the verdict was requested, including retries.
    pub asked: u64,
    pub dry_run: bool,
    /// Base URL of the broker.
    pub broker: String,
    /// The reasons why the deployment is blocked. Only present with `explain`. Empty if it is not blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Json>,
}

/// A deployment or a release, as the broker recorded it.
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

/// A person or team that is responsible for an environment.
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
    /// True if the pacticipant was created, and false if it was updated. Only present in results of
    /// `create_or_update_pacticipant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<bool>,
}

/// A branch on which a version is. `latest` is true if the version is the head of the branch.
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
    /// Display names of the environments to which the version is currently deployed.
    pub deployed_to: Vec<String>,
    /// Names of the environments in which the version is released and still supported.
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

/// A contract in the broker, without its content.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokerContract {
    pub consumer: String,
    pub consumer_version: Option<String>,
    pub provider: String,
    pub url: String,
    /// Time of publication in ISO 8601 format. Only present in results of `list_latest_contracts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Path of the file to which the contract was downloaded. Only present with `download`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A provider state that consumers use in their contracts.
#[derive(Serialize)]
pub struct RequestedState {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumers: Option<Vec<String>>,
}

/// A branch of a pacticipant.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// A webhook of the broker, without its secrets.
#[derive(Serialize)]
pub struct Webhook {
    pub uuid: String,
    pub description: Option<String>,
    #[serde(flatten)]
    pub others: Json,
}

/// The result of `doctor`, which checks the connection to a broker.
#[derive(Serialize)]
pub struct Diagnosis {
    /// Base URL of the broker.
    pub broker: String,
    /// Name of the broker software and its version if known, or `null` if the broker did not return them.
    pub product: Option<String>,
    /// The kind of credentials that were used, for example a token or basic authentication.
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

/// The result of an operation that deletes something.
#[derive(Serialize)]
pub struct Deletion {
    /// True if the resource was deleted. False only if it did not exist and `ignore_missing` is true.
    pub deleted: bool,
}
