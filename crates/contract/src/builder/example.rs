//! Examples for matchers that were given none: their generator makes one.

use contract_model::{Generator, Json};

use crate::error::{ArgumentError, MATCHER};

/// Every definition makes the same examples, so that a contract file does not change from run to run.
const SEED: u64 = 0;

/// An example that the generator makes.
pub(super) fn generated(generator: &Generator) -> Result<Json, ArgumentError> {
    crate::clock::example(generator, SEED).map_err(|problem| ArgumentError::new(MATCHER, problem))
}
