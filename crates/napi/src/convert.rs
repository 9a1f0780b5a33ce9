//! Texts to values. Documents cross as JSON text: N-API's own conversion would lose `1.0`.

use contract::{ArgumentError, Json};
use napi::Either;

use crate::failure::Failure;

/// A document that the JavaScript side has written.
pub(crate) fn json(text: &str) -> Result<Json, ArgumentError> {
    contract::parse_json(text)
}

/// Nothing, or what went wrong.
pub(crate) fn done(result: Result<(), ArgumentError>) -> Option<Failure> {
    result.err().map(Failure::from)
}

/// The value, or what went wrong.
pub(crate) fn either<T, E: Into<Failure>>(result: Result<T, E>) -> Either<T, Failure> {
    match result {
        Ok(value) => Either::A(value),
        Err(error) => Either::B(error.into()),
    }
}
