//! The verifier that bindings use.

use std::sync::{Arc, Mutex, PoisonError};

use contract_verifier::{Deadline, Verifier};
use tracing::instrument::WithSubscriber;

use crate::callbacks::Callbacks;
use crate::failure::Failure;
use crate::log::LogBuffer;
use crate::reports;
use crate::verify::Verified;
use crate::verify::constructor::operations;
use crate::verify::gathered::{Gathered, gather, gather_here};
use crate::verify::invalid::setup;
use crate::verify::listed::ListedInteraction;
use crate::verify::memory::LastFailures;
use crate::verify::operation::{Kept, RunOptions, VerifierOperation};
use crate::verify::options::{RunContext, VerifyOptions};
use crate::verify::own_secrets::redact_report;
use crate::verify::progress::TerminalProgress;
use crate::verify::session::{OUT_OF_TIME, Session};
use crate::verify_error::VerifyError;
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation};
use contract_call::names::participant;

/// A verifier that is configured with [`VerifierOperation`]s. It verifies all contracts in one run or, for a test
/// runner, one interaction at a time.
#[derive(Debug)]
pub struct Verification(Mutex<VerificationState>);

#[derive(Debug)]
struct VerificationState {
    options: Arc<VerifyOptions>,
    /// The contracts. `None` if they have not been read since the sources were last changed.
    gathered: Option<Arc<Gathered>>,
    session: Option<Arc<Session>>,
    last: Option<Arc<Verified>>,
}

impl Verification {
    /// Creates a verifier for a provider. Fails if the name is empty.
    pub fn new(provider: &str) -> Result<Self, ArgumentError> {
        let new = VerifyOptions::new(provider)?;
        Ok(Self(Mutex::new(VerificationState {
            options: Arc::new(new),
            gathered: None,
            session: None,
            last: None,
        })))
    }

