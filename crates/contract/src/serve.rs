//! The consumer's side assembled: builder, mock server and contract file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_mock_server::{
    Limits, MockServer, Order, Outcome, ServedInteraction, ServerCertificate, ServerMismatch, ServerOptions,
    StartError, Transport,
};
use serde::Serialize;
use tokio::sync::Mutex;

use crate::builder::{ContractBuilder, InteractionBuilder, Kind, Taken};
use crate::error::ArgumentError;
use crate::file::{self, WriteMode, WriteProblem, Writing};
use crate::journal::JournalEntry;
use crate::options::{Given, OPTIONS};

/// How interactions are served, and what becomes of them.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// The address to listen on; 127.0.0.1 when absent.
    pub host: Option<String>,
    /// The port; a free one when absent or 0.
    pub port: Option<u16>,
    /// HTTP or HTTPS.
    pub transport: Transport,
    /// Whether pre-flight requests of browsers are answered; true when absent.
    pub cors: Option<bool>,
    /// Whether a connection serves several requests; true when absent.
    pub keep_alive: Option<bool>,
    /// Bounds of size and time.
    pub limits: Limits,
    /// Whether body fields that the contract does not name are mismatches.
    pub unexpected_fields_are_errors: bool,
    /// Whether interactions that match the same request answer one after another.
    pub in_order: bool,
    /// Whether interactions that passed or failed before are served again.
    pub all: bool,
    /// Exactly these interactions, whether or not they were served before.
    pub only: Option<Vec<InteractionBuilder>>,
    /// How long the test may take; 60 s when absent, without end when zero. Whoever runs the test keeps to it.
    pub timeout: Option<Duration>,
    /// Determines generated values.
    pub seed: Option<u64>,
    /// Where the contract file goes at the end; it is not written when absent.
    pub directory: Option<PathBuf>,
    /// Whether the file is begun anew, once per process.
    pub overwrite: bool,
}

/// Why interactions are not served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An interaction or an option that makes no sense.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The server did not start.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl ServeError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Argument(error) => error.code,
            Self::Start(error) if error.is_address_in_use() => "ERR_CONTRACT_ADDRESS_IN_USE",
            Self::Start(error) if error.is_bad_address() => "ERR_CONTRACT_ADDRESS",
            Self::Start(error) if error.is_permission_denied() => "ERR_CONTRACT_ADDRESS_PERMISSION",
            Self::Start(error) if error.is_tls() => "ERR_CONTRACT_TLS",
            Self::Start(error) if error.is_rule() => "ERR_CONTRACT_MATCHER",
            Self::Start(_) => "ERR_CONTRACT_SERVER",
        }
    }
}

/// How the test went that used the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// Its function resolved.
    Passed,
    /// Its function failed.
    Failed,
    /// Nobody knows; the server's own verdict decides.
    Unknown,
}

/// A mock server that runs, and the interactions that it has taken.
#[derive(Debug)]
pub struct MockSession {
    server: MockServer,
    contract: ContractBuilder,
    taken: Vec<Taken>,
    writing: Option<Writing>,
    /// Which of the interactions passed, once they have been given back.
    settled: Mutex<Option<Vec<bool>>>,
    timeout: Duration,
}

/// How long a test may take when nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What a server says when it stops.
#[derive(Serialize)]
struct Stopped<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    text: String,
    file: Option<PathBuf>,
}

/// The names of [`ServeOptions`] in JSON.
const NAMES: [&str; 14] = [
    "host",
    "port",
    "transport",
    "tls",
    "cors",
    "keepAlive",
    "limits",
    "unexpectedFields",
    "inOrder",
    "all",
    "timeout",
    "seed",
    "directory",
    "overwrite",
];

/// The names of [`Limits`] in JSON.
const LIMITS: [&str; 8] = [
    "bodySize",
    "headerSize",
    "connections",
    "headerTimeout",
    "idleTimeout",
    "requestTimeout",
    "handshakeTimeout",
    "stopTimeout",
];

