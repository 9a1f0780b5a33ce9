//! What a verification found, as data.

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

use contract_model::{Json, ProviderState};
use serde::{Deserialize, Serialize};

pub use diff::body_diff;
pub use error::{ErrorCode, InteractionError};
pub use failures::{Failure, WHOLE_CONTRACT, output_lines};
pub use format::{ReportFormat, UnknownFormat};
pub use origin::{ContractPublication, Moment, Notice, Origin, OriginKind, Publication};
pub use parts::{Expectation, ReportedBody, ReportedHeader, ReportedRequest, ReportedResponse};
pub use read::ReadReportError;
pub use text::TextOptions;

use crate::finding::Finding;
use crate::redact;

/// The version of the form that a [`Report`] has as JSON. A new member keeps it; a member that is gone or means something else
/// raises it.
pub const FORMAT_VERSION: u32 = 1;

/// Everything that a verification found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The version of this form: new members keep it, members that are gone or mean something else raise it.
    pub format_version: u32,
    /// The provider's name.
    pub provider: String,
    /// What started the verification, as words of a shell, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether all that is not pending was honoured, and results that were to be published are.
    pub success: bool,
    /// Counts.
    pub summary: Summary,
    /// What is worth a look and no failure.
    pub warnings: Vec<String>,
    /// What became of the results, when they were to be published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<Publication>,
    /// In the order of the sources.
    pub contracts: Vec<ContractReport>,
}

/// Counts of interactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// All that the filters left.
    pub total: usize,
    /// Those that the provider honours.
    pub passed: usize,
    /// Those that it does not.
    pub failed: usize,
    /// Not honoured, and need not be yet.
    pub pending: usize,
    /// Not reached because an earlier one failed.
    pub skipped: usize,
    /// Taken out by filters.
    pub filtered: usize,
    /// How long all took, in milliseconds.
    pub duration_ms: f64,
}

/// One contract, verified.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractReport {
    /// The consumer's name.
    pub consumer: String,
    /// The provider's name.
    pub provider: String,
    /// The file, or what else tells where it came from.
    pub source: String,
    /// The kind of that place, and what is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Whether the whole contract is pending.
    pub pending: bool,
    /// What a broker has to say about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// What became of its result, when results were to be published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<ContractPublication>,
    /// Its number among those that were handed in, of which filters may have left none behind.
    #[serde(skip)]
    pub number: usize,
    /// In the order of the contract.
    pub interactions: Vec<InteractionReport>,
}

/// How an interaction fared: `pending` is one that the provider does not honour and need not yet, `skipped` one that was
/// not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// The provider honours it.
    Passed,
    /// The provider does not honour it.
    Failed,
    /// The provider does not honour it, and need not yet.
    Pending,
    /// It was not reached.
    Skipped,
}

/// One interaction, verified.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InteractionReport {
    /// What it is, in words.
    pub description: String,
    /// States that it needs, in order.
    #[serde(serialize_with = "serialize_states")]
    pub states: Vec<ProviderState>,
    /// Its key in the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The broker's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The same in every run; a filter takes it as `id`.
    pub fingerprint: String,
    /// `Synchronous/HTTP` and the like.
    pub kind: String,
    /// Whether a failure is reported only.
    pub pending: bool,
    /// The consumer's test that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_name: Option<String>,
    /// The consumer's comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Json>,
    /// What became of it.
    pub status: Status,
    /// How long all of it took, in milliseconds.
    pub duration_ms: f64,
    /// How long its steps took.
    pub timing: Timing,
    /// What the contract expects, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expectation>,
    /// What was sent, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<ReportedRequest>,
    /// What came back, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ReportedResponse>,
    /// States that no handler was there for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unhandled_states: Vec<String>,
    /// What differed.
    pub mismatches: Vec<Finding>,
    /// The body's differences in lines that begin with `-` (expected), `+` (actual) or a blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What kept the interaction from being compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<InteractionError>,
    /// Lines that a plugin printed about its verification of the interaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
    /// Why a state could not be torn down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teardown_error: Option<InteractionError>,
}

