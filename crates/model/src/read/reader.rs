//! State and result of reading.

use super::error::ReadWarning;
use crate::{Contract, SpecificationVersion};

/// A contract and the warnings of reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub contract: Contract,
    /// Problems that did not prevent reading.
    pub warnings: Vec<ReadWarning>,
}

/// State of reading a document.
pub(super) struct Reader {
    pub(super) version: SpecificationVersion,
    pub(super) warnings: Vec<ReadWarning>,
    /// True if unreadable interactions are kept; otherwise they are errors.
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
