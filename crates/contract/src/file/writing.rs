//! What is written, and who writes it.

use std::path::PathBuf;
use std::time::Duration;

use contract_model::{Object, SpecificationVersion, Text};
use serde::Deserialize;

use super::run::RunFacts;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_definition::WriteMode;

/// Who writes: the run, and the test as far as it is known.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Writer {
    /// What tells the run.
    pub run: RunFacts,
    /// The test file, absolute; nothing is remembered without it.
    pub file: Option<String>,
    /// The full name of the test.
    pub test: Option<String>,
}

impl Writer {
    /// Reads it from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        serde_json::from_str(text).map_err(|error| ArgumentError::new(OPTIONS, format!("who writes: {error}")))
    }
}

/// What is to be written, and where.
#[derive(Clone, Debug)]
pub(crate) struct Writing {
    pub(crate) directory: PathBuf,
    pub(crate) consumer: Text,
    pub(crate) provider: Text,
    pub(crate) specification: SpecificationVersion,
    pub(crate) metadata: Object,
    pub(crate) mode: WriteMode,
    /// Who writes.
    pub(crate) writer: Writer,
    /// How long to wait for others who write the file.
    pub(crate) lock_timeout: Duration,
}

/// How long to wait for others who write the file when nothing else is said: less than a test may take in most runners.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
