use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

pub(in crate::broker) const EXAMPLES: &str = "\
Examples:
  For yourself, at http://127.0.0.1:9292, kept in a file in your data directory:
    contract-broker serve
  For a team, with one name that may write and one that may only read:
    CONTRACT_BROKER_BASIC_AUTH_USERNAME=ci CONTRACT_BROKER_BASIC_AUTH_PASSWORD=… \\
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME=dev CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD=… \\
    contract-broker serve --listen 0.0.0.0:9292 --db postgres://broker:secret@db/broker \\
      --base-url https://broker.example.com

The database can also be given in parts: CONTRACT_BROKER_DATABASE_ADAPTER (sqlite or postgres), _HOST, _PORT, _NAME, _USERNAME,
_PASSWORD and _SSLMODE. An address takes sslmode (disable, prefer, require, verify-ca, verify-full), sslrootcert, sslcert and
sslkey, as other clients of PostgreSQL do.

Each option can be given as CONTRACT_BROKER_… or, as other brokers have it, as PACT_BROKER_….

Exit codes:
  0  it was asked to end, and did
  1  it could not start, such as when the port is taken or the database cannot be reached
  2  the arguments make no sense";

#[derive(Args)]
pub(in crate::broker) struct Arguments {
    /// Where it keeps what it knows: sqlite:PATH, postgres://USER:PASSWORD@HOST/NAME, or memory
    #[arg(
        long,
        value_name = "DATABASE",
        env = "CONTRACT_BROKER_DATABASE_URL",
        hide_env_values = true
    )]
    pub(super) db: Option<String>,

    /// The address and port to listen on; port 0 takes a free one
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:9292",
        env = "CONTRACT_BROKER_LISTEN"
    )]
    pub(super) listen: String,

    /// What links begin with, if not what the client calls the broker. Several: the one whose host was asked
    #[arg(long, value_name = "URL", value_delimiter = ' ', env = "CONTRACT_BROKER_BASE_URL")]
    pub(super) base_url: Vec<String>,

    /// Who may read and write
    #[arg(long, value_name = "NAME", env = "CONTRACT_BROKER_BASIC_AUTH_USERNAME")]
    pub(super) username: Option<String>,

    /// The password of who may read and write; safer as CONTRACT_BROKER_BASIC_AUTH_PASSWORD
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CONTRACT_BROKER_BASIC_AUTH_PASSWORD",
        hide_env_values = true
    )]
    pub(super) password: Option<String>,

    /// Who may only read
    #[arg(long, value_name = "NAME", env = "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME")]
    pub(super) read_only_username: Option<String>,

    /// The password of who may only read; safer as CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD
    #[arg(
        long,
        value_name = "PASSWORD",
        env = "CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD",
        hide_env_values = true
    )]
    pub(super) read_only_password: Option<String>,

    /// Everybody may read; names are needed to write
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_PUBLIC_READ")]
    pub(super) public_read: bool,

    /// Everybody who reaches it may do everything, even from other machines
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_ANONYMOUS")]
    pub(super) allow_anonymous: bool,

    /// Everybody may see badges, also without a name
    #[arg(long, env = "CONTRACT_BROKER_ENABLE_PUBLIC_BADGE_ACCESS")]
    pub(super) enable_public_badge_access: bool,

    /// Speak HTTPS: certificates in PEM form, the broker's own first
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        env = "CONTRACT_BROKER_TLS_CERTIFICATE"
    )]
    pub(super) tls_certificate: Option<PathBuf>,

    /// The private key of the certificate, in PEM form
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_certificate",
        env = "CONTRACT_BROKER_TLS_KEY"
    )]
    pub(super) tls_key: Option<PathBuf>,

    /// The form of the log on standard error
    #[arg(long, value_enum, default_value = "text", env = "CONTRACT_BROKER_LOG_FORMAT")]
    pub(super) log_format: LogFormat,

    /// What the log tells
    #[arg(long, value_enum, default_value = "info", env = "CONTRACT_BROKER_LOG_LEVEL")]
    pub(super) log_level: LogLevel,

    #[command(flatten)]
    pub(super) rules: RuleArguments,

    #[command(flatten)]
    pub(super) http: HttpArguments,

    #[command(flatten)]
    pub(super) limits: LimitArguments,

    /// End when standard input does: whoever started it may be gone
    #[arg(long)]
    pub(super) stop_with_stdin: bool,
}

