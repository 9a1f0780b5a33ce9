use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use contract_call::files::{self, FileError};

/// An exclusive lock among all threads and processes that write one file. It is a file beside it, so that it works wherever
/// the directory is shared, and it is gone when nobody writes.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Waits for the lock, but not longer than `limit`: who holds it may have been stopped.
    pub(super) fn take(locked: &Path, limit: Duration) -> Result<Self, FileError> {
        let name = locked.file_name().unwrap_or_default().to_string_lossy();
        let path = locked.with_file_name(format!(".{name}.lock"));
        loop {
            let mut file = opened(&path).map_err(|error| FileError::io(&path, "open the lock", error))?;
            file = held(file, &path, locked, limit)?;
            // Whoever held the lock before has removed its file: then this is a lock on nothing, and the next try is due.
            if is_still_there(&file, &path) {
                sign(&mut file);
                return Ok(Self { file, path });
            }
        }
    }
}

/// A link in the lock's place is not followed: it would be made wherever it points.
fn opened(path: &Path) -> std::io::Result<File> {
    if std::fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
        return Err(std::io::Error::other("it is a symbolic link; remove it"));
    }
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    files::open(path, &mut options).map(|(file, _)| file)
}

/// Waits in a thread of its own, because the system's waiting knows no limit. A thread that nobody waits for any more ends
/// as soon as the lock is free, and gives it back.
fn held(file: File, path: &Path, locked: &Path, limit: Duration) -> Result<File, FileError> {
    let failed = |error| FileError::io(path, "take the lock", error);
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
            // Nobody is there any more: the file is closed with what is sent, and that gives the lock back.
            let _ = sender.send(result);
        })
        .map_err(failed)?;
    match receiver.recv_timeout(limit) {
        Ok(result) => result.map_err(failed),
        Err(_) => Err(FileError::locked(locked, path, limit, holder(path).as_deref())),
    }
}

/// Says who holds the lock, for those who wait too long. That it cannot be said is no hindrance. An empty file is not cut:
/// ext4 puts a file that was cut to nothing onto the disk when it is closed, which takes as long as half a test.
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
