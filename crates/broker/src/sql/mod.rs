//! The one home of the SQL, by subject. Functions over one transaction; what differs between databases is not here.

pub(crate) mod branches;
pub(crate) mod environments;
mod heads;
pub(crate) mod matrix;
pub(crate) mod overview;
pub(crate) mod pacticipants;
pub(crate) mod pacts;
pub(crate) mod promises;
pub(crate) mod removal;
pub(crate) mod results;
#[cfg(test)]
mod scale;
pub(crate) mod selection;
pub(crate) mod surroundings;
pub(crate) mod tags;
pub(crate) mod versions;

/// One page of a list, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) number: i64,
    pub(crate) size: i64,
}

impl Page {
    /// How many entries come before it.
    pub(crate) fn offset(self) -> i64 {
        (self.number - 1).saturating_mul(self.size)
    }
}

/// The longest list that is given without being asked for pages.
pub(crate) const WHOLE: Page = Page {
    number: 1,
    size: 10_000,
};
