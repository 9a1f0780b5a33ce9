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
    use contract_model::{Contract, Json, SpecificationVersion};

    use super::{WriteMode, Writing, file_name, write};
    use crate::{ContractBuilder, Kind};

    #[test]
    fn file_names() {
        assert_eq!(file_name("web", "orders"), "web-orders.json");
        assert_eq!(file_name("a/b", "c:d"), "a_b-c_d.json");
        assert_eq!(file_name("..", "Käse\u{1}"), "..-Käse_.json");
    }

    /// Writes what a test in that source file defines: a request for the path.
    fn define(directory: &std::path::Path, source: &str, path: &str) -> Result<String, String> {
        let contract = ContractBuilder::new("web", "orders").unwrap();
        let interaction = contract.upon_receiving("an order", Kind::Http, source).unwrap();
        interaction.with_request("GET", &Json::from(path)).unwrap();
        let writing = Writing {
            directory: directory.to_owned(),
            consumer: "web".into(),
            provider: "orders".into(),
            specification: SpecificationVersion::V4,
            metadata: contract.metadata(),
            mode: WriteMode::Merge,
        };
        let path = write(&writing, &contract.writable().unwrap()).map_err(|problem| problem.to_string())?;
        Ok(std::fs::read_to_string(path).unwrap())
    }

    #[test]
    fn what_others_added_to_the_file_is_no_conflict() {
        let place = tempfile::tempdir().unwrap();
        let text = define(place.path(), "/a.test.ts:1:1", "/orders").unwrap();
        let annotated = text.replacen("\"description\"", "\"x-owner\": \"team\", \"description\"", 1);
        std::fs::write(place.path().join("web-orders.json"), annotated).unwrap();
        for source in ["/a.test.ts:1:1", "/b.test.ts:1:1"] {
            let text = define(place.path(), source, "/orders").unwrap();
            assert!(text.contains("x-owner"), "{text}");
            assert_eq!(Contract::read(text.as_bytes()).unwrap().contract.interactions.len(), 1);
        }
        let conflict = define(place.path(), "/c.test.ts:7:1", "/other").unwrap_err();
        assert_eq!(
            conflict,
            "the interaction \"an order\" is defined twice with different content:\n  first at /b.test.ts:1:1\n  then at /c.test.ts:7:1\ngive one of them another description or other provider states"
        );
    }
}
