//! Converts results for JavaScript.

use napi::Either;

use crate::failure::Failure;

/// Returns the failure, or `None` if the call succeeded.
pub(crate) fn done<E: Into<contract::Failure>>(result: Result<(), E>) -> Option<Failure> {
    result.err().map(Failure::from)
}

/// Returns the value or the failure.
pub(crate) fn either<T, E: Into<contract::Failure>>(result: Result<T, E>) -> Either<T, Failure> {
    match result {
        Ok(value) => Either::A(value),
        Err(error) => Either::B(Failure::from(error)),
    }
}
