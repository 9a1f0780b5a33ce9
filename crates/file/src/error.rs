//! The error of writing a contract file.

use contract_call::error::ArgumentError;
use contract_call::files::FileError;

/// An error that prevents interactions from being written to a contract file.
#[derive(Debug, thiserror::Error)]
pub enum WritingError {
    /// Two tests define different interactions with the same identity.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}
