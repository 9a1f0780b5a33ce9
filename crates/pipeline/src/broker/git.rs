//! Reads the commit and branch of the working directory from git.

use std::process::{Command, Stdio};

pub(super) fn commit() -> Result<String, String> {
    run_git(&["rev-parse", "HEAD"])
}

/// Returns the current branch; `None` if the checkout is detached.
pub(super) fn branch() -> Result<Option<String>, String> {
    let name = run_git(&["rev-parse", "--abbrev-ref", "HEAD"])?;
    Ok(Some(name).filter(|name| name != "HEAD"))
}

fn run_git(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "git is not installed".to_owned(),
            _ => format!("cannot run git: {error}"),
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
    Err(format!("git: {}", line.trim().trim_start_matches("fatal: ")))
}
