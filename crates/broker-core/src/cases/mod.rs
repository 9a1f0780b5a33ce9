//! The use cases, such as publishing, selecting, and deciding. They call the SQL layer and write the sentences that
//! explain their results. A use case runs in the transaction of its caller.

pub mod accounts;
pub mod archive;
pub mod branches;
pub mod deletions;
pub mod deployments;
pub mod environments;
pub mod import;
pub mod integrations;
pub mod publish;
pub mod results;
pub mod retention;
pub mod sample;
#[cfg(test)]
mod scale;
pub mod selection;
pub mod settings;
pub mod tags;
pub mod tokens;
pub mod verdict;
pub mod webhooks;

use crate::store::StoreError;

/// The error of a failed use case.
#[derive(Debug)]
pub enum CaseError<R> {
    /// The request violates a rule.
    Rejected(R),
    Store(StoreError),
}

impl<R> From<StoreError> for CaseError<R> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
