//! The consumer's side assembled: builder, mock server and contract file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract_mock_server::{
    Limits, MockServer, Order, Outcome, ServedInteraction, ServerCertificate, ServerMismatch, ServerOptions,
    StartError, Transport,
};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::builder::{ContractBuilder, InteractionBuilder, Kind, Taken};
use crate::error::{ArgumentError, OPTIONS};
use crate::file::{self, WriteMode, WriteProblem, Writer, Writing};
use crate::journal::JournalEntry;
use crate::message::{Message, option, told};
use crate::read::{Milliseconds, Seed, Size};

/// How interactions are served, and what becomes of them. What is absent is as the contract says, or as stated here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServeOptions {
    /// The address to listen on; 127.0.0.1 when absent.
    pub host: Option<String>,
    /// The same, as other languages call it.
    pub addr: Option<String>,
    /// The port; a free one when absent or 0.
    pub port: Option<u16>,
    /// HTTP or HTTPS; HTTP when absent and without `tls`.
    pub transport: Option<TransportName>,
    /// The certificate for HTTPS; one of the server's own when absent.
    pub tls: Option<Certificate>,
    /// Whether pre-flight requests of browsers are answered; true when absent.
    pub cors: Option<bool>,
    /// Whether a connection serves several requests; true when absent.
    pub keep_alive: Option<bool>,
    /// Bounds of size and time.
    pub limits: Option<LimitOptions>,
    /// What becomes of body fields that the contract does not name; ignored when absent.
    pub unexpected_fields: Option<UnexpectedFields>,
    /// Whether interactions that match the same request answer one after another.
    pub in_order: Option<bool>,
    /// Whether interactions that passed or failed before are served again.
    pub all: Option<bool>,
    /// Exactly these interactions, whether or not they were served before.
    #[serde(skip)]
    pub only: Option<Vec<InteractionBuilder>>,
    /// How long the test may take; 60 s when absent, without end when zero. Whoever runs the test keeps to it.
    pub timeout: Option<Milliseconds<0>>,
    /// Determines generated values.
    pub seed: Option<Seed>,
    /// Where the contract file goes at the end; it is not written when absent.
    pub directory: Option<PathBuf>,
    /// Whether the file is begun anew, once for each run of the tests.
    pub overwrite: Option<bool>,
    /// Who writes the file.
    #[serde(skip)]
    pub writer: Writer,
}

/// What a mock server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransportName {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

/// What becomes of body fields that a contract does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnexpectedFields {
    /// They are listed, and nothing more.
    Ignore,
    /// They are mismatches.
    Error,
}

/// A certificate with its chain and its key, as PEM.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Certificate {
    /// The chain, the server's own certificate first.
    pub cert: Option<String>,
    /// The key.
    pub key: Option<String>,
}

/// Bounds of a mock server: sizes in bytes, times in milliseconds. What is absent is as [`Limits`] has it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitOptions {
    /// Largest body of a request.
    pub body_size: Option<Size<0>>,
    /// Largest head of a request.
    pub header_size: Option<Size<8192>>,
    /// Most headers of a request; the HTTP library holds no more than that.
    pub header_count: Option<Size<1>>,
    /// What is generated for one response.
    pub generated_size: Option<Size<1>>,
    /// Connections open at a time.
    pub connections: Option<Size<1>>,
    /// To send the head of a request, from its first byte.
    pub header_timeout: Option<Milliseconds<1>>,
    /// In which nothing moves on a connection.
    pub idle_timeout: Option<Milliseconds<1>>,
    /// To send the body of a request and take the answer.
    pub request_timeout: Option<Milliseconds<1>>,
    /// For a TLS handshake.
    pub handshake_timeout: Option<Milliseconds<1>>,
    /// That a request in flight has left when the server stops.
    pub stop_timeout: Option<Milliseconds<1>>,
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

impl ServeOptions {
    /// Reads options from JSON text. Sizes are in bytes, times in milliseconds.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let read: Result<Self, _> = crate::names::parse_json(text).and_then(|json| crate::read::options(OPTIONS, json));
        read.and_then(|options| options.transport().map(|_| options.clone()))
            .map_err(|error| error.of("serve"))
    }

    fn transport(&self) -> Result<Transport, ArgumentError> {
        let refused = |message: Message| Err(ArgumentError::new(OPTIONS, message).about("tls"));
        match (&self.tls, self.transport) {
            (None, Some(TransportName::Https)) => Ok(Transport::Https(ServerCertificate::self_signed())),
            (None, _) => Ok(Transport::Http),
            (Some(_), Some(TransportName::Http)) => refused(told![
                option("tls"),
                " is for the transport https; leave one of both out"
            ]),
            (
                Some(Certificate {
                    cert: Some(cert),
                    key: Some(key),
                }),
                _,
            ) => Ok(Transport::Https(ServerCertificate::given(cert, key))),
            (Some(_), _) => refused(told![
                option("tls"),
                " needs both cert and key, as PEM; without it, https makes a certificate of its own"
            ]),
        }
    }
}

