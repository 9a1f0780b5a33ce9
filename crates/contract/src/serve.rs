//! The consumer's side assembled: builder, mock server and contract file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use contract_mock_server::{
    MockServer, Outcome, PluginWork, Prepared, Received, ServedInteraction, ServerMismatch, ServerOptions,
};
use contract_model::{Contract, Interaction, Json, SpecificationVersion};
use tokio::sync::Mutex;

use crate::builder::{Claimed, ContractBuilder, InteractionBuilder, Kind, Selection, Taken, WriteMode};
use crate::error::ArgumentError;
use crate::failure::Failure;
use crate::file::{self, Writer, Writing};
use crate::journal::JournalEntry;
use crate::options::{ServeOptions, TestPlace, TransportName};
use crate::plugins::{PLUGIN, Place, PluginSession, PluginUse, Setting, Side, Work, speaking};
use crate::running::Running;

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
            let ready = tokio::task::spawn_blocking(move || contract.ready(claimed, prepared));
            match ready.await {
                Ok(ready) => ready?,
                Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
            }
        } else {
            contract.ready(claimed, prepared)?
        };
        let started = MockServer::start_prepared(server).await;
        let server = started.inspect_err(|_| contract.finish(&taken, |_| false))?;
        let playing = Playing::Http(server);
        Ok(contract.session(playing, taken, &self.options, &self.around, self.writer)?)
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
        let started = contract.plugin_session(transport, &taken, &options).await;
        let server = started.inspect_err(|_| contract.finish(&taken, |_| false))?;
        Ok(contract.session(
            Playing::Plugin(Box::new(server)),
            taken,
            &options,
            &self.around,
            self.writer,
        )?)
    }
}

impl ContractBuilder {
    /// Takes the interactions defined since the last time and serves them. What a refused call would have served is retired:
    /// it is not for the next test.
    pub async fn serve(&self, options: ServeOptions, around: TestPlace) -> Result<MockSession, Failure> {
        self.claim_for_server(options, around)?.start().await
    }

