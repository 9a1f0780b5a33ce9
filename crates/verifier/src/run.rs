//! Runs a verification: selects the interactions, verifies each of them, and creates the report.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use contract_matching::{MessagePlan, Options as MatchingOptions, PlanError, ResponsePlan};
use contract_model::{Interaction, InteractionKind, Object};
use tokio::task::JoinSet;
use tracing::instrument::WithSubscriber;

use crate::exchange;
use crate::outcome::Outcome;
use crate::report::{self, Subject, milliseconds};
use crate::run_state::Run;
use crate::{
    Deadline, EmptyVerification, ErrorCode, InteractionError, InteractionInfo, InteractionReport, NamedContract,
    Options, PluginWork, Report, SetupError, Status, Timing, message, states,
};

#[derive(Clone, Debug)]
pub struct Verifier(Arc<Options>);

#[derive(Clone, Debug)]
pub struct Selected {
    pub info: Arc<InteractionInfo>,
    contract: NamedContract,
    /// Index of the contract in the list passed to [`Verifier::select`], and index of the interaction in the contract.
    at: (usize, usize),
}

impl Selected {
    /// Returns the index of the contract in the list passed to [`Verifier::select`].
    pub fn contract(&self) -> usize {
        self.at.0
    }

    fn interaction(&self) -> &Interaction {
        &self.contract.contract.interactions[self.at.1]
    }
}

impl Verifier {
    /// Validates the options. Returns an error if neither a transport nor message handlers are configured.
    pub fn new(options: Options) -> Result<Self, SetupError> {
        options.check()?;
        options.check_transports()?;
        Ok(Self(Arc::new(options)))
    }

    /// Verifies the contracts. If [`Options::concurrency`] is above 1, interactions without states are verified first,
    /// concurrently. The report always lists the interactions in the order of the contracts.
    ///
    /// Dropping the future stops the verification. Provider states that are set up at this time are not torn down.
    pub async fn verify(&self, contracts: Vec<NamedContract>) -> Result<Report, EmptyVerification> {
        let started = Instant::now();
        let selected = self.select(&contracts)?;
        let run = Arc::new(Run::new(&self.0, selected.len()));
        let (side_by_side, in_turn): (Vec<_>, Vec<_>) = selected
            .into_iter()
            .partition(|selected| self.0.concurrency > 1 && is_stateless(&self.0, selected));
        let mut results = Vec::with_capacity(run.total);
        run.side_by_side(side_by_side, &mut results).await;
        for selected in in_turn {
            let report = run.verify_selected(&selected).await;
            results.push((selected, report));
        }
        self.0.client.close_idle();
        Ok(self.report(&contracts, results, started.elapsed()))
    }

    /// Returns the interactions that the filters select, in order, for test runners that list all tests before they run
    /// them. Returns an error if there are none, unless [`Options::allow_empty`] is set.
    pub fn select(&self, contracts: &[NamedContract]) -> Result<Vec<Selected>, EmptyVerification> {
        select(&self.0, contracts)
    }

    /// Verifies one interaction. `deadline` replaces [`Options::deadline`], and [`Options::exit_first`] is ignored.
    pub async fn verify_one(&self, selected: &Selected, deadline: Option<Deadline>) -> InteractionReport {
        let mut run = Run::new(&self.0, 1);
        run.deadline = deadline;
        run.verify_selected(selected).await
    }

    /// Closes idle connections to the provider, so that it can stop without delay. Call this after the last
    /// [`Verifier::verify_one`]; [`Verifier::verify`] closes them itself.
    pub fn close_connections(&self) {
        self.0.client.close_idle();
    }

    /// Creates a report from results of [`Verifier::verify_one`].
    pub fn report(
        &self,
        contracts: &[NamedContract],
        mut results: Vec<(Selected, InteractionReport)>,
        duration: Duration,
    ) -> Report {
        results.sort_by_key(|(selected, _)| selected.at);
        let results = results.into_iter().map(|(selected, mut report)| {
            report.line = selected.contract.lines.get(selected.at.1).copied();
            (selected.at.0, report)
        });
        report::build(&self.0, contracts, results, duration)
    }
}

/// Like [`Verifier::select`], for options without a transport.
pub fn select(options: &Options, contracts: &[NamedContract]) -> Result<Vec<Selected>, EmptyVerification> {
    let mut selected = Vec::new();
    for (number, contract) in contracts.iter().enumerate() {
        for (place, interaction) in contract.contract.interactions.iter().enumerate() {
            let info = InteractionInfo::new(contract, interaction);
            if options.filter.takes(interaction, &info) {
                selected.push(Selected {
                    info: Arc::new(info),
                    contract: contract.clone(),
                    at: (number, place),
                });
            }
        }
    }
    if selected.is_empty() && !options.allow_empty {
        return Err(empty(options, contracts));
    }
    Ok(selected)
}

