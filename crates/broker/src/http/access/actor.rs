//! Who sends a request.

use contract_broker_core::domain::access::Grants;

/// The sender of a request, and what the credentials of the request allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Actor {
    pub(crate) grants: Grants,
}

impl Actor {
    pub(crate) fn new(grants: Grants) -> Self {
        Self { grants }
    }

    pub(crate) fn anonymous(grants: Grants) -> Self {
        Self { grants }
    }
}
