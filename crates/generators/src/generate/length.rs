//! How long generated texts are.

use crate::GenerateError;

/// Longest generated text and most digits: a contract of another team must not fill the memory.
const MAX_LENGTH: usize = 1_000_000;

/// The length that is asked for, or 10.
pub(super) fn of(asked: Option<usize>) -> Result<usize, GenerateError> {
    match asked.unwrap_or(10) {
        asked if asked > MAX_LENGTH => Err(GenerateError::TooLong {
            asked,
            most: MAX_LENGTH,
        }),
        length => Ok(length),
    }
}