impl ServeOptions {
    /// Reads options from JSON text. Sizes are in bytes, times in milliseconds.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let json = crate::names::parse_json(text)?;
        let given = Given::new("serve", &json, &NAMES)?;
        let limits = match given.get("limits") {
            Some(limits) => limits_of(&Given::new("serve: limits", limits, &LIMITS)?)?,
            None => Limits::default(),
        };
        Ok(Self {
            host: given.text("host")?.map(str::to_owned),
            port: given.whole("port", 0, 65535)?.and_then(|port| u16::try_from(port).ok()),
            transport: transport_of(&given)?,
            cors: given.choice("cors")?,
            keep_alive: given.choice("keepAlive")?,
            limits,
            unexpected_fields_are_errors: given.word("unexpectedFields", ["ignore", "error"])?.unwrap_or(false),
            in_order: given.flag("inOrder")?,
            all: given.flag("all")?,
            only: None,
            timeout: given.time_or_none("timeout")?,
            seed: given.whole("seed", 0, 1 << 53)?,
            directory: given.text("directory")?.map(PathBuf::from),
            overwrite: given.flag("overwrite")?,
        })
    }
}

fn transport_of(given: &Given<'_>) -> Result<Transport, ArgumentError> {
    let secure = given.word("transport", ["http", "https"])?;
    let Some(tls) = given.get("tls") else {
        return Ok(if secure == Some(true) {
            Transport::Https(ServerCertificate::self_signed())
        } else {
            Transport::Http
        });
    };
    let refused = |message: &str| Err(ArgumentError::new(OPTIONS, format!("serve: {message}")));
    if secure == Some(false) {
        return refused("tls is for the transport https; leave one of both out");
    }
    let tls = Given::new("serve: tls", tls, &["cert", "key"])?;
    match (tls.text("cert")?, tls.text("key")?) {
        (Some(cert), Some(key)) => Ok(Transport::Https(ServerCertificate::given(cert, key))),
        _ => refused("tls needs both cert and key, as PEM; without tls, https makes a certificate of its own"),
    }
}

fn limits_of(given: &Given<'_>) -> Result<Limits, ArgumentError> {
    let defaults = Limits::default();
    Ok(Limits {
        body: given.size("bodySize", 0)?.unwrap_or(defaults.body),
        head: given.size("headerSize", 8 << 10)?.unwrap_or(defaults.head),
        connections: given.size("connections", 1)?.unwrap_or(defaults.connections),
        head_time: given.time("headerTimeout")?.unwrap_or(defaults.head_time),
        idle_time: given.time("idleTimeout")?.unwrap_or(defaults.idle_time),
        request_time: given.time("requestTimeout")?.unwrap_or(defaults.request_time),
        handshake_time: given.time("handshakeTimeout")?.unwrap_or(defaults.handshake_time),
        stop_time: given.time("stopTimeout")?.unwrap_or(defaults.stop_time),
        ..defaults
    })
}

impl ContractBuilder {
    /// Takes the interactions defined since the last time and serves them.
    pub async fn serve(&self, options: ServeOptions) -> Result<MockSession, ServeError> {
        let taken = match &options.only {
            Some(only) => self.take_only(only)?,
            None => self.take(Kind::Http, options.all)?,
        };
        let locals = self.locals(&taken);
        let interactions = taken.iter().zip(locals).map(|(taken, local)| ServedInteraction {
            interaction: Arc::clone(&taken.interaction),
            times: local.times,
            optional: local.optional,
        });
        let started = MockServer::start(interactions, server_options(&options, self)).await;
        let server = match started {
            Ok(server) => server,
            Err(error) => {
                self.finish(&taken, |_| false);
                return Err(error.into());
            }
        };
        let mode = if options.overwrite {
            WriteMode::Overwrite
        } else {
            WriteMode::Merge
        };
        let writing = options.directory.map(|directory| self.writing(directory, mode));
        Ok(MockSession {
            server,
            contract: self.clone(),
            taken,
            writing,
            settled: Mutex::default(),
            timeout: options.timeout.unwrap_or(TIMEOUT),
        })
    }

    pub(crate) fn writing(&self, directory: PathBuf, mode: WriteMode) -> Writing {
        Writing {
            directory,
            consumer: self.consumer(),
            provider: self.provider(),
            specification: self.specification(),
            metadata: self.metadata(),
            mode,
            lock_timeout: file::LOCK_TIMEOUT,
        }
    }

    /// Writes the interactions that passed and those never served into the directory, and returns the file's path.
    pub fn write_file(&self, directory: PathBuf, mode: WriteMode) -> Result<PathBuf, WriteProblem> {
        let interactions = self.writable()?;
        write(&self.writing(directory, mode), &interactions)
    }
}

