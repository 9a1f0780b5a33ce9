use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use super::webhooks::WebhookArguments;
use crate::broker::database::{DatabaseArguments, LimitArguments};
use crate::broker::retention::RetentionArguments;
use crate::values::broker_port;

pub(in crate::broker) const EXAMPLES: &str = "\
Examples:
  Start a broker at http://127.0.0.1:9292, with a SQLite file in your data directory:
    contract-broker serve
  Start a broker for a team, with one read-write user and one read-only user:
    CONTRACT_BROKER_BASIC_AUTH_USERNAME=ci CONTRACT_BROKER_BASIC_AUTH_PASSWORD=change-me \\
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME=dev \\
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD=change-me \\
    contract-broker serve --listen 0.0.0.0:9292 --db postgres://broker:secret@db/broker \\
      --base-url https://broker.example.com

The default database is the file contract-broker/broker.sqlite in the user's data directory: ~/.local/share (or \
$XDG_DATA_HOME) on Linux, ~/Library/Application Support on macOS, and %LOCALAPPDATA% on Windows.

The database can also be set through separate variables with the prefix CONTRACT_BROKER_DATABASE_: ADAPTER (sqlite or \
postgres), HOST, PORT, NAME, USERNAME, PASSWORD, and SSLMODE. A PostgreSQL URL accepts the libpq parameters sslmode \
(disable, prefer, require, verify-ca, or verify-full), sslrootcert, sslcert, and sslkey.

Each variable can also start with PACT_BROKER_ instead of CONTRACT_BROKER_.

Exit codes:
  0  the broker was stopped
  1  the broker could not start, for example because the port is in use or a file cannot be read
  2  invalid arguments";

#[derive(Args)]
pub(in crate::broker) struct Arguments {
    /// TOML file with values for long options, such as listen = "0.0.0.0:9292", and with settings for identity tokens
    /// and single sign-on. Options and environment variables override the file
    #[arg(long, value_name = "FILE", env = "CONTRACT_BROKER_CONFIG")]
    pub(super) config: Option<PathBuf>,

    #[command(flatten)]
    pub(super) database: DatabaseArguments,