    /// Creates a verifier from JSON text (`{ provider, options }`). Each option has the same effect as the operation to
    /// which it corresponds.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let mut json = contract_call::json::parse_json(text)?;
        let mut member = |name: &str| json.as_object_mut().and_then(|members| members.remove(name));
        let provider = member("provider").filter(|value| !contract_call::value::is_undefined(value));
        let new = participant("provider", provider).and_then(|provider| Self::new(&provider));
        let new = new.map_err(|error| error.in_operation("Verifier"))?;
        for operation in operations(member("options").unwrap_or_default())? {
            new.apply(VerifierOperation::from_json(operation)?)?;
        }
        Ok(new)
    }

    /// Like [`Self::apply`], but reads the operation from JSON text.
    pub fn apply_text_operation(&self, operation: &str) -> Result<Kept, ArgumentError> {
        self.apply(VerifierOperation::from_json(contract_call::json::parse_json(
            operation,
        )?)?)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, VerificationState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies an operation. On error, the verifier remains unchanged. Returns what the binding must keep.
    pub fn apply(&self, operation: VerifierOperation) -> Result<Kept, ArgumentError> {
        let mut state = self.state();
        let is_source = matches!(
            operation,
            VerifierOperation::AddSource { .. }
                | VerifierOperation::BrokerSource { .. }
                | VerifierOperation::Select { .. }
                | VerifierOperation::SetPublishOptions { .. }
        );
        let kept = Arc::make_mut(&mut state.options).apply(operation)?;
        if is_source {
            // The options have changed, so the contracts must be read again.
            state.gathered = None;
        }
        Ok(kept)
    }

    /// Reads the contracts from all sources, including URLs and brokers.
    pub async fn prepare(&self, context: &RunContext) -> Result<(), Failure> {
        let options = self.state().options.settled(&context.environment)?;
        let gathered = gather(&options, context).await;
        let gathered = gathered.map_err(|failure| options.without_secrets(failure, context))?;
        self.state().gathered = Some(Arc::new(gathered));
        Ok(())
    }

    /// Like [`Self::prepare`], but blocks the current thread, for test runners that load tests synchronously.
    pub fn prepare_here(&self, context: &RunContext) -> Result<(), Failure> {
        contract_runtime::run_here(self.prepare(context))?
    }

    /// Verifies all contracts, and publishes the results if this was requested. Failed interactions are part of the
    /// report. An error means that no interaction was verified.
    pub async fn verify(
        &self,
        run: RunOptions,
        context: &RunContext,
        callbacks: Arc<dyn Callbacks>,
    ) -> Result<Arc<Verified>, Failure> {
        let deadline = context.deadline();
        let (options, gathered) = {
            let state = self.state();
            (state.options.settled(&context.environment)?, state.gathered.clone())
        };
        let gathered = if let Some(gathered) = gathered {
            gathered
        } else {
            let gathered = gather_before(deadline, &options, context).await;
            Arc::new(gathered.map_err(|failure| options.without_secrets(failure, context))?)
        };
        let verified = report(&options, run, &(context, deadline), &gathered, &callbacks).await;
        let verified = Arc::new(verified.map_err(|failure| options.without_secrets(failure, context))?);
        let mut state = self.state();
        state.session = None;
        state.last = Some(Arc::clone(&verified));
        Ok(verified)
    }

    /// Returns the interactions to verify. If [`Self::prepare`] was not called before, reads the contracts, and fails
    /// if they come from a broker or URL.
    pub fn interactions(&self, context: &RunContext) -> Result<Vec<ListedInteraction>, Failure> {
        let gathered = self.gathered_here(context)?;
        let options = Arc::clone(&self.state().options);
        let listed = gathered.interactions(&options, context);
        listed.map_err(|failure| options.without_secrets(failure, context))
    }

    fn gathered_here(&self, context: &RunContext) -> Result<Arc<Gathered>, Failure> {
        let mut state = self.state();
        if let Some(gathered) = &state.gathered {
            return Ok(Arc::clone(gathered));
        }
        let gathered = gather_here(&state.options, context);
        let gathered = Arc::new(gathered.map_err(|failure| state.options.without_secrets(failure, context))?);
        state.gathered = Some(Arc::clone(&gathered));
        Ok(gathered)
    }

    /// Prepares to verify, one at a time, the interactions that [`Self::interactions`] returns.
    pub fn start(&self, context: &RunContext, callbacks: &Arc<dyn Callbacks>) -> Result<(), Failure> {
        let gathered = self.gathered_here(context)?;
        let mut state = self.state();
        let options = state.options.settled(&context.environment)?;
        let session = Session::new(Arc::clone(&options), context, gathered, callbacks);
        let session = session.map_err(|failure| options.without_secrets(failure, context))?;
        state.session = Some(Arc::new(session));
        Ok(())
    }

    /// Verifies the interaction with this index in the list that [`Self::interactions`] returned. The result contains
    /// only this interaction. Fails if [`Self::start`] was not called.
    pub async fn verify_one(&self, index: usize, context: &RunContext) -> Result<Verified, Failure> {
        let session = self.state().session.clone();
        match session {
            Some(session) => session.verify_one(index, context.deadline()).await,
            None => Err(ArgumentError::new(
                contract_call::error::OPTIONS,
                "call start before verifying an interaction",
            )
            .into()),
        }
    }

    /// Ends a run that [`Self::start`] has prepared. Publishes the results if this was requested and all interactions
    /// were verified. Returns `None` if there is no such run.
    pub async fn finish(&self, context: &RunContext) -> Option<Arc<Verified>> {
        let session = self.state().session.clone()?;
        session.close();
        let verified = Arc::new(session.finish(context).await);
        let mut state = self.state();
        state.session = None;
        state.last = Some(Arc::clone(&verified));
        Some(verified)
    }

    /// Returns the result of the last run or, during a run that [`Self::start`] has prepared, of the interactions that
    /// have been verified so far. Returns `None` before the first run.
    pub fn last(&self) -> Option<Arc<Verified>> {
        let state = self.state();
        match &state.session {
            Some(session) => Some(Arc::new(session.report())),
            None => state.last.clone(),
        }
    }

    /// Writes the report of the last run to a file. `format` and `path` are JSON text, as for
    /// [`report_place`](crate::report_place). Fails before the first run.
    pub fn write_report(&self, format: &str, path: &str) -> Result<(), Failure> {
        let (format, path) = reports::report_place("write_report", format, path)?;
        let Some(last) = self.last() else {
            let message = message!["no report is available; call ", operation("verify"), " first"];
            return Err(ArgumentError::new(reports::REPORT, message)
                .in_operation("write_report")
                .into());
        };
        reports::write_report(&last.report_text(), &format, &path)
    }

    /// Ends a run that [`Self::start`] has prepared, and closes its connections, so that the provider can stop
    /// immediately.
    pub fn close(&self) {
        let mut state = self.state();
        if let Some(session) = state.session.take() {
            session.close();
            state.last = Some(Arc::new(session.report()));
        }
    }
}

