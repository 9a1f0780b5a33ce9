use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file for reading. Returns an error for named pipes and devices without blocking.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    if !fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path)?;
    // The path may refer to a different file by now.
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(not_regular())
    }
}
