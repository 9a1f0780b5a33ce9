//! Reads and writes files that arguments and environment variables specify.

use std::io::{Error, Write as _};
use std::path::{Path, PathBuf};

use contract::Pem;

use crate::error::{CliError, Result};

/// Maximum size of a job summary, in bytes. GitHub discards larger summaries.
const MAX_SUMMARY: u64 = 1 << 20;

/// Reads a certificate or a key in PEM format.
pub(crate) fn read_pem(path: &Path) -> Result<Pem> {
    let failed = |error: &Error| CliError::file(path, "read the certificate or key in", error);
    let bytes = contract::read_settings(path).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| failed(&Error::other("it is not valid PEM")))?;
    Pem::new(&text).map_err(|problem| CliError::usage(format!("{} {problem}", path.display())))
}

/// Returns the path of the GitHub Actions job summary, or `None` outside GitHub Actions.
pub(crate) fn summary_path() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// Appends the text to the job summary. Other commands of the same step may already have written to it.
pub(crate) fn append_summary(path: &Path, text: &str) -> Result<()> {
    let append = || {
        let mut file = contract::open_to_append(path)?;
        if file.metadata()?.len() > MAX_SUMMARY {
            return Err(Error::other(
                "the file is larger than 1 MiB, the maximum that GitHub accepts. Write less to it earlier in this step.",
            ));
        }
        file.write_all(text.as_bytes())
    };
    append().map_err(|error| CliError::file(path, "write the job summary to", &error))
}
