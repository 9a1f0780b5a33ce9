//! What a verification found, as data.

mod document;
pub(crate) mod escape;
mod failures;
mod format;
mod github;
mod html;
mod junit;
mod markdown;
mod parts;
mod text;

use std::collections::BTreeSet;
use std::time::Duration;

use contract_matching::Mismatch;
use contract_model::{Interaction, Json, ProviderState, Text};
use serde::{Deserialize, Serialize};

pub use document::ReadReportError;
pub use failures::Failure;
pub use format::{ReportFormat, UnknownFormat};
pub use parts::{Expectation, ReportedBody, ReportedHeader, ReportedRequest, ReportedResponse};
pub use text::TextOptions;

use crate::exchange::Outcome;
use crate::{InteractionError, InteractionInfo, NamedContract, Options, redact};

/// The version of the form that a [`Report`] has as JSON. A new member keeps it; a member that is gone or means something else
/// raises it.
pub const FORMAT_VERSION: u32 = 1;

/// What a verification found. Serialised it is what TypeScript sees, and what [`ReportFormat`] takes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The provider's name.
    pub provider: String,
    /// What started the verification, as words of a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether nothing failed but what is pending.
    pub success: bool,
    /// Counts.
    pub summary: Summary,
    /// What is worth a look and no failure.
    pub warnings: Vec<String>,
    /// In the order in which they were handed in.
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
    /// Those that it does not, and need not yet.
    pub pending: usize,
    /// Those that were not reached because an earlier one failed.
    pub skipped: usize,
    /// Those that the filters took out.
    pub filtered: usize,
    /// How long all took.
    pub duration_ms: f64,
}

/// What one contract's verification found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractReport {
    /// The consumer's name.
    pub consumer: String,
    /// The provider's name.
    pub provider: String,
    /// Where the contract came from.
    pub source: String,
    /// Whether the whole contract is pending.
    pub pending: bool,
    /// In the order of the contract.
    pub interactions: Vec<InteractionReport>,
}

/// What became of an interaction.
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

/// What one interaction's verification found.
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
    /// The same in every run; filters take it as an id.
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
    /// How long all of it took.
    pub duration_ms: f64,
    /// How long its steps took.
    pub timing: Timing,
    /// What the contract expects, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expectation>,
    /// What was sent. Headers and body only if it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<ReportedRequest>,
    /// What came back. Headers and body only if it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ReportedResponse>,
    /// States that nothing was there to set up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unhandled_states: Vec<String>,
    /// What differs.
    pub mismatches: Vec<Mismatch>,
    /// The body's differences in lines that begin with `-` (expected), `+` (actual) or a blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Why it could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<InteractionError>,
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

/// An interaction about which a report is made.
pub(crate) struct Subject<'a> {
    info: &'a InteractionInfo,
    interaction: &'a Interaction,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(info: &'a InteractionInfo, interaction: &'a Interaction) -> Self {
        Self { info, interaction }
    }

    pub(crate) fn skipped(&self) -> InteractionReport {
        InteractionReport {
            status: Status::Skipped,
            ..self.report(Outcome::default(), None, Timing::default())
        }
    }

    pub(crate) fn report(
        &self,
        outcome: Outcome,
        teardown_error: Option<InteractionError>,
        timing: Timing,
    ) -> InteractionReport {
        let info = self.info;
        let owned = |text: &Option<Text>| text.as_ref().map(ToString::to_string);
        let has_failed = outcome.error.is_some() || teardown_error.is_some() || !outcome.mismatches.is_empty();
        InteractionReport {
            description: info.description.to_string(),
            states: redacted(&info.states),
            key: owned(&info.key),
            id: owned(&info.id),
            fingerprint: info.fingerprint.to_string(),
            kind: info.kind.to_string(),
            pending: info.pending,
            test_name: owned(&info.test_name),
            comments: (!self.interaction.comments.is_empty()).then(|| self.interaction.comments.clone().into()),
            status: match (has_failed, info.pending) {
                (false, _) => Status::Passed,
                (true, false) => Status::Failed,
                (true, true) => Status::Pending,
            },
            duration_ms: timing.total,
            timing,
            expected: outcome.expected,
            request: outcome.request,
            response: outcome.response,
            unhandled_states: Vec::new(),
            mismatches: outcome.mismatches,
            diff: outcome.diff,
            error: outcome.error,
            teardown_error,
        }
    }
}

