//! Runs mock servers for a contract's interactions, and writes contract files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use contract_mock_server::{
    HeaderCase as ServedCase, MockServer, Outcome, PluginWork, Prepared, Received, ServedInteraction, ServerMismatch,
    ServerOptions,
};
use contract_model::{Contract, Interaction, InteractionKind, Json, SpecificationVersion};
use contract_variants::{Answer, HeaderCase};
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::journal::JournalEntry;
use crate::options::{CallSite, ServeOptions, TransportName};
use crate::running::Running;
use crate::variants::{
    NextRun, RunEnd, ServedAnswer, SuiteTest, VariantEnd, VariantReport, VariantRun, VariantSettings, VariantStep,
    report, resolve, served, unread_report, untried,
};
use contract_call::error::ArgumentError;
use contract_definition::plugins::{PLUGIN, PluginUse};
use contract_definition::{
    Claim, ClaimedInteraction, ContractBuilder, InteractionBuilder, Kind, Selection, Times, WriteMode,
};
use contract_file::{Writer, Writing};
use contract_plugin_work::{PluginSession, ServerPlace, Setting, Side, Work, plugin_for_transport};

/// The mock server: the core's HTTP server, or a plugin's server.
#[derive(Debug)]
pub(crate) enum Backend {
    Http(MockServer),
    Plugin(Box<PluginSession>),
}

impl Backend {
    fn url(&self) -> &str {
        match self {
            Self::Http(server) => server.url(),
            Self::Plugin(server) => server.url(),
        }
    }

    fn outcome(&self) -> Outcome {
        match self {
            Self::Http(server) => server.outcome(),
            Self::Plugin(server) => server.outcome(),
        }
    }

    fn report(&self) -> Outcome {
        match self {
            Self::Http(server) => server.outcome(),
            Self::Plugin(server) => server.report(),
        }
    }

    fn received(&self) -> Vec<Received> {
        match self {
            Self::Http(server) => server.received(),
            // Plugins report failures instead of requests.
            Self::Plugin(_) => Vec::new(),
        }
    }
}

/// A running mock server with the interactions that it serves.
#[derive(Debug)]
pub struct MockSession {
    server: Backend,
    contract: ContractBuilder,
    claimed: Vec<ClaimedInteraction>,
    writing: Option<Writing>,
    /// Whether each interaction passed. `None` until the server is stopped.
    settled: Mutex<Option<Vec<bool>>>,
    timeout: Duration,
    raises: bool,
    is_verbose: bool,
    /// Lists the server as running until it is stopped. `None` if the binding always stops its servers.
    running: Option<Running>,
    writer: Writer,
    started: Instant,
    /// The data for serving variants. `None` if the test does not run against variants.
    varied: Option<Varied>,
    varying: std::sync::Mutex<Option<VariantRun>>,
    /// The test of a [`VariantSuite`](crate::VariantSuite) to which this server belongs. `None` for all other tests.
    suite: Option<SuiteTest>,
}

#[derive(Debug)]
struct Varied {
    settings: VariantSettings,
    served: Vec<ServedInteraction>,
    options: ServerOptions,
}

/// Interactions that are reserved for a server that has not started yet.
#[derive(Debug)]
pub struct Serving {
    claimed: Claim,
    options: ServeOptions,
    prepared: ServerOptions,
    call_site: CallSite,
    writer: Writer,
    contract: ContractBuilder,
    variants: Option<VariantSettings>,
}

impl Serving {
    /// Returns true if the number of interactions requires preparing them on a separate thread.
    pub fn is_large(&self) -> bool {
        const LARGE: usize = 200;
        self.claimed.weight() > LARGE
    }

