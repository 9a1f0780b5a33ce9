//! A call to a broker.

use contract_broker_client::BrokerClient;
use contract_model::Json;

use super::access;
use super::failure::BrokerFailure;
use crate::environment::Environment;

/// A call that is being carried out.
pub(super) struct Call<'a> {
    pub(super) name: &'static str,
    pub(super) access: Json,
    pub(super) environment: &'a Environment,
}

impl Call<'_> {
    pub(super) fn client(&self) -> Result<BrokerClient, BrokerFailure> {
        access::client(self.access.clone(), self.environment)
    }
}
