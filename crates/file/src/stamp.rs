//! Detects changes to files by their metadata.

use std::fs::Metadata;
use std::time::SystemTime;

/// Metadata that differs if the file was changed or replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    inode: u64,
    size: u64,
    modified: Option<SystemTime>,
}

/// Metadata that differs if the file was replaced, but not if it was only appended to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    inode: u64,
    created: Option<SystemTime>,
}

impl FileIdentity {
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            inode: inode(metadata),
            created: metadata.created().ok(),
        }
    }
}

impl FileStamp {
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            inode: inode(metadata),
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &Metadata) -> u64 {
    0
}
