//! All SQL, grouped by subject, as functions over one transaction. The statements are the same for both databases.

pub(crate) mod branch_deletions;
pub(crate) mod branches;
pub(crate) mod environments;
mod heads;
pub(crate) mod matrix;
pub(crate) mod overview;
pub(crate) mod pacticipants;
pub(crate) mod pacts;
pub(crate) mod removal;
pub(crate) mod results;
pub(crate) mod selection;
mod statement;
pub(crate) mod tags;
pub(crate) mod version_context;
pub(crate) mod versions;

/// One page of a list, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) number: i64,
    pub(crate) size: i64,
}

impl Page {
    /// Returns the number of entries before the page.
    pub(crate) fn offset(self) -> i64 {
        (self.number - 1).saturating_mul(self.size)
    }
}

/// The maximum size of a list without pagination.
pub(crate) const UNPAGED: Page = Page {
    number: 1,
    size: 10_000,
};
