//! The report of a verification as data.

mod diff;
mod error;
mod failures;
mod format;
mod github;
mod html;
mod junit;
mod markdown;
mod origin;
mod parts;
mod read;
mod text;
mod texts;

use contract_model::{Json, ProviderState};
use serde::{Deserialize, Serialize};

pub use diff::body_diff;
pub use error::{ErrorCode, InteractionError};
pub use failures::{PartFailure, WHOLE_CONTRACT, output_lines};
pub use format::{ReportFormat, UnknownFormat};
pub use origin::{ContractPublication, Notice, NoticeTime, Origin, OriginKind, Publication};
pub use parts::{Expectation, ReportedBody, ReportedHeader, ReportedRequest, ReportedResponse};
pub use read::ReadReportError;
pub use text::TextOptions;

use crate::finding::Finding;
use crate::redact;

/// Version of the JSON format of a [`Report`]. Incremented when a field is removed or redefined, but not when a field
/// is added.
pub const FORMAT_VERSION: u32 = 1;

/// The report of a verification.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Version of the report format. Incremented when a field is removed or redefined, but not when a field is added.
    pub format_version: u32,
    /// Name of the provider.
    pub provider: String,
    /// Shell command that started the verification. Missing if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Time at which the verification ended, in UTC, such as `2026-11-22T23:00:00Z`. Missing if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Version of the provider, from the publish options or the CI system. Missing if neither provides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_version: Option<String>,
    /// Branch of the provider, from the options or the CI system. Missing if neither provides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_branch: Option<String>,
    /// URL of the build, from the publish options or the CI system. Missing if neither provides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_url: Option<String>,
    /// True if every interaction that is not pending passed, and if all requested results were published.
    pub success: bool,
    /// Numbers of interactions by status, and duration.
    pub summary: Summary,
    /// Warnings about the verification, such as provider states without a handler.
    pub warnings: Vec<String>,
    /// Outcome of publishing the verification results. Missing if publishing was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<Publication>,
    /// Results of the contracts, in the order of the sources.
    pub contracts: Vec<ContractReport>,
}

/// Numbers of interactions by status, and duration of a verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Number of interactions that the filters selected. It includes skipped interactions.
    pub total: usize,
    /// Number of interactions that passed.
    pub passed: usize,
    /// Number of interactions that failed and are not pending.
    pub failed: usize,
    /// Number of interactions that failed but are pending, so that the verification can still succeed.
    pub pending: usize,
    /// Number of interactions that were not verified because an earlier one failed.
    pub skipped: usize,
    /// Number of interactions that filters excluded.
    pub filtered: usize,
    /// Duration of the verification in milliseconds.
    pub duration_ms: f64,
}

/// Results of one contract.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractReport {
    /// Name of the consumer.
    pub consumer: String,
    /// Name of the provider.
    pub provider: String,
    /// Source of the contract, such as the path of a file or a URL.
    pub source: String,
    /// Kind and details of the source. Missing if they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// True if the broker marked the contract as pending, so that its failures do not fail the verification.
    pub pending: bool,
    /// The broker's notices about the contract. Empty for contracts from other sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Outcome of publishing the result of this contract. Missing if publishing was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<ContractPublication>,
    /// Index of the contract in the list of all contracts, including those that filters excluded. Starts at 0.
    #[serde(skip)]
    pub number: usize,
    /// Results of the interactions, in the order in which the contract contains them.
    pub interactions: Vec<InteractionReport>,
}

/// Result of an interaction: `passed`, `failed`, `pending` (it failed, but the failure does not fail the verification),
/// or `skipped` (it was not verified, because an earlier interaction failed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    Passed,
    /// The response did not match, or the interaction could not be compared.
    Failed,
    /// The interaction failed, but is pending, so that the failure does not fail the verification.
    Pending,
    /// The interaction was not verified because an earlier one failed.
    Skipped,
}

/// Result of one interaction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InteractionReport {
    /// Description of the interaction.
    pub description: String,
    /// Provider states of the interaction, in order.
    #[serde(serialize_with = "serialize_states")]
    pub states: Vec<ProviderState>,
    /// Key of the interaction in the contract. Missing if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// ID of the interaction in the broker. Missing if the contract does not contain one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Hash that identifies the interaction and is the same in every run. Filters accept it as `id`.
    pub fingerprint: String,
    /// Type of the interaction: `Synchronous/HTTP`, `Asynchronous/Messages`, or `Synchronous/Messages`.
    pub kind: String,
    /// True if the interaction is pending: its failure is reported, but does not fail the verification.
    pub pending: bool,
    /// Name of the consumer test that wrote the interaction. Missing if the contract does not contain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_name: Option<String>,
    /// Line of the contract file on which the interaction starts, counted from 1. Missing if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Comments on the interaction in the contract. Missing if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Json>,
    /// Result of the verification.
    pub status: Status,
    /// Duration of verifying the interaction, in milliseconds.
    pub duration_ms: f64,
    /// Durations of the individual steps.
    pub timing: Timing,
    /// Summary of the expected response or message. Missing if there is none, for example because the interaction was
    /// skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expectation>,
    /// The request that was sent to the provider. Missing if none was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<ReportedRequest>,
    /// The response or message that was received. Missing if none was received or reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ReportedResponse>,
    /// Names of the provider states for which no handler is registered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unhandled_states: Vec<String>,
    /// Differences between the expected and the received response or message. Empty if it matches or could not be
    /// compared.
    pub mismatches: Vec<Finding>,
    /// Diff of the JSON body. Each line starts with `-` (expected), `+` (actual), or a space. Missing if the body
    /// matches, is not JSON, or is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Error because of which the interaction could not be compared. Missing if it was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<InteractionError>,
    /// Lines that a plugin printed while it verified the interaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
    /// Error that occurred while the provider states were torn down. Missing if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teardown_error: Option<InteractionError>,
}

