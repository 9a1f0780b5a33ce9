//! Contract files on disk: any number of threads and processes write into one file, and nothing is lost.
//!
//! A write locks, reads what others have written, merges by identity, sorts, writes beside and swaps. Readers never see
//! half a file. What was parsed or printed before is kept, so that one more interaction costs the writing of the bytes.

mod error;
mod lock;
mod replace;
mod store;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use contract_model::{Object, SpecificationVersion, Text};

pub use error::FileError;

use crate::builder::Taken;
use crate::error::ArgumentError;

/// Whether what stands in the file already is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WriteMode {
    /// Keep other interactions of the file.
    #[default]
    Merge,
    /// Begin the file anew, once per process; later writes of the process merge.
    Overwrite,
}

/// What is to be written, and where.
#[derive(Clone, Debug)]
pub(crate) struct Writing {
    pub(crate) directory: PathBuf,
    pub(crate) consumer: Text,
    pub(crate) provider: Text,
    pub(crate) specification: SpecificationVersion,
    pub(crate) metadata: Object,
    pub(crate) mode: WriteMode,
}

/// Why a contract was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteProblem {
    /// The file system or the file that is there.
    #[error(transparent)]
    File(#[from] FileError),
    /// The interactions themselves.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
}

/// Files that this process has begun anew.
static BEGUN: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

/// The file of a pair: `<consumer>-<provider>.json`. Characters that cannot stand in a file name become `_`.
pub fn file_name(consumer: &str, provider: &str) -> String {
    let safe = |name: &str| -> String {
        name.chars()
            .map(|c| {
                if c.is_control() || r#"/\:*?"<>|"#.contains(c) {
                    '_'
                } else {
                    c
                }
            })
            .collect()
    };
    format!("{}-{}.json", safe(consumer), safe(provider))
}

/// Writes the interactions into the file of the pair and returns its path. When this returns, the file is complete.
pub(crate) fn write(writing: &Writing, interactions: &[Taken]) -> Result<PathBuf, WriteProblem> {
    std::fs::create_dir_all(&writing.directory)
        .map_err(|error| FileError::io(&writing.directory, "create the directory", error))?;
    let directory = std::fs::canonicalize(&writing.directory)
        .map_err(|error| FileError::io(&writing.directory, "find the directory", error))?;
    let path = directory.join(file_name(&writing.consumer, &writing.provider));
    let _lock = lock::Lock::take(&path)?;
    let anew = writing.mode == WriteMode::Overwrite && begin_anew(&path);
    store::write(&path, writing, interactions, anew)?;
    Ok(path)
}

fn begin_anew(path: &Path) -> bool {
    BEGUN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn file_names() {
        assert_eq!(file_name("web", "orders"), "web-orders.json");
        assert_eq!(file_name("a/b", "c:d"), "a_b-c_d.json");
    }
}
