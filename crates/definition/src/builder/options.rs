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
    /// `CONTRACT_OUTPUT_DIR`. If neither is set, no file is written.
    pub directory: Option<PathBuf>,
    /// How an existing contract file is updated: `merge` or `overwrite`. With `overwrite`, the first write of each test
    /// run replaces the file. The workers of a test runner belong to the same run, and so do all processes with the
    /// same `CONTRACT_RUN_ID`. Default: `merge`.
    pub write_mode: Option<WriteMode>,
    /// Whether body fields that the contract does not define fail the test: `ignore` or `error`. Default: `ignore`.
    pub unexpected_fields: Option<UnexpectedFields>,
    /// Seed for generated values. With a seed, they are the same in every run.
    pub seed: Option<Seed>,
    /// Maximum number of bytes that generators produce for the examples of one value, for one message, or for one
    /// response (unless the server's limits override it). Default: 67108864 (64 MiB).
    pub generated_size: Option<Size<1>>,
    /// Timeout of a test or message handler in milliseconds; 0 disables it. Default: nine tenths of the test runner's
    /// timeout (Jest, Vitest, or Mocha's default of 2000), so that this timeout is reported first. For test runners
    /// without a timeout, such as node:test, the default is 60000. In all other cases it is 4000.
    pub timeout: Option<Milliseconds<0>>,
    /// Maximum time to wait while another process writes the contract file, in milliseconds. Default: 4000.
    pub lock_timeout: Option<Milliseconds<1>>,
    /// Whether interactions that no test defines anymore are removed from the file. Requires a test runner that reports
    /// its tests. Default: true, unless `CONTRACT_REMOVE_OBSOLETE` is `false`.
    pub remove_obsolete: Option<bool>,
    /// Plugin directories and timeouts.
    pub plugins: Option<PluginOptions>,
}

impl ContractOptions {
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, contract_call::json::parse_json(text)?)
    }
}

/// How to write to an existing contract file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// Keeps the other interactions of the file.
    #[default]
    Merge,
    /// Replaces the file once per test run. Later writes of the same run are merged, even from other processes.
    Overwrite,
}

/// How to treat body fields that the contract does not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnexpectedFields {
    /// Lists the fields without reporting mismatches.
    Ignore,
    /// Reports the fields as mismatches.
    Error,
}
