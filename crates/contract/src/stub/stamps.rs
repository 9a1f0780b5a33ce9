//! Detects changes to contract files by their modification times and sizes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Maximum number of files and directories to check.
const MAX_ENTRIES: usize = 100_000;
const MAX_DEPTH: usize = 32;

/// The modification times and sizes of the JSON files below some paths. Hidden directories and `node_modules` are
/// skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stamps {
    files: BTreeMap<PathBuf, (Option<SystemTime>, u64)>,
    entries: usize,
}

impl Stamps {
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        let mut stamps = Self::default();
        for path in paths {
            if path.exists() {
                stamps.add(path, 0);
            } else {
                // For a pattern, check everything below the directory that precedes the first wildcard.
                let is_pattern = |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?', '[', '{']);
                let base: PathBuf = path.iter().take_while(|part| !is_pattern(part)).collect();
                let base = if base.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    &base
                };
                stamps.add(base, 0);
            }
        }
        stamps
    }

    fn add(&mut self, path: &Path, depth: usize) {
        self.entries += 1;
        if self.entries > MAX_ENTRIES || depth > MAX_DEPTH {
            return;
        }
        let Ok(metadata) = std::fs::metadata(path) else {
            return;
        };
        if metadata.is_file() {
            let is_json = path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
            if is_json || depth == 0 {
                self.files
                    .insert(path.to_owned(), (metadata.modified().ok(), metadata.len()));
            }
            return;
        }
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name != "node_modules" && !name.to_string_lossy().starts_with('.') {
                self.add(&entry.path(), depth + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Stamps;

    #[test]
    fn new_and_changed_files_change_the_stamps() {
        let place = tempfile::tempdir().unwrap();
        let paths = [place.path().to_owned()];
        let empty = Stamps::new(&paths);
        std::fs::write(place.path().join("a.json"), "1").unwrap();
        let one = Stamps::new(&paths);
        assert_ne!(empty.files, one.files);
        std::fs::write(place.path().join("a.json"), "12").unwrap();
        let pattern = [place.path().join("*.json")];
        assert_ne!(one.files, Stamps::new(&paths).files);
        assert_eq!(Stamps::new(&pattern).files, Stamps::new(&paths).files);
    }
}
