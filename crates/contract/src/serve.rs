//! The consumer's side assembled: builder, mock server and contract file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use contract_mock_server::{
    MockServer, Outcome, PluginWork, Prepared, Received, ServedInteraction, ServerMismatch, ServerOptions,
};
use contract_model::{Contract, Interaction, Json, SpecificationVersion};
use tokio::sync::Mutex;

use crate::failure::Failure;
use crate::file::{self, Writer, Writing};
use crate::journal::JournalEntry;
use crate::options::{ServeOptions, TestPlace, TransportName};
use crate::plugins::{Place, PluginSession, Setting, Side, Work, speaking};
use crate::running::Running;
use contract_call::error::ArgumentError;
use contract_definition::plugins::{PLUGIN, PluginUse};
use contract_definition::{Claimed, ContractBuilder, InteractionBuilder, Kind, Selection, Taken, Times, WriteMode};

/// Who plays the provider.
#[derive(Debug)]
enum Playing {
    Http(MockServer),
    Plugin(Box<PluginSession>),
}

impl Playing {
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
            // A plugin tells what was wrong, and not what came.
            Self::Plugin(_) => Vec::new(),
        }
    }
}

/// A mock server that runs, and the interactions that it has taken.
#[derive(Debug)]
pub struct MockSession {
    server: Playing,
    contract: ContractBuilder,
    taken: Vec<Taken>,
    writing: Option<Writing>,
    /// Which of the interactions passed, once they have been given back.
    settled: Mutex<Option<Vec<bool>>>,
    timeout: Duration,
    raises: bool,
    is_verbose: bool,
    /// Known as long as nobody has stopped it.
    running: Option<Running>,
    writer: Writer,
}

/// Interactions that a server is being started for: nobody else gets them.
#[derive(Debug)]
pub struct Serving {
    claimed: Claimed,
    options: ServeOptions,
    prepared: ServerOptions,
    around: TestPlace,
    writer: Writer,
    contract: ContractBuilder,
}

impl Serving {
    /// Whether making them ready takes long enough to be noticed by whoever waits for it.
    pub fn is_large(&self) -> bool {
        const LARGE: usize = 200;
        self.claimed.weight() > LARGE
    }

    /// Makes the interactions ready, on a thread for that if it takes long, and starts their server.
    pub async fn start(self) -> Result<MockSession, Failure> {
        if let Some(TransportName::Plugin(_)) = self.options.transport {
            // On the heap: few servers are plugins, and the future of all others would have its size.
            return Box::pin(self.start_plugin()).await;
        }
        let is_large = self.is_large();
        let (contract, claimed, prepared) = (self.contract, self.claimed, self.prepared);
        let (taken, server) = if is_large {
            let contract = contract.clone();
            let task = tokio::task::spawn_blocking(move || ready(&contract, claimed, prepared));
            match task.await {
                Ok(ready) => ready?,
                Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
            }
        } else {
            ready(&contract, claimed, prepared)?
        };
        let started = MockServer::start_prepared(server).await;
        let server = started.inspect_err(|_| contract.finish(&taken, |_| false))?;
        let playing = Playing::Http(server);
        Ok(session(
            &contract,
            playing,
            taken,
            &self.options,
            &self.around,
            self.writer,
        )?)
    }

    /// Has a plugin play the provider.
    async fn start_plugin(self) -> Result<MockSession, Failure> {
        let (contract, options) = (self.contract, self.options);
        let transport = options.transport.as_ref().map_or("", TransportName::name);
        let mut taken = self.claimed.settle().map_err(|error| error.of("serve"))?;
        for (number, taken) in (1_usize..).zip(&mut taken) {
            // Plugins find their interactions by transport and key; the first is for the file as well.
            let mut interaction = Interaction::clone(&taken.interaction);
            interaction.transport = Some(transport.into());
            taken.interaction = Arc::new(interaction);
            tracing::debug!(target: "contract::plugins", "interaction {number} over {transport}");
        }
        let started = plugin_session(&contract, transport, &taken, &options).await;
        let server = started.inspect_err(|_| contract.finish(&taken, |_| false))?;
        Ok(session(
            &contract,
            Playing::Plugin(Box::new(server)),
            taken,
            &options,
            &self.around,
            self.writer,
        )?)
    }
}

/// What a consumer test does with a contract: it serves the interactions and writes them.
pub trait ServeContract {
    /// Takes the interactions defined since the last time and serves them. What a refused call would have served is retired:
    /// it is not for the next test.
    fn serve(
        &self,
        options: ServeOptions,
        around: TestPlace,
    ) -> impl Future<Output = Result<MockSession, Failure>> + Send;

