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

/// How to write a contract file.
#[derive(Clone, Debug)]
pub struct Writing {
    /// The directory of the file. It is created if it is missing.
    pub directory: PathBuf,
    /// Name of the consumer.
    pub consumer: Text,
    /// Name of the provider.
    pub provider: Text,
    /// The specification version of a new file. A file in a later version keeps its version.
    pub specification: SpecificationVersion,
    /// Metadata that is merged into that of the file.
    pub metadata: Object,
    /// Whether interactions of earlier runs are kept.
    pub mode: WriteMode,
    /// The test run and the test that write the file.
    pub writer: Writer,
    /// Maximum time to wait while other processes write the file.
    pub lock_timeout: Duration,
}

/// Default for [`Writing::lock_timeout`]. It is shorter than the usual timeout of a test.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