    /// Prepares the interactions and starts the server. If there are many interactions, they are prepared on a separate
    /// thread, so that this does not block the runtime.
    pub async fn start(self) -> Result<MockSession, Failure> {
        if let Some(TransportName::Plugin(_)) = self.options.transport {
            // Boxed because plugin servers are rare but would increase the size of every future.
            return Box::pin(self.start_plugin()).await;
        }
        let is_large = self.is_large();
        let (contract, claimed, prepared) = (self.contract, self.claimed, self.prepared);
        let options = self.variants.is_some().then(|| prepared.clone());
        let (claimed, interactions, server) = if is_large {
            let contract = contract.clone();
            contract_runtime::spawn_blocking(move || ready(&contract, claimed, prepared)).await??
        } else {
            ready(&contract, claimed, prepared)?
        };
        let started = MockServer::start_prepared(server).await;
        let server = started.inspect_err(|_| contract.finish(&claimed, |_| false))?;
        let backend = Backend::Http(server);
        let mut session = session(&contract, backend, claimed, &self.options, &self.call_site, self.writer)?;
        session.varied = self.variants.zip(options).map(|(settings, options)| Varied {
            settings,
            served: interactions,
            options,
        });
        Ok(session)
    }

    async fn start_plugin(self) -> Result<MockSession, Failure> {
        let (contract, options) = (self.contract, self.options);
        let transport = options.transport.as_ref().map_or("", TransportName::name);
        let mut claimed = self.claimed.build().map_err(|error| error.in_operation("serve"))?;
        for (number, claimed) in (1_usize..).zip(&mut claimed) {
            // Plugins find interactions by transport and key. The transport is also written to the contract file.
            let mut interaction = Interaction::clone(&claimed.interaction);
            interaction.transport = Some(transport.into());
            claimed.interaction = Arc::new(interaction);
            tracing::debug!(target: "contract::plugins", "interaction {number} over {transport}");
        }
        let started = plugin_session(&contract, transport, &claimed, &options).await;
        let server = started.inspect_err(|_| contract.finish(&claimed, |_| false))?;
        Ok(session(
            &contract,
            Backend::Plugin(Box::new(server)),
            claimed,
            &options,
            &self.call_site,
            self.writer,
        )?)
    }
}

/// Serves a contract's interactions in consumer tests, and writes contract files.
pub trait ServeContract {
    /// Starts a server for the interactions defined since the last call, or for those that the options select. On
    /// error, the interactions are retired, so that the next test does not serve them.
    fn serve(
        &self,
        options: ServeOptions,
        call_site: CallSite,
    ) -> impl Future<Output = Result<MockSession, Failure>> + Send;

    /// Reserves the interactions as they are currently defined. This is the synchronous first part of [`Self::serve`].
    fn claim_for_server(&self, options: ServeOptions, call_site: CallSite) -> Result<Serving, Failure>;

    /// Like [`Self::claim_for_server`], but reads the options from JSON text. `only` is the option of the same name.
    fn claim_for_server_text(
        &self,
        options: &str,
        only: Option<Vec<InteractionBuilder>>,
        call_site: CallSite,
    ) -> Result<Serving, Failure>;

    /// Writes the interactions that passed or were never served, and returns the path of the file. Without `directory`,
    /// the contract's directory, the call site's directory, or the current directory is used, in this order. Without
    /// `mode`, the contract's write mode or that of the call site is used.
    fn write_file(
        &self,
        directory: Option<PathBuf>,
        mode: Option<WriteMode>,
        call_site: &CallSite,
    ) -> Result<PathBuf, Failure>;
}

impl ServeContract for ContractBuilder {
    async fn serve(&self, options: ServeOptions, call_site: CallSite) -> Result<MockSession, Failure> {
        self.claim_for_server(options, call_site)?.start().await
    }

    fn claim_for_server(&self, options: ServeOptions, call_site: CallSite) -> Result<Serving, Failure> {
        let prepared = options
            .check_choice()
            .and_then(|()| options.server(self))
            .and_then(|prepared| {
                let variants = resolve(options.variants.as_ref(), self, &call_site)?;
                Ok((prepared, call_site.writer()?, variants))
            });
        let prepared = prepared.map_err(|error| error.in_operation("serve"));
        let is_foreign = matches!(options.transport, Some(TransportName::Plugin(_)));
        let (prepared, writer, variants) = prepared.inspect_err(|_| {
            self.retire(Kind::Http);
            if is_foreign {
                self.retire(Kind::Sync);
            }
        })?;
        let claimed = match &options.only {
            None if is_foreign => self.claim(Selection::Requested {
                all: options.all.unwrap_or(false),
            }),
            Some(only) => self.claim(Selection::Only(only)),
            None if options.all.unwrap_or(false) => self.claim(Selection::All(Kind::Http)),
            None => self.claim(Selection::New(Kind::Http)),
        };
        Ok(Serving {
            claimed: claimed.map_err(|error| error.in_operation("serve"))?,
            options,
            prepared,
            call_site,
            writer,
            contract: self.clone(),
            variants,
        })
    }

