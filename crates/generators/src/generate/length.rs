//! Length of generated strings and numbers.

use crate::GenerateError;
use crate::budget::Budget;

/// Returns the requested length, by default 10, or an error if it exceeds the budget. This keeps contracts from
/// exhausting the memory.
pub(super) fn checked_length(requested: Option<usize>, budget: &Budget) -> Result<usize, GenerateError> {
    let requested = requested.unwrap_or(10);
    budget.room(requested).map(|()| requested)
}
