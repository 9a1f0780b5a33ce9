//! Contracts that were fetched from a broker.

use contract_broker_client::{BrokerClient, Resource, VerificationNotice};

/// A contract from a broker, with the client and the links that are needed to publish its result.
#[derive(Debug)]
pub struct Fetched {
    pub client: BrokerClient,
    pub resource: Resource,
    /// Notices to print after the verification, depending on its result.
    pub notices: Vec<VerificationNotice>,
}

impl Fetched {
    pub fn document(&self) -> &[u8] {
        self.resource.bytes()
    }
}
