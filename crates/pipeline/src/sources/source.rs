//! The locations from which users want contracts to be read.

use std::path::PathBuf;

use super::glob::Glob;
use super::remote::RemoteSource;
use contract_call::error::ArgumentError;
use contract_call::files::file_problem;

/// What failed, in the error message for a location that does not exist.
pub(super) const READ: &str = "read the contracts in";

/// Where to load one or more contracts from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file, a directory to search recursively, or a glob pattern such as `contracts/**/*-users.json`.
    Path {
        path: PathBuf,
    },
    Url(RemoteSource),
    /// A contract that was passed as JSON.
    Text {
        json: String,
        /// The name of the document in reports. Default: `the JSON document`.
        name: Option<String>,
    },
}

/// Default maximum size of one contract, in bytes: 64 MiB.
pub const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// Default maximum total size of the contracts for one verification, in bytes: 512 MiB.
pub const TOTAL_SIZE_LIMIT: u64 = 512 * 1024 * 1024;

/// Default maximum number of directories that are searched for one source. A limit is needed because links can multiply
/// directories.
pub const DIRECTORY_LIMIT: usize = 100_000;

impl Source {
    /// Checks everything that does not depend on the file system. Returns an error if the source is invalid.
    pub fn check(&self) -> Result<(), ArgumentError> {
        match self {
            Self::Url(remote) => remote.check(),
            Self::Path { path } => Glob::parse(path).map(drop).map_err(|problem| {
                let message = format!("{} is not a valid pattern: {problem}", path.display());
                ArgumentError::new("ERR_CONTRACT_OPTIONS", message)
            }),
            Self::Text { .. } => Ok(()),
        }
    }

    /// Returns an error if the path does not exist. For a glob pattern, the directory to search must exist.
    pub fn find(&self) -> Result<(), ArgumentError> {
        let Self::Path { path } = self else {
            return Ok(());
        };
        let Err(error) = std::fs::metadata(path) else {
            return Ok(());
        };
        let (place, error) = match Glob::parse(path) {
            Ok(Some(glob)) => match std::fs::metadata(glob.base()) {
                Ok(_) => return Ok(()),
                Err(error) => (glob.base().to_owned(), error),
            },
            _ => (path.clone(), error),
        };
        let message = file_problem(&place, READ, &error);
        Err(ArgumentError::new("ERR_CONTRACT_SOURCE", message))
    }

    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Url(_))
    }

    /// Returns the name of the source for messages, without secrets.
    pub fn name(&self) -> String {
        match self {
            Self::Path { path } => path.display().to_string(),
            Self::Url(remote) => remote.name(),
            Self::Text { name, .. } => name.clone().unwrap_or_else(|| "the JSON document".to_owned()),
        }
    }
}
