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
    /// The version that files are written in. Default: `V4`.
    pub specification: Option<String>,
    /// Where the contract file is written at the end of a test. Default: the environment variable `CONTRACT_OUTPUT_DIR`;
    /// without either, it is not.
    pub directory: Option<PathBuf>,
    /// `overwrite` begins the file anew, once for each run of the tests: workers of one test runner belong to one run, and
    /// so do all processes with the same `CONTRACT_RUN_ID`. Default: `merge`.
    pub write_mode: Option<WriteMode>,
    /// Whether body fields that the contract does not name fail the test. Default: `ignore`.
    pub unexpected_fields: Option<UnexpectedFields>,
    /// Makes generated values the same in every run.
    pub seed: Option<Seed>,
    /// Most bytes that generators make: for the examples of one value that is defined, for one response (unless the limits
    /// of its server say otherwise), for one message. Default: 67108864 (64 MiB).
    pub generated_size: Option<Size<1>>,
    /// Milliseconds that a test, or a message's handler, may take; 0 is without end. Default: nine tenths of what the test
    /// runner allows (Jest, Vitest, Mocha's usual 2000), else 4000, so that its error comes before the runner's; 60000
    /// under a runner that allows any time, such as node:test.
    pub timeout: Option<Milliseconds<0>>,
    /// Milliseconds to wait for others who write the contract file. Default: 4000.
    pub lock_timeout: Option<Milliseconds<1>>,
    /// Whether interactions that no test defines any more go from the file, where the test runner tells of its tests.
    /// Default: true, unless `CONTRACT_REMOVE_OBSOLETE` is `false`.
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
