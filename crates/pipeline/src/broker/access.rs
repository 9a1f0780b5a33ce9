//! Connection settings of broker operations.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use contract_broker_client::{Access, BrokerClient, BrokerOptions, Retries, Secrets};
use contract_model::Json;
use contract_wire::Tls;
use serde::Deserialize;

use super::arguments::read;
use super::failure::BrokerFailure;
use crate::environment::Environment;
use crate::identity::identity;
use contract_call::pem::Pem;
use contract_call::read::{Milliseconds, Whole};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AccessOptions {
    url: Option<String>,
    username: Option<String>,
    password: Option<String>,
    token: Option<String>,
    use_env: Option<bool>,
    headers: BTreeMap<String, String>,
    retries: Option<Whole<0, 100>>,
    timeout: Option<Milliseconds<1>>,
    ca: Vec<Pem>,
    cert: Option<Pem>,
    key: Option<Pem>,
    disable_ssl_verification: bool,
}

pub(super) struct Call<'a> {
    pub(super) access: Json,
    pub(super) environment: &'a Environment,
    /// Credentials to remove from results. Set when the client is created.
    pub(super) secrets: &'a OnceLock<Secrets>,
    /// Called with a line before each wait.
    pub(super) progress: &'a (dyn Fn(&str) + Send + Sync),
}

impl Call<'_> {
    /// Creates the client. The environment supplies absent values.
    pub(super) fn client(self) -> Result<BrokerClient, BrokerFailure> {
        let arguments: AccessOptions = read(self.access)?;
        let own = Access {
            url: arguments.url,
            username: arguments.username,
            password: arguments.password,
            token: arguments.token,
        };
        let environment = Some(self.environment).filter(|_| arguments.use_env != Some(false));
        let outside = environment.map(Environment::broker).unwrap_or_default();
        let (url, credentials) = own.or(outside).resolve()?;
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
