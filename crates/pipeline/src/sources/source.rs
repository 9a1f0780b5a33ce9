//! The locations of contracts that the user configures.

use std::path::PathBuf;

use super::glob::Glob;
use super::remote::RemoteSource;
use contract_call::error::ArgumentError;
use contract_call::files::file_problem;

/// Describes the failed operation in the error message for a missing location.
pub(super) const READ: &str = "read the contracts in";

/// A location of contracts.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file, a directory to search recursively, or a glob pattern such as `contracts/**/*-users.json`.
    Path {
        path: PathBuf,
    },
    Url(RemoteSource),
    /// A contract that is passed as a document.
    Text {
        /// The JSON text of the contract.
        json: String,
        /// The name of the document in reports.
        name: Option<String>,
    },
}

/// Default maximum size of a contract, in bytes.
pub const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// Default maximum size of all contracts of one verification, in bytes.
pub const TOTAL_SIZE_LIMIT: u64 = 512 * 1024 * 1024;

/// Default maximum number of directories that one source may traverse. A limit is needed because links can multiply
/// directories.
pub const DIRECTORY_LIMIT: usize = 100_000;

impl Source {
    /// Returns an error if the source is invalid, regardless of the file system.
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

    /// Returns an error if the path does not exist. For a pattern, the directory to search must exist.
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

    /// Returns the name of the source in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Path { path } => path.display().to_string(),
            Self::Url(remote) => remote.name(),
            Self::Text { name, .. } => name.clone().unwrap_or_else(|| "the JSON document".to_owned()),
        }
    }
}
