//! Caches which interactions the current run has written, so that a write does not read all records again.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use contract_call::files;

use super::super::stamp::FileIdentity;
use super::MAX_SIZE;
use super::decide::Record;

/// Maximum number of lists in [`WRITTEN`]. When it is exceeded, the map is cleared.
const MAX_LISTS: usize = 64;

static WRITTEN: LazyLock<Mutex<HashMap<PathBuf, Written>>> = LazyLock::new(Mutex::default);

/// The interactions that one run has written, according to a file of records.
#[derive(Default)]
struct Written {
    run: String,
    file: Option<FileIdentity>,
    /// Number of bytes of the file that have been read so far.
    offset: u64,
    identities: HashSet<String>,
}

/// Returns true if the file of records `list` contains a record of this run and interaction. The caller must hold the
/// lock of the contract file.
pub(super) fn contains(list: &Path, run: &str, identity: &str) -> bool {
    let mut lists = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    if lists.len() >= MAX_LISTS && !lists.contains_key(list) {
        lists.clear();
    }
    let written = lists.entry(list.to_owned()).or_default();
    if written.refresh(list, run).is_err() {
        *written = Written::default();
    }
    written.identities.contains(identity)
}

impl Written {
    /// Reads the records that were appended since the last call, or all records if the file was replaced or the run
    /// changed.
    fn refresh(&mut self, list: &Path, run: &str) -> std::io::Result<()> {
        let (mut file, metadata) = files::open_to_read(list)?;
        let identity = FileIdentity::from_metadata(&metadata);
        if self.run != run || self.file != Some(identity) || metadata.len() < self.offset {
            *self = Self {
                run: run.to_owned(),
                file: Some(identity),
                ..Self::default()
            };
        }
        if metadata.len() > MAX_SIZE {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut text = Vec::new();
        file.take(MAX_SIZE).read_to_end(&mut text)?;
        // If a process was killed, the last line may be incomplete.
        let Some(end) = text.iter().rposition(|byte| *byte == b'\n') else {
            return Ok(());
        };
        for line in text[..end].split(|byte| *byte == b'\n') {
            if let Ok(record) = serde_json::from_slice::<Record>(line)
                && record.run == run
            {
                self.identities.insert(record.identity);
            }
        }
        self.offset += end as u64 + 1;
        Ok(())
    }
}