/// How long the steps of an interaction took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// Setting up the states.
    #[serde(rename = "statesMs")]
    pub states: f64,
    /// From sending the request to the last byte of the answer.
    #[serde(rename = "requestMs")]
    pub request: f64,
    /// Tearing down the states.
    #[serde(rename = "teardownMs")]
    pub teardown: f64,
    /// All of it.
    #[serde(rename = "totalMs")]
    pub total: f64,
}

impl InteractionReport {
    /// Adds a late failure; the first error stays the one that counts.
    pub fn fail(&mut self, error: InteractionError) {
        self.status = if self.pending { Status::Pending } else { Status::Failed };
        self.error.get_or_insert(error);
    }
}

impl Summary {
    /// One more interaction of that status.
    pub fn count(&mut self, status: Status) {
        self.total += 1;
        *match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Pending => &mut self.pending,
            Status::Skipped => &mut self.skipped,
        } += 1;
    }

    /// Each count that is not zero with its word; passed in any case.
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

    /// What became of it, in one line.
    fn verdict(&self) -> String {
        if self.failed > 0 {
            let were = if self.failed == 1 { "was" } else { "were" };
            format!("There {were} {}", failures(self.failed))
        } else if self.pending > 0 {
            format!(
                "The verification passed: the {} {} pending, and what is pending does not fail it",
                failures(self.pending),
                if self.pending == 1 { "is" } else { "are" }
            )
        } else if self.total > 0 {
            "The verification passed".to_owned()
        } else {
            "There was nothing to verify, which was allowed".to_owned()
        }
    }

    /// The counts in one line.
    fn counted(&self) -> String {
        let counts: Vec<_> = self
            .counts()
            .iter()
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        counts.join(", ")
    }
}

impl InteractionReport {
    /// Whether the time limit of the test ended it, so that nothing is known about the provider.
    pub fn is_out_of_time(&self) -> bool {
        self.error.as_ref().is_some_and(InteractionError::is_out_of_time)
    }
}

impl Report {
    /// All interactions of that status, each with its contract.
    fn of_status(&self, status: Status) -> impl Iterator<Item = (&ContractReport, &InteractionReport)> {
        self.interactions()
            .filter(move |(_, interaction)| interaction.status == status)
    }

    /// What became of it, in one line that stands alone.
    fn verdict(&self) -> String {
        let summary = &self.summary;
        if summary.failed > 0 {
            let all = interactions(summary.total);
            return format!("The verification failed: {} of {all} failed", summary.failed);
        }
        if let Some(problem) = self.unpublished() {
            return problem;
        }
        summary.verdict()
    }

    /// Puts warnings before those that are there.
    pub fn warn(&mut self, warnings: &[String]) {
        let warnings = warnings.iter().map(|warning| redact::text(warning).into_owned());
        self.warnings.splice(0..0, warnings);
    }

    /// The interactions of all contracts with what their contract is.
    pub fn interactions(&self) -> impl Iterator<Item = (&ContractReport, &InteractionReport)> {
        self.contracts.iter().flat_map(|contract| {
            contract
                .interactions
                .iter()
                .map(move |interaction| (contract, interaction))
        })
    }

    /// Fingerprints of the interactions that failed, for the filter of the next run.
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

/// `1 interaction`, `2 interactions`.
pub fn interactions(count: usize) -> String {
    if count == 1 {
        "1 interaction".to_owned()
    } else {
        format!("{count} interactions")
    }
}

/// A state as the report has it.
#[derive(Serialize)]
pub struct ReportedState<'a> {
    name: &'a str,
    parameters: Json,
}

/// States as reports have them.
pub fn reported_states(states: &[ProviderState]) -> Vec<ReportedState<'_>> {
    states
        .iter()
        .map(|state| ReportedState {
            name: &state.name,
            parameters: state.parameters.clone().into(),
        })
        .collect()
}

#[expect(clippy::ptr_arg, reason = "serde hands over the field as it is")]
fn serialize_states<S: serde::Serializer>(all: &Vec<ProviderState>, serializer: S) -> Result<S::Ok, S::Error> {
    reported_states(all).serialize(serializer)
}
