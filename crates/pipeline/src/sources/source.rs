//! A place with contracts, as it is named.

use std::path::PathBuf;

use super::glob::Glob;
use super::remote::RemoteSource;
use contract_call::error::ArgumentError;
use contract_call::files::file_problem;

/// What is done when a place is not there.
pub(super) const READ: &str = "read the contracts in";

/// A place with contracts.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file, a directory that is searched with all that is below it, or a pattern such as `contracts/**/*-users.json`.
    Path {
        /// Where.
        path: PathBuf,
    },
    /// A URL.
    Url(RemoteSource),
    /// The text of a contract.
    Text {
        /// JSON text.
        json: String,
        /// What reports call it.
        name: Option<String>,
    },
}

/// Most bytes of one contract unless told otherwise.
pub const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// Most directories that one source may lead through unless told otherwise: links can make many of few.
pub const DIRECTORY_LIMIT: usize = 100_000;

impl Source {
    /// Refuses what cannot work, before anything is read.
    pub fn check(&self) -> Result<(), ArgumentError> {
        match self {
            Self::Url(remote) => remote.check(),
            Self::Path { path } => Glob::parse(path).map(drop).map_err(|problem| {
                let message = format!("{} is no pattern for paths: {problem}", path.display());
                ArgumentError::new("ERR_CONTRACT_OPTIONS", message)
            }),
            Self::Text { .. } => Ok(()),
        }
    }

    /// Refuses a path that is not there, by the call that names it; of a pattern, that of the directory where its search begins.
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

    /// Whether it has to be fetched.
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Url(_))
    }

    /// What messages call it.
    pub fn name(&self) -> String {
        match self {
            Self::Path { path } => path.display().to_string(),
            Self::Url(remote) => remote.name(),
            Self::Text { name, .. } => name.clone().unwrap_or_else(|| "a contract given as JSON".to_owned()),
        }
    }
}
