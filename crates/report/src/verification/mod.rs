//! The report of a verification.

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

/// The version of the JSON format of a [`Report`]. Adding fields keeps the version; removing or redefining one
/// increments it.
pub const FORMAT_VERSION: u32 = 1;

/// The report of a verification.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The version of this format. It is incremented when a field is removed or redefined, but not when one is added.
    pub format_version: u32,
    /// The name of the provider.
    pub provider: String,
    /// How the verification was started, as a shell command, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// When the verification ended, in UTC: `2026-11-22T23:00:00Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The provider's version, from the publish options or the CI system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_version: Option<String>,
    /// The provider's branch, from the options or the CI system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_branch: Option<String>,
    /// The page of the build, from the publish options or the CI system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_url: Option<String>,
    /// True if every non-pending interaction passed and all requested results were published.
    pub success: bool,
    /// Number of interactions.
    pub summary: Summary,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The outcome of publishing results, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<Publication>,
    /// In the order of the sources.
    pub contracts: Vec<ContractReport>,
}

/// Number of interactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Interactions after filtering.
    pub total: usize,
    /// Interactions that passed.
    pub passed: usize,
    /// Interactions that failed.
    pub failed: usize,
    /// Interactions that failed but are pending.
    pub pending: usize,
    /// Interactions that were not verified because an earlier one failed.
    pub skipped: usize,
    /// Interactions excluded by filters.
    pub filtered: usize,
    /// Duration in milliseconds.
    pub duration_ms: f64,
}

/// The results of one contract.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractReport {
    /// The name of the consumer.
    pub consumer: String,
    /// The name of the provider.
    pub provider: String,
    /// The file, URL, or other source.
    pub source: String,
    /// Details of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Whether the whole contract is pending.
    pub pending: bool,
    /// The broker's notices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Whether its result was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<ContractPublication>,
    /// Index of the contract among all sources. Filters may have removed others.
    #[serde(skip)]
    pub number: usize,
    /// In the order of the contract.
    pub interactions: Vec<InteractionReport>,
}

/// Result of an interaction: `pending` failed but does not count as a failure, `skipped` was not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// The response matched.
    Passed,
    /// The response did not match, or the comparison failed.
    Failed,
    /// The interaction failed but is pending.
    Pending,
    /// The interaction was not verified because an earlier one failed.
    Skipped,
}

/// The result of one interaction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InteractionReport {
    /// The description.
    pub description: String,
    /// The provider states, in order.
    #[serde(serialize_with = "serialize_states")]
    pub states: Vec<ProviderState>,
    /// The key in the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The identifier at the broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// A fingerprint that is the same in every run; filters accept it as `id`.
    pub fingerprint: String,
    /// The kind, such as `Synchronous/HTTP`.
    pub kind: String,
    /// Whether a failure is only reported.
    pub pending: bool,
    /// The consumer test that wrote the interaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_name: Option<String>,
    /// The line of the contract file on which it begins, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The consumer's comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Json>,
    /// The result.
    pub status: Status,
    /// Duration in milliseconds.
    pub duration_ms: f64,
    /// Duration of the steps.
    pub timing: Timing,
    /// A summary of the expected response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expectation>,
    /// The request, if it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<ReportedRequest>,
    /// The response, if one was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ReportedResponse>,
    /// Provider states without a handler.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unhandled_states: Vec<String>,
    /// The mismatches.
    pub mismatches: Vec<Finding>,
    /// A diff of the body: lines start with `-` (expected), `+` (actual), or a space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Why the interaction could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<InteractionError>,
    /// Lines that a plugin printed about its verification of the interaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
    /// Why a provider state could not be torn down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teardown_error: Option<InteractionError>,
}

/// Duration of the steps of an interaction, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// Setting up provider states.
    #[serde(rename = "statesMs")]
    pub states: f64,
    /// From sending the request to the last byte of the response.
    #[serde(rename = "requestMs")]
    pub request: f64,
    /// Tearing down provider states.
    #[serde(rename = "teardownMs")]
    pub teardown: f64,
    /// All steps.
    #[serde(rename = "totalMs")]
    pub total: f64,
}

impl InteractionReport {
    /// Records a failure after the comparison. An earlier error is kept.
    pub fn fail(&mut self, error: InteractionError) {
        self.status = if self.pending { Status::Pending } else { Status::Failed };
        self.error.get_or_insert(error);
    }
}

impl Summary {
    /// Counts an interaction with this status.
    pub fn count(&mut self, status: Status) {
        self.total += 1;
        *match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Pending => &mut self.pending,
            Status::Skipped => &mut self.skipped,
        } += 1;
    }

    /// Returns the counts that are not zero, with labels. The number of passed interactions is always included.
    fn counts(&self) -> Vec<(usize, &'static str)> {
        let others = [
            (self.failed, "failed"),
            (self.pending, "pending"),
            (self.skipped, "skipped"),
            (self.filtered, "filtered out"),
        ];
        std::iter::once((self.passed, "passed"))
            .chain(others.into_iter().filter(|(count, _)| *count > 0))
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

    /// Returns the counts in one line.
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
    /// Returns whether the test timeout ended the interaction. The result is then unknown.
    pub fn is_out_of_time(&self) -> bool {
        self.error.as_ref().is_some_and(InteractionError::is_out_of_time)
    }
}

impl Report {
    /// Returns all interactions with this status, and their contracts.
    fn of_status(&self, status: Status) -> impl Iterator<Item = (&ContractReport, &InteractionReport)> {
        self.interactions()
            .filter(move |(_, interaction)| interaction.status == status)
    }

    /// Summarizes the result in one line, including publishing.
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

    /// Inserts warnings before the existing ones.
    pub fn warn(&mut self, warnings: &[String]) {
        let warnings = warnings.iter().map(|warning| redact::text(warning).into_owned());
        self.warnings.splice(0..0, warnings);
    }

    /// Returns all interactions and their contracts.
    pub fn interactions(&self) -> impl Iterator<Item = (&ContractReport, &InteractionReport)> {
        self.contracts.iter().flat_map(|contract| {
            contract
                .interactions
                .iter()
                .map(move |interaction| (contract, interaction))
        })
    }

    /// Returns fingerprints of the failed interactions, for the filter of the next run.
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

/// Formats `1 interaction` or `2 interactions`.
pub fn interactions(count: usize) -> String {
    if count == 1 {
        "1 interaction".to_owned()
    } else {
        format!("{count} interactions")
    }
}

/// A provider state in a report.
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
