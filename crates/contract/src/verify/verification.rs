//! A verifier from its first call to its last report: what bindings hold.

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
use crate::verify::listed::ListedInteraction;
use crate::verify::memory::Memory;
use crate::verify::operation::{Kept, RunOptions, VerifierOperation};
use crate::verify::options::{Surroundings, VerifyOptions};
use crate::verify::progress::TerminalProgress;
use crate::verify::refused::setup;
use crate::verify::session::Session;
use crate::verify_error::VerifyError;
use contract_call::error::ArgumentError;
use contract_call::message::{operation, told};
use contract_call::names::participant;

/// A verifier: told what to do by [`VerifierOperation`]s, it verifies contracts in one run, or interaction after interaction
/// for a test runner.
#[derive(Debug)]
pub struct Verification(Mutex<State>);

#[derive(Debug)]
struct State {
    options: Arc<VerifyOptions>,
    /// The contracts, once they have been read.
    gathered: Option<Arc<Gathered>>,
    session: Option<Arc<Session>>,
    last: Option<Arc<Verified>>,
}

impl Verification {
    /// For a provider.
    pub fn new(provider: &str) -> Result<Self, ArgumentError> {
        let new = VerifyOptions::new(provider)?;
        Ok(Self(Mutex::new(State {
            options: Arc::new(new),
            gathered: None,
            session: None,
            last: None,
        })))
    }

