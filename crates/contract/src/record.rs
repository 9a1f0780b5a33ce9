//! Derives contracts from recorded traffic: HTTP archives, and the traffic of a recording proxy.

mod call;
mod proxy;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use contract_model::{Object, SpecificationVersion};
use contract_recording::{Exchange, Recording, Selected};
use contract_report::escape_line;

pub use call::{RecordCall, RecordedFile, RecordedForm};
pub use proxy::{ProxyOptions, RecordingProxy};

use crate::failure::Failure;
use crate::options::CallSite;
use contract_call::error::{ArgumentError, NAME, OPTIONS};
use contract_call::files;
use contract_definition::{ClaimedInteraction, WriteMode};
use contract_file::{LOCK_TIMEOUT, Writing};

/// Maximum size of an HTTP archive, in bytes.
const ARCHIVE_LIMIT: u64 = 512 << 20;

/// The code location of recorded interactions, for errors about duplicate interactions.
const ORIGIN: &str = "a recording";

/// Options for a recording.
#[derive(Clone, Debug, Default)]
pub struct RecordOptions {
    /// Name of the consumer. Must not be empty.
    pub consumer: String,
    /// Name of the provider. Must not be empty.
    pub provider: String,
    /// Names of headers to omit, in addition to credentials and headers that depend on the connection.
    pub omit_headers: Vec<String>,
    /// Maximum size of a recorded body, in bytes. Requests with larger bodies are not recorded, and larger response
    /// bodies are omitted. Default: 1048576 (1 MiB).
    pub body_limit: Option<usize>,
}

/// A contract that was derived from recorded traffic.
#[derive(Clone, Debug)]
pub struct RecordedContract {
    recording: Recording,
    requests: usize,
}

impl RecordOptions {
    fn options(&self) -> Result<contract_recording::Options, ArgumentError> {
        for (name, value) in [("consumer", &self.consumer), ("provider", &self.provider)] {
            if value.trim().is_empty() {
                return Err(ArgumentError::new(NAME, format!("the {name} name is empty")).for_argument(name));
            }
        }
        let mut options = contract_recording::Options::new(self.consumer.as_str(), self.provider.as_str());
        options.omit_headers.clone_from(&self.omit_headers);
        options.body_limit = self.body_limit.unwrap_or(options.body_limit);
        Ok(options)
    }
}

/// Derives a contract from an HTTP archive (HAR). Only requests whose URLs start with `target`, such as
/// `https://api.example.com/v1`, are recorded. If `target` is `None`, all API requests in the archive must have the
/// same origin.
pub fn record_har(path: &Path, target: Option<&str>, options: &RecordOptions) -> Result<RecordedContract, Failure> {
    let options = options.options()?;
    let advice = "export fewer requests";
    let bytes = files::read(path, ARCHIVE_LIMIT, advice)
        .map_err(|error| Failure::source(format!("{}: {error}", path.display())))?;
    let har = contract_recording::read_har(&bytes, target)
        .map_err(|error| Failure::source(format!("{}: {error}", path.display())))?;
    Ok(RecordedContract::from_selected(har, &options))
}

impl RecordedContract {
    fn from_selected(selected: Selected, options: &contract_recording::Options) -> Self {
        let mut recorded = Self::new(selected.exchanges, options);
        recorded.requests += selected.skipped.len();
        recorded.recording.skipped.extend(selected.skipped);
        recorded
    }

    fn new(exchanges: Vec<Exchange>, options: &contract_recording::Options) -> Self {
        Self {
            requests: exchanges.len(),
            recording: contract_recording::infer(exchanges, options),
        }
    }

    /// Returns the number of interactions in the contract.
    pub fn interactions(&self) -> usize {
        self.recording.contract.interactions.len()
    }

    /// Returns the number of requests in the traffic, including those that are not part of the contract.
    pub fn requests(&self) -> usize {
        self.requests
    }