    /// Address and port to listen on; port 0 selects a free port
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:9292",
        env = "CONTRACT_BROKER_LISTEN"
    )]
    pub(super) listen: String,

    /// Parsed only so that the error recommends --listen
    #[arg(long, hide = true, value_name = "PORT", value_parser = broker_port)]
    port: Option<String>,

    /// Base URL of the broker's links (repeatable, or separated by spaces). If there are several, each response uses
    /// the one whose host matches the request, or the first if none matches [default: derived from the request]
    #[arg(long, value_name = "URL", value_delimiter = ' ', env = "CONTRACT_BROKER_BASE_URL")]
    pub(super) base_url: Vec<String>,

    /// Name of the user with read and write access
    #[arg(long, value_name = "NAME", env = "CONTRACT_BROKER_BASIC_AUTH_USERNAME")]
    pub(super) username: Option<String>,

    /// Password for --username; safer in an environment variable
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CONTRACT_BROKER_BASIC_AUTH_PASSWORD",
        hide_env_values = true
    )]
    pub(super) password: Option<String>,

    /// Name of the user with read-only access
    #[arg(long, value_name = "NAME", env = "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME")]
    pub(super) read_only_username: Option<String>,

    /// Password for --read-only-username; safer in an environment variable
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD",
        hide_env_values = true
    )]
    pub(super) read_only_password: Option<String>,

    /// Allow reading without credentials
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_PUBLIC_READ")]
    pub(super) public_read: bool,

    /// Allow all requests without credentials, even from other machines
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_ANONYMOUS")]
    pub(super) allow_anonymous: bool,

    /// Allow reading badges without credentials
    #[arg(long, env = "CONTRACT_BROKER_ENABLE_PUBLIC_BADGE_ACCESS")]
    pub(super) enable_public_badge_access: bool,

    /// Maximum number of requests per second for each credential, averaged over ten seconds; 0 disables the limit.
    /// Requests above the limit receive status 429
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 1_000,
        env = "CONTRACT_BROKER_RATE_LIMIT_PER_CREDENTIAL"
    )]
    pub(super) rate_limit_per_credential: u32,

    /// Maximum number of requests per second for each IP address, averaged over ten seconds; 0 disables the limit.
    /// Requests above the limit receive status 429
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 2_000,
        env = "CONTRACT_BROKER_RATE_LIMIT_PER_ADDRESS"
    )]
    pub(super) rate_limit_per_address: u32,

    /// IP addresses or networks of trusted proxies, such as 10.0.0.0/8, separated by spaces or commas. The broker reads
    /// the client's address from their X-Forwarded-For header [default: none]
    #[arg(
        long,
        value_name = "ADDRESSES",
        default_value = "",
        hide_default_value = true,
        env = "CONTRACT_BROKER_TRUSTED_PROXIES"
    )]
    pub(super) trusted_proxies: String,

    /// Delete audit log entries after this number of days; 0 keeps all entries
    #[arg(
        long,
        value_name = "DAYS",
        default_value_t = 365,
        env = "CONTRACT_BROKER_AUDIT_RETENTION_DAYS"
    )]
    pub(super) audit_retention_days: u32,

    /// PEM file with the certificate chain for HTTPS, starting with the broker's certificate
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        env = "CONTRACT_BROKER_TLS_CERTIFICATE"
    )]
    pub(super) tls_certificate: Option<PathBuf>,

    /// PEM file with the unencrypted private key of the certificate
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_certificate",
        env = "CONTRACT_BROKER_TLS_KEY"
    )]
    pub(super) tls_key: Option<PathBuf>,

    /// Format of the log on standard error
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        ignore_case = true,
        env = "CONTRACT_BROKER_LOG_FORMAT"
    )]
    pub(super) log_format: LogFormat,

    /// Level of the log on standard error
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        default_value = "info",
        ignore_case = true,
        env = "CONTRACT_BROKER_LOG_LEVEL"
    )]
    pub(super) log_level: LogLevel,

    /// Base URL of an OpenTelemetry collector to which traces are exported with OTLP over HTTP, such as
    /// http://localhost:4318 [default: no traces]
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    pub(super) otlp_endpoint: Option<String>,

    /// Stop when standard input is closed
    #[arg(long)]
    pub(super) stop_with_stdin: bool,

    #[command(flatten)]
    pub(super) rules: RuleArguments,

    #[command(flatten)]
    pub(super) webhooks: WebhookArguments,

    #[command(flatten)]
    pub(super) http: HttpArguments,

    #[command(flatten)]
    pub(super) retention: RetentionArguments,

    #[command(flatten)]
    pub(super) limits: LimitArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Contracts, versions, and environments")]
pub(super) struct RuleArguments {
    /// Allow publishing different content for a version whose contract was already published
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION")]
    pub(super) allow_dangerous_contract_modification: bool,

    /// Reject new application names that are similar to existing ones
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_CHECK_FOR_POTENTIAL_DUPLICATE_PACTICIPANT_NAMES"
    )]
    pub(super) check_for_potential_duplicate_pacticipant_names: bool,

    /// Record a deployment when a version is tagged with the name of an environment (not for tags that are published
    /// with contracts)
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_CREATE_DEPLOYED_VERSIONS_FOR_TAGS"
    )]
    pub(super) create_deployed_versions_for_tags: bool,

    /// If a version has no branch, use its first tag as the branch
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_USE_FIRST_TAG_AS_BRANCH"
    )]
    pub(super) use_first_tag_as_branch: bool,

    /// Maximum age of a version for --use-first-tag-as-branch, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        env = "CONTRACT_BROKER_USE_FIRST_TAG_AS_BRANCH_TIME_LIMIT"
    )]
    pub(super) use_first_tag_as_branch_time_limit: u64,

    /// If an application has no main branch, use its first branch whose name is in --main-branch-candidates
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_AUTO_DETECT_MAIN_BRANCH"
    )]
    pub(super) auto_detect_main_branch: bool,

    /// Branch names for --auto-detect-main-branch, separated by spaces or commas
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "develop main master",
        env = "CONTRACT_BROKER_MAIN_BRANCH_CANDIDATES"
    )]
    pub(super) main_branch_candidates: String,

    /// Names of environments, separated by spaces or commas, in which recording deployments and releases requires the
    /// scope deploy:ENVIRONMENT or admin; * matches any characters [default: none]
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "",
        hide_default_value = true,
        env = "CONTRACT_BROKER_PROTECTED_ENVIRONMENTS"
    )]
    pub(super) protected_environments: String,
}