impl InteractionReport {
    /// Adds a late failure; the first error stays the one that counts.
    pub(crate) fn fail(&mut self, error: InteractionError) {
        self.status = if self.pending { Status::Pending } else { Status::Failed };
        self.error.get_or_insert(error);
    }

    /// Whether something differs or could not be compared.
    pub fn has_failures(&self) -> bool {
        matches!(self.status, Status::Failed | Status::Pending)
    }
}

impl ContractReport {
    pub(crate) fn of(named: &NamedContract) -> Self {
        Self {
            consumer: named.contract.consumer.to_string(),
            provider: named.contract.provider.to_string(),
            source: named.source.clone(),
            pending: named.pending,
            interactions: Vec::new(),
        }
    }
}

impl Summary {
    pub(crate) fn count(&mut self, status: Status) {
        self.total += 1;
        *match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Pending => &mut self.pending,
            Status::Skipped => &mut self.skipped,
        } += 1;
    }
}

impl Report {
    /// Puts results, in order and each with the number of its contract, together.
    pub(crate) fn new(
        options: &Options,
        contracts: &[NamedContract],
        results: impl Iterator<Item = (usize, InteractionReport)>,
        duration: Duration,
    ) -> Self {
        let mut summary = Summary {
            duration_ms: milliseconds(duration),
            ..Summary::default()
        };
        let mut reports: Vec<_> = contracts.iter().map(ContractReport::of).collect();
        for (contract, result) in results {
            summary.count(result.status);
            reports[contract].interactions.push(result);
        }
        let all: usize = contracts.iter().map(|named| named.contract.interactions.len()).sum();
        summary.filtered = all.saturating_sub(summary.total);
        // A contract of which the filters leave nothing is nothing to read about.
        reports.retain(|report| summary.filtered == 0 || !report.interactions.is_empty());
        Self {
            format_version: FORMAT_VERSION,
            provider: options.provider.clone(),
            command: options.command.clone(),
            success: summary.failed == 0,
            summary,
            warnings: warnings(options, &reports),
            contracts: reports,
        }
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

    /// Fingerprints of the interactions that failed, for [`Filter::only`](crate::Filter::only) of the next run.
    pub fn failed(&self) -> Vec<String> {
        self.interactions()
            .filter(|(_, interaction)| interaction.status == Status::Failed)
            .map(|(_, interaction)| interaction.fingerprint.clone())
            .collect()
    }
}

pub(crate) fn interactions(count: usize) -> String {
    if count == 1 {
        "1 interaction".to_owned()
    } else {
        format!("{count} interactions")
    }
}

fn warnings(options: &Options, contracts: &[ContractReport]) -> Vec<String> {
    let unhandled: Vec<_> = contracts
        .iter()
        .flat_map(|contract| &contract.interactions)
        .filter(|interaction| !interaction.unhandled_states.is_empty())
        .collect();
    if unhandled.is_empty() {
        return Vec::new();
    }
    let (need, were) = if unhandled.len() == 1 {
        ("needs", "it was")
    } else {
        ("need", "they were")
    };
    let count = interactions(unhandled.len());
    if options.states.is_none() {
        return vec![format!(
            "{count} {need} provider states, but there is no state handler: {were} verified with the provider as it was"
        )];
    }
    let names: BTreeSet<_> = unhandled
        .iter()
        .flat_map(|interaction| &interaction.unhandled_states)
        .collect();
    let names: Vec<_> = names.into_iter().map(|name| format!("{name:?}")).collect();
    vec![format!(
        "{count} {need} provider states that have no handler: {}",
        names.join(", ")
    )]
}

/// To the microsecond.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    let micros = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    f64::from(micros) / 1000.0
}

fn redacted(states: &[ProviderState]) -> Vec<ProviderState> {
    let mut states = states.to_vec();
    for state in &mut states {
        let mut parameters = Json::Object(std::mem::take(&mut state.parameters));
        redact::json(&mut parameters);
        if let Json::Object(parameters) = parameters {
            state.parameters = parameters;
        }
    }
    states
}

/// A state as the report has it.
#[derive(Serialize)]
pub(crate) struct ReportedState<'a> {
    name: &'a str,
    parameters: Json,
}

pub(crate) fn states(states: &[ProviderState]) -> Vec<ReportedState<'_>> {
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
    states(all).serialize(serializer)
}
