//! A verification of one interaction after another, in the order that a test runner chooses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use contract_verifier::{InteractionReport, Report, Selected, TextOptions, Verifier};
use tracing::instrument::WithSubscriber;

use crate::callbacks::Callbacks;
use crate::error::ArgumentError;
use crate::log_buffer::LogBuffer;
use crate::verify::{Gathered, Verified, VerifyError, VerifyOptions};

/// A verification of one interaction after another. Results are kept, so that one report can be made of all.
pub struct Session {
    verifier: Verifier,
    gathered: Arc<Gathered>,
    selected: Vec<Selected>,
    warnings: Vec<String>,
    results: Mutex<BTreeMap<usize, InteractionReport>>,
    started: Instant,
    text: TextOptions,
    log: LogBuffer,
}

impl Session {
    /// The interactions are those, in the same order, that [`Gathered::interactions`] lists for the same options.
    pub fn new(
        options: &VerifyOptions,
        gathered: Arc<Gathered>,
        callbacks: &Arc<dyn Callbacks>,
    ) -> Result<Self, VerifyError> {
        let mut warnings = gathered.warnings.clone();
        let verifier = Verifier::new(options.assembled(callbacks, &mut warnings)?)?;
        Ok(Self {
            selected: verifier.select(&gathered.contracts)?,
            verifier,
            gathered,
            warnings,
            results: Mutex::default(),
            started: Instant::now(),
            text: options.text(),
            log: LogBuffer::new(),
        })
    }

    /// Verifies one interaction; the JSON text of `{ report, text, log }` is about it alone.
    pub async fn verify_one(&self, index: usize) -> Result<String, VerifyError> {
        let selected = self.selected.get(index).ok_or_else(|| {
            let message = format!("there is no interaction {index}; there are {}", self.selected.len());
            ArgumentError::new("ERR_CONTRACT_OPTIONS", message)
        })?;
        let started = Instant::now();
        let log = LogBuffer::new();
        let result = self.verifier.verify_one(selected).with_subscriber(log.dispatch()).await;
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
        Ok(crate::serve::to_text(&Verified::new(&report, self.text, &log)))
    }

    /// Lets go of connections, so that the provider can stop at once.
    pub fn close(&self) {
        self.verifier.close_connections();
    }

    /// The JSON text of `{ report, text, log }` about all that was verified so far.
    pub fn report(&self) -> String {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let results = results
            .into_iter()
            .map(|(index, result)| (self.selected[index].clone(), result))
            .collect();
        let mut report: Report = self
            .verifier
            .report(&self.gathered.contracts, results, self.started.elapsed());
        report.warn(&self.warnings);
        crate::serve::to_text(&Verified::new(&report, self.text, &self.log))
    }
}