/// Waiting for a lock or a disk holds no other task up: the runtime's other threads take over meanwhile.
pub(crate) fn write(writing: &Writing, interactions: &[Taken]) -> Result<PathBuf, WriteProblem> {
    tokio::task::block_in_place(|| file::write(writing, interactions))
}

fn server_options(options: &ServeOptions, contract: &ContractBuilder) -> ServerOptions {
    let defaults = ServerOptions::default();
    ServerOptions {
        host: options.host.clone().unwrap_or(defaults.host),
        port: options.port.unwrap_or(defaults.port),
        transport: options.transport.clone(),
        keep_alive: options.keep_alive.unwrap_or(defaults.keep_alive),
        limits: options.limits.clone(),
        order: if options.in_order {
            Order::Listed
        } else {
            Order::Balanced
        },
        cors: options.cors.unwrap_or(defaults.cors),
        strict: options.unexpected_fields_are_errors,
        specification: contract.specification(),
        seed: options.seed,
        clock: contract_mock_server::Clock::new(crate::clock::now),
    }
}

impl MockSession {
    /// The base URL.
    pub fn url(&self) -> String {
        self.server.url().to_string()
    }

    /// The host, as in the URL.
    pub fn host(&self) -> String {
        self.server.host().to_string()
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// `http` or `https`.
    pub fn transport(&self) -> &str {
        self.server.url().split(':').next().unwrap_or_default()
    }

    /// What clients have to trust, as PEM, when the certificate is self-signed.
    pub fn ca_certificate(&self) -> Option<String> {
        self.server.ca_certificate().map(str::to_owned)
    }

    /// What happened so far, a line for each thing: secrets blanked out, the latest thousand.
    pub fn log(&self) -> String {
        self.server.log()
    }

    /// The server's verdict so far.
    pub fn outcome(&self) -> Outcome {
        self.server.outcome()
    }

    /// The server's verdict so far as JSON text, its words for people under `text`.
    pub fn outcome_text(&self, colour: bool) -> String {
        text_of(&self.server.outcome(), colour, None)
    }

    /// The requests that came, as JSON text.
    pub fn received_text(&self) -> String {
        let received = self.server.received();
        let entries: Vec<_> = received
            .iter()
            .map(|received| JournalEntry::new(received, &self.taken))
            .collect();
        to_text(&entries)
    }

    /// How long the test may take; zero is without end.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Stops the server, gives the interactions back and writes those that passed. The second call only tells the outcome.
    pub async fn stop(&self, result: TestResult, colour: bool) -> Result<String, WriteProblem> {
        let outcome = self.server.stop().await;
        let mut settled = self.settled.lock().await;
        if settled.is_some() {
            return Ok(text_of(&outcome, colour, None));
        }
        let passed = match result {
            TestResult::Failed => vec![false; self.taken.len()],
            TestResult::Unknown if !outcome.matched => vec![false; self.taken.len()],
            TestResult::Passed | TestResult::Unknown => self.passed(&outcome),
        };
        self.contract.finish(&self.taken, |index| passed[index]);
        let to_write = self.chosen(&passed);
        *settled = Some(passed);
        let file = match &self.writing {
            Some(writing) if !to_write.is_empty() => Some(write(writing, &to_write)?),
            _ => None,
        };
        Ok(text_of(&outcome, colour, file))
    }

    /// Writes the interactions of this server that passed, while it runs those that passed so far, and returns the file's
    /// path.
    pub async fn write_file(&self, directory: PathBuf, mode: WriteMode) -> Result<PathBuf, WriteProblem> {
        let settled = self.settled.lock().await;
        let to_write = match &*settled {
            Some(passed) => self.chosen(passed),
            None => self.chosen(&self.passed(&self.server.outcome())),
        };
        write(&self.contract.writing(directory, mode), &to_write)
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

fn text_of(outcome: &Outcome, colour: bool, file: Option<PathBuf>) -> String {
    let text = if outcome.matched {
        String::new()
    } else {
        outcome.to_text(colour)
    };
    to_text(&Stopped { outcome, text, file })
}

/// What this crate serialises has text keys and no failing parts.
pub(crate) fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":{:?}}}", error.to_string()))
}
