//! Refusals of what a verifier is told.

use contract_verifier::SetupError;

use crate::error::{ArgumentError, OPTIONS};
use crate::message::Message;

pub(super) fn refused(message: impl Into<Message>) -> ArgumentError {
    ArgumentError::new(OPTIONS, message)
}

pub(super) fn setup(error: &SetupError) -> ArgumentError {
    refused(error.to_string())
}
