//! Checks that a client certificate and its private key are passed together.

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{message, option};
use contract_wire::Identity;

/// Returns the client certificate with its private key, or `None` if neither is set. Returns an error if only one of
/// them is set.
pub fn identity(certificate: Option<Vec<u8>>, key: Option<Vec<u8>>) -> Result<Option<Identity>, ArgumentError> {
    let missing = match (certificate, key) {
        (Some(certificate), Some(key)) => return Ok(Some(Identity { certificate, key })),
        (None, None) => return Ok(None),
        (Some(_), None) => "key",
        (None, Some(_)) => "cert",
    };
    let message = message![option("cert"), " and ", option("key"), " must be passed together"];
    Err(ArgumentError::new(OPTIONS, message).for_argument(missing))
}
