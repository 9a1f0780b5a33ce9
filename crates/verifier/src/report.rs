//! Creates the report from the results of the interactions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use contract_model::{Interaction, Json, ProviderState, Text};
use contract_report::{
    ContractReport, FORMAT_VERSION, InteractionError, InteractionReport, Notice, NoticeTime, Origin, Report, Status,
    Summary, Timing, interactions, redact,
};

use crate::outcome::Outcome;
use crate::{InteractionInfo, NamedContract, Options};

/// The interaction whose result is reported.
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
            line: None,
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
            output: outcome.output,
            teardown_error,
        }
    }
}

/// Creates the report. Each result is preceded by the index of its contract. The results must be in the order of the
/// contracts and their interactions.
pub(crate) fn build(
    options: &Options,
    contracts: &[NamedContract],
    results: impl Iterator<Item = (usize, InteractionReport)>,
    duration: Duration,
) -> Report {
    let mut summary = Summary {
        duration_ms: milliseconds(duration),
        ..Summary::default()
    };
    let mut reports: Vec<_> = contracts.iter().enumerate().map(of_contract).collect();
    for (contract, result) in results {
        summary.count(result.status);
        reports[contract].interactions.push(result);
    }
    let all: usize = contracts.iter().map(|source| source.contract.interactions.len()).sum();
    summary.filtered = all.saturating_sub(summary.total);
    // Omit contracts without selected interactions.
    reports.retain(|report| summary.filtered == 0 || !report.interactions.is_empty());
    Report {
        format_version: FORMAT_VERSION,
        provider: options.provider.clone(),
        command: options
            .command
            .as_deref()
            .map(|command| redact::text(command).into_owned()),
        date: None,
        provider_version: None,
        provider_branch: None,
        build_url: None,
        success: summary.failed == 0,
        summary,
        warnings: warnings(options, &reports),
        publication: None,
        contracts: reports,
    }
}

fn of_contract((number, contract): (usize, &NamedContract)) -> ContractReport {
    ContractReport {
        consumer: contract.contract.consumer.to_string(),
        provider: contract.contract.provider.to_string(),
        source: redact::text(&contract.source).into_owned(),
        origin: contract.origin.as_ref().map(Origin::redacted),
        pending: contract.pending,
        notices: contract
            .notices
            .iter()
            .map(|text| Notice::new(NoticeTime::Before, text))
            .collect(),
        publication: None,
        number,
        interactions: Vec::new(),
    }
}

/// Maximum number of provider states to list in a warning.
const SHOWN_STATES: usize = 20;

fn warnings(options: &Options, contracts: &[ContractReport]) -> Vec<String> {
    let unhandled: Vec<_> = contracts
        .iter()
        .flat_map(|contract| &contract.interactions)
        .filter(|interaction| !interaction.unhandled_states.is_empty())
        .collect();
    if unhandled.is_empty() {
        return Vec::new();
    }
    let were = if unhandled.len() == 1 { "was" } else { "were" };
    let count = interactions(unhandled.len());
    let names: BTreeSet<_> = unhandled
        .iter()
        .flat_map(|interaction| &interaction.unhandled_states)
        .collect();
    let listing: Vec<_> = names
        .iter()
        .take(SHOWN_STATES)
        .map(|name| format!("{name:?}"))
        .collect();
    let mut listing = listing.join(", ");
    if names.len() > SHOWN_STATES {
        let _ = write!(listing, " and {} more", names.len() - SHOWN_STATES);
    }
    vec![if options.states.is_none() {
        format!(
            "no state handler is registered, so {count} {were} verified without setting up provider states: {listing}"
        )
    } else {
        format!("{count} {were} verified without a handler for these provider states: {listing}")
    }]
}

/// Returns the duration in milliseconds, with three decimal places.
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
