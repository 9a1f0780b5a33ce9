//! What a contract does unless a call says otherwise.

use std::path::PathBuf;

use serde::Deserialize;

use crate::error::{ArgumentError, OPTIONS};
use crate::plugins::PluginOptions;
use crate::read::{Milliseconds, Seed, Size};

/// What a contract does unless a call says otherwise.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContractOptions {
    /// The version that files are written in; V4 when absent.
    pub specification: Option<String>,
    /// Where the contract file goes at the end of a test.
    pub directory: Option<PathBuf>,
    /// Whether what stands in the file already is kept; it is when absent.
    pub write_mode: Option<WriteMode>,
    /// What becomes of body fields that the contract does not name; ignored when absent.
    pub unexpected_fields: Option<UnexpectedFields>,
    /// Determines generated values; other ones in every run when absent.
    pub seed: Option<Seed>,
    /// Most bytes that generators make: for the examples of one value that is defined, for one response, for one message; 64
    /// MiB when absent.
    pub generated_size: Option<Size<1>>,
    /// How long a test may take, without end when zero; somewhat less than its runner allows when absent.
    pub timeout: Option<Milliseconds<0>>,
    /// How long to wait for others who write the contract file; 4 s when absent.
    pub lock_timeout: Option<Milliseconds<1>>,
    /// Whether interactions that no test defines any more go from the file; they do when absent.
    pub remove_obsolete: Option<bool>,
    /// Where plugins are, and how long they are waited for.
    pub plugins: Option<PluginOptions>,
}

impl ContractOptions {
    /// Reads options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        crate::read::options(OPTIONS, crate::json::parse_json(text)?)
    }
}

/// Whether what stands in the file already is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// Keep other interactions of the file.
    #[default]
    Merge,
    /// Begin the file anew, once for each run of the tests; later writes of the run, from whichever process, merge.
    Overwrite,
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
