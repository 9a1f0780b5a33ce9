//! The use cases of the broker, such as publishing contracts, selecting contracts for verification, and deciding
//! whether a version is deployable. They call the SQL layer and write the sentences that explain their results. A use
//! case runs in its caller's transaction.

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
