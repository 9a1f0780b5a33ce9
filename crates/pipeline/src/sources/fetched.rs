//! A contract that a broker gave.

use contract_broker_client::{BrokerClient, Resource, VerificationNotice};

/// A contract as the broker that it was read from knows it: what its result is published by.
#[derive(Debug)]
pub struct Fetched {
    pub client: BrokerClient,
    pub resource: Resource,
    /// What is to be read when it has been verified.
    pub notices: Vec<VerificationNotice>,
}

impl Fetched {
    /// The contract, as the broker sent it.
    pub fn document(&self) -> &[u8] {
        self.resource.bytes()
    }
}
