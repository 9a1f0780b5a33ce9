use crate::{Credentials, TransportOptions};

/// Options of a [`BrokerClient`](crate::BrokerClient): the address of the broker, credentials, and connection settings.
#[derive(Clone, Debug)]
pub struct BrokerOptions {
    /// Base URL: `http://…` or `https://…`, optionally with a path. The client uses credentials in the URL unless
    /// `credentials` is set.
    pub url: String,
    pub credentials: Credentials,
    /// Headers for every request to the broker, as name and value.
    pub headers: Vec<(String, String)>,
    /// Connections, timeouts, and limits. Proxies are never used for local addresses.
    pub transport: TransportOptions,
}

impl Default for BrokerOptions {
    /// Returns options without URL and credentials; see [`TransportOptions`] for the default timeouts.
    fn default() -> Self {
        Self {
            url: String::new(),
            credentials: Credentials::None,
            headers: Vec::new(),
            transport: TransportOptions {
                server_name: "broker",
                ..TransportOptions::default()
            },
        }
    }
}
