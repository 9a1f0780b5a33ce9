//! Webhook options.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use contract_broker::{Database, HostPattern, Keyring, Network, WebhookOptions, WebhookRules};

use crate::error::{CliError, Result};

const DAY: u64 = 24 * 3_600;

#[derive(Args)]
#[command(next_help_heading = "Webhooks")]
pub(super) struct WebhookArguments {
    /// HTTP methods that webhooks may use, separated by spaces or commas
    #[arg(
        long,
        value_name = "METHODS",
        default_value = "POST",
        env = "CONTRACT_BROKER_WEBHOOK_HTTP_METHOD_WHITELIST"
    )]
    webhook_http_method_whitelist: String,

    /// URL schemes that webhooks may use: http, https, or both, separated by spaces or commas
    #[arg(
        long,
        value_name = "SCHEMES",
        default_value = "https",
        env = "CONTRACT_BROKER_WEBHOOK_SCHEME_WHITELIST"
    )]
    webhook_scheme_whitelist: String,

    /// Hosts that webhooks may reach, separated by spaces or commas. Each entry is a host name, a pattern such as
    /// *.example.com, a regular expression between slashes such as /^ci/, or a network such as 10.1.0.0/16 [default:
    /// all]
    #[arg(
        long,
        value_name = "HOSTS",
        default_value = "",
        hide_default_value = true,
        env = "CONTRACT_BROKER_WEBHOOK_HOST_WHITELIST"
    )]
    webhook_host_whitelist: String,

    /// Non-public networks and addresses that webhooks may reach, such as 10.1.0.0/16 or 127.0.0.1, separated by spaces
    /// or commas [default: none]
    #[arg(
        long,
        value_name = "NETWORKS",
        default_value = "",
        hide_default_value = true,
        env = "CONTRACT_BROKER_WEBHOOK_NETWORK_WHITELIST"
    )]
    webhook_network_whitelist: String,

    /// Time to wait before each retry of a failed request, in seconds, separated by spaces or commas
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "10 60 120 300 600 1200",
        env = "CONTRACT_BROKER_WEBHOOK_RETRY_SCHEDULE"
    )]
    webhook_retry_schedule: String,

    /// Response status codes that count as success, separated by spaces or commas
    #[arg(
        long,
        value_name = "CODES",
        default_value = "200 201 202 203 204 205 206",
        env = "CONTRACT_BROKER_WEBHOOK_HTTP_CODE_SUCCESS"
    )]
    webhook_http_code_success: String,

    /// Timeout for one attempt to send a request, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 15,
        value_parser = clap::value_parser!(u64).range(1..=300),
        env = "CONTRACT_BROKER_WEBHOOK_TIMEOUT"
    )]
    webhook_timeout: u64,

    /// Maximum number of webhooks that send requests at the same time
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 16,
        value_parser = clap::value_parser!(u16).range(1..=256),
        env = "CONTRACT_BROKER_WEBHOOK_CONCURRENCY"
    )]
    webhook_concurrency: u16,

    /// Maximum time that a request can wait while earlier requests of the same webhook are retried, in hours; older
    /// requests are dropped
    #[arg(
        long,
        value_name = "HOURS",
        default_value_t = 24,
        value_parser = clap::value_parser!(u64).range(1..=8_760),
        env = "CONTRACT_BROKER_WEBHOOK_MAX_AGE"
    )]
    webhook_max_age: u64,

    /// Delete finished requests and their logs after this number of days; 0 keeps all requests
    #[arg(
        long,
        value_name = "DAYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u64).range(..=36_500),
        env = "CONTRACT_BROKER_WEBHOOK_LOG_DAYS"
    )]
    webhook_log_days: u64,

    /// Number of minutes after which a missing required verification triggers the event contract_verification_overdue;
    /// 0 disables the event
    #[arg(
        long,
        value_name = "MINUTES",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(..=525_600),
        env = "CONTRACT_BROKER_VERIFICATION_OVERDUE_AFTER"
    )]
    verification_overdue_after: u64,

    /// File with the keys that encrypt webhook secrets: one key per line, each 32 random bytes in base64, the current
    /// key first [default: CONTRACT_BROKER_SECRET_KEY, otherwise a generated file next to a SQLite database]
    #[arg(long, value_name = "FILE", env = "CONTRACT_BROKER_SECRET_KEY_FILE")]
    secret_key_file: Option<PathBuf>,
}