    /// The first half of [`Self::serve`], which takes no time: the interactions as they stand now belong to the server.
    pub fn claim_for_server(&self, options: ServeOptions, around: TestPlace) -> Result<Serving, Failure> {
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

    fn ready(&self, claimed: Claimed, options: ServerOptions) -> Result<(Vec<Taken>, Prepared), Failure> {
        let taken = claimed.settle().map_err(|error| error.of("serve"))?;
        let frequencies = self.frequencies(&taken);
        let works = self.works(&taken, Some(&options));
        let works = works.inspect_err(|_| self.finish(&taken, |_| false))?;
        let interactions = taken
            .iter()
            .zip(frequencies)
            .zip(works)
            .map(|((taken, frequency), work)| ServedInteraction {
                interaction: Arc::clone(&taken.interaction),
                times: frequency.times,
                optional: frequency.optional,
                plugin: work.map(|work| Arc::new(work) as Arc<dyn PluginWork>),
            });
        let server = Prepared::new(interactions, options);
        let server = server.inspect_err(|_| self.finish(&taken, |_| false))?;
        Ok((taken, server))
    }

    /// What plugins do for the interactions; nothing for a contract that uses none.
    pub(crate) fn works(
        &self,
        taken: &[Taken],
        options: Option<&ServerOptions>,
    ) -> Result<Vec<Option<Work>>, ArgumentError> {
        let set = self.plugins();
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
        &self,
        transport: &str,
        taken: &[Taken],
        options: &ServeOptions,
    ) -> Result<PluginSession, ArgumentError> {
        let set = self.plugins();
        let plugin = speaking(&set.running(), transport)?;
        let mut contract = Contract {
            consumer: self.consumer(),
            provider: self.provider(),
            metadata: self.metadata(),
            specification: SpecificationVersion::V4,
            ..Contract::default()
        };
        for (number, taken) in (1_u64..).zip(taken) {
            let mut interaction = Interaction::clone(&taken.interaction);
            interaction.key.get_or_insert_with(|| format!("{number:016x}").into());
            contract.interactions.push(interaction);
            for used in taken.plugins.iter().map(PluginUse::to_json) {
                let more = Contract {
                    consumer: contract.consumer.clone(),
                    provider: contract.provider.clone(),
                    plugins: vec![used],
                    ..Contract::default()
                };
                let interactions = std::mem::take(&mut contract.interactions);
                // The names are the same, so there is nothing to refuse.
                let _ = contract.merge(more);
                contract.interactions = interactions;
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
        PluginSession::start(plugin, transport, &contract, place, set.times().call).await
    }

    fn session(
        &self,
        server: Playing,
        taken: Vec<Taken>,
        options: &ServeOptions,
        around: &TestPlace,
        writer: Writer,
    ) -> Result<MockSession, ArgumentError> {
        let chosen = options.timeout.or(self.options().timeout);
        let place = around.origin.as_deref().unwrap_or_default();
        let running = around
            .owner
            .map(|owner| Running::new(owner, &self.title(), server.url(), place));
        self.without_response(&taken).into_iter().for_each(crate::running::slip);
        Ok(MockSession {
            server,
            contract: self.clone(),
            taken,
            writing: self.writing_at_the_end(around)?,
            writer,
            settled: Mutex::default(),
            timeout: chosen.map_or_else(|| around.timeout(), |time| time.0),
            raises: options.raises.unwrap_or(true),
            is_verbose: options.verbose.unwrap_or(false),
            running,
        })
    }

    /// As [`Self::claim_for_server`], with the options as JSON text.
    pub fn claim_for_server_text(
        &self,
        options: &str,
        only: Option<Vec<InteractionBuilder>>,
        around: TestPlace,
    ) -> Result<Serving, Failure> {
        let options = ServeOptions::from_text(options).inspect_err(|_| self.retire(Kind::Http))?;
        // Before anything is claimed: it can be served by a later call.
        crate::runtime::ensure()?;
        self.claim_for_server(ServeOptions { only, ..options }, around)
    }

    /// How texts name the contract.
    pub fn title(&self) -> String {
        format!("{} → {}", self.consumer(), self.provider())
    }

    /// Where files go at the end of a test; nowhere unless somebody says so.
    pub(crate) fn writing_at_the_end(&self, around: &TestPlace) -> Result<Option<Writing>, ArgumentError> {
        let options = self.options();
        let directory = options.directory.as_ref().or(around.directory.as_ref());
        let Some(directory) = directory.cloned() else {
            return Ok(None);
        };
        let mode = options.write_mode.map_or_else(|| around.write_mode(), Ok)?;
        Ok(Some(self.writing(directory, mode, around.writer()?)))
    }

    pub(crate) fn writing(&self, directory: PathBuf, mode: WriteMode, mut writer: Writer) -> Writing {
        let options = self.options();
        if options.remove_obsolete == Some(false) {
            // What nobody knows, nobody removes.
            writer.file = None;
        }
        Writing {
            directory,
            consumer: self.consumer(),
            provider: self.provider(),
            specification: self.specification(),
            metadata: self.metadata(),
            mode,
            writer,
            lock_timeout: options.lock_timeout.map_or(file::LOCK_TIMEOUT, |time| time.0),
        }
    }

    /// Writes the interactions that passed and those never served, and returns the file's path. Without a directory it is that
    /// of the contract, else that of the surroundings, else the current one; without a mode that of the contract.
    pub fn write_file(
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
        let writing = self.writing(directory.unwrap_or_else(|| ".".into()), mode, around.writer()?);
        write(&writing, &interactions)
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
        crate::json::to_text(&self.server.outcome())
    }

    /// The requests that came, as JSON text.
    pub fn received_text(&self) -> String {
        let received = self.server.received();
        let entries: Vec<_> = received
            .iter()
            .map(|received| JournalEntry::new(received, &self.taken))
            .collect();
        crate::json::to_text(&entries)
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
        write(&self.contract.writing(directory, mode, self.writer.clone()), &to_write)
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
