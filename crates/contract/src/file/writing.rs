//! The options for writing a contract file.

use std::path::PathBuf;
use std::time::Duration;

use contract_model::{Object, SpecificationVersion, Text};
use serde::Deserialize;

use super::run::RunFacts;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_definition::WriteMode;

/// The test run and the test that write a contract file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Writer {
    /// Identifies the test run.
    pub run: RunFacts,
    /// Absolute path of the test file. If it is `None`, it is not recorded which test wrote an interaction, so obsolete
    /// interactions are not removed.
    pub file: Option<String>,
    /// Full name of the test, or `None` if it is unknown.
    pub test: Option<String>,
}

impl Writer {
    /// Reads the writer from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        serde_json::from_str(text).map_err(|error| ArgumentError::new(OPTIONS, format!("invalid writer: {error}")))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Writing {
    pub(crate) directory: PathBuf,
    pub(crate) consumer: Text,
    pub(crate) provider: Text,
    pub(crate) specification: SpecificationVersion,
    pub(crate) metadata: Object,
    pub(crate) mode: WriteMode,
    pub(crate) writer: Writer,
    /// Maximum time to wait while other processes write the file.
    pub(crate) lock_timeout: Duration,
}

/// Default for [`Writing::lock_timeout`]. It is shorter than the usual timeout of a test.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