fn empty(options: &Options, contracts: &[NamedContract]) -> EmptyVerification {
    const SHOWN: usize = 10;
    let interactions = || contracts.iter().flat_map(|contract| &contract.contract.interactions);
    let total = interactions().count();
    if total == 0 {
        return EmptyVerification::NoInteractions {
            provider: options.provider.clone(),
            contracts: contracts.len(),
        };
    }
    let consumers: BTreeSet<&str> = contracts.iter().map(|contract| &*contract.contract.consumer).collect();
    let requested = &options.filter.consumers;
    if !requested.is_empty() && !requested.iter().any(|name| consumers.contains(name.as_str())) {
        return EmptyVerification::Consumers {
            requested: requested.iter().map(|name| format!("{name:?}")).collect(),
            known: consumers.iter().take(SHOWN).map(|name| format!("{name:?}")).collect(),
        };
    }
    EmptyVerification::Filtered {
        filters: options.filter.describe(),
        total,
        descriptions: interactions()
            .take(SHOWN)
            .map(|interaction| format!("{:?}", interaction.description))
            .collect(),
    }
}

fn is_stateless(options: &Options, selected: &Selected) -> bool {
    let announced = options
        .states
        .as_ref()
        .is_some_and(|states| states.handler.takes_empty_state());
    selected.info.states.is_empty() && !announced
}

impl Run {
    async fn side_by_side(self: &Arc<Self>, selected: Vec<Selected>, results: &mut Vec<(Selected, InteractionReport)>) {
        let mut tasks = JoinSet::new();
        for selected in selected {
            if tasks.len() >= self.options.concurrency {
                results.extend(tasks.join_next().await.map(finished));
            }
            let run = Arc::clone(self);
            let task = async move {
                let report = run.verify_selected(&selected).await;
                (selected, report)
            };
            tasks.spawn(task.with_current_subscriber());
        }
        while let Some(task) = tasks.join_next().await {
            results.push(finished(task));
        }
    }

    async fn verify_selected(&self, selected: &Selected) -> InteractionReport {
        let info = &selected.info;
        let is_over = self.options.exit_first && self.failed.load(Ordering::Relaxed);
        if is_over || self.out_of_time.load(Ordering::Relaxed) {
            return Subject::new(info, selected.interaction()).skipped();
        }
        if let Some(progress) = &self.options.progress {
            progress.started(info);
        }
        let mut report = match self.deadline {
            Some(deadline) => self.verify_before(deadline, selected).await,
            None => self.verify(selected).await,
        };
        if self.out_of_time.load(Ordering::Relaxed) {
            return report;
        }
        if let Some(hooks) = &self.options.hooks {
            let call = hooks.after(Arc::clone(info), &report);
            let result = self
                .callback(ErrorCode::Hook, "the hook after the interaction", call)
                .await;
            if let Err(error) = result {
                report.fail(error);
            }
        }
        if report.status == Status::Failed {
            self.failed.store(true, Ordering::Relaxed);
        }
        tracing::info!(status = ?report.status, ms = report.duration_ms, "verified {:?}", info.description);
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = &self.options.progress {
            progress.finished(info, &report, done, self.total);
        }
        report
    }

    /// Verifies an interaction. If the deadline passes, the interaction fails, and its states are not torn down,
    /// because no time is left.
    async fn verify_before(&self, deadline: Deadline, selected: &Selected) -> InteractionReport {
        let started = Instant::now();
        let verifying = tokio::time::timeout_at(deadline.at.into(), self.verify(selected));
        if let Ok(report) = verifying.await {
            return report;
        }
        self.out_of_time.store(true, Ordering::Relaxed);
        self.failed.store(true, Ordering::Relaxed);
        let running = started.elapsed();
        let error = deadline.error(self.done.load(Ordering::Relaxed), self.total, running);
        let timing = Timing {
            total: milliseconds(running),
            ..Timing::default()
        };
        InteractionReport {
            // The result of a pending interaction is unknown, too, so it also fails.
            status: Status::Failed,
            ..Subject::new(&selected.info, selected.interaction()).report(failed(error), None, timing)
        }
    }

    async fn verify(&self, selected: &Selected) -> InteractionReport {
        let started = Instant::now();
        let info = &selected.info;
        let subject = Subject::new(info, selected.interaction());
        let mut timing = Timing::default();
        let (plan, plugin) = match self.before(selected).await {
            Ok(ready) => ready,
            Err(error) => {
                timing.total = milliseconds(started.elapsed());
                return subject.report(failed(error), None, timing);
            }
        };
        let setting_up = Instant::now();
        let set_up = states::set_up(&self.options, info).await;
        timing.states = milliseconds(setting_up.elapsed());
        let outcome = match set_up.error {
            Some(error) => failed(error),
            None => self.exchange(selected, &plan, plugin.as_deref(), set_up.values).await,
        };
        timing.request = milliseconds(outcome.waiting);
        let tearing_down = Instant::now();
        let teardown_error = states::tear_down(&self.options, info, &set_up.tried).await;
        timing.teardown = milliseconds(tearing_down.elapsed());
        timing.total = milliseconds(started.elapsed());
        let mut report = subject.report(outcome, teardown_error, timing);
        report.unhandled_states = set_up.missed.iter().map(ToString::to_string).collect();
        report
    }

