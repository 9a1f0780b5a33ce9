//! Puts a new content in a file's place, at once.

use std::fs::{File, Metadata};
use std::io::{self, IoSlice, Write};
use std::path::Path;

/// Writes the parts beside the file and lets the two change places: whoever opens the file finds the old content or the
/// new one, whole. Gives the metadata of the file as it is now. The caller's lock makes the name beside it the caller's.
pub(super) fn replace(path: &Path, parts: &mut [IoSlice<'_>]) -> io::Result<Metadata> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Beside the file, for that works within a file system only.
    let beside = path.with_file_name(format!(".{name}.new"));
    let replaced = written(&beside, parts).and_then(|metadata| {
        swap(&beside, path)?;
        Ok(metadata)
    });
    if replaced.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    replaced
}

/// A new file. What stands in its place is what a killed writer left, or a link that must not be followed: it goes.
fn created(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            File::create_new(path)
        }
        created => created,
    }
}

fn written(path: &Path, mut parts: &mut [IoSlice<'_>]) -> io::Result<Metadata> {
    let mut file = created(path)?;
    while !parts.is_empty() {
        match file.write_vectored(parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut parts, count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    file.metadata()
}

/// Exchanges the names of the two files, and removes the one that is old then. A rename over an existing file would do as
/// well, but ext4 waits for the disk there, which takes longer than all the rest of a test.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn swap(new: &Path, old: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
        // What is left of it is overwritten by the next writer.
        let _ = std::fs::remove_file(new);
        return Ok(());
    }
    // There is no old file, or this file system has no exchange.
    std::fs::rename(new, old)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn swap(new: &Path, old: &Path) -> io::Result<()> {
    std::fs::rename(new, old)
}
