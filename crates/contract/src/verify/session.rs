//! Verifies interactions one at a time, in the order that a test runner chooses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use contract_verifier::{Deadline, InteractionReport, Report, Selected, TextOptions, Verifier};
use tracing::instrument::WithSubscriber;

use crate::callbacks::Callbacks;
use crate::failure::Failure;
use crate::log::LogBuffer;
use crate::verify::gathered::Gathered;
use crate::verify::invalid::setup;
use crate::verify::operation::RunOptions;
use crate::verify::options::{RunContext, VerifyOptions};
use crate::verify::own_secrets::redact_report;
use crate::verify::verified::Verified;
use crate::verify_error::VerifyError;
use contract_call::error::{ArgumentError, OPTIONS};

/// The reason why results are not published after a test has reached its timeout.
pub(super) const OUT_OF_TIME: &str = "the test timeout was reached";

/// Verifies interactions one at a time, and keeps their results for one report.
pub(crate) struct Session {
    verifier: Verifier,
    options: Arc<VerifyOptions>,
    gathered: Arc<Gathered>,
    selected: Vec<Selected>,
    warnings: Vec<String>,
    results: Mutex<BTreeMap<usize, InteractionReport>>,
    started: Instant,
    text: TextOptions,
    log: LogBuffer,
    /// True if an interaction was aborted because its test had reached the timeout.
    out_of_time: AtomicBool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("interactions", &self.selected.len())
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(
        options: Arc<VerifyOptions>,
        context: &RunContext,
        gathered: Arc<Gathered>,
        callbacks: &Arc<dyn Callbacks>,
    ) -> Result<Self, Failure> {
        let mut warnings = gathered.warnings.clone();
        let assembled = options.assembled(RunOptions::default(), context, callbacks, &mut warnings)?;
        let verifier = Verifier::new(assembled).map_err(setup)?;
        let secrets = options.secrets(&context.environment);
        Ok(Self {
            selected: verifier.select(&gathered.contracts).map_err(VerifyError::Empty)?,
            verifier,
            gathered,
            warnings,
            results: Mutex::default(),
            started: Instant::now(),
            text: context.text(&options),
            options,
            log: LogBuffer::new(secrets),
            out_of_time: AtomicBool::new(false),
        })
    }

    /// Verifies the interaction with this index. The result contains only this interaction.
    pub(crate) async fn verify_one(&self, index: usize, deadline: Option<Deadline>) -> Result<Verified, Failure> {
        let selected = self.selected.get(index).ok_or_else(|| {
            let message = format!(
                "interaction {index} does not exist; there are {} interactions, and their indexes start at 0",
                self.selected.len()
            );
            ArgumentError::new(OPTIONS, message)
        })?;
        let started = Instant::now();
        let log = LogBuffer::new(self.log.secrets().clone());
        let verifying = self.verifier.verify_one(selected, deadline);
        let result = verifying.with_subscriber(log.dispatch()).await;
        if result.is_out_of_time() {
            self.out_of_time.store(true, Ordering::Relaxed);
        }
        self.results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(index, result.clone());
        let mut report = self.verifier.report(
            &self.gathered.contracts,
            vec![(selected.clone(), result)],
            started.elapsed(),
        );
        report.contracts.retain(|contract| !contract.interactions.is_empty());
        report.summary.filtered = 0;
        Ok(Verified::new(report, self.text, &log))
    }

    /// Closes all connections, so that the provider can stop immediately.
    pub(crate) fn close(&self) {
        self.verifier.close_connections();
    }

    /// Returns the results of the interactions that have been verified so far.
    pub(crate) fn report(&self) -> Verified {
        Verified::new(self.so_far(), self.text, &self.log)
    }

    /// Publishes the results if this was requested and all interactions were verified. Returns the report.
    pub(crate) async fn finish(&self, context: &RunContext) -> Verified {
        let mut report = self.so_far();
        let (done, all) = (report.summary.total, self.selected.len());
        self.options.describe_run(&context.environment, &mut report);
        let withheld = if self.out_of_time.load(Ordering::Relaxed) {
            Some(OUT_OF_TIME.to_owned())
        } else {
            (done < all).then(|| format!("only {done} of {all} interactions were verified"))
        };
        redact_report(&mut report, self.log.secrets());
        self.options
            .publishing(&context.environment, withheld)
            .finish(&self.gathered, &mut report)
            .with_subscriber(self.log.dispatch())
            .await;
        // Each test reports the failure of its own interaction, so only a failed publication is an error of the whole
        // run.
        let has_publication = report
            .publication
            .as_ref()
            .is_some_and(|publication| publication.error.is_none());
        Verified::new(report, self.text, &self.log).with_notes(&self.options, self.text, has_publication)
    }

    fn so_far(&self) -> Report {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let results = results
            .into_iter()
            .map(|(index, result)| (self.selected[index].clone(), result))
            .collect();
        let mut report = self
            .verifier
            .report(&self.gathered.contracts, results, self.started.elapsed());
        report.warn(&self.warnings);
        report
    }
}
