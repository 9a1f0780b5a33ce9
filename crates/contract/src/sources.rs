//! Where contracts come from: files, directories, documents at hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_model::{Contract, Json, ReadError};
use contract_verifier::NamedContract;
use serde::Deserialize;

use crate::file::FileError;
use crate::verify::VerifyError;

/// A place with contracts. From JSON: `{ "path": … }` or `{ "json": …, "name": … }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// A file, or a directory that is searched with all that is below it.
    Path {
        /// Where.
        path: PathBuf,
    },
    /// The text of a contract.
    Text {
        /// JSON text.
        json: String,
        /// What reports call it.
        #[serde(default)]
        name: Option<String>,
    },
}

/// Contracts read, and files of directories that turned out to be none.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) contracts: Vec<NamedContract>,
    pub(crate) warnings: Vec<String>,
}

impl Source {
    pub(crate) fn read(&self, found: &mut Found) -> Result<(), VerifyError> {
        match self {
            Self::Text { json, name } => {
                let name = name.clone().unwrap_or_else(|| "a contract given as JSON".to_owned());
                let reading =
                    Contract::read(json.as_bytes()).map_err(|error| VerifyError::Source(format!("{name}: {error}")))?;
                found.add(reading, name);
                Ok(())
            }
            Self::Path { path } => {
                let kind =
                    std::fs::metadata(path).map_err(|error| FileError::io(path, "read the contracts in", error))?;
                if kind.is_dir() {
                    found.directory(path)
                } else {
                    found.file(path, true)
                }
            }
        }
    }
}

impl Found {
    fn add(&mut self, reading: contract_model::Reading, source: String) {
        self.warnings
            .extend(reading.warnings.iter().map(|warning| format!("{source}: {warning}")));
        self.contracts
            .push(NamedContract::new(Arc::new(reading.contract), source));
    }

    fn directory(&mut self, directory: &Path) -> Result<(), VerifyError> {
        let failed = |error| FileError::io(directory, "list the directory", error);
        let mut entries: Vec<PathBuf> = std::fs::read_dir(directory)
            .map_err(failed)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        entries.sort();
        for path in entries {
            let hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden {
                continue;
            }
            if path.is_dir() {
                self.directory(&path)?;
            } else if path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
            {
                self.file(&path, false)?;
            }
        }
        Ok(())
    }

    /// A file that was named must be a contract; one that only lies in a directory may be something else.
    fn file(&mut self, path: &Path, named: bool) -> Result<(), VerifyError> {
        let bytes = std::fs::read(path).map_err(|error| FileError::io(path, "read", error))?;
        let name = path.display().to_string();
        match Contract::read(&bytes) {
            Ok(reading) => self.add(reading, name),
            Err(ReadError::NotAContract { .. }) if !named => {
                self.warnings.push(format!("{name} is no contract and was left out"));
            }
            Err(error) => return Err(VerifyError::Source(format!("{name}: {error}"))),
        }
        Ok(())
    }
}

/// A document given as a JSON value.
impl From<&Json> for Source {
    fn from(document: &Json) -> Self {
        Self::Text {
            json: document.to_text(),
            name: None,
        }
    }
}
