//! The result of a verification for bindings.

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
    /// A description of the failures for an error message, limited in size. `None` if nothing failed.
    pub failures: Option<String>,
    /// The complete report as text.
    pub text: String,
    /// Text that bindings print unless they are quiet. It contains pending failures, broker notices, and warnings. It
    /// also contains the published results if the run throws no error.
    pub notes: Option<String>,
    /// The last lines that the core logged during the run.
    pub log: Vec<String>,
    /// Failures that an error in the user's own code caused.
    pub causes: Vec<Cause>,
}

/// A failure that an error in the user's own code caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// The index of the contract in the report.
    pub contract: usize,
    /// The index of the interaction in its contract.
    pub interaction: usize,
    /// True if the error occurred during teardown.
    pub teardown: bool,
    /// The token that the binding assigned to the original error.
    pub token: u64,
}

impl Verified {
    /// Creates the result. The secrets of `log` are redacted in all strings.
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

    /// Adds the text that bindings print.
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

/// Removes from a report the tokens of the caller's errors, because only the caller can resolve them. Returns the
/// tokens.
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