/// Durations of the steps of an interaction, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// Time for setting up the provider states.
    #[serde(rename = "statesMs")]
    pub states: f64,
    /// Time from sending the request to receiving the last byte of the response.
    #[serde(rename = "requestMs")]
    pub request: f64,
    /// Time for tearing down the provider states.
    #[serde(rename = "teardownMs")]
    pub teardown: f64,
    /// Total time of all steps.
    #[serde(rename = "totalMs")]
    pub total: f64,
}

impl InteractionReport {
    /// Marks the interaction as failed because of an error after the comparison. An earlier error is kept.
    pub fn fail(&mut self, error: InteractionError) {
        self.status = if self.pending { Status::Pending } else { Status::Failed };
        self.error.get_or_insert(error);
    }
}

impl Summary {
    /// Adds an interaction with this status to the counts.
    pub fn count(&mut self, status: Status) {
        self.total += 1;
        *match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Pending => &mut self.pending,
            Status::Skipped => &mut self.skipped,
        } += 1;
    }

    /// Returns the counts that are not zero, with their labels. The number of passed interactions is always included.
    fn counts(&self) -> Vec<(usize, &'static str)> {
        let outcomes = [
            (self.failed, "failed"),
            (self.pending, "pending"),
            (self.skipped, "skipped"),
            (self.filtered, "filtered out"),
        ];
        std::iter::once((self.passed, "passed"))
            .chain(outcomes.into_iter().filter(|(count, _)| *count > 0))
            .collect()
    }

    /// Summarizes the result in one line.
    fn verdict(&self) -> String {
        if self.failed > 0 {
            let were = if self.failed == 1 { "was" } else { "were" };
            format!("There {were} {}", failures(self.failed))
        } else if self.pending > 0 {
            format!(
                "The verification passed with {} pending {}",
                self.pending,
                if self.pending == 1 { "failure" } else { "failures" }
            )
        } else if self.total > 0 {
            "The verification passed".to_owned()
        } else {
            "There were no interactions to verify".to_owned()
        }
    }

    /// Formats the counts in one line.
    fn count_summary(&self) -> String {
        let counts: Vec<_> = self
            .counts()
            .iter()
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        counts.join(", ")
    }
}

impl InteractionReport {
    /// Returns whether verifying the interaction was stopped by the timeout of the test. If so, the result is unknown.
    pub fn is_out_of_time(&self) -> bool {
        self.error.as_ref().is_some_and(InteractionError::is_out_of_time)
    }
}

impl Report {
    /// Returns all interactions with this status, together with their contracts.
    fn of_status(&self, status: Status) -> impl Iterator<Item = (&ContractReport, &InteractionReport)> {
        self.interactions()
            .filter(move |(_, interaction)| interaction.status == status)
    }

    /// Summarizes the result in one line, including the result of publishing.
    fn verdict(&self) -> String {
        let summary = &self.summary;
        if summary.failed > 0 {
            let all = interactions(summary.total);
            return format!("The verification failed: {} of {all} failed", summary.failed);
        }
        if let Some(problem) = self.publication_error() {
            return problem;
        }
        summary.verdict()
    }

    /// Adds warnings before the existing ones.
    pub fn warn(&mut self, warnings: &[String]) {
        let warnings = warnings.iter().map(|warning| redact::text(warning).into_owned());
        self.warnings.splice(0..0, warnings);
    }

    /// Returns all interactions, together with their contracts.
    pub fn interactions(&self) -> impl Iterator<Item = (&ContractReport, &InteractionReport)> {
        self.contracts.iter().flat_map(|contract| {
            contract
                .interactions
                .iter()
                .map(move |interaction| (contract, interaction))
        })
    }

    /// Returns the fingerprints of the failed interactions, with which the next run can verify only these.
    pub fn failed(&self) -> Vec<String> {
        self.interactions()
            .filter(|(_, interaction)| interaction.status == Status::Failed)
            .map(|(_, interaction)| interaction.fingerprint.clone())
            .collect()
    }
}

fn failures(count: usize) -> String {
    if count == 1 {
        "1 failure".to_owned()
    } else {
        format!("{count} failures")
    }
}

/// Formats a number of interactions: `1 interaction` or `2 interactions`.
pub fn interactions(count: usize) -> String {
    if count == 1 {
        "1 interaction".to_owned()
    } else {
        format!("{count} interactions")
    }
}

#[derive(Serialize)]
pub struct ReportedState<'a> {
    name: &'a str,
    parameters: Json,
}

/// Converts provider states for a report.
pub fn reported_states(states: &[ProviderState]) -> Vec<ReportedState<'_>> {
    states
        .iter()
        .map(|state| ReportedState {
            name: &state.name,
            parameters: state.parameters.clone().into(),
        })
        .collect()
}

#[expect(clippy::ptr_arg, reason = "serde passes a reference to the Vec")]
fn serialize_states<S: serde::Serializer>(all: &Vec<ProviderState>, serializer: S) -> Result<S::Ok, S::Error> {
    reported_states(all).serialize(serializer)
}
