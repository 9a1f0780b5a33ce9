//! Where the broker is, who asks, and how.

use std::collections::BTreeMap;
use std::time::Duration;

use contract_broker_client::{Access, BrokerClient, BrokerOptions, Retries};
use contract_model::Json;
use contract_wire::{Identity, Tls};
use serde::Deserialize;

use super::arguments::{read, refuse};
use super::failure::BrokerFailure;
use crate::environment::Environment;
use crate::message::{option, told};
use crate::read::{Milliseconds, Whole};
use crate::verify::Pem;

/// The names of what can be said about a broker.
pub const ACCESS_OPTIONS: [&str; 12] = [
    "url",
    "username",
    "password",
    "token",
    "use_env",
    "headers",
    "retries",
    "timeout",
    "ca",
    "cert",
    "key",
    "disable_ssl_verification",
];

/// What callers say about a broker.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AccessArguments {
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

/// Makes the client of what was said, and of what the environment says behind it.
pub(super) fn client(access: Json, environment: &Environment) -> Result<BrokerClient, BrokerFailure> {
    let given: AccessArguments = read(access)?;
    let own = Access {
        url: given.url,
        username: given.username,
        password: given.password,
        token: given.token,
    };
    let uses_environment = given.use_env != Some(false);
    let outside = if uses_environment {
        Access::of_environment(|name| environment.get(name).map(str::to_owned))
    } else {
        Access::default()
    };
    let (url, credentials) = own.or(outside).resolve()?;
    let identity = match (given.cert, given.key) {
        (None, None) => None,
        (Some(cert), Some(key)) => Some(Identity {
            certificate: cert.0.into_bytes(),
            key: key.0.into_bytes(),
        }),
        _ => {
            let message = told![option("cert"), " and ", option("key"), " belong together; give both"];
            return Err(refuse("cert", message).into());
        }
    };
    let mut options = BrokerOptions {
        url,
        credentials,
        headers: given.headers.into_iter().collect(),
        ..BrokerOptions::default()
    };
    let authorities: Vec<Vec<u8>> = given.ca.into_iter().map(|pem| pem.0.into_bytes()).collect();
    let mut more = None;
    if uses_environment {
        options.transport.proxies = environment.proxies();
        let mut unreadable = Vec::new();
        more = environment.authorities(&mut unreadable);
        if let Some(problem) = unreadable.into_iter().next() {
            return Err(BrokerFailure::local("ERR_CONTRACT_BROKER_SETTINGS", problem));
        }
    }
    options.transport.tls = Tls {
        authorities,
        more,
        identity,
        insecure: given.disable_ssl_verification || (uses_environment && environment.skips_certificates()),
    };
    let retries = given.retries.map(|retries| retries.0).or_else(|| {
        let set = |name| environment.get(name).filter(|_| uses_environment);
        let text = set("CONTRACT_BROKER_HTTP_RETRIES").or_else(|| set("PACT_BROKER_HTTP_RETRIES"))?;
        text.parse().ok()
    });
    if let Some(count) = retries.and_then(|count| u32::try_from(count).ok()) {
        options.transport.retries = Retries {
            count,
            ..Retries::default()
        };
    }
    if let Some(timeout) = given.timeout {
        options.transport.timeout = Duration::max(timeout.0, Duration::from_millis(1));
    }
    Ok(BrokerClient::new(options)?)
}
