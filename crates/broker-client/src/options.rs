use crate::{Credentials, TransportOptions};

#[derive(Clone, Debug)]
pub struct BrokerOptions {
    /// Base URL: `http://…` or `https://…`, optionally with a path. Credentials in the URL are used only if
    /// `credentials` is [`Credentials::None`].
    pub url: String,
    pub credentials: Credentials,
    /// Names and values of additional headers. They are sent with each request to the broker.
    pub headers: Vec<(String, String)>,
    pub transport: TransportOptions,
}

impl Default for BrokerOptions {
    /// Returns options with an empty URL and without credentials. [`TransportOptions`] documents the other defaults.
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
