//! The result of a verification in the form for bindings.

use contract_verifier::{Report, TextOptions};
use serde::Serialize;

use crate::log::LogBuffer;
use crate::verify::options::VerifyOptions;
use crate::verify::own_secrets::redact_report;

/// The result of a verification.
#[derive(Debug)]
pub struct Verified {
    /// The report, in which secrets are redacted.
    pub report: Report,
    /// The failures as text for an error message, limited in size. `None` if the verification succeeded.
    pub failures: Option<String>,
    /// The complete report as text, colored if the options say so.
    pub text: String,
    /// Text to print: pending failures, broker notices, warnings, and, if the run throws no error, the published
    /// results. `None` if there is nothing to print, or if the verifier is quiet.
    pub notes: Option<String>,
    /// The last log lines of the run, at most 500.
    pub log: Vec<String>,
    /// The failures that were caused by errors in user functions.
    pub causes: Vec<Cause>,
}

/// A failure that was caused by an error in a user function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Index of the contract in the report.
    pub contract: usize,
    /// Index of the interaction in its contract in the report.
    pub interaction: usize,
    /// True if the error occurred while provider states were torn down.
    pub teardown: bool,
    /// The number that the binding assigned to the original error.
    pub token: u64,
}

impl Verified {
    /// Creates the result. In all texts, the secrets of `log` are redacted.
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

    /// Adds the text that bindings print. `has_publication` is true if it contains the published results.
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

/// Removes the numbers of the binding's errors from a report, because only the binding can use them. Returns them with
/// their locations.
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