    /// The first half of [`Self::serve`], which takes no time: the interactions as they stand now belong to the server.
    fn claim_for_server(&self, options: ServeOptions, around: TestPlace) -> Result<Serving, Failure>;

    /// As [`Self::claim_for_server`], with the options as JSON text.
    fn claim_for_server_text(
        &self,
        options: &str,
        only: Option<Vec<InteractionBuilder>>,
        around: TestPlace,
    ) -> Result<Serving, Failure>;

    /// Writes the interactions that passed and those never served, and returns the file's path. Without a directory it is that
    /// of the contract, else that of the surroundings, else the current one; without a mode that of the contract.
    fn write_file(
        &self,
        directory: Option<PathBuf>,
        mode: Option<WriteMode>,
        around: &TestPlace,
    ) -> Result<PathBuf, Failure>;
}

impl ServeContract for ContractBuilder {
    async fn serve(&self, options: ServeOptions, around: TestPlace) -> Result<MockSession, Failure> {
        self.claim_for_server(options, around)?.start().await
    }

    fn claim_for_server(&self, options: ServeOptions, around: TestPlace) -> Result<Serving, Failure> {
        let prepared = options
            .check_choice()
            .and_then(|()| options.server(self))
            .and_then(|prepared| Ok((prepared, around.writer()?)));
        let prepared = prepared.map_err(|error| error.of("serve"));
        let is_foreign = matches!(options.transport, Some(TransportName::Plugin(_)));
        let (prepared, writer) = prepared.inspect_err(|_| {
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
            claimed: claimed.map_err(|error| error.of("serve"))?,
            options,
            prepared,
            around,
            writer,
            contract: self.clone(),
        })
    }

    fn claim_for_server_text(
        &self,
        options: &str,
        only: Option<Vec<InteractionBuilder>>,
        around: TestPlace,
    ) -> Result<Serving, Failure> {
        let options = ServeOptions::from_text(options).inspect_err(|_| self.retire(Kind::Http))?;
        // Before anything is claimed: it can be served by a later call.
        contract_runtime::ensure()?;
        self.claim_for_server(ServeOptions { only, ..options }, around)
    }

    fn write_file(
        &self,
        directory: Option<PathBuf>,
        mode: Option<WriteMode>,
        around: &TestPlace,
    ) -> Result<PathBuf, Failure> {
        let interactions = self.writable().map_err(|error| error.of("write_file"))?;
        let options = self.options();
        let usual = options.directory.as_ref().or(around.directory.as_ref());
        let directory = directory.or_else(|| usual.cloned());
        let mode = mode.or(options.write_mode).map_or_else(|| around.write_mode(), Ok)?;
        let writing = writing(self, directory.unwrap_or_else(|| ".".into()), mode, around.writer()?);
        write(&writing, &interactions)
    }
}

fn ready(
    contract: &ContractBuilder,
    claimed: Claimed,
    options: ServerOptions,
) -> Result<(Vec<Taken>, Prepared), Failure> {
    let taken = claimed.settle().map_err(|error| error.of("serve"))?;
    let frequencies = contract.frequencies(&taken);
    let works = works(contract, &taken, Some(&options));
    let works = works.inspect_err(|_| contract.finish(&taken, |_| false))?;
    let interactions = taken
        .iter()
        .zip(frequencies)
        .zip(works)
        .map(|((taken, frequency), work)| ServedInteraction {
            interaction: Arc::clone(&taken.interaction),
            times: frequency
                .times
                .map(|Times { min, max }| contract_mock_server::Times { min, max }),
            optional: frequency.optional,
            plugin: work.map(|work| Arc::new(work) as Arc<dyn PluginWork>),
        });
    let server = Prepared::new(interactions, options);
    let server = server.inspect_err(|_| contract.finish(&taken, |_| false))?;
    Ok((taken, server))
}

/// What plugins do for the interactions; nothing for a contract that uses none.
pub(crate) fn works(
    contract: &ContractBuilder,
    taken: &[Taken],
    options: Option<&ServerOptions>,
) -> Result<Vec<Option<Work>>, ArgumentError> {
    let set = contract.plugins();
    let plugins = set.running();
    if plugins.is_empty() {
        return Ok(taken.iter().map(|_| None).collect());
    }
    let each = taken.iter().map(|taken| {
        let kept: Vec<Json> = taken.plugins.iter().map(PluginUse::to_json).collect();
        let setting = Setting {
            plugins: &plugins,
            kept: &kept,
            side: Side::Consumer,
            allow_unexpected: options.is_none(),
            times: set.times(),
        };
        let work = Work::new(&taken.interaction, setting);
        let named = format!("{:?}", taken.interaction.description.as_str());
        work.map_err(|problem| {
            ArgumentError::new(PLUGIN, problem)
                .within(named)
                .of("serve")
                .begun_at(&taken.origin)
        })
    });
    each.collect()
}