impl LimitOptions {
    fn limits(&self) -> Limits {
        let defaults = Limits::default();
        let time = |chosen: Option<Milliseconds<1>>, default| chosen.map_or(default, |time| time.0);
        Limits {
            body: self.body_size.map_or(defaults.body, Size::size),
            head: self.header_size.map_or(defaults.head, Size::size),
            generated: self.generated_size.map_or(defaults.generated, Size::size),
            headers: self.header_count.map_or(defaults.headers, Size::size),
            connections: self.connections.map_or(defaults.connections, Size::size),
            head_time: time(self.header_timeout, defaults.head_time),
            idle_time: time(self.idle_timeout, defaults.idle_time),
            request_time: time(self.request_timeout, defaults.request_time),
            handshake_time: time(self.handshake_timeout, defaults.handshake_time),
            stop_time: time(self.stop_timeout, defaults.stop_time),
            ..defaults
        }
    }
}

impl ContractBuilder {
    /// Takes the interactions defined since the last time and serves them.
    pub async fn serve(&self, options: ServeOptions) -> Result<MockSession, ServeError> {
        let taken = match &options.only {
            Some(only) => self.take_only(only)?,
            None => self.take(Kind::Http, options.all.unwrap_or(false))?,
        };
        let locals = self.locals(&taken);
        let interactions = taken.iter().zip(locals).map(|(taken, local)| ServedInteraction {
            interaction: Arc::clone(&taken.interaction),
            times: local.times,
            optional: local.optional,
        });
        let started = MockServer::start(interactions, server_options(&options, self)?).await;
        let server = match started {
            Ok(server) => server,
            Err(error) => {
                self.finish(&taken, |_| false);
                return Err(error.into());
            }
        };
        let mode = if options.overwrite.unwrap_or(false) {
            WriteMode::Overwrite
        } else {
            WriteMode::Merge
        };
        let writing = options
            .directory
            .map(|directory| self.writing(directory, mode, options.writer));
        Ok(MockSession {
            server,
            contract: self.clone(),
            taken,
            writing,
            settled: Mutex::default(),
            timeout: options.timeout.map_or(TIMEOUT, |time| time.0),
        })
    }

    pub(crate) fn writing(&self, directory: PathBuf, mode: WriteMode, writer: Writer) -> Writing {
        Writing {
            directory,
            consumer: self.consumer(),
            provider: self.provider(),
            specification: self.specification(),
            metadata: self.metadata(),
            mode,
            writer,
        }
    }

    /// Writes the interactions that passed and those never served into the directory, and returns the file's path.
    pub fn write_file(&self, directory: PathBuf, mode: WriteMode, writer: Writer) -> Result<PathBuf, WriteProblem> {
        let interactions = self.writable()?;
        write(&self.writing(directory, mode, writer), &interactions)
    }
}

/// Waiting for a lock or a disk holds no other task up: the runtime's other threads take over meanwhile.
pub(crate) fn write(writing: &Writing, interactions: &[Taken]) -> Result<PathBuf, WriteProblem> {
    tokio::task::block_in_place(|| file::write(writing, interactions))
}

fn server_options(options: &ServeOptions, contract: &ContractBuilder) -> Result<ServerOptions, ArgumentError> {
    let defaults = ServerOptions::default();
    let host = options.host.as_ref().or(options.addr.as_ref());
    Ok(ServerOptions {
        host: host.cloned().unwrap_or(defaults.host),
        port: options.port.unwrap_or(defaults.port),
        transport: options.transport()?,
        keep_alive: options.keep_alive.unwrap_or(defaults.keep_alive),
        limits: options.limits.unwrap_or_default().limits(),
        order: if options.in_order.unwrap_or(false) {
            Order::Listed
        } else {
            Order::Balanced
        },
        cors: options.cors.unwrap_or(defaults.cors),
        strict: options.unexpected_fields == Some(UnexpectedFields::Error),
        specification: contract.specification(),
        seed: options.seed.map(|seed| seed.0),
        clock: contract_mock_server::Clock::new(crate::clock::now),
    })
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
    pub async fn write_file(
        &self,
        directory: PathBuf,
        mode: WriteMode,
        writer: Writer,
    ) -> Result<PathBuf, WriteProblem> {
        let settled = self.settled.lock().await;
        let to_write = match &*settled {
            Some(passed) => self.chosen(passed),
            None => self.chosen(&self.passed(&self.server.outcome())),
        };
        write(&self.contract.writing(directory, mode, writer), &to_write)
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