    fn claim_for_server_text(
        &self,
        options: &str,
        only: Option<Vec<InteractionBuilder>>,
        call_site: CallSite,
    ) -> Result<Serving, Failure> {
        let options = ServeOptions::from_text(options).inspect_err(|_| self.retire(Kind::Http))?;
        // Start the runtime before interactions are reserved, so that a later call can serve them if this fails.
        contract_runtime::ensure()?;
        self.claim_for_server(ServeOptions { only, ..options }, call_site)
    }

    fn write_file(
        &self,
        directory: Option<PathBuf>,
        mode: Option<WriteMode>,
        call_site: &CallSite,
    ) -> Result<PathBuf, Failure> {
        let interactions = self.writable().map_err(|error| error.in_operation("write_file"))?;
        let options = self.options();
        let usual = options.directory.as_ref().or(call_site.directory.as_ref());
        let directory = directory.or_else(|| usual.cloned());
        let mode = mode.or(options.write_mode).map_or_else(|| call_site.write_mode(), Ok)?;
        let writing = writing(self, directory.unwrap_or_else(|| ".".into()), mode, call_site.writer()?);
        write(&writing, &interactions)
    }
}

pub(crate) fn ready(
    contract: &ContractBuilder,
    claimed: Claim,
    options: ServerOptions,
) -> Result<(Vec<ClaimedInteraction>, Vec<ServedInteraction>, Prepared), Failure> {
    let claimed = claimed.build().map_err(|error| error.in_operation("serve"))?;
    let frequencies = contract.frequencies(&claimed);
    let works = works(contract, &claimed, Some(&options));
    let works = works.inspect_err(|_| contract.finish(&claimed, |_| false))?;
    let interactions = claimed
        .iter()
        .zip(frequencies)
        .zip(works)
        .map(|((claimed, frequency), work)| ServedInteraction {
            interaction: Arc::clone(&claimed.interaction),
            times: frequency
                .times
                .map(|Times { min, max }| contract_mock_server::Times { min, max }),
            optional: frequency.optional,
            plugin: work.map(|work| Arc::new(work) as Arc<dyn PluginWork>),
        });
    let interactions: Vec<ServedInteraction> = interactions.collect();
    let server = Prepared::new(interactions.iter().cloned(), options);
    let server = server.inspect_err(|_| contract.finish(&claimed, |_| false))?;
    Ok((claimed, interactions, server))
}

/// Returns, for each interaction, the parts that plugins process, or `None` if it needs no plugin.
pub(crate) fn works(
    contract: &ContractBuilder,
    claimed: &[ClaimedInteraction],
    options: Option<&ServerOptions>,
) -> Result<Vec<Option<Work>>, ArgumentError> {
    let set = contract.plugins();
    let plugins = set.running();
    if plugins.is_empty() {
        return Ok(claimed.iter().map(|_| None).collect());
    }
    let each = claimed.iter().map(|claimed| {
        let kept: Vec<Json> = claimed.plugins.iter().map(PluginUse::to_json).collect();
        let setting = Setting {
            plugins: &plugins,
            kept: &kept,
            side: Side::Consumer,
            allow_unexpected: options.is_none(),
            times: set.times(),
        };
        let work = Work::new(&claimed.interaction, setting);
        let named = format!("{:?}", claimed.interaction.description.as_str());
        work.map_err(|error| {
            ArgumentError::new(PLUGIN, error.to_string())
                .within(named)
                .in_operation("serve")
                .defined_at(&claimed.origin)
        })
    });
    each.collect()
}