    /// Compiles the interaction, starts its plugins, and calls the hook. These steps do not require the provider.
    async fn before(&self, selected: &Selected) -> Result<(Plan, Option<Arc<dyn PluginWork>>), InteractionError> {
        let version = selected.contract.contract.specification;
        let plugin = self.plugin(selected).await?;
        let interaction = selected.interaction();
        let kind = plugin.as_ref().map_or(&interaction.kind, |plugin| plugin.core());
        let is_elsewhere = plugin.as_ref().is_some_and(|plugin| plugin.protocol().is_some());
        let plan = if is_elsewhere {
            Plan::Elsewhere
        } else {
            let options = MatchingOptions {
                specification: version,
                pattern_size: self.options.pattern_size,
                ..MatchingOptions::LENIENT
            };
            Plan::new(kind, options, &selected.contract.source)?
        };
        if let Some(hooks) = &self.options.hooks {
            let call = hooks.before(Arc::clone(&selected.info));
            self.callback(ErrorCode::Hook, "the hook before the interaction", call)
                .await?;
        }
        Ok((plan, plugin))
    }

    /// Returns the plugins of the interaction. Returns `None` if the contract or the interaction uses no plugins.
    async fn plugin(&self, selected: &Selected) -> Result<Option<Arc<dyn PluginWork>>, InteractionError> {
        let contract = &selected.contract.contract;
        match &self.options.plugins {
            Some(plugins) if !contract.plugins.is_empty() => {
                let work = plugins.work(contract, selected.interaction()).await;
                work.map_err(crate::plugin::failed)
            }
            _ => Ok(None),
        }
    }

    async fn exchange(
        &self,
        selected: &Selected,
        plan: &Plan,
        plugin: Option<&dyn PluginWork>,
        values: Object,
    ) -> Outcome {
        let (info, interaction) = (&selected.info, selected.interaction());
        let transport = interaction.transport.as_deref();
        if let Some((plugin, protocol)) = plugin.and_then(|plugin| Some((plugin, plugin.protocol()?))) {
            // Box the future, because HTTP interactions would otherwise make it large.
            return Box::pin(crate::plugin_exchange::exchange(
                self,
                info,
                interaction,
                (plugin, protocol),
                values,
            ))
            .await;
        }
        match (plan, &interaction.kind) {
            (Plan::Http(plan), InteractionKind::Http(http)) => {
                exchange::http(self, info, http, transport, plan, plugin, values).await
            }
            (Plan::Message(plan), InteractionKind::AsyncMessage(message)) => {
                Box::pin(message::asynchronous(
                    self, info, message, transport, plan, plugin, values,
                ))
                .await
            }
            (Plan::SyncMessage(plans), InteractionKind::SyncMessage(exchange)) => {
                Box::pin(message::synchronous(
                    self, info, exchange, transport, plans, plugin, values,
                ))
                .await
            }
            _ => failed(InteractionError::new(
                ErrorCode::Internal,
                "internal error: the verification plan does not match the interaction type",
            )),
        }
    }
}

enum Plan {
    Http(Box<ResponsePlan>),
    Message(Box<MessagePlan>),
    SyncMessage(Vec<MessagePlan>),
    /// A plugin sends the request and compares the response.
    Elsewhere,
}

impl Plan {
    fn new(kind: &InteractionKind, options: MatchingOptions, source: &str) -> Result<Self, InteractionError> {
        let rule = |error: PlanError| {
            InteractionError::new(ErrorCode::Rule, format!("{error}. Fix the contract in the consumer"))
        };
        match kind {
            InteractionKind::Http(http) => Ok(Self::Http(Box::new(
                ResponsePlan::new(&http.response, options).map_err(rule)?,
            ))),
            InteractionKind::AsyncMessage(message) => Ok(Self::Message(Box::new(
                MessagePlan::new(message, options).map_err(rule)?,
            ))),
            InteractionKind::SyncMessage(exchange) => {
                let plans = exchange
                    .responses
                    .iter()
                    .map(|response| MessagePlan::new(response, options));
                Ok(Self::SyncMessage(plans.collect::<Result<_, _>>().map_err(rule)?))
            }
            InteractionKind::Unreadable(unreadable) => Err(InteractionError::new(
                ErrorCode::Unreadable,
                match unreadable.at.as_str() {
                    "" => format!("{source}: {}", unreadable.reason),
                    _ => format!("{source}: {}. Fix the contract in the consumer", unreadable.reason),
                },
            )),
            InteractionKind::Unknown { kind, .. } => Err(InteractionError::new(
                ErrorCode::InteractionKind,
                format!(
                    "cannot verify interactions of type {kind:?}. If a plugin defines this type, the contract must declare the plugin"
                ),
            )),
        }
    }
}

fn failed(error: InteractionError) -> Outcome {
    Outcome {
        error: Some(error),
        ..Outcome::default()
    }
}

fn finished<T>(task: Result<T, tokio::task::JoinError>) -> T {
    match task {
        Ok(done) => done,
        // Resume the panic of a callback.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