#[derive(Args)]
#[command(next_help_heading = "HTTP limits")]
pub(super) struct HttpArguments {
    /// Maximum number of open connections; further connections wait
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 1_024,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000),
        env = "CONTRACT_BROKER_MAX_CONNECTIONS"
    )]
    pub(super) max_connections: u32,

    /// Maximum number of open connections per IP address; further connections receive status 503. Clients
    /// behind a proxy share its address
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000),
        env = "CONTRACT_BROKER_MAX_CONNECTIONS_PER_ADDRESS"
    )]
    pub(super) max_connections_per_address: u32,

    /// Maximum number of requests that wait for a verdict to change; further requests receive the current verdict
    /// immediately
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 128,
        value_parser = clap::value_parser!(u32).range(0..=1_000_000),
        env = "CONTRACT_BROKER_MAX_WAITING_REQUESTS"
    )]
    pub(super) max_waiting_requests: u32,

    /// Maximum size of a request body, in MiB
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 32,
        value_parser = clap::value_parser!(u32).range(1..=1_024),
        env = "CONTRACT_BROKER_MAX_BODY_SIZE"
    )]
    pub(super) max_body_size: u32,

    /// Maximum memory for all request bodies, in MiB. A single IP address can use at most half of the memory that the
    /// others leave free
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000),
        env = "CONTRACT_BROKER_REQUEST_MEMORY"
    )]
    pub(super) request_memory: u32,

    /// Maximum memory for all responses that clients have not read yet, in MiB. A single IP address can use at most
    /// half of the memory that the others leave free
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000),
        env = "CONTRACT_BROKER_RESPONSE_MEMORY"
    )]
    pub(super) response_memory: u32,

    /// Maximum time that a request waits for free memory before it receives status 503, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(..=3_600),
        env = "CONTRACT_BROKER_MEMORY_WAIT"
    )]
    pub(super) memory_wait: u32,

    /// Minimum transfer rate of request bodies and responses, in KiB per second
    #[arg(
        long,
        value_name = "KIB",
        default_value_t = 16,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000),
        env = "CONTRACT_BROKER_MIN_TRANSFER_RATE"
    )]
    pub(super) min_transfer_rate: u32,

    /// Maximum time that a transfer can be slower than --min-transfer-rate before the connection is closed, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=3_600),
        env = "CONTRACT_BROKER_STALL_TIMEOUT"
    )]
    pub(super) stall_timeout: u32,

    /// Timeout for TLS handshakes, request heads, and idle connections, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 15,
        value_parser = clap::value_parser!(u32).range(1..=3_600),
        env = "CONTRACT_BROKER_HEAD_TIMEOUT"
    )]
    pub(super) head_timeout: u32,

    /// Timeout for receiving a request body, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..=3_600),
        env = "CONTRACT_BROKER_BODY_TIMEOUT"
    )]
    pub(super) body_timeout: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    // Formats of the Pact Broker.
    #[value(alias = "default", alias = "color")]
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogLevel {
    /// Log requests and errors
    #[value(alias = "debug")]
    Info,
    /// Log errors only
    #[value(alias = "fatal", alias = "warn")]
    Error,
}