async fn plugin_session(
    contract: &ContractBuilder,
    transport: &str,
    claimed: &[ClaimedInteraction],
    options: &ServeOptions,
) -> Result<PluginSession, ArgumentError> {
    let set = contract.plugins();
    let plugin = plugin_for_transport(&set.running(), transport)?;
    let mut document = Contract {
        consumer: contract.consumer(),
        provider: contract.provider(),
        metadata: contract.metadata(),
        specification: SpecificationVersion::V4,
        ..Contract::default()
    };
    for (number, claimed) in (1_u64..).zip(claimed) {
        let mut interaction = Interaction::clone(&claimed.interaction);
        interaction.key.get_or_insert_with(|| format!("{number:016x}").into());
        document.interactions.push(interaction);
        for used in claimed.plugins.iter().map(PluginUse::to_json) {
            let more = Contract {
                consumer: document.consumer.clone(),
                provider: document.provider.clone(),
                plugins: vec![used],
                ..Contract::default()
            };
            let interactions = std::mem::take(&mut document.interactions);
            // Both documents have the same participants, so merging cannot fail.
            let _ = document.merge(more);
            document.interactions = interactions;
        }
    }
    let place = ServerPlace {
        host: options
            .host
            .clone()
            .or_else(|| options.addr.clone())
            .unwrap_or_else(|| "127.0.0.1".to_owned()),
        port: options.port.unwrap_or(0),
        tls: options.tls.is_some(),
        config: options.transport_config.clone().map(|config| config.0),
    };
    PluginSession::start(plugin, transport, &document, place, set.times().call).await
}

pub(crate) fn session(
    contract: &ContractBuilder,
    server: Backend,
    claimed: Vec<ClaimedInteraction>,
    options: &ServeOptions,
    call_site: &CallSite,
    writer: Writer,
) -> Result<MockSession, ArgumentError> {
    let chosen = options.timeout.or(contract.options().timeout);
    let place = call_site.origin.as_deref().unwrap_or_default();
    let running = call_site
        .owner
        .map(|owner| Running::new(owner, &contract.title(), server.url(), place));
    contract
        .without_response(&claimed)
        .into_iter()
        .for_each(contract_definition::end_warnings::record);
    Ok(MockSession {
        server,
        contract: contract.clone(),
        claimed,
        writing: writing_at_the_end(contract, call_site)?,
        writer,
        settled: Mutex::default(),
        timeout: chosen.map_or_else(|| call_site.timeout(), |time| time.0),
        raises: options.raises.unwrap_or(true),
        is_verbose: options.verbose.unwrap_or(false),
        running,
        started: Instant::now(),
        varied: None,
        varying: std::sync::Mutex::default(),
        suite: None,
    })
}

/// Returns the options for writing the contract file at the end of a test, or `None` if no directory is set.
pub(crate) fn writing_at_the_end(
    contract: &ContractBuilder,
    call_site: &CallSite,
) -> Result<Option<Writing>, ArgumentError> {
    let options = contract.options();
    let directory = options.directory.as_ref().or(call_site.directory.as_ref());
    let Some(directory) = directory.cloned() else {
        return Ok(None);
    };
    let mode = options.write_mode.map_or_else(|| call_site.write_mode(), Ok)?;
    Ok(Some(writing(contract, directory, mode, call_site.writer()?)))
}

pub(crate) fn writing(contract: &ContractBuilder, directory: PathBuf, mode: WriteMode, mut writer: Writer) -> Writing {
    let options = contract.options();
    if options.remove_obsolete == Some(false) {
        // Without the test file, no provenance is recorded, so no interactions are removed.
        writer.file = None;
    }
    Writing {
        directory,
        consumer: contract.consumer(),
        provider: contract.provider(),
        specification: contract.specification(),
        metadata: contract.metadata(),
        mode,
        writer,
        lock_timeout: options.lock_timeout.map_or(contract_file::LOCK_TIMEOUT, |time| time.0),
    }
}

/// Writes the interactions. Waiting for the lock or the disk does not block other tasks of the runtime.
pub(crate) fn write(writing: &Writing, interactions: &[ClaimedInteraction]) -> Result<PathBuf, Failure> {
    Ok(contract_runtime::block_in_place(|| {
        contract_file::write(writing, interactions)
    })?)
}

impl MockSession {
    /// Returns true if the received requests are available. A plugin's server reports only failures.
    pub(crate) fn keeps_requests(&self) -> bool {
        matches!(self.server, Backend::Http(_))
    }

