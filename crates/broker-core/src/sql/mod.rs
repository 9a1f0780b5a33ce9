//! All SQL queries, grouped by subject. Each function runs within a transaction. SQLite and PostgreSQL use the same
//! statements.

pub mod accounts;
pub mod activity;
pub mod api_tokens;
pub mod audit;
pub mod branch_deletions;
pub mod branches;
pub mod deletions;
pub mod deliveries;
pub mod environments;
mod heads;
pub mod integrations;
pub mod leases;
pub mod matrix;
pub mod overview;
pub mod pacticipants;
pub mod pacts;
pub mod removal;
pub mod results;
pub mod retention;
pub mod rows;
pub mod selection;
mod statement;
pub mod tags;
pub mod version_context;
pub mod versions;
pub mod webhooks;

/// A page of a list. Page numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub number: i64,
    pub size: i64,
}

impl Page {
    /// Returns the number of entries on the previous pages.
    pub fn offset(self) -> i64 {
        (self.number - 1).saturating_mul(self.size)
    }
}

/// The page for lists that are not paginated: the first 10,000 entries.
pub const UNPAGED: Page = Page {
    number: 1,
    size: 10_000,
};
