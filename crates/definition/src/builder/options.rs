//! Options of a contract.

use std::path::PathBuf;

use serde::Deserialize;

use crate::plugins::PluginOptions;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::read::{Milliseconds, Seed, Size};

/// Options of a contract.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContractOptions {
    /// Specification version of the contract file. Default: `V4`.
    pub specification: Option<String>,
    /// Directory for the contract file, which is written at the end of each test. Default: the environment variable
    /// `CONTRACT_OUTPUT_DIR`; without either, no file is written.
    pub directory: Option<PathBuf>,
    /// `overwrite` starts the file anew once per test run. Workers of one test runner belong to one run, as do all
    /// processes with the same `CONTRACT_RUN_ID`. Default: `merge`.
    pub write_mode: Option<WriteMode>,
    /// Whether body fields that the contract does not mention fail the test. Default: `ignore`.
    pub unexpected_fields: Option<UnexpectedFields>,
    /// Seed for generated values, which makes them the same in every run.
    pub seed: Option<Seed>,
    /// Maximum number of bytes that generators produce: for the examples of one value, for one response (unless the
    /// limits of its server override it), for one message. Default: 67108864 (64 MiB).
    pub generated_size: Option<Size<1>>,
    /// Timeout of a test or message handler in milliseconds; 0 disables it. Default: nine tenths of the limit of the
    /// test runner (Jest, Vitest, Mocha's usual 2000), otherwise 4000, so that its error comes before the runner's;
    /// 60000 under a runner without a limit, such as node:test.
    pub timeout: Option<Milliseconds<0>>,
    /// Time to wait for another process that writes the contract file, in milliseconds. Default: 4000.
    pub lock_timeout: Option<Milliseconds<1>>,
    /// Whether interactions that no test defines any more are removed from the file, if the test runner reports its
    /// tests. Default: true, unless `CONTRACT_REMOVE_OBSOLETE` is `false`.
    pub remove_obsolete: Option<bool>,
    /// Plugin directories and timeouts.
    pub plugins: Option<PluginOptions>,
}

impl ContractOptions {
    /// Reads options from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, contract_call::json::parse_json(text)?)
    }
}

/// How an existing contract file is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// Keep the other interactions of the file.
    #[default]
    Merge,
    /// Replace the file once per test run. Later writes of the same run merge, even from other processes.
    Overwrite,
}

/// How body fields that the contract does not define are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnexpectedFields {
    /// They are listed, but not mismatches.
    Ignore,
    /// They are mismatches.
    Error,
}