    /// Returns the properties of the server that do not change, as JSON text: `{ url, host, port, transport,
    /// caCertificate, variants, unread }`.
    pub fn facts_text(&self) -> String {
        let facts = [
            ("url", Json::from(self.url())),
            ("host", self.host().into()),
            ("port", u64::from(self.port()).into()),
            ("transport", self.transport().into()),
            ("caCertificate", self.ca_certificate().map_or(Json::Null, Json::from)),
            ("variants", self.varied.is_some().into()),
            ("unread", self.searches_unread().into()),
        ];
        Json::Object(facts.into_iter().collect()).to_text()
    }

    /// Returns the base URL of the server.
    pub fn url(&self) -> String {
        self.server.url().to_string()
    }

    /// Returns the host in the server's URL.
    pub fn host(&self) -> String {
        match &self.server {
            Backend::Http(server) => server.host().to_string(),
            Backend::Plugin(server) => server.host().to_owned(),
        }
    }

    /// Returns the port of the server.
    pub fn port(&self) -> u16 {
        match &self.server {
            Backend::Http(server) => server.port(),
            Backend::Plugin(server) => server.port(),
        }
    }

    /// Returns the transport: `http`, `https`, or the name of a plugin's transport.
    pub fn transport(&self) -> &str {
        self.server.url().split(':').next().unwrap_or_default()
    }

    /// Returns, in PEM format, the CA certificate that clients must trust. Returns `None` unless the certificate was
    /// created for this server.
    pub fn ca_certificate(&self) -> Option<String> {
        match &self.server {
            Backend::Http(server) => server.ca_certificate().map(str::to_owned),
            Backend::Plugin(_) => None,
        }
    }

    /// Returns the last 1000 log lines of the server, without secrets. For a plugin's server, returns the last lines
    /// that the plugin printed.
    pub fn log(&self) -> String {
        match &self.server {
            Backend::Http(server) => server.log(),
            Backend::Plugin(server) => server.log(),
        }
    }

    /// Returns the mismatches and the counts so far.
    pub fn outcome(&self) -> Outcome {
        self.server.outcome()
    }

    /// Returns the outcome so far for a call that throws the mismatches. A plugin's failures stay in later outcomes.
    pub(crate) fn report(&self) -> Outcome {
        self.server.report()
    }

    /// Returns the same as [`Self::outcome`], as JSON text.
    pub fn outcome_text(&self) -> String {
        contract_call::json::to_text(&self.server.outcome())
    }

    /// Returns the received requests as a JSON array. It is empty for a plugin's server.
    pub fn received_text(&self) -> String {
        let received = self.server.received();
        let entries: Vec<_> = received
            .iter()
            .map(|received| JournalEntry::new(received, &self.claimed))
            .collect();
        contract_call::json::to_text(&entries)
    }

    /// Returns the timeout of the test. Zero means that there is no timeout.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(crate) fn raises(&self) -> bool {
        self.raises
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    pub(crate) fn contract(&self) -> &ContractBuilder {
        &self.contract
    }

    /// Returns the method and path of the last request, and the time at which it was received. Returns `None` if no
    /// request was received, and for a plugin's server.
    pub(crate) fn last_request(&self) -> Option<(String, SystemTime)> {
        match &self.server {
            Backend::Http(server) => server.last_request(),
            Backend::Plugin(_) => None,
        }
    }

    /// Returns true if the test also runs against variants.
    pub fn has_variants(&self) -> bool {
        self.varied.is_some()
    }

    /// Returns true if the test also searches for fields of the response that the consumer does not read.
    pub fn searches_unread(&self) -> bool {
        self.varied
            .as_ref()
            .is_some_and(|varied| varied.settings.unread.is_some())
    }

    /// Returns the example responses of the interactions with variants. Empty if the test does not run against
    /// variants.
    pub fn example_answers(&self) -> Vec<ServedAnswer> {
        let answers = self.varied.iter().flat_map(|varied| answers(&varied.served));
        answers
            .map(|(_, description, answer)| served(&answer, &description, None))
            .collect()
    }

