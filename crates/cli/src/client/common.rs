//! What every command knows: where the broker is, who asks, how, and in which form is told what came of it.

use std::path::{Path, PathBuf};

use clap::Args;
use contract::{Json, Object};

use super::output::Format;

/// What the help of each command ends with.
pub(super) const EXIT_CODES: &str = "\
Exit codes, the same in every form of output:
  0  success; for verdicts: deployable
  1  failure: not deployable or unknown, not found, or rejected by the broker
  2  invalid arguments, or nothing to do
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

#[derive(Args, Clone)]
pub(crate) struct Common {
    /// Output format
    #[arg(short, long, value_enum, default_value = "table", help_heading = "Output")]
    pub(super) output: Format,

    /// Log requests and responses to standard error
    #[arg(long, help_heading = "Output")]
    pub(super) verbose: bool,

    /// Log level: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", help_heading = "Output")]
    pub(super) log_level: Option<String>,

    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Args, Clone)]
#[command(next_help_heading = "Broker (each of the first four can also be set as CONTRACT_BROKER_… or PACT_BROKER_…)")]
pub(super) struct Connection {
    /// Base URL of the broker
    #[arg(short = 'b', long, value_name = "URL")]
    broker_base_url: Option<String>,

    /// User name for the broker
    #[arg(short = 'u', long, value_name = "NAME", conflicts_with = "broker_token")]
    broker_username: Option<String>,

    /// Password for the broker; prefer CONTRACT_BROKER_PASSWORD
    #[arg(short = 'p', long, value_name = "PASSWORD", conflicts_with = "broker_token")]
    broker_password: Option<String>,

    /// Bearer token for the broker; prefer CONTRACT_BROKER_TOKEN
    #[arg(short = 'k', long, value_name = "TOKEN")]
    broker_token: Option<String>,

    /// Header for every request to the broker (repeatable)
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    custom_header: Vec<(String, String)>,

    /// Number of retries of idempotent requests [default: CONTRACT_BROKER_HTTP_RETRIES, otherwise 5, or 2 if the connection is refused]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    retries: Option<u32>,

    /// Timeout of one request, in milliseconds [default: 60000]
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    request_timeout: Option<u64>,

    /// PEM file with certificates to trust in addition to the system's (repeatable); also SSL_CERT_FILE
    #[arg(short = 'c', long, value_name = "FILE")]
    ssl_certificate: Vec<PathBuf>,

    /// PEM file with the client certificate
    #[arg(long, value_name = "FILE", requires = "ssl_client_key")]
    ssl_client_certificate: Option<PathBuf>,

    /// PEM file with the key of the client certificate
    #[arg(long, value_name = "FILE", requires = "ssl_client_certificate")]
    ssl_client_key: Option<PathBuf>,

    /// Accept any certificate
    #[arg(long)]
    skip_ssl_verification: bool,

    /// The certificates that the system trusts are always trusted
    #[arg(long, hide = true, num_args = 0..=1, value_name = "BOOLEAN", default_missing_value = "true")]
    ssl_trust_store: Option<bool>,
}

fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once([':', '=']) {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        // What was given may be a secret.
        _ => Err("give a name and a value, such as 'X-Tenant: 7'".to_owned()),
    }
}

impl Connection {
    /// As the core wants it.
    pub(super) fn access(&self) -> Result<Json, String> {
        let mut out = Object::new();
        for (name, value) in [
            ("url", &self.broker_base_url),
            ("username", &self.broker_username),
            ("password", &self.broker_password),
            ("token", &self.broker_token),
        ] {
            put(&mut out, name, value.as_deref());
        }
        if !self.custom_header.is_empty() {
            let pairs = self
                .custom_header
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            out.insert("headers", pairs.collect::<Object>());
        }
        put(&mut out, "retries", self.retries.map(u64::from));
        put(&mut out, "timeout", self.request_timeout);
        if !self.ssl_certificate.is_empty() {
            let pems = self.ssl_certificate.iter().map(|path| Ok(Json::from(file(path)?)));
            out.insert("ca", pems.collect::<Result<Vec<_>, String>>()?);
        }
        for (name, path) in [("cert", &self.ssl_client_certificate), ("key", &self.ssl_client_key)] {
            if let Some(path) = path {
                out.insert(name, file(path)?);
            }
        }
        if self.skip_ssl_verification {
            out.insert("disable_ssl_verification", true);
        }
        // That the system's certificates are trusted is how it is; that they are not cannot be had.
        if self.ssl_trust_store == Some(false) {
            return Err(
                "--ssl-trust-store false: the system's certificates are always trusted; leave it out".to_owned(),
            );
        }
        Ok(out.into())
    }
}

fn file(path: &Path) -> Result<String, String> {
    let problem = |error: &std::io::Error| contract::file_problem(path, "read the certificate or key in", error);
    let bytes = contract::read_settings(path).map_err(|error| problem(&error))?;
    String::from_utf8(bytes).map_err(|_| problem(&std::io::Error::other("it is not text in PEM form")))
}

/// Puts what was given.
pub(super) fn put<T: Into<Json>>(object: &mut Object, name: &str, value: Option<T>) {
    if let Some(value) = value {
        object.insert(name, value);
    }
}

/// Puts what was given.
pub(super) fn put_text(object: &mut Object, name: &str, value: Option<&String>) {
    put(object, name, value.map(String::as_str));
}

/// Puts a list, if there is anything in it.
pub(super) fn put_list(object: &mut Object, name: &str, values: &[String]) {
    if !values.is_empty() {
        object.insert(
            name,
            values.iter().map(|one| Json::from(one.as_str())).collect::<Vec<_>>(),
        );
    }
}
