//! The consumer's side assembled: builder, mock server and contract file.

use std::path::PathBuf;
use std::sync::Arc;

use contract_mock_server::{MockServer, Outcome, ServedInteraction, ServerMismatch, ServerOptions, StartError};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::builder::{ContractBuilder, Kind, Taken};
use crate::error::ArgumentError;
use crate::file::{self, WriteMode, WriteProblem, Writing};
use crate::journal::JournalEntry;

/// How interactions are served, and what becomes of them. From JSON, in camelCase.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ServeOptions {
    /// The address to listen on; 127.0.0.1 when absent.
    pub host: Option<String>,
    /// The port; a free one when absent or 0.
    pub port: Option<u16>,
    /// Whether pre-flight requests of browsers are answered; true when absent.
    pub cors: Option<bool>,
    /// Whether body fields that the contract does not name are mismatches; false when absent.
    pub unexpected_fields_are_errors: bool,
    /// Whether interactions that passed or failed before are served again.
    pub all: bool,
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
    /// Whether the interactions have been given back.
    settled: Mutex<bool>,
}

/// What a server says when it stops.
#[derive(Serialize)]
struct Stopped<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    text: String,
    file: Option<PathBuf>,
}

impl ServeOptions {
    /// Reads options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        serde_json::from_str(text)
            .map_err(|error| ArgumentError::new("ERR_CONTRACT_OPTIONS", format!("serve: {error}")))
    }
}

impl ContractBuilder {
    /// Takes the interactions defined since the last time and serves them.
    pub async fn serve(&self, options: ServeOptions) -> Result<MockSession, ServeError> {
        let taken = self.take(Kind::Http, options.all)?;
        let interactions: Vec<ServedInteraction> = taken
            .iter()
            .map(|taken| Arc::clone(&taken.interaction).into())
            .collect();
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
            settled: Mutex::new(false),
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
        cors: options.cors.unwrap_or(defaults.cors),
        strict: options.unexpected_fields_are_errors,
        specification: contract.specification(),
        seed: options.seed,
        clock: contract_mock_server::Clock::new(crate::clock::now),
        ..ServerOptions::default()
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

    /// Stops the server, gives the interactions back and writes those that passed. The second call only tells the outcome.
    pub async fn stop(&self, result: TestResult, colour: bool) -> Result<String, WriteProblem> {
        let outcome = self.server.stop().await;
        let mut settled = self.settled.lock().await;
        if *settled {
            return Ok(text_of(&outcome, colour, None));
        }
        *settled = true;
        let passed: Vec<bool> = match result {
            TestResult::Failed => vec![false; self.taken.len()],
            TestResult::Unknown if !outcome.matched => vec![false; self.taken.len()],
            TestResult::Passed | TestResult::Unknown => (0..self.taken.len())
                .map(|index| !is_against(&outcome, index))
                .collect(),
        };
        self.contract.finish(&self.taken, |index| passed[index]);
        let to_write: Vec<Taken> = self
            .taken
            .iter()
            .zip(&passed)
            .filter(|(_, passed)| **passed)
            .map(|(taken, _)| taken.clone())
            .collect();
        let file = match &self.writing {
            Some(writing) if !to_write.is_empty() => Some(write(writing, &to_write)?),
            _ => None,
        };
        Ok(text_of(&outcome, colour, file))
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
