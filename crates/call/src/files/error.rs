use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An error that occurred while a contract file was read or written. The contract file is unchanged.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct FileError {
    path: PathBuf,
    message: String,
    code: &'static str,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Returns the operating system's message without the suffix ` (os error 2)`.
pub fn os_message(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error ").next().unwrap_or_default().to_owned()
}

/// Returns the operating system's message, the absolute path if `path` is relative, and advice.
fn reason(path: &Path, error: &std::io::Error) -> String {
    let text = os_message(error);
    let absolute = std::path::absolute(path).ok().filter(|_| path.is_relative());
    let resolved = absolute.map(|absolute| format!(" (absolute path: {})", absolute.display()));
    let advice = match (error.kind(), &resolved) {
        (ErrorKind::NotFound, Some(_)) => "; pass an absolute path or one relative to the working directory",
        (ErrorKind::NotFound, None) => "; check the path",
        (ErrorKind::PermissionDenied, _) => "; grant this user access, or choose another path",
        (ErrorKind::IsADirectory, _) => "; pass the path of a file",
        _ => "",
    };
    format!("{text}{}{advice}", resolved.unwrap_or_default())
}

/// Returns an error message that starts with `could not `, `task`, and the path. `task` is a verb phrase, such as `read
/// the body from`.
pub fn file_problem(path: &Path, task: &str, error: &std::io::Error) -> String {
    format!("could not {task} {}: {}", path.display(), reason(path, error))
}

impl FileError {
    fn new(path: &Path, code: &'static str, message: String) -> Self {
        Self {
            path: path.to_owned(),
            message,
            code,
            source: None,
        }
    }

    fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    pub fn io(path: &Path, task: &str, error: std::io::Error) -> Self {
        Self::new(path, "ERR_CONTRACT_FILE_IO", file_problem(path, task, &error)).because(error)
    }

    pub fn unreadable(path: &Path, error: contract_model::ReadError) -> Self {
        let message = format!(
            "cannot add interactions to {}: {error}; move the file, or write to another directory",
            path.display()
        );
        Self::new(path, "ERR_CONTRACT_FILE_UNREADABLE", message).because(error)
    }

    pub fn foreign(path: &Path, found: (&str, &str), expected: (&str, &str)) -> Self {
        let message = format!(
            "{} contains the contract between {:?} and {:?}, not the one between {:?} and {:?}; move the file, or write to another directory",
            path.display(),
            found.0,
            found.1,
            expected.0,
            expected.1
        );
        Self::new(path, "ERR_CONTRACT_FILE_FOREIGN", message)
    }

    pub fn version(path: &Path, error: contract_model::WriteError) -> Self {
        let message = format!("could not write {}: {error}", path.display());
        Self::new(path, "ERR_CONTRACT_SPECIFICATION", message).because(error)
    }

    pub fn locked(path: &Path, lock: &Path, limit: Duration, holder: Option<&str>) -> Self {
        let holder = holder.map_or_else(String::new, |process| format!(" (held by process {process})"));
        let message = format!(
            "{} was not written: waited {} s for the lock {}{holder}; if the process with the lock is suspended, resume or \
             terminate it; if other processes need more time to write, increase lockTimeout",
            path.display(),
            limit.as_secs_f64(),
            lock.display(),
        );
        Self::new(path, "ERR_CONTRACT_FILE_LOCKED", message)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn code(&self) -> &'static str {
        self.code
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    use super::file_problem;

    #[test]
    fn messages_contain_the_absolute_path_and_advice() {
        let problem = |path: &str, error: Error| file_problem(Path::new(path), "read the body from", &error);
        let absolute = std::path::absolute("a.bin").unwrap();
        for kind in [
            ErrorKind::NotFound,
            ErrorKind::PermissionDenied,
            ErrorKind::IsADirectory,
        ] {
            let text = problem("a.bin", kind.into());
            assert!(text.contains(&absolute.display().to_string()), "{text}");
            assert!(text.contains("; "), "{text}");
        }
        let missing = std::fs::read(absolute.join("b")).unwrap_err();
        assert!(missing.to_string().contains("(os error "), "{missing}");
        let text = problem(&absolute.display().to_string(), missing);
        assert!(text.starts_with("could not read the body from "), "{text}");
        assert!(text.ends_with("; check the path"), "{text}");
        assert!(!text.contains("os error"), "{text}");
    }
}
