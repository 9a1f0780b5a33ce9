//! Files that arguments and environment variables refer to.

use std::io::{Error, Write as _};
use std::path::{Path, PathBuf};

use contract::Pem;

use crate::error::{CliError, Result};

/// Maximum size of a job summary, in bytes. GitHub drops larger ones.
const MAX_SUMMARY: u64 = 1 << 20;

/// Reads a certificate or key in PEM form.
pub(crate) fn read_pem(path: &Path) -> Result<Pem> {
    let failed = |error: &Error| CliError::file(path, "read the certificate or key in", error);
    let bytes = contract::read_settings(path).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|_| failed(&Error::other("it is not valid PEM")))?;
    Pem::new(&text).map_err(|problem| CliError::usage(format!("{} {problem}", path.display())))
}

/// Returns the file for the GitHub Actions job summary.
pub(crate) fn summary_path() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// Appends to the job summary, because other commands may have written to it.
pub(crate) fn append_summary(path: &Path, text: &str) -> Result<()> {
    let append = || {
        let mut file = contract::open_to_append(path)?;
        if file.metadata()?.len() > MAX_SUMMARY {
            return Err(Error::other(
                "the file is larger than 1 MiB, the maximum that GitHub accepts. Write less to it in earlier commands of this step",
            ));
        }
        file.write_all(text.as_bytes())
    };
    append().map_err(|error| CliError::file(path, "write the job summary to", &error))
}
