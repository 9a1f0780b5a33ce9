use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use contract_call::files::{self, FileError};

/// An exclusive lock for writing a contract file, which threads and processes share. The lock is a file in the
/// directory of the contract file, so that it also works on shared file systems. It is removed when the lock is
/// released.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Waits for the lock, at most for `limit`, because the process that holds it may be suspended.
    pub(super) fn take(locked: &Path, limit: Duration) -> Result<Self, FileError> {
        let name = locked.file_name().unwrap_or_default().to_string_lossy();
        let path = locked.with_file_name(format!(".{name}.lock"));
        loop {
            let mut file = opened(&path).map_err(|error| FileError::io(&path, "open the lock", error))?;
            file = acquire(file, &path, locked, limit)?;
            // The previous holder has removed this file, so locking it has no effect. Try again.
            if is_still_there(&file, &path) {
                sign(&mut file);
                return Ok(Self { file, path });
            }
        }
    }
}

/// Opens the lock file. Symbolic links are rejected, because the lock file would be created at their target.
fn opened(path: &Path) -> std::io::Result<File> {
    if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(std::io::Error::other("the lock file is a symbolic link; remove it"));
    }
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    files::open(path, &mut options, files::Advice::Generated).map(|(file, _)| file)
}

/// Waits for the lock on a separate thread, because the system call has no timeout. After a timeout, that thread still
/// acquires the lock once it is free, and then releases it immediately.
fn acquire(file: File, path: &Path, locked: &Path, limit: Duration) -> Result<File, FileError> {
    let failed = |error| FileError::io(path, "acquire the lock", error);
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {}
        Err(std::fs::TryLockError::Error(error)) => return Err(failed(error)),
    }
    let (sender, receiver) = mpsc::channel();
    let waiting = std::thread::Builder::new().name("contract-lock".to_owned());
    waiting
        .spawn(move || {
            let result = file.lock().map(|()| file);
            // If the receiver no longer exists, the file is dropped, which releases the lock.
            let _ = sender.send(result);
        })
        .map_err(failed)?;
    match receiver.recv_timeout(limit) {
        Ok(result) => result.map_err(failed),
        Err(_) => Err(FileError::locked(locked, path, limit, holder(path).as_deref())),
    }
}

/// Writes the process ID, which other processes print if they time out. Errors are ignored. An empty file is not
/// truncated, because ext4 flushes truncated files when they are closed, which is slow.
fn sign(file: &mut File) {
    if file.metadata().is_ok_and(|left| left.len() > 0) {
        let _ = file.set_len(0);
    }
    let _ = file.write_all(std::process::id().to_string().as_bytes());
}

fn holder(path: &Path) -> Option<String> {
    let (file, _) = files::open_to_read(path).ok()?;
    let mut text = String::new();
    file.take(20).read_to_string(&mut text).ok()?;
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Remove the file before releasing the lock, so that the next holder notices and creates a new file. If the
        // file cannot be removed, it causes no harm.
        let _ = std::fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

#[cfg(unix)]
fn is_still_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(locked), Ok(current)) => locked.ino() == current.ino() && locked.dev() == current.dev(),
        _ => false,
    }
}

/// Returns true if the path exists. Inode numbers are not compared, because only Unix has them. On other systems, a
/// removed lock file cannot be opened by name.
#[cfg(not(unix))]
fn is_still_there(_file: &File, path: &Path) -> bool {
    path.exists()
}
