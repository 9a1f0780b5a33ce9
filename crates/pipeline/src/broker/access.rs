//! The URL, credentials, and connection settings of a broker.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use contract_broker_client::{Access, BrokerClient, BrokerOptions, Retries, Secrets};
use contract_wire::Tls;
use serde::Deserialize;

use super::failure::BrokerFailure;
use crate::environment::Environment;
use crate::identity::identity;
use contract_call::pem::Pem;
use contract_call::read::{Milliseconds, Whole};

/// The URL, credentials, and connection settings of a broker. Options that are not set are read from environment
/// variables.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessOptions {
    /// Base URL of the broker. May contain `user:password@`. Default: `CONTRACT_BROKER_BASE_URL`, then
    /// `PACT_BROKER_BASE_URL`.
    pub url: Option<String>,
    /// User name for basic authentication. Overrides a token from the environment. Default: `CONTRACT_BROKER_USERNAME`,
    /// then `PACT_BROKER_USERNAME`.
    pub username: Option<String>,
    /// Password for basic authentication. Default: `CONTRACT_BROKER_PASSWORD`, then `PACT_BROKER_PASSWORD`.
    pub password: Option<String>,
    /// Bearer token. Overrides a user name and password from the environment. Default: `CONTRACT_BROKER_TOKEN`, then
    /// `PACT_BROKER_TOKEN`.
    pub token: Option<String>,
    /// Whether environment variables provide the options that are not set, and the settings for proxies and
    /// certificates. Default: true.
    pub use_env: Option<bool>,
    /// Additional headers for each request to the broker, by name.
    pub headers: BTreeMap<String, String>,
    /// Maximum number of retries of an idempotent request, at most 100. Default: `CONTRACT_BROKER_HTTP_RETRIES`, then
    /// `PACT_BROKER_HTTP_RETRIES`; otherwise 5, or 2 if the connection is refused.
    pub retries: Option<Whole<0, 100>>,
    /// Timeout for one request in milliseconds. Default: 60000.
    pub timeout: Option<Milliseconds<1>>,
    /// CA certificates in PEM format that are trusted in addition to those of the system.
    pub ca: Vec<Pem>,
    /// Client certificate in PEM format. Requires `key`.
    pub cert: Option<Pem>,
    /// Unencrypted private key of the client certificate in PEM format. Requires `cert`.
    pub key: Option<Pem>,
    /// Whether server certificates are accepted without verification. Default: false.
    pub disable_ssl_verification: bool,
}

/// A broker and the settings for calling it. Each function is an operation, such as [`Broker::publish`].
pub struct Broker {
    access: AccessOptions,
    pub(super) environment: Environment,
    pub(super) progress: fn(&str),
}

impl Broker {
    /// Creates a broker. Access options that are not set are read from `environment`.
    pub fn new(access: AccessOptions, environment: Environment) -> Self {
        Self {
            access,
            environment,
            progress: |_| (),
        }
    }

    /// Sets the function that receives a line of text each time an operation is about to wait for a verdict.
    #[must_use]
    pub fn with_progress(self, progress: fn(&str)) -> Self {
        Self { progress, ..self }
    }
}

/// An operation that is running.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) broker: &'a Broker,
    /// The credentials to remove from the result. Set when the client is created.
    pub(super) secrets: &'a OnceLock<Secrets>,
}

impl Call<'_> {
    /// Creates the client for this operation. Access options that are not set are read from the environment.
    pub(super) fn client(self) -> Result<BrokerClient, BrokerFailure> {
        let arguments = self.broker.access.clone();
        let own = Access {
            url: arguments.url,
            username: arguments.username,
            password: arguments.password,
            token: arguments.token,
        };
        let environment = Some(&self.broker.environment).filter(|_| arguments.use_env != Some(false));
        let from_environment = environment.map(Environment::broker).unwrap_or_default();
        let (url, credentials) = own.or(from_environment).resolve()?;
        let mut options = BrokerOptions {
            url,
            credentials,
            headers: arguments.headers.into_iter().collect(),
            ..BrokerOptions::default()
        };
        let bytes = |pem: &Pem| pem.bytes();
        let mut unreadable = Vec::new();
        options.transport.tls = Tls {
            authorities: arguments.ca.iter().map(bytes).collect(),
            more: environment.and_then(|environment| environment.authorities(&mut unreadable)),
            identity: identity(arguments.cert.as_ref().map(bytes), arguments.key.as_ref().map(bytes))?,
            insecure: arguments.disable_ssl_verification || environment.is_some_and(Environment::skips_certificates),
        };
        if let Some(problem) = unreadable.into_iter().next() {
            return Err(BrokerFailure::local("ERR_CONTRACT_BROKER_SETTINGS", problem));
        }
        options.transport.proxies = environment.map(Environment::proxies).unwrap_or_default();
        let retries = match arguments.retries {
            Some(retries) => u32::try_from(retries.0).ok(),
            None => environment.map_or(Ok(None), Environment::retries)?,
        };
        if let Some(count) = retries {
            options.transport.retries = Retries::times(count);
        }
        if let Some(timeout) = arguments.timeout {
            options.transport.timeout = timeout.0;
        }
        let client = BrokerClient::new(options)?;
        // Each operation creates only one client.
        let _ = self.secrets.set(client.secrets().clone());
        Ok(client)
    }
}