async fn plugin_session(
    contract: &ContractBuilder,
    transport: &str,
    taken: &[Taken],
    options: &ServeOptions,
) -> Result<PluginSession, ArgumentError> {
    let set = contract.plugins();
    let plugin = speaking(&set.running(), transport)?;
    let mut document = Contract {
        consumer: contract.consumer(),
        provider: contract.provider(),
        metadata: contract.metadata(),
        specification: SpecificationVersion::V4,
        ..Contract::default()
    };
    for (number, taken) in (1_u64..).zip(taken) {
        let mut interaction = Interaction::clone(&taken.interaction);
        interaction.key.get_or_insert_with(|| format!("{number:016x}").into());
        document.interactions.push(interaction);
        for used in taken.plugins.iter().map(PluginUse::to_json) {
            let more = Contract {
                consumer: document.consumer.clone(),
                provider: document.provider.clone(),
                plugins: vec![used],
                ..Contract::default()
            };
            let interactions = std::mem::take(&mut document.interactions);
            // The names are the same, so there is nothing to refuse.
            let _ = document.merge(more);
            document.interactions = interactions;
        }
    }
    let place = Place {
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

fn session(
    contract: &ContractBuilder,
    server: Playing,
    taken: Vec<Taken>,
    options: &ServeOptions,
    around: &TestPlace,
    writer: Writer,
) -> Result<MockSession, ArgumentError> {
    let chosen = options.timeout.or(contract.options().timeout);
    let place = around.origin.as_deref().unwrap_or_default();
    let running = around
        .owner
        .map(|owner| Running::new(owner, &contract.title(), server.url(), place));
    contract
        .without_response(&taken)
        .into_iter()
        .for_each(contract_definition::slips::slip);
    Ok(MockSession {
        server,
        contract: contract.clone(),
        taken,
        writing: writing_at_the_end(contract, around)?,
        writer,
        settled: Mutex::default(),
        timeout: chosen.map_or_else(|| around.timeout(), |time| time.0),
        raises: options.raises.unwrap_or(true),
        is_verbose: options.verbose.unwrap_or(false),
        running,
    })
}

/// Where files go at the end of a test; nowhere unless somebody says so.
pub(crate) fn writing_at_the_end(
    contract: &ContractBuilder,
    around: &TestPlace,
) -> Result<Option<Writing>, ArgumentError> {
    let options = contract.options();
    let directory = options.directory.as_ref().or(around.directory.as_ref());
    let Some(directory) = directory.cloned() else {
        return Ok(None);
    };
    let mode = options.write_mode.map_or_else(|| around.write_mode(), Ok)?;
    Ok(Some(writing(contract, directory, mode, around.writer()?)))
}

pub(crate) fn writing(contract: &ContractBuilder, directory: PathBuf, mode: WriteMode, mut writer: Writer) -> Writing {
    let options = contract.options();
    if options.remove_obsolete == Some(false) {
        // What nobody knows, nobody removes.
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
        lock_timeout: options.lock_timeout.map_or(file::LOCK_TIMEOUT, |time| time.0),
    }
}

/// Waiting for a lock or a disk holds no other task up: the runtime's other threads take over meanwhile.
pub(crate) fn write(writing: &Writing, interactions: &[Taken]) -> Result<PathBuf, Failure> {
    tokio::task::block_in_place(|| file::write(writing, interactions))
}

impl MockSession {
    /// Whether the journal has the requests: plugins tell what was wrong, and not what came.
    pub(crate) fn keeps_requests(&self) -> bool {
        matches!(self.server, Playing::Http(_))
    }

    /// What never changes about it: JSON text of `{ url, host, port, transport, caCertificate }`.
    pub fn facts_text(&self) -> String {
        let facts = [
            ("url", Json::from(self.url())),
            ("host", self.host().into()),
            ("port", u64::from(self.port()).into()),
            ("transport", self.transport().into()),
            ("caCertificate", self.ca_certificate().map_or(Json::Null, Json::from)),
        ];
        Json::Object(facts.into_iter().collect()).to_text()
    }

    /// The base URL.
    pub fn url(&self) -> String {
        self.server.url().to_string()
    }

    /// The host, as in the URL.
    pub fn host(&self) -> String {
        match &self.server {
            Playing::Http(server) => server.host().to_string(),
            Playing::Plugin(server) => server.host().to_owned(),
        }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        match &self.server {
            Playing::Http(server) => server.port(),
            Playing::Plugin(server) => server.port(),
        }
    }

    /// `http`, `https`, or the protocol of a plugin.
    pub fn transport(&self) -> &str {
        self.server.url().split(':').next().unwrap_or_default()
    }

    /// What clients have to trust, as PEM, when the certificate is self-signed.
    pub fn ca_certificate(&self) -> Option<String> {
        match &self.server {
            Playing::Http(server) => server.ca_certificate().map(str::to_owned),
            Playing::Plugin(_) => None,
        }
    }

    /// What happened so far, a line for each thing: secrets blanked out, the latest thousand.
    pub fn log(&self) -> String {
        match &self.server {
            Playing::Http(server) => server.log(),
            Playing::Plugin(server) => server.log(),
        }
    }

    /// The server's verdict so far.
    pub fn outcome(&self) -> Outcome {
        self.server.outcome()
    }

    /// The server's verdict so far, for a call that throws its mismatches.
    pub(crate) fn report(&self) -> Outcome {
        self.server.report()
    }

    /// The server's verdict so far as JSON text.
    pub fn outcome_text(&self) -> String {
        contract_call::json::to_text(&self.server.outcome())
    }

    /// The requests that came, as JSON text.
    pub fn received_text(&self) -> String {
        let received = self.server.received();
        let entries: Vec<_> = received
            .iter()
            .map(|received| JournalEntry::new(received, &self.taken))
            .collect();
        contract_call::json::to_text(&entries)
    }

    /// How long the test may take; zero is without end.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Whether mismatches are thrown at the end.
    pub(crate) fn raises(&self) -> bool {
        self.raises
    }

    /// Whether mismatches are printed at the end.
    pub(crate) fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    pub(crate) fn contract(&self) -> &ContractBuilder {
        &self.contract
    }

    /// The last request that came: method and path, and when.
    pub(crate) fn last_request(&self) -> Option<(String, SystemTime)> {
        match &self.server {
            Playing::Http(server) => server.last_request(),
            Playing::Plugin(_) => None,
        }
    }

    /// Stops the server, gives the interactions back and writes those that passed. The second call only tells the outcome.
    /// `passed` says how the test went that used the server; where nobody knows, the server's own verdict decides.
    pub async fn stop(&self, passed: Option<bool>) -> Result<Outcome, Failure> {
        let outcome = match &self.server {
            Playing::Http(server) => server.stop().await,
            Playing::Plugin(server) => Box::pin(server.stop()).await,
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
            vec![false; self.taken.len()]
        };
        self.contract.finish(&self.taken, |index| passed[index]);
        let to_write = self.chosen(&passed);
        *settled = Some(passed);
        if let Some(writing) = self.writing.as_ref().filter(|_| !to_write.is_empty()) {
            write(writing, &to_write)?;
        }
        Ok(outcome)
    }

    /// Writes the interactions of this server that passed, while it runs those that passed so far, and returns the file's
    /// path.
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

    /// Which interactions were requested, and always as they should be.
    fn passed(&self, outcome: &Outcome) -> Vec<bool> {
        let requested = |index: usize| outcome.interactions.get(index).is_some_and(|count| count.matched > 0);
        (0..self.taken.len())
            .map(|index| requested(index) && !is_against(outcome, index))
            .collect()
    }

    fn chosen(&self, passed: &[bool]) -> Vec<Taken> {
        let all = self.taken.iter().zip(passed);
        all.filter(|(_, passed)| **passed)
            .map(|(taken, _)| taken.clone())
            .collect()
    }
}

impl Drop for MockSession {
    /// Nobody stopped it, so nobody knows how its test went: its interactions are not written, and can be served again.
    fn drop(&mut self) {
        if self.settled.get_mut().is_none() {
            tracing::warn!(target: "contract::mock_server", server = self.server.url(),
                "collected without having been stopped: what did not match was never reported");
            self.contract.finish(&self.taken, |_| false);
        }
    }
}

/// Whether the outcome holds something against an interaction.
fn is_against(outcome: &Outcome, index: usize) -> bool {
    let named = |mismatch: &ServerMismatch| match mismatch {
        ServerMismatch::RequestMismatch { interaction, .. }
        | ServerMismatch::MissingRequest { interaction, .. }
        | ServerMismatch::TimesMismatch { interaction, .. } => interaction.index == index,
        _ => false,
    };
    // Of many failures not all are kept, but all are counted.
    outcome.mismatches.iter().any(named)
        || outcome
            .interactions
            .get(index)
            .is_some_and(|count| count.mismatched > 0)
}
