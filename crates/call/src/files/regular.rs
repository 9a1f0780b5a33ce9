//! Opens regular files only. Opening a named pipe would block until another process opens its other end.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// The advice in the error for a path that is not a regular file.
#[derive(Clone, Copy, Debug)]
pub enum Advice {
    /// Asks for another file to read.
    Input,
    /// Asks for another path to write to.
    Output,
    /// Asks to remove the file or to choose another directory, because the library chose the file name.
    Generated,
}

impl Advice {
    fn text(self) -> &'static str {
        match self {
            Self::Input => "pass the path of a regular file",
            Self::Output => "choose another path",
            Self::Generated => "remove it, or choose another directory",
        }
    }
}

/// Opens a file without blocking. Fails, with the advice, if the path leads to a directory, a named pipe, a socket, or
/// a device.
pub fn open(path: &Path, options: &mut OpenOptions, advice: Advice) -> io::Result<(File, Metadata)> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    // Check before opening, because opening a device may have side effects, and again afterwards, because the path may
    // have been replaced.
    match std::fs::metadata(path) {
        Ok(metadata) => check(&metadata, advice)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    check(&metadata, advice)?;
    Ok((file, metadata))
}

/// Opens a file for reading without blocking. Fails for everything except regular files.
pub fn open_file(path: &Path) -> io::Result<File> {
    open_to_read(path).map(|(file, _)| file)
}

/// Opens a file for appending, and creates it if it does not exist. Fails for everything except regular files.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().create(true).append(true), Advice::Output).map(|(file, _)| file)
}

/// Creates a file, or replaces its content. Fails for everything except regular files.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true);
    open(path, &mut options, Advice::Output)?.0.write_all(content)
}

/// Maximum size of a certificate, key, or settings file, in bytes.
const MAX_SETTINGS_SIZE: u64 = 16 << 20;

/// Reads a certificate, key, or settings file of at most 16 MiB. Fails for everything except regular files.
pub fn read_settings(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(MAX_SETTINGS_SIZE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SETTINGS_SIZE {
        let message = format!("the file is larger than {MAX_SETTINGS_SIZE} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(bytes)
}

pub fn open_to_read(path: &Path) -> io::Result<(File, Metadata)> {
    open(path, OpenOptions::new().read(true), Advice::Input)
}

/// Reads a file of any size. Fails for everything except regular files.
pub fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read the file: {}", super::error::os_message(.0))]
    Io(#[from] io::Error),
    #[error("the file has {size} bytes, more than the limit of {limit}; {advice}")]
    Size { size: u64, limit: u64, advice: String },
}

/// Reads a contract file of at most `limit` bytes. Errors do not contain the path. If the file is too large, the error
/// ends with `advice`.
pub fn read(path: &Path, limit: u64, advice: &str) -> Result<Vec<u8>, ReadError> {
    let (file, metadata) = open_to_read(path)?;
    let too_large = |size: u64| ReadError::Size {
        size,
        limit,
        advice: advice.to_owned(),
    };
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // The file may grow, and some special files report a size of 0.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)? as u64;
    if read > limit { Err(too_large(read)) } else { Ok(bytes) }
}

/// Fails, with the advice, unless the file is a regular file.
pub fn check(metadata: &Metadata, advice: Advice) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let kind_name = kind(metadata.file_type());
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("it is {kind_name}, not a regular file; {}", advice.text()),
    ))
}

#[cfg(unix)]
fn kind(found: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if found.is_fifo() {
        "a named pipe"
    } else if found.is_socket() {
        "a socket"
    } else if found.is_dir() {
        "a directory"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(found: FileType) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else {
        "a special file"
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{open_to_append, read_all, read_settings, write};

    #[test]
    fn rejects_pipes_devices_and_links_to_them() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, link, zero] = ["pipe", "link", "zero"].map(|name| folder.path().join(name));
        let created = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(created.unwrap().success());
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        for path in [&pipe, &link, &zero] {
            for error in [read_settings(path).unwrap_err(), read_all(path).unwrap_err()] {
                let text = error.to_string();
                assert!(
                    text.ends_with("not a regular file; pass the path of a regular file"),
                    "{text}"
                );
            }
            for error in [open_to_append(path).unwrap_err(), write(path, b"x").unwrap_err()] {
                let text = error.to_string();
                assert!(text.ends_with("not a regular file; choose another path"), "{text}");
            }
        }
        let large = folder.path().join("large");
        std::fs::File::create(&large).unwrap().set_len(17 << 20).unwrap();
        let text = read_settings(&large).unwrap_err().to_string();
        assert!(text.contains("larger than 16777216 bytes"), "{text}");
    }
}