impl WebhookArguments {
    pub(super) fn rules(&self) -> Result<WebhookRules> {
        let hosts = entries(&self.webhook_host_whitelist).map(HostPattern::parse);
        let networks = entries(&self.webhook_network_whitelist).map(Network::parse);
        let overdue = Duration::from_secs(60 * self.verification_overdue_after);
        Ok(WebhookRules {
            methods: entries(&self.webhook_http_method_whitelist)
                .map(str::to_ascii_uppercase)
                .collect(),
            schemes: schemes(&self.webhook_scheme_whitelist)?,
            hosts: hosts
                .collect::<std::result::Result<_, _>>()
                .map_err(|error| invalid("--webhook-host-whitelist", &error.to_string()))?,
            networks: networks
                .collect::<std::result::Result<_, _>>()
                .map_err(|error| invalid("--webhook-network-whitelist", &error.to_string()))?,
            overdue_after: Some(overdue).filter(|overdue| !overdue.is_zero()),
        })
    }

    pub(super) fn options(&self, database: &Database) -> Result<WebhookOptions> {
        let keep_log = Duration::from_secs(self.webhook_log_days * DAY);
        Ok(WebhookOptions {
            retry_schedule: numbers::<u32>("--webhook-retry-schedule", &self.webhook_retry_schedule)?
                .into_iter()
                .map(|seconds| Duration::from_secs(seconds.into()))
                .collect(),
            success: numbers("--webhook-http-code-success", &self.webhook_http_code_success)?,
            timeout: Duration::from_secs(self.webhook_timeout),
            concurrency: usize::from(self.webhook_concurrency),
            max_age: Duration::from_secs(self.webhook_max_age * 3_600),
            keep_log: Some(keep_log).filter(|keep| !keep.is_zero()),
            keys: self.keys(database)?,
        })
    }

    /// Reads the keys that encrypt webhook secrets. If none are configured, uses a key file next to the SQLite database
    /// and creates it if necessary.
    fn keys(&self, database: &Database) -> Result<Keyring> {
        if let Some(path) = &self.secret_key_file {
            return read_keys(path);
        }
        let name = super::super::variable::variable("CONTRACT_BROKER_SECRET_KEY");
        if let Some(text) = name.as_ref().and_then(|name| std::env::var(name).ok()) {
            let name = name.unwrap_or_default();
            return Keyring::parse(&text).map_err(|error| CliError::usage(format!("{name}: {error}")));
        }
        match database {
            Database::Sqlite(path) => {
                let path = path.with_extension(match path.extension() {
                    Some(extension) => format!("{}.key", extension.to_string_lossy()),
                    None => "key".to_owned(),
                });
                if !path
                    .parent()
                    .is_none_or(|directory| directory.as_os_str().is_empty() || directory.is_dir())
                {
                    // Opening the database will fail with a better error message.
                    return Ok(Keyring::default());
                }
                create_key(&path)?;
                read_keys(&path)
            }
            Database::Memory => {
                let key = Keyring::generate().map_err(|error| CliError::failed(error.to_string()))?;
                Keyring::parse(&key).map_err(|error| CliError::failed(error.to_string()))
            }
            // Several processes can share the database, so none of them may create the key.
            Database::Postgres(_) => Ok(Keyring::default()),
        }
    }
}

fn invalid(option: &str, error: &str) -> CliError {
    CliError::usage(format!("{option}: {error}"))
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '\n']).filter(|word| !word.is_empty())
}

fn schemes(text: &str) -> Result<Vec<String>> {
    let schemes: Vec<String> = entries(text).map(str::to_ascii_lowercase).collect();
    match schemes
        .iter()
        .find(|scheme| !matches!(scheme.as_str(), "http" | "https"))
    {
        Some(other) => Err(invalid(
            "--webhook-scheme-whitelist",
            &format!("{other} is not http or https"),
        )),
        None => Ok(schemes),
    }
}

fn numbers<N: std::str::FromStr>(option: &str, text: &str) -> Result<Vec<N>> {
    let number = |word: &str| {
        word.parse()
            .map_err(|_| invalid(option, &format!("{word} is not a valid number")))
    };
    entries(text).map(number).collect()
}

fn read_keys(path: &Path) -> Result<Keyring> {
    let failed =
        |error: &dyn std::fmt::Display| CliError::failed(format!("could not read {}: {error}", path.display()));
    let bytes = contract::read_settings(path).map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    Keyring::parse(&text).map_err(|error| CliError::failed(format!("{}: {error}", path.display())))
}

/// Creates a file with a new key, unless the file exists. Only its owner can read it.
fn create_key(path: &Path) -> Result<()> {
    let failed =
        |error: &dyn std::fmt::Display| CliError::failed(format!("could not create {}: {error}", path.display()));
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if path.exists() {
        return Ok(());
    }
    let key = Keyring::generate().map_err(|error| failed(&error))?;
    // Write a temporary file in the same directory and link it, so that another process never reads a partial key, and
    // an existing key is never replaced.
    let mut file = tempfile::NamedTempFile::new_in(directory).map_err(|error| failed(&error))?;
    file.write_all(key.as_bytes())
        .and_then(|()| file.as_file().sync_all())
        .map_err(|error| failed(&error))?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(_) if path.exists() => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}
