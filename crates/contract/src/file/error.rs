use std::path::{Path, PathBuf};
use std::time::Duration;

/// A contract file that cannot be read or written. Nothing on disk was changed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct FileError {
    path: PathBuf,
    message: String,
    kind: Kind,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Io,
    Unreadable,
    Foreign,
    Version,
    Locked,
}

/// The system's reason without its number, and where a relative path was looked up.
fn reason(path: &Path, error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or_default();
    if error.kind() != std::io::ErrorKind::NotFound {
        return text.to_owned();
    }
    match std::path::absolute(path) {
        Ok(whole) if path.is_relative() => format!(
            "{text}; looked up from the working directory it is {}: give a path from there, or an absolute one",
            whole.display()
        ),
        _ => text.to_owned(),
    }
}

impl FileError {
    pub(crate) fn io(path: &Path, task: &str, error: std::io::Error) -> Self {
        Self {
            path: path.to_owned(),
            message: format!("could not {task} {}: {}", path.display(), reason(path, &error)),
            kind: Kind::Io,
            source: Some(Box::new(error)),
        }
    }

    pub(super) fn unreadable(path: &Path, error: contract_model::ReadError) -> Self {
        Self {
            path: path.to_owned(),
            message: format!(
                "{} is no contract that could be added to: {error}; move the file away, or write to another directory",
                path.display()
            ),
            kind: Kind::Unreadable,
            source: Some(Box::new(error)),
        }
    }

    pub(super) fn foreign(path: &Path, found: (&str, &str), wanted: (&str, &str)) -> Self {
        Self {
            path: path.to_owned(),
            message: format!(
                "{} holds the contract between {:?} and {:?}, not the one between {:?} and {:?}; move the file away, or write to another directory",
                path.display(),
                found.0,
                found.1,
                wanted.0,
                wanted.1
            ),
            kind: Kind::Foreign,
            source: None,
        }
    }

    pub(super) fn version(path: &Path, error: contract_model::WriteError) -> Self {
        Self {
            path: path.to_owned(),
            message: format!("could not write {}: {error}", path.display()),
            kind: Kind::Version,
            source: Some(Box::new(error)),
        }
    }

    pub(super) fn locked(path: &Path, lock: &Path, limit: Duration, holder: Option<&str>) -> Self {
        let holder = holder.map_or_else(String::new, |process| format!(", which process {process} holds"));
        Self {
            path: path.to_owned(),
            message: format!(
                "{} was not written: waited {} s for the lock {}{holder}; if that process is stopped, continue or end it; if \
                 writing takes so long here, raise lockTimeout",
                path.display(),
                limit.as_secs_f64(),
                lock.display(),
            ),
            kind: Kind::Locked,
            source: None,
        }
    }

    /// The file or directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self.kind {
            Kind::Io => "ERR_CONTRACT_FILE_IO",
            Kind::Unreadable => "ERR_CONTRACT_FILE_UNREADABLE",
            Kind::Foreign => "ERR_CONTRACT_FILE_FOREIGN",
            Kind::Version => "ERR_CONTRACT_SPECIFICATION",
            Kind::Locked => "ERR_CONTRACT_FILE_LOCKED",
        }
    }

    /// Whether the file that is there is no contract.
    pub fn is_unreadable(&self) -> bool {
        self.kind == Kind::Unreadable
    }

    /// Whether the file that is there belongs to another pair.
    pub fn is_foreign(&self) -> bool {
        self.kind == Kind::Foreign
    }
}