    /// Serves the next variant on the same port, with its own counts and received requests. Call this method after the
    /// test has passed with the example (`ended` is `None`), and again with the end of each run, until `next` is
    /// `None`. Then the server serves the example again. `next` is also `None` if the test does not run against
    /// variants, or if the requests for the example did not match.
    pub fn next_variant(&self, ended: Option<VariantEnd>) -> Result<VariantStep, Failure> {
        let nothing = VariantStep {
            next: None,
            report: None,
            print: None,
        };
        let (Some(varied), Backend::Http(server)) = (&self.varied, &self.server) else {
            return Ok(nothing);
        };
        let mut place = self.varying.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let run = match (&mut *place, ended) {
            (Some(run), Some(ended)) => {
                let requests = requests(server);
                let outcome = server.restore();
                if run.is_probe() {
                    run.record_probe(&ended, requests == self::requests(server))?;
                } else {
                    run.record(end_of(ended, outcome.as_ref(), run.timeout()));
                }
                run
            }
            (place, _) => {
                server.restore();
                if !server.outcome().matched {
                    return Ok(nothing);
                }
                let example = self.started.elapsed();
                let timeout = (!self.timeout.is_zero()).then(|| self.timeout.saturating_sub(example));
                place.insert(VariantRun::new(
                    answers(&varied.served),
                    &varied.settings,
                    example,
                    timeout,
                )?)
            }
        };
        let Some(next) = run.next() else {
            if let Some(report) = report(run) {
                return Ok(VariantStep {
                    report: Some(report),
                    ..nothing
                });
            }
            let (report, unread) = unread_report(run);
            let print: Vec<String> = untried(run).into_iter().chain(unread).collect();
            return Ok(VariantStep {
                report,
                print: (!print.is_empty()).then(|| print.join("\n")),
                ..nothing
            });
        };
        let NextRun {
            index,
            answer,
            header_case,
            served,
        } = next;
        server.substitute(Prepared::new(
            varied_interactions(&varied.served, index, answer),
            varied.options.clone(),
        )?);
        server.set_header_case(served_case(header_case));
        Ok(VariantStep {
            next: Some(served),
            ..nothing
        })
    }

    /// Makes this the server of a test in a [`VariantSuite`](crate::VariantSuite). Must be called before the first
    /// request.
    pub(crate) fn join_suite(&mut self, test: SuiteTest, header_case: Option<HeaderCase>) {
        if let Backend::Http(server) = &self.server {
            server.set_header_case(served_case(header_case));
        }
        self.suite = Some(test);
    }

    /// Returns the report if this server belongs to a test in a [`VariantSuite`](crate::VariantSuite) that received a
    /// variant and failed. Returns `None` for all other tests.
    pub fn variant_report(&self, ended: VariantEnd) -> Option<VariantReport> {
        let end = end_of(ended, Some(&self.outcome()), self.timeout);
        self.suite.as_ref()?.report(&end)
    }

    /// Stops the server, releases its interactions, and writes those that passed. If it is already stopped, only
    /// returns the outcome. `passed` is the result of the test. If it is `None`, the test passed if the server has no
    /// mismatches.
    pub async fn stop(&self, passed: Option<bool>) -> Result<Outcome, Failure> {
        let outcome = match &self.server {
            Backend::Http(server) => server.stop().await,
            Backend::Plugin(server) => Box::pin(server.stop()).await,
        };
        let mut settled = self.settled.lock().await;
        if settled.is_some() {
            return Ok(outcome);
        }
        if let Some(running) = &self.running {
            running.stopped();
        }
        let passed = if passed.unwrap_or(outcome.matched) {
            self.passed(&outcome)
        } else {
            vec![false; self.claimed.len()]
        };
        let passed = match &self.suite {
            Some(test) => test.record(passed),
            None => passed,
        };
        self.contract.finish(&self.claimed, |index| passed[index]);
        let to_write = self.chosen(&passed);
        *settled = Some(passed);
        if let Some(writing) = self.writing.as_ref().filter(|_| !to_write.is_empty()) {
            write(writing, &to_write)?;
        }
        Ok(outcome)
    }

