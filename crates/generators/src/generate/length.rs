//! Length of generated strings and numbers.

use crate::GenerateError;
use crate::budget::Budget;

/// Returns the requested length if the budget allows it: contracts must not exhaust memory.
pub(super) fn of(asked: Option<usize>, budget: &Budget) -> Result<usize, GenerateError> {
    let asked = asked.unwrap_or(10);
    budget.room(asked).map(|()| asked)
}
