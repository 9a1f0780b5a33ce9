//! What `contract verify` is told about contracts in files, directories and behind URLs.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(next_help_heading = "Contracts (at least one of them)")]
pub(crate) struct Contracts {
    /// A contract file, or a pattern such as 'contracts/*-orders.json' [repeatable]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,

    /// A directory that is searched for contracts, with all that is below it [repeatable]
    #[arg(short, long, value_name = "DIRECTORY")]
    pub(crate) dir: Vec<PathBuf>,

    /// A contract behind an http or https URL [repeatable]
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// User name for the URLs, and for the broker if it has none of its own
    #[arg(long, value_name = "NAME", requires = "addresses", conflicts_with = "token")]
    pub(crate) user: Option<String>,

    /// Password for the URLs, and for the broker
    #[arg(long, value_name = "PASSWORD", requires = "user")]
    pub(crate) password: Option<String>,

    /// Bearer token for the URLs, and for the broker if it has none of its own
    #[arg(short, long, value_name = "TOKEN", requires = "addresses")]
    pub(crate) token: Option<String>,

    /// Largest contract that is read, in bytes; default: 64 MiB
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) source_limit: Option<u64>,

    /// Most directories that one directory or pattern leads through; default: 100000
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) directory_limit: Option<u64>,

    /// Most bytes that the regular expressions of one response or message take, compiled; default: 256 MiB
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pattern_size: Option<u64>,

    /// Pass when there is nothing to verify
    #[arg(long, alias = "ignore-no-pacts-error")]
    pub(crate) ignore_no_contracts_error: bool,
}
