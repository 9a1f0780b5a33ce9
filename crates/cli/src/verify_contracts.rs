//! Source options for `contract verify`: contracts in files, in directories, and at URLs.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(next_help_heading = "Contracts (at least one file, directory, or URL, or a broker)")]
pub(crate) struct Contracts {
    /// Contract file, or a pattern such as 'contracts/*-orders.json' (repeatable)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,

    /// Directory to search for contracts, recursively (repeatable)
    #[arg(short, long, value_name = "DIRECTORY")]
    pub(crate) dir: Vec<PathBuf>,

    /// URL of a contract (repeatable)
    #[arg(short, long, value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// User name for contract URLs, and for the broker unless --broker-username is set
    #[arg(long, value_name = "NAME", requires = "addresses", conflicts_with = "token")]
    pub(crate) user: Option<String>,

    /// Password for contract URLs, and for the broker unless --broker-password is set
    #[arg(long, value_name = "PASSWORD", requires = "user")]
    pub(crate) password: Option<String>,

    /// Bearer token for contract URLs, and for the broker unless --broker-token is set
    #[arg(short, long, value_name = "TOKEN", requires = "addresses")]
    pub(crate) token: Option<String>,

    /// Maximum size of a contract, in bytes [default: 67108864 (64 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) source_limit: Option<u64>,

    /// Maximum total size of all contracts, in bytes [default: 536870912 (512 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) total_source_limit: Option<u64>,

    /// Maximum number of directories to search per source [default: 100000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) directory_limit: Option<u64>,

    /// Maximum size of compiled regular expressions per response or message, in bytes [default: 268435456
    /// (256 MiB)]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) pattern_size: Option<u64>,

    /// Succeed even if no contract for the provider is found
    #[arg(long, alias = "ignore-no-pacts-error")]
    pub(crate) ignore_no_contracts_error: bool,
}
