//! Keeps secrets out of reports and error texts.

pub(crate) use contract_report::redact::mismatch;
pub(crate) use contract_wire::redacted_uri as uri;
