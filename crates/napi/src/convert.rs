//! Converts results of the core to values for JavaScript.

use napi::Either;

use crate::failure::Failure;

/// Returns the failure, or `None` if the call succeeded.
pub(crate) fn done<E: Into<contract::Failure>>(result: Result<(), E>) -> Option<Failure> {
    result.err().map(Failure::from)
}

/// Returns the value if the call succeeded, and the failure otherwise.
pub(crate) fn either<T, E: Into<contract::Failure>>(result: Result<T, E>) -> Either<T, Failure> {
    match result {
        Ok(value) => Either::A(value),
        Err(error) => Either::B(Failure::from(error)),
    }
}
