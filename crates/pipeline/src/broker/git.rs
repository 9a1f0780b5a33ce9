//! Reads the commit and branch of the working directory from git.

use std::io;
use std::process::{Command, Stdio};

/// Why git did not return a value.
#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    #[error("git is not installed")]
    NotInstalled,
    #[error("cannot run git: {0}")]
    Run(#[source] io::Error),
    /// git returned an error. The string is the first line of its error output.
    #[error("git: {0}")]
    Output(String),
}

pub(super) fn commit() -> Result<String, GitError> {
    run_git(&["rev-parse", "HEAD"])
}

/// Returns the current branch, or `None` if the checkout is detached.
pub(super) fn branch() -> Result<Option<String>, GitError> {
    let name = run_git(&["rev-parse", "--abbrev-ref", "HEAD"])?;
    Ok(Some(name).filter(|name| name != "HEAD"))
}

fn run_git(arguments: &[&str]) -> Result<String, GitError> {
    let output = Command::new("git")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GitError::NotInstalled,
            _ => GitError::Run(error),
        })?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && !text.is_empty() {
        return Ok(text);
    }
    let problem = String::from_utf8_lossy(&output.stderr);
    let line = problem
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("no output");
    Err(GitError::Output(line.trim().trim_start_matches("fatal: ").to_owned()))
}
