//! Results of a verification for bindings.

use contract_verifier::{Report, TextOptions};
use serde::Serialize;

use crate::log::LogBuffer;
use crate::verify::options::VerifyOptions;
use crate::verify::own_secrets::redact_report;

/// Result of a verification.
#[derive(Debug)]
pub struct Verified {
    /// The report.
    pub report: Report,
    /// A size-limited text about failures only, for an error message. `None` if nothing failed.
    pub failures: Option<String>,
    /// The whole report as text.
    pub text: String,
    /// Text that bindings print unless they are quiet: pending failures, broker notices, warnings, and, if the run
    /// throws no error, what was published.
    pub notes: Option<String>,
    /// The last lines of the core's log during the run.
    pub log: Vec<String>,
    /// Failures caused by the user's own code.
    pub causes: Vec<Cause>,
}

/// A failure caused by the user's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// The index of the contract in the report.
    pub contract: usize,
    /// The index of the interaction in its contract.
    pub interaction: usize,
    /// Whether it happened during teardown.
    pub teardown: bool,
    /// The binding's token for the original error.
    pub token: u64,
}

impl Verified {
    /// The secrets of `log` are redacted in everything.
    pub(super) fn new(mut report: Report, text: TextOptions, log: &LogBuffer) -> Self {
        redact_report(&mut report, log.secrets());
        Self {
            failures: (!report.success).then(|| report.failures_to_text(text)),
            text: report.to_text(text),
            notes: None,
            log: log.lines(),
            causes: causes(&mut report),
            report,
        }
    }

    /// Adds the text to print.
    pub(super) fn with_notes(mut self, options: &VerifyOptions, text: TextOptions, has_publication: bool) -> Self {
        let notes = || self.report.notes_to_text(text, has_publication);
        self.notes = if options.is_quiet { None } else { notes() };
        self
    }

    /// Returns the report as JSON text.
    pub fn report_text(&self) -> String {
        contract_call::json::to_text(&self.report)
    }
}

/// Removes the tokens of the caller's error values from a report; only the caller can resolve them.
fn causes(report: &mut Report) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (contract, reported) in report.contracts.iter_mut().enumerate() {
        for (interaction, reported) in reported.interactions.iter_mut().enumerate() {
            for (error, teardown) in [(&mut reported.error, false), (&mut reported.teardown_error, true)] {
                let token = error.as_mut().and_then(|error| error.token.take());
                causes.extend(token.map(|token| Cause {
                    contract,
                    interaction,
                    teardown,
                    token,
                }));
            }
        }
    }
    causes
}
