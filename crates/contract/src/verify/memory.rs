//! Stores which interactions failed in their last verification.
//!
//! There is one small file per provider and working directory. It is in `node_modules/.cache/contract` of the project,
//! or else in the user's cache directory. Errors while reading or writing it are ignored.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use contract_verifier::{Report, Status};

use contract_call::files;
use contract_pipeline::Environment;

pub(super) struct LastFailures(PathBuf);

impl LastFailures {
    /// Returns the file for a provider that is verified from the current directory. Returns `None` if there is no cache
    /// directory.
    pub(super) fn for_provider(provider: &str, environment: &Environment) -> Option<Self> {
        let directory = std::env::current_dir().ok()?;
        Self::in_directory(&directory, provider, environment)
    }

    fn in_directory(directory: &Path, provider: &str, environment: &Environment) -> Option<Self> {
        let project = directory
            .ancestors()
            .map(|ancestor| ancestor.join("node_modules"))
            .find(|modules| modules.is_dir())
            .map(|modules| modules.join(".cache"));
        let folder = project.or_else(|| environment.user_cache())?.join("contract");
        let name: String = provider
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '-' })
            .take(40)
            .collect();
        let whole = format!("{}\n{provider}", directory.display());
        Some(Self(
            folder.join(format!("last-failed-{name}-{:08x}.txt", hash(&whole))),
        ))
    }

    /// Returns the fingerprints of the interactions that failed in their last verification.
    pub(super) fn recall(&self) -> Vec<String> {
        let text = files::read_all(&self.0).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        text.lines().map(ToOwned::to_owned).collect()
    }

    /// Adds interactions that failed, and removes interactions that passed or are pending. Interactions that were not
    /// verified stay as they were.
    pub(super) fn remember(&self, report: &Report) {
        let before = self.recall();
        let before: BTreeSet<&str> = before.iter().map(String::as_str).collect();
        let mut failed: BTreeSet<&str> = before.iter().copied().collect();
        for (_, interaction) in report.interactions() {
            match interaction.status {
                Status::Failed => {
                    failed.insert(&interaction.fingerprint);
                }
                Status::Passed | Status::Pending => {
                    failed.remove(interaction.fingerprint.as_str());
                }
                Status::Skipped => {}
            }
        }
        if failed != before {
            // Ignore errors, because this cache must not affect the verification.
            let _ = self.write(&failed);
        }
    }

    fn write(&self, failed: &BTreeSet<&str>) -> std::io::Result<()> {
        if failed.is_empty() {
            return fs::remove_file(&self.0);
        }
        if let Some(folder) = self.0.parent() {
            fs::create_dir_all(folder)?;
        }
        let lines: Vec<_> = failed.iter().copied().collect();
        files::write(&self.0, lines.join("\n").as_bytes())
    }
}

/// Computes the 32-bit FNV-1a hash, whose collisions are unlikely enough for directories and provider names.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::{Environment, LastFailures};

    #[test]
    fn prefers_the_project_directory() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("home");
        let environment: Environment =
            serde_json::from_value(serde_json::json!({ "HOME": home.display().to_string() })).unwrap();
        let inner = place.path().join("project/inner");
        std::fs::create_dir_all(&inner).unwrap();
        let path = |provider: &str| LastFailures::in_directory(&inner, provider, &environment).unwrap().0;

        assert!(path("a b").starts_with(home.join(".cache/contract")));
        std::fs::create_dir(place.path().join("project/node_modules")).unwrap();
        assert!(path("a b").starts_with(place.path().join("project/node_modules/.cache/contract")));
        assert_ne!(path("a b"), path("a-b"));
        assert!(LastFailures::in_directory(std::path::Path::new("/"), "a", &Environment::default()).is_none());
    }
}