async fn report(
    options: &Arc<VerifyOptions>,
    run: RunOptions,
    (context, deadline): &(&RunContext, Option<Deadline>),
    gathered: &Gathered,
    callbacks: &Arc<dyn Callbacks>,
) -> Result<Verified, Failure> {
    let log = LogBuffer::new(options.secrets(&context.environment));
    let mut warnings = gathered.warnings.clone();
    let mut assembled = options.assembled(run, context, callbacks, &mut warnings)?;
    if run
        .progress
        .unwrap_or_else(|| context.environment.shows_progress(context.terminal))
    {
        assembled.progress = Some(Arc::new(TerminalProgress::new()));
    }
    assembled.deadline = *deadline;
    let memory = LastFailures::for_provider(&options.settings.provider, &context.environment);
    if run.last_failed {
        let failed = memory.as_ref().map(LastFailures::recall).unwrap_or_default();
        assembled.filter.only = Some(failed);
        let is_empty = contract_verifier::select(&assembled, &gathered.contracts).map_or(true, |left| left.is_empty());
        if is_empty {
            assembled.filter.only = None;
            warnings.push("no failures are recorded from the last run; all interactions are verified".to_owned());
        }
    }
    let verifier = Verifier::new(assembled).map_err(setup)?;
    let mut report = verifier
        .verify(gathered.contracts.clone())
        .with_subscriber(log.dispatch())
        .await
        .map_err(VerifyError::Empty)?;
    if let Some(memory) = memory {
        memory.remember(&report);
    }
    report.warn(&warnings);
    options.describe_run(&context.environment, &mut report);
    let is_out_of_time = report
        .interactions()
        .any(|(_, interaction)| interaction.is_out_of_time());
    let withheld = match (is_out_of_time, run.last_failed) {
        (true, _) => Some(OUT_OF_TIME.to_owned()),
        (false, true) => Some("only interactions that failed in the last run were verified".to_owned()),
        (false, false) => None,
    };
    // Results are published, and a broker must not receive the credentials of the provider.
    redact_report(&mut report, log.secrets());
    options
        .publishing(&context.environment, withheld)
        .finish(gathered, &mut report)
        .with_subscriber(log.dispatch())
        .await;
    let (text, success) = (context.text(options), report.success);
    Ok(Verified::new(report, text, &log).with_notes(options, text, success))
}

async fn gather_before(
    deadline: Option<Deadline>,
    options: &VerifyOptions,
    context: &RunContext,
) -> Result<Gathered, Failure> {
    let gathering = gather(options, context);
    let Some(deadline) = deadline else {
        return gathering.await;
    };
    let late = |_| {
        Failure::source(format!(
            "reading the contracts took too long: the test timeout of {} was about to expire; increase the test timeout",
            contract_wire::seconds(deadline.limit())
        ))
    };
    tokio::time::timeout(deadline.left(), gathering).await.map_err(late)?
}
