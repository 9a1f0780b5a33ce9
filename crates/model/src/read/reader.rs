//! The state while a contract is read, and the result.

use super::error::ReadWarning;
use crate::{Contract, SpecificationVersion};

/// A contract, and the warnings from reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub contract: Contract,
    /// Problems that did not prevent reading the contract.
    pub warnings: Vec<ReadWarning>,
}

pub(super) struct Reader {
    pub(super) version: SpecificationVersion,
    pub(super) warnings: Vec<ReadWarning>,
    /// True to keep interactions that cannot be parsed, false to return an error for them.
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
