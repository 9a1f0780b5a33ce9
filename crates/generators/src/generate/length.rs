//! How long a text or a number is made.

use crate::GenerateError;
use crate::budget::Budget;

/// As many characters as were asked for, if there is room for them: a contract of another team must not fill the memory.
pub(super) fn of(asked: Option<usize>, budget: &Budget) -> Result<usize, GenerateError> {
    let asked = asked.unwrap_or(10);
    budget.room(asked).map(|()| asked)
}
