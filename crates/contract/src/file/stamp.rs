//! Detects whether a file has changed since it was read.

use std::fs::Metadata;
use std::time::SystemTime;

/// The state of a file, for detecting changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    inode: u64,
    size: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Self {
            inode,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }
}
