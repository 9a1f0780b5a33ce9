//! What every command knows: where the broker is, who asks, how, and in which form is told what came of it.

use std::path::{Path, PathBuf};

use clap::Args;
use contract::{Json, Object};

use super::output::Format;

/// What the help of each command ends with.
pub(super) const EXIT_CODES: &str = "\
Exit codes, the same in every form of output:
  0  it is done; for verdicts: yes
  1  it is not: the verdict is no or not known, or what was named is not there
  2  the arguments make no sense, or there is nothing to do it with
  4  the broker cannot be reached, or what answers is none
  5  the broker does not let you";

#[derive(Args, Clone)]
pub(crate) struct Common {
    /// The form of what is printed
    #[arg(short, long, value_enum, default_value = "table", help_heading = "Output")]
    pub(super) output: Format,

    /// Tell on standard error what is asked and answered
    #[arg(long, help_heading = "Output")]
    pub(super) verbose: bool,

    /// The same, in levels: off, error, warn, info, debug, trace
    #[arg(long, value_name = "LEVEL", help_heading = "Output")]
    pub(super) log_level: Option<String>,

    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Args, Clone)]
#[command(
    next_help_heading = "Broker (each of the first four may come from CONTRACT_BROKER_… or PACT_BROKER_… as well)"
)]
pub(super) struct Connection {
    /// The broker's base URL
    #[arg(short = 'b', long, value_name = "URL")]
    broker_base_url: Option<String>,

    /// User name for the broker
    #[arg(short = 'u', long, value_name = "NAME", conflicts_with = "broker_token")]
    broker_username: Option<String>,

    /// Password for the broker; safer as CONTRACT_BROKER_PASSWORD
    #[arg(short = 'p', long, value_name = "PASSWORD", conflicts_with = "broker_token")]
    broker_password: Option<String>,

    /// Bearer token for the broker; safer as CONTRACT_BROKER_TOKEN
    #[arg(short = 'k', long, value_name = "TOKEN")]
    broker_token: Option<String>,

    /// A header for every request to the broker [repeatable]
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    custom_header: Vec<(String, String)>,

    /// How often a request is sent again that cannot be answered now; default: CONTRACT_BROKER_HTTP_RETRIES, else 5, and 2 where nobody
    /// listens
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    retries: Option<u32>,

    /// Time for one answer, in milliseconds; default: 60000
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    request_timeout: Option<u64>,

    /// Certificates of an authority to trust besides the system's, in PEM form [repeatable]; also SSL_CERT_FILE
    #[arg(short = 'c', long, value_name = "FILE")]
    ssl_certificate: Vec<PathBuf>,

    /// The certificate to show when the broker asks for one, in PEM form
    #[arg(long, value_name = "FILE", requires = "ssl_client_key")]
    ssl_client_certificate: Option<PathBuf>,

    /// Its private key, in PEM form
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
