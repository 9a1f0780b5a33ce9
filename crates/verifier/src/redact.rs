//! Keeps secrets out of reports and error texts.

pub(crate) use contract_matching::redact::{has_secrets, header, json, mismatch, text};
pub(crate) use contract_wire::redacted_uri as uri;
