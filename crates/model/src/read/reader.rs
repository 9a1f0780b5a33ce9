//! What a reader carries along, and what it hands back.

use super::error::ReadWarning;
use crate::{Contract, SpecificationVersion};

/// A contract that was read, and what was odd about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The contract.
    pub contract: Contract,
    /// What could be read, but is worth a look.
    pub warnings: Vec<ReadWarning>,
}

/// What one pass over a document carries along.
pub(super) struct Reader {
    pub(super) version: SpecificationVersion,
    pub(super) warnings: Vec<ReadWarning>,
    /// Whether an interaction that cannot be read is kept; else it is an error.
    pub(super) keeps_unreadable: bool,
}

impl Reader {
    pub(super) fn new(version: SpecificationVersion) -> Self {
        Self {
            version,
            warnings: Vec::new(),
            keeps_unreadable: false,
        }
    }
}
