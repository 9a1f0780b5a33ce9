//! Length of generated strings and numbers.

use crate::GenerateError;
use crate::budget::Budget;

/// Returns the requested length if the budget allows it. The budget keeps contracts from exhausting memory.
pub(super) fn checked_length(requested: Option<usize>, budget: &Budget) -> Result<usize, GenerateError> {
    let requested = requested.unwrap_or(10);
    budget.room(requested).map(|()| requested)
}
