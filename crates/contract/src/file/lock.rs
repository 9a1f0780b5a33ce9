use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use super::FileError;

/// An exclusive lock among all threads and processes that write one contract file. It is a file beside the contract, so
/// that it works wherever the directory is shared, and it is gone when nobody writes.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    pub(super) fn take(contract: &Path) -> Result<Self, FileError> {
        let name = contract.file_name().unwrap_or_default().to_string_lossy();
        let path = contract.with_file_name(format!(".{name}.lock"));
        let failed = |task: &str, error| FileError::io(&path, task, error);
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&path)
                .map_err(|error| failed("open the lock", error))?;
            file.lock().map_err(|error| failed("take the lock", error))?;
            // Whoever held the lock before has removed its file: then this is a lock on nothing, and the next try is due.
            if is_still_there(&file, &path) {
                return Ok(Self { file, path });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed first, then released: the next holder sees that the file is gone and makes a new one. What cannot be
        // removed stays, and does no harm.
        let _ = std::fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

#[cfg(unix)]
fn is_still_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(held), Ok(there)) => held.ino() == there.ino() && held.dev() == there.dev(),
        _ => false,
    }
}

/// Where files have no numbers that can be compared, a removed lock file cannot be opened by name any more.
#[cfg(not(unix))]
fn is_still_there(_file: &File, path: &Path) -> bool {
    path.exists()
}