/// What the broker does by itself and what it refuses.
#[derive(Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleArguments {
    /// A version may publish another contract in place of the one that it published
    #[arg(long, env = "CONTRACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION")]
    pub(super) allow_dangerous_contract_modification: bool,

    /// Refuse new names that are nearly the same as known ones
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_CHECK_FOR_POTENTIAL_DUPLICATE_PACTICIPANT_NAMES"
    )]
    pub(super) check_for_potential_duplicate_pacticipant_names: bool,

    /// A tag with the name of an environment records a deployment to it
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_CREATE_DEPLOYED_VERSIONS_FOR_TAGS"
    )]
    pub(super) create_deployed_versions_for_tags: bool,

    /// The first tag of a version without a branch names its branch, too
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_USE_FIRST_TAG_AS_BRANCH"
    )]
    pub(super) use_first_tag_as_branch: bool,

    /// For how long after the version was created
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        env = "CONTRACT_BROKER_USE_FIRST_TAG_AS_BRANCH_TIME_LIMIT"
    )]
    pub(super) use_first_tag_as_branch_time_limit: u64,

    /// The first branch of an application with one of the names below becomes its main branch
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = ArgAction::Set,
        env = "CONTRACT_BROKER_AUTO_DETECT_MAIN_BRANCH"
    )]
    pub(super) auto_detect_main_branch: bool,

    /// Names of main branches, with blanks or commas between them
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "develop main master",
        env = "CONTRACT_BROKER_MAIN_BRANCH_CANDIDATES"
    )]
    pub(super) main_branch_candidates: String,
}

/// Bounds on what clients can cost.
#[derive(Args)]
#[command(next_help_heading = "HTTP limits")]
pub(super) struct HttpArguments {
    /// Maximum number of open connections; further ones wait
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 1_024,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000),
        env = "CONTRACT_BROKER_MAX_CONNECTIONS"
    )]
    pub(super) max_connections: u32,

    /// Maximum number of open connections from one address; further ones get status 503. Behind a proxy all clients have one
    /// address
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000),
        env = "CONTRACT_BROKER_MAX_CONNECTIONS_PER_ADDRESS"
    )]
    pub(super) max_connections_per_address: u32,

    /// Maximum size of a request body
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 32,
        value_parser = clap::value_parser!(u32).range(1..=1_024),
        env = "CONTRACT_BROKER_MAX_BODY_SIZE"
    )]
    pub(super) max_body_size: u32,

    /// Memory for all request bodies in flight; one address uses at most half of it
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000),
        env = "CONTRACT_BROKER_REQUEST_MEMORY"
    )]
    pub(super) request_memory: u32,

    /// Memory for all responses that clients have not read yet; one address uses at most half of it
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000),
        env = "CONTRACT_BROKER_RESPONSE_MEMORY"
    )]
    pub(super) response_memory: u32,

    /// How long a request waits for such memory before it gets status 503
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

    /// How long a client may stay below the minimum transfer rate
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=3_600),
        env = "CONTRACT_BROKER_STALL_TIMEOUT"
    )]
    pub(super) stall_timeout: u32,

    /// Maximum time for a TLS handshake and for the head of a request, and how long an idle connection stays open
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 15,
        value_parser = clap::value_parser!(u32).range(1..=3_600),
        env = "CONTRACT_BROKER_HEAD_TIMEOUT"
    )]
    pub(super) head_timeout: u32,

    /// Maximum time for a request body
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u32).range(1..=3_600),
        env = "CONTRACT_BROKER_BODY_TIMEOUT"
    )]
    pub(super) body_timeout: u32,
}

/// How much of a PostgreSQL server the broker takes.
#[derive(Args)]
#[command(next_help_heading = "PostgreSQL")]
pub(super) struct LimitArguments {
    /// Connections to it: as many requests are answered at once
    #[arg(
        long = "database-max-connections",
        value_name = "COUNT",
        default_value_t = 8,
        value_parser = clap::value_parser!(u16).range(1..=500),
        env = "CONTRACT_BROKER_DATABASE_MAX_CONNECTIONS"
    )]
    pub(super) connections: u16,

    /// How long it may work on one statement
    #[arg(
        long = "database-statement-timeout",
        value_name = "SECONDS",
        default_value_t = 15,
        env = "CONTRACT_BROKER_DATABASE_STATEMENT_TIMEOUT"
    )]
    pub(super) statement: u64,

    /// How often to try again, once a second, when it cannot be reached at the start
    #[arg(
        long = "database-connect-max-retries",
        value_name = "COUNT",
        default_value_t = 0,
        env = "CONTRACT_BROKER_DATABASE_CONNECT_MAX_RETRIES"
    )]
    pub(super) retries: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogLevel {
    /// Each request, and errors
    #[value(alias = "debug")]
    Info,
    /// Errors alone
    #[value(alias = "fatal", alias = "warn")]
    Error,
}
