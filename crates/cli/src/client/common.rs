//! Options that several commands share: connection, output format, application, and version.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use contract::broker::{AccessOptions, SingleLine, UuidArgument};
use contract::{Milliseconds, Whole};

use super::output::Format;
use crate::error::{CliError, Result};
use crate::files::read_pem;
use crate::values::header;

/// The section on exit codes in the help of most commands.
pub(super) const EXIT_CODES: &str = "\
Exit codes, in every output format:
  0  success
  1  failure: not found, or rejected by the broker
  2  invalid arguments, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

/// The last part of the help of commands that cannot fail because something is not found.
pub(super) const LIST_EXIT_CODES: &str = "\
Exit codes, in every output format:
  0  success
  1  rejected by the broker
  2  invalid arguments, or the job summary could not be written
  4  the broker is unreachable, or is not a Pact-compatible broker
  5  authentication or authorization failed";

#[derive(Args, Clone)]
pub(crate) struct Common {
    /// Output format
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "table",
        help_heading = "Output"
    )]
    pub(super) output: Format,

    /// Log requests and responses; same as --log-level debug
    #[arg(long, help_heading = "Output")]
    pub(super) verbose: bool,

    /// Level of the log on standard error: off, error, warn, info, debug, or trace [default: off]
    #[arg(long, value_name = "LEVEL", help_heading = "Output")]
    pub(super) log_level: Option<String>,

    #[command(flatten)]
    pub(super) connection: Connection,
}

impl Common {
    /// Returns true if the output contains the broker's whole response, and not only IDs or test cases.
    pub(crate) fn prints_values(&self) -> bool {
        matches!(self.output, Format::Table | Format::Json | Format::Ndjson)
    }
}

#[derive(Args, Clone)]
#[command(next_help_heading = "Broker (variables can also start with PACT_BROKER_ instead of CONTRACT_BROKER_)")]
pub(super) struct Connection {
    /// Base URL of the broker [env: CONTRACT_BROKER_BASE_URL]
    #[arg(short = 'b', long, value_name = "URL")]
    broker_base_url: Option<String>,

    /// User name for the broker [env: CONTRACT_BROKER_USERNAME]
    #[arg(short = 'u', long, value_name = "NAME", conflicts_with = "broker_token")]
    broker_username: Option<String>,

    /// Password for the broker; safer in an environment variable [env: CONTRACT_BROKER_PASSWORD]
    #[arg(short = 'p', long, value_name = "PASSWORD", conflicts_with = "broker_token")]
    broker_password: Option<String>,

    /// Bearer token for the broker; safer in an environment variable [env: CONTRACT_BROKER_TOKEN]
    #[arg(short = 'k', long, value_name = "TOKEN")]
    broker_token: Option<String>,

    /// Header for every request to the broker, as 'Name: value' (repeatable)
    #[arg(long, value_name = "HEADER", value_parser = header)]
    custom_header: Vec<(String, String)>,

    /// Number of retries of idempotent requests to the broker, at most 100 [env: CONTRACT_BROKER_HTTP_RETRIES]
    /// [default: 5, or 2 if the connection is refused]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    retries: Option<u32>,

    /// Timeout for one request, in milliseconds [default: 60000]
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    request_timeout: Option<u64>,

    /// PEM file with certificates to trust in addition to those of the system and in SSL_CERT_FILE (repeatable)
    #[arg(short = 'c', long, value_name = "FILE")]
    ssl_certificate: Vec<PathBuf>,

    /// PEM file with the client certificate
    #[arg(long, value_name = "FILE", requires = "ssl_client_key")]
    ssl_client_certificate: Option<PathBuf>,

    /// PEM file with the unencrypted private key of the client certificate
    #[arg(long, value_name = "FILE", requires = "ssl_client_certificate")]
    ssl_client_key: Option<PathBuf>,

    /// Disable verification of TLS certificates
    #[arg(long)]
    skip_ssl_verification: bool,

    /// Accepted for compatibility: certificates that the system trusts are always trusted
    #[arg(long, hide = true, num_args = 0..=1, value_name = "BOOL", default_missing_value = "true")]
    ssl_trust_store: Option<bool>,
}

impl Connection {
    pub(super) fn access(&self) -> Result<AccessOptions> {
        if self.ssl_trust_store == Some(false) {
            return Err(CliError::usage(
                "--ssl-trust-store false is not supported: the system's certificates are always trusted. Remove the option.",
            ));
        }
        let pem = |path: &PathBuf| read_pem(path);
        Ok(AccessOptions {
            url: self.broker_base_url.clone(),
            username: self.broker_username.clone(),
            password: self.broker_password.clone(),
            token: self.broker_token.clone(),
            use_env: None,
            headers: self.custom_header.iter().cloned().collect(),
            retries: self.retries.map(|count| Whole(count.into())),
            timeout: self
                .request_timeout
                .map(|time| Milliseconds(Duration::from_millis(time))),
            ca: self.ssl_certificate.iter().map(pem).collect::<Result<_>>()?,
            cert: self.ssl_client_certificate.as_ref().map(pem).transpose()?,
            key: self.ssl_client_key.as_ref().map(pem).transpose()?,
            disable_ssl_verification: self.skip_ssl_verification,
        })
    }
}

/// The application to which a command applies.
#[derive(Args)]
pub(super) struct Application {
    /// Name of the application
    #[arg(short = 'a', long, value_name = "NAME")]
    pub(super) pacticipant: SingleLine,
}

/// A version that must already exist.
#[derive(Args)]
pub(super) struct ExistingVersion {
    #[command(flatten)]
    pub(super) application: Application,

    /// Version of the application, which must exist in the broker
    #[arg(short = 'e', long, value_name = "VERSION")]
    pub(super) version: SingleLine,
}

/// A version that might not exist yet.
#[derive(Args)]
pub(super) struct AnyVersion {
    #[command(flatten)]
    pub(super) application: Application,

    /// Version of the application
    #[arg(short = 'e', long, value_name = "VERSION")]
    pub(super) version: SingleLine,
}

#[derive(Args)]
pub(super) struct Tags {
    /// Tag of the version (repeatable, or separated by commas)
    #[arg(short = 't', long, value_name = "TAG", value_delimiter = ',')]
    pub(super) tag: Vec<String>,
}

/// The arguments of commands that only need a UUID.
#[derive(Args)]
pub(crate) struct ByUuid {
    /// UUID
    #[arg(long, value_name = "UUID")]
    pub(super) uuid: SingleLine,

    #[command(flatten)]
    pub(super) common: Common,
}

impl ByUuid {
    pub(super) fn arguments(&self) -> UuidArgument {
        UuidArgument {
            uuid: self.uuid.clone(),
        }
    }
}