    /// Merges the interactions into the contract file in this directory, and returns the path of the file.
    pub fn write(&self, directory: &Path) -> Result<PathBuf, Failure> {
        let contract = &self.recording.contract;
        let writing = Writing {
            directory: directory.to_owned(),
            consumer: contract.consumer.clone(),
            provider: contract.provider.clone(),
            specification: SpecificationVersion::V4,
            metadata: Object::new(),
            mode: WriteMode::Merge,
            writer: CallSite::default().writer()?,
            lock_timeout: LOCK_TIMEOUT,
        };
        let interactions = contract.interactions.iter().cloned();
        let interactions: Vec<_> = interactions
            .map(|interaction| ClaimedInteraction::unclaimed(interaction, ORIGIN))
            .collect();
        Ok(contract_file::write(&writing, &interactions)?)
    }

    /// Writes a consumer test in TypeScript into this directory, and returns its path. Fails if the file exists,
    /// because it may have been edited.
    pub fn write_code(&self, directory: &Path) -> Result<PathBuf, Failure> {
        let path = self.code_path(directory);
        let create = || {
            std::fs::create_dir_all(directory)?;
            std::io::Write::write_all(
                &mut std::fs::OpenOptions::new().write(true).create_new(true).open(&path)?,
                contract_recording::to_code(&self.recording.contract).as_bytes(),
            )
        };
        create().map_err(|error| {
            let advice = if error.kind() == std::io::ErrorKind::AlreadyExists {
                "; move or delete the existing file first"
            } else {
                ""
            };
            let problem = crate::file_problem(&path, "write the test to", &error);
            Failure::from(ArgumentError::new(OPTIONS, format!("{problem}{advice}")))
        })?;
        Ok(path)
    }

    fn code_path(&self, directory: &Path) -> PathBuf {
        let contract = &self.recording.contract;
        let name = crate::file_name(&contract.consumer, &contract.provider);
        directory.join(name).with_extension("test.ts")
    }

    /// Returns a summary for users: what was recorded, not recorded, omitted, and guessed.
    pub fn summary(&self) -> String {
        let recording = &self.recording;
        let mut text = String::new();
        let mut line = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        let plural = |count: usize, singular: &str| format!("{count} {singular}{}", if count == 1 { "" } else { "s" });
        let merged = match recording.merged {
            0 => String::new(),
            count => format!(" ({count} merged with others)"),
        };
        line(&format!(
            "Recorded {} as {}{merged}",
            plural(self.requests, "request"),
            plural(self.interactions(), "interaction")
        ));
        if !recording.skipped.is_empty() {
            line("\nNot recorded:");
            for skipped in &recording.skipped {
                line(&format!(
                    "  {}: {}",
                    escape_line(&skipped.request),
                    escape_line(&skipped.reason)
                ));
            }
        }
        if !recording.omitted.is_empty() {
            let names: Vec<_> = recording.omitted.iter().map(|name| escape_line(name)).collect();
            line(
                "\nValues that are not in the contract, because they may be credentials or depend on the client, the connection, or the time:",
            );
            line(&format!("  {}", names.join(", ")));
        }
        if !recording.guesses.is_empty() {
            line("\nGuessed rules (remove those that the consumer does not need):");
        }
        let mut interaction = None;
        for guess in &recording.guesses {
            if interaction != Some(&guess.interaction) {
                line(&format!("  {}", escape_line(&guess.interaction)));
                interaction = Some(&guess.interaction);
            }
            line(&format!(
                "    {}: {}",
                escape_line(&guess.place),
                escape_line(&guess.rule)
            ));
        }
        if !recording.ambiguous.is_empty() {
            line("\nRequests with multiple responses (add a provider state to each interaction):");
            for request in &recording.ambiguous {
                line(&format!("  {}", escape_line(request)));
            }
        }
        if self.interactions() > 0 {
            let _ = writeln!(
                text,
                "\nA recording does not show which provider states the interactions require, which fields the consumer uses, \
                 or which fields can be null or absent. Add this information, and verify the contract."
            );
        }
        text
    }
}
