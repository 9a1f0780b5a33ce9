//! Results to what JavaScript gets.

use napi::Either;

use crate::failure::Failure;

/// Nothing, or what went wrong.
pub(crate) fn done<E: Into<contract::Failure>>(result: Result<(), E>) -> Option<Failure> {
    result.err().map(Failure::from)
}

/// The value, or what went wrong.
pub(crate) fn either<T, E: Into<contract::Failure>>(result: Result<T, E>) -> Either<T, Failure> {
    match result {
        Ok(value) => Either::A(value),
        Err(error) => Either::B(Failure::from(error)),
    }
}
