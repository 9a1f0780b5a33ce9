//! Where things are kept that are about contract files and do not belong into them: `node_modules/.cache/contract` of the
//! project, where tools keep such things and no version control looks, else the user's own cache folder. Where it cannot be
//! written or read, nothing is remembered.

use std::path::{Path, PathBuf};

use contract_pipeline::Environment;

/// What is kept about a file, under a name of its own; none when there is no place.
pub(super) fn file(about: &Path, kind: &str) -> Option<PathBuf> {
    let name: String = about
        .file_name()?
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    Some(folder(about)?.join(format!(
        "{kind}-{name}-{:016x}",
        hash(about.as_os_str().as_encoded_bytes())
    )))
}

/// All that is kept of a kind where things about this file are kept.
pub(super) fn files(about: &Path, kind: &str) -> Vec<PathBuf> {
    let entries = folder(about).and_then(|folder| std::fs::read_dir(folder).ok());
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

/// Where things about this file are kept.
fn folder(about: &Path) -> Option<PathBuf> {
    let project = about
        .ancestors()
        .skip(1)
        .map(|ancestor| ancestor.join("node_modules"))
        .find(|modules| modules.is_dir())
        .map(|modules| modules.join(".cache"));
    let place = project.or_else(|| Environment::of_process().user_cache())?;
    Some(place.join("contract"))
}

/// Puts a new content in the file's place, at once.
pub(super) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    super::replace::replace(path, &mut [std::io::IoSlice::new(bytes)]).map(drop)
}

/// 64 bits of FNV-1a: enough to tell paths and interactions apart.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
