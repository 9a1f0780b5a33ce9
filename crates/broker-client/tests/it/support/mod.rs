pub(crate) mod broker;
pub(crate) mod recorded;
pub(crate) mod stub;

use contract_broker_client::{BrokerClient, BrokerOptions, Retries};

/// Options with short delays between attempts.
pub(crate) fn options(url: &str) -> BrokerOptions {
    let mut options = BrokerOptions {
        url: url.to_owned(),
        ..BrokerOptions::default()
    };
    options.transport.retries = Retries {
        first_delay: std::time::Duration::from_millis(1),
        ..Retries::default()
    };
    options
}

pub(crate) fn client(url: &str) -> BrokerClient {
    BrokerClient::new(options(url)).expect("a client")
}
