//! Stores data about contract files in `node_modules/.cache/contract` of the project, or else in the user's cache
//! directory. Errors while reading or writing the cache are ignored.

use std::path::{Path, PathBuf};

use contract_pipeline::Environment;

/// Returns the path of the cache file for `about`, such as a contract file. `kind` is the start of its name. Returns
/// `None` if there is no cache directory.
pub(super) fn file(subject: &Path, kind: &str) -> Option<PathBuf> {
    let name: String = subject
        .file_name()?
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    Some(folder(subject)?.join(format!(
        "{kind}-{name}-{:016x}",
        hash(subject.as_os_str().as_encoded_bytes())
    )))
}

/// Returns all cache files in the project of `about` whose names start with `kind`.
pub(super) fn files(subject: &Path, kind: &str) -> Vec<PathBuf> {
    let entries = folder(subject).and_then(|folder| std::fs::read_dir(folder).ok());
    let paths = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()));
    let is_of_kind = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.strip_prefix(kind))
            .is_some_and(|rest| rest.starts_with('-'))
    };
    paths.filter(is_of_kind).collect()
}

/// Returns the cache directory for the project of `about`, or `None` if there is none.
fn folder(subject: &Path) -> Option<PathBuf> {
    let project = subject
        .ancestors()
        .skip(1)
        .map(|ancestor| ancestor.join("node_modules"))
        .find(|modules| modules.is_dir())
        .map(|modules| modules.join(".cache"));
    let place = project.or_else(|| Environment::from_process().user_cache())?;
    Some(place.join("contract"))
}

/// Creates the file, or replaces its content atomically. Creates missing directories.
pub(super) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    super::replace::replace(path, &mut [std::io::IoSlice::new(bytes)]).map(drop)
}

/// Computes the 64-bit FNV-1a hash, whose collisions are unlikely enough for paths and interactions.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
