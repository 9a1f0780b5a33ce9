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

/// Distinguishes a file from one that replaced it.
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