    /// Writes the interactions of this server that have passed so far. Returns the path of the file.
    pub async fn write_file(&self, directory: PathBuf, mode: WriteMode) -> Result<PathBuf, Failure> {
        let settled = self.settled.lock().await;
        let to_write = match &*settled {
            Some(passed) => self.chosen(passed),
            None => self.chosen(&self.passed(&self.server.outcome())),
        };
        write(
            &writing(&self.contract, directory, mode, self.writer.clone()),
            &to_write,
        )
    }

    /// Returns, for each interaction, whether it was requested without any mismatch.
    fn passed(&self, outcome: &Outcome) -> Vec<bool> {
        let requested = |index: usize| outcome.interactions.get(index).is_some_and(|count| count.matched > 0);
        (0..self.claimed.len())
            .map(|index| requested(index) && !has_failure(outcome, index))
            .collect()
    }

    fn chosen(&self, passed: &[bool]) -> Vec<ClaimedInteraction> {
        let all = self.claimed.iter().zip(passed);
        all.filter(|(_, passed)| **passed)
            .map(|(claimed, _)| claimed.clone())
            .collect()
    }
}

/// Returns the index, description, and response of each interaction that can have variants. Interactions with plugins
/// have none, because plugins generate their responses themselves.
pub(crate) fn answers(served: &[ServedInteraction]) -> impl Iterator<Item = (usize, String, Answer)> {
    served.iter().enumerate().filter_map(|(index, served)| {
        let http = served.interaction.http().filter(|_| served.plugin.is_none())?;
        let description = served.interaction.description.to_string();
        Some((index, description, Answer::Response(http.response.clone())))
    })
}

pub(crate) fn varied_interactions(
    served: &[ServedInteraction],
    index: usize,
    answer: Answer,
) -> Vec<ServedInteraction> {
    let mut varied = served.to_vec();
    if let (Some(served), Answer::Response(response)) = (varied.get_mut(index), answer) {
        let mut interaction = Interaction::clone(&served.interaction);
        if let InteractionKind::Http(http) = &mut interaction.kind {
            http.response = response;
        }
        served.interaction = Arc::new(interaction);
    }
    varied
}

fn served_case(case: Option<HeaderCase>) -> ServedCase {
    match case {
        None => ServedCase::Lower,
        Some(HeaderCase::Upper) => ServedCase::Upper,
        Some(HeaderCase::Title) => ServedCase::Title,
    }
}

/// Returns the received requests in an order that does not depend on when they were received.
fn requests(server: &MockServer) -> Vec<String> {
    let mut requests: Vec<String> = server
        .received()
        .iter()
        .map(|request| {
            let (method, path, query, body) = (&request.method, &request.path, &request.query, &request.body);
            format!("{method} {path} {query:?} {} {body:?}", request.body_length)
        })
        .collect();
    requests.sort_unstable();
    requests
}

fn end_of(ended: VariantEnd, outcome: Option<&Outcome>, timeout: Duration) -> RunEnd {
    match (RunEnd::without_requests(ended, timeout), outcome) {
        (RunEnd::Passed, Some(outcome)) if !outcome.matched => RunEnd::Requests(outcome.to_text(false)),
        (end, _) => end,
    }
}

impl Drop for MockSession {
    /// Releases the interactions if [`Self::stop`] was not called. They are not written, because the result of the test
    /// is unknown. A later call can serve them again.
    fn drop(&mut self) {
        if self.settled.get_mut().is_none() {
            tracing::warn!(target: "contract::mock_server", server = self.server.url(),
                "garbage-collected without being stopped: mismatches were not reported");
            self.contract.finish(&self.claimed, |_| false);
        }
    }
}

/// Returns true if the outcome contains a mismatch of the interaction with this index.
fn has_failure(outcome: &Outcome, index: usize) -> bool {
    let named = |mismatch: &ServerMismatch| match mismatch {
        ServerMismatch::RequestMismatch { interaction, .. }
        | ServerMismatch::MissingRequest { interaction, .. }
        | ServerMismatch::TimesMismatch { interaction, .. } => interaction.index == index,
        _ => false,
    };
    // The list of mismatches is limited, but the counts are complete.
    outcome.mismatches.iter().any(named)
        || outcome
            .interactions
            .get(index)
            .is_some_and(|count| count.mismatched > 0)
}
