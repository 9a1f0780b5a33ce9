//! Options for a contract.

use std::path::PathBuf;

use contract_model::Json;
use serde::{Deserialize, Deserializer, de};

use crate::plugins::PluginOptions;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::read::{Document, Milliseconds, Seed, Size, Whole};

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
    /// Seed for generated values, which are then the same in every run.
    pub seed: Option<Seed>,
    /// Maximum number of bytes that generators produce for the examples of one value, for one message, or for one
    /// response (unless the server's limits override it). Default: 67108864 (64 MiB).
    pub generated_size: Option<Size<1>>,
    /// Timeout for a test or message handler in milliseconds; 0 disables it. Default: nine tenths of the test runner's
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
    /// Whether tests also run against the other answers (responses or messages) that the contract allows. Default: the
    /// environment variable `CONTRACT_VARIANTS`, otherwise `off`.
    pub variants: Option<VariantChoice>,
}

/// The variants that a test runs against. In JSON, the name of a set, or an object with options.
#[derive(Clone, Debug, Default)]
pub struct VariantChoice(pub VariantOptions);

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VariantOptions {
    /// Kinds of variants such as `null` and `empty-list`, and sets of kinds: `default`, `values`, and `all`. Default:
    /// the set `default`.
    pub include: Option<Vec<String>>,
    /// Locations in the body, such as `$.internalNote`, that always have their example value.
    pub except: Option<Vec<String>>,
    /// Maximum number of responses or messages per test, not counting those that isolate a failure. Default: 30.
    pub max: Option<Whole<1, 10_000>>,
    /// Whether pairs of values at different locations are also tried in combination. Default: false.
    pub pairs: Option<bool>,
    /// Seed for the strings that the kinds `member` and `text` generate. Default: 0.
    pub seed: Option<Seed>,
    /// What to do about body fields that do not affect the callback's result. By default, such fields are not searched.
    pub unread: Option<UnreadFields>,
}

/// What to do about a field that the consumer does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnreadFields {
    /// Prints the fields.
    Print,
    /// Fails the test.
    Error,
}

impl VariantChoice {
    /// Selects the kinds in the set with this name, or no variants if the name is `off`.
    pub fn set(name: &str) -> Self {
        Self(VariantOptions {
            include: Some(vec![name.to_owned()]),
            ..VariantOptions::default()
        })
    }
}

impl<'de> Deserialize<'de> for VariantChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Document(json) = Document::deserialize(deserializer)?;
        match json {
            Json::String(name) => Ok(Self::set(&name)),
            json @ Json::Object(_) if contract_call::value::foreign(&json).is_none() => {
                let read = contract_call::read::value(json);
                read.map(Self)
                    .map_err(|error| de::Error::custom(error.into_error(OPTIONS).to_string()))
            }
            other => Err(contract_call::read::wrong(
                "the name of a set of variants, or an object with options",
                &other,
            )),
        }
    }
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