    /// The same from JSON text: `{ provider, options }`, where options say at once what calls would say one after another, each
    /// under a name like that of its call.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let mut json = contract_call::json::parse_json(text)?;
        let mut member = |name: &str| json.as_object_mut().and_then(|members| members.remove(name));
        let provider = member("provider").filter(|given| !contract_call::value::is_undefined(given));
        let new = participant("provider", provider).and_then(|provider| Self::new(&provider));
        let new = new.map_err(|error| error.of("Verifier"))?;
        for operation in operations(member("options").unwrap_or_default())? {
            new.say(VerifierOperation::from_json(operation)?)?;
        }
        Ok(new)
    }

    /// As [`Self::say`], with the JSON text of an operation.
    pub fn say_text(&self, operation: &str) -> Result<Kept, ArgumentError> {
        self.say(VerifierOperation::from_json(contract_call::json::parse_json(
            operation,
        )?)?)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what one call says, or refuses it and stays as it was.
    pub fn say(&self, said: VerifierOperation) -> Result<Kept, ArgumentError> {
        let mut state = self.state();
        let is_source = matches!(
            said,
            VerifierOperation::AddSource { .. }
                | VerifierOperation::BrokerSource { .. }
                | VerifierOperation::Select { .. }
                | VerifierOperation::SetPublishOptions { .. }
        );
        let kept = Arc::make_mut(&mut state.options).say(said)?;
        if is_source {
            // What was read before is not all any more.
            state.gathered = None;
        }
        Ok(kept)
    }

    /// Reads all sources now, also those behind URLs.
    pub async fn prepare(&self, around: &Surroundings) -> Result<(), Failure> {
        let options = self.state().options.settled(&around.environment)?;
        let gathered = gather(&options, around).await?;
        self.state().gathered = Some(Arc::new(gathered));
        Ok(())
    }

    /// As [`Self::prepare`], on this thread: for test runners that load tests without waiting for anything. Whatever this thread
    /// does besides stands still meanwhile.
    pub fn prepare_here(&self, around: &Surroundings) -> Result<(), Failure> {
        contract_runtime::run_here(self.prepare(around))
    }

    /// Verifies. Failures of interactions are in the report; an error means that nothing was verified.
    pub async fn verify(
        &self,
        run: RunOptions,
        around: &Surroundings,
        callbacks: Arc<dyn Callbacks>,
    ) -> Result<Arc<Verified>, Failure> {
        let deadline = around.deadline();
        let (options, gathered) = {
            let state = self.state();
            (state.options.settled(&around.environment)?, state.gathered.clone())
        };
        let gathered = match gathered {
            Some(gathered) => gathered,
            None => Arc::new(gather_before(deadline, &options, around).await?),
        };
        let around = &(around, deadline);
        let verified = Arc::new(report(&options, run, around, &gathered, &callbacks).await?);
        let mut state = self.state();
        state.session = None;
        state.last = Some(Arc::clone(&verified));
        Ok(verified)
    }

    /// The interactions to verify. Reads sources on this thread unless they have been.
    pub fn interactions(&self, around: &Surroundings) -> Result<Vec<ListedInteraction>, Failure> {
        let gathered = self.gathered_here(around)?;
        let options = Arc::clone(&self.state().options);
        gathered.interactions(&options, around)
    }

    fn gathered_here(&self, around: &Surroundings) -> Result<Arc<Gathered>, Failure> {
        let mut state = self.state();
        if let Some(gathered) = &state.gathered {
            return Ok(Arc::clone(gathered));
        }
        let gathered = Arc::new(gather_here(&state.options, around)?);
        state.gathered = Some(Arc::clone(&gathered));
        Ok(gathered)
    }

    /// Gets ready to verify the interactions, as [`Self::interactions`] lists them, one by one.
    pub fn start(&self, around: &Surroundings, callbacks: &Arc<dyn Callbacks>) -> Result<(), Failure> {
        let gathered = self.gathered_here(around)?;
        let mut state = self.state();
        let options = state.options.settled(&around.environment)?;
        let session = Session::new(options, around, gathered, callbacks)?;
        state.session = Some(Arc::new(session));
        Ok(())
    }

    /// Verifies one interaction after [`Self::start`]; what it gives is about that one alone.
    pub async fn verify_one(&self, index: usize, around: &Surroundings) -> Result<Verified, Failure> {
        let session = self.state().session.clone();
        match session {
            Some(session) => session.verify_one(index, around.deadline()).await,
            None => Err(ArgumentError::new(
                contract_call::error::OPTIONS,
                "no interaction is verified before the start",
            )
            .into()),
        }
    }

    /// Ends what [`Self::start`] began: publishes the results, if they are to be published and all interactions were verified.
    /// The report then stands in [`Self::last`]; nothing when nothing was started.
    pub async fn finish(&self, around: &Surroundings) -> Option<Arc<Verified>> {
        let session = self.state().session.clone()?;
        session.close();
        let verified = Arc::new(session.finish(around).await);
        let mut state = self.state();
        state.session = None;
        state.last = Some(Arc::clone(&verified));
        Some(verified)
    }

    /// What the last run found: all of it, or what was verified one by one so far. Nothing before the first run.
    pub fn last(&self) -> Option<Arc<Verified>> {
        let state = self.state();
        match &state.session {
            Some(session) => Some(Arc::new(session.report())),
            None => state.last.clone(),
        }
    }

    /// Writes what the last run found to a file; format and path are JSON texts, as [`report_place`](crate::report_place) reads
    /// them.
    pub fn write_report(&self, format: &str, path: &str) -> Result<(), Failure> {
        let (format, path) = reports::report_place("write_report", format, path)?;
        let Some(last) = self.last() else {
            let message = told!["there is no report yet; call ", operation("verify"), " first"];
            return Err(ArgumentError::new(reports::REPORT, message).of("write_report").into());
        };
        reports::write_report(&last.report_text(), &format, &path)
    }

    /// Lets go of connections and of what was started, so that the provider can stop at once.
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
    (around, deadline): &(&Surroundings, Option<Deadline>),
    gathered: &Gathered,
    callbacks: &Arc<dyn Callbacks>,
) -> Result<Verified, Failure> {
    let log = LogBuffer::new();
    let mut warnings = gathered.warnings.clone();
    let mut assembled = options.assembled(run, around, callbacks, &mut warnings)?;
    if run
        .progress
        .unwrap_or_else(|| around.environment.shows_progress(around.terminal))
    {
        assembled.progress = Some(Arc::new(TerminalProgress::new()));
    }
    assembled.deadline = *deadline;
    let memory = Memory::of(&options.said.provider, &around.environment);
    if run.last_failed {
        let failed = memory.as_ref().map(Memory::recall).unwrap_or_default();
        assembled.filter.only = Some(failed);
        let is_empty = contract_verifier::select(&assembled, &gathered.contracts).map_or(true, |left| left.is_empty());
        if is_empty {
            assembled.filter.only = None;
            warnings.push("nothing is known to have failed the last time, so everything is verified".to_owned());
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
    options.describe_run(&around.environment, &mut report);
    let is_out_of_time = report
        .interactions()
        .any(|(_, interaction)| interaction.is_out_of_time());
    let withheld = match (is_out_of_time, run.last_failed) {
        (true, _) => Some(OUT_OF_TIME.to_owned()),
        (false, true) => Some("only what failed the last time was verified".to_owned()),
        (false, false) => None,
    };
    options
        .publishing(&around.environment, withheld)
        .finish(gathered, &mut report)
        .with_subscriber(log.dispatch())
        .await;
    let (text, success) = (around.text(options), report.success);
    Ok(Verified::new(report, text, &log).with_notes(options, text, success))
}

/// Why results are not published.
pub(super) const OUT_OF_TIME: &str = "the time limit of the test was reached";

async fn gather_before(
    deadline: Option<Deadline>,
    options: &VerifyOptions,
    around: &Surroundings,
) -> Result<Gathered, Failure> {
    let gathering = gather(options, around);
    let Some(deadline) = deadline else {
        return gathering.await;
    };
    let late = |_| {
        Failure::source(format!(
            "the contracts were not read before the test's time limit of {} was nearly reached; raise the time limit of the test",
            contract_wire::seconds(deadline.limit())
        ))
    };
    tokio::time::timeout(deadline.left(), gathering).await.map_err(late)?
}
