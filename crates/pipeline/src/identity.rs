//! Client certificates.

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{option, told};
use contract_wire::Identity;

/// What a client shows who asks for a certificate: it needs its key.
pub fn identity(certificate: Option<Vec<u8>>, key: Option<Vec<u8>>) -> Result<Option<Identity>, ArgumentError> {
    let missing = match (certificate, key) {
        (Some(certificate), Some(key)) => return Ok(Some(Identity { certificate, key })),
        (None, None) => return Ok(None),
        (Some(_), None) => "key",
        (None, Some(_)) => "cert",
    };
    let message = told![option("cert"), " and ", option("key"), " belong together; give both"];
    Err(ArgumentError::new(OPTIONS, message).about(missing))
}
