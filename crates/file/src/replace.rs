//! Replaces files atomically.

use std::fs::{File, Metadata};
use std::io::{self, IoSlice, Write};
use std::path::Path;

/// Writes the parts to a temporary file and swaps it with `path`, so that readers see either the old or the new
/// content. Returns the metadata of the new file. The caller must hold a lock that protects the name of the temporary
/// file.
pub(super) fn replace(path: &Path, parts: &mut [IoSlice<'_>]) -> io::Result<Metadata> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // The temporary file is in the same directory, because renaming works only within a file system.
    let temporary = path.with_file_name(format!(".{name}.new"));
    let replaced = written(&temporary, parts).and_then(|metadata| {
        swap(&temporary, path)?;
        Ok(metadata)
    });
    if replaced.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    replaced
}

/// Creates a new file. An existing file is removed first, because it was left by a killed process, or is a link that
/// must not be followed.
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

/// Exchanges the names of the two files and removes the old file. Renaming over the old file would have the same
/// result, but ext4 then flushes the new file to disk, which is slow.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn swap(new: &Path, old: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
        // If this fails, the next writer overwrites the file.
        let _ = std::fs::remove_file(new);
        return Ok(());
    }
    // Either there is no old file, or the file system does not support exchanging names.
    std::fs::rename(new, old)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn swap(new: &Path, old: &Path) -> io::Result<()> {
    std::fs::rename(new, old)
}
